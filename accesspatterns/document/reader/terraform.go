package reader

import (
	"cmp"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

var (
	hclTable  = lazyregexp.New(`^\s*resource\s+"aws_dynamodb_table"`)
	hclBlock  = lazyregexp.New(`^\s*(?:dynamic\s+)?"?([a-z_]+)"?(?:\s+"[^"]*")*\s*\{\s*$`)
	hclValue  = lazyregexp.New(`^\s*([a-z_]+)\s*=\s*(.+?)\s*$`)
	hclClosed = lazyregexp.New(`^\s*\}\s*$`)
	hclQuoted = lazyregexp.New(`"([^"]*)"`)
)

// terraform reads the tables of a block of Terraform's language. It returns false for a block
// without one.
func (r *reader) terraform(b *block) bool {
	found := false
	var table *Table
	index := &Index{}
	var within []string // the blocks that a line stands in
	types := map[string]string{}
	attribute := ""
	for n, line := range b.code {
		at := At{b.line + n, Said}
		switch {
		case hclTable.MatchString(line):
			found, within = true, []string{"table"}
			table, types = r.hclNamed(b, n), map[string]string{}
			continue
		case table == nil:
			continue
		case hclBlock.MatchString(line):
			within = append(within, hclBlock.FindStringSubmatch(line)[1])
			index = &Index{} // until a line names it
			continue
		case hclClosed.MatchString(line):
			if within = within[:len(within)-1]; len(within) == 0 {
				table.typed(types)
				table = nil
			}
			continue
		}
		match := hclValue.FindStringSubmatch(line)
		if match == nil {
			continue
		}
		if strings.HasSuffix(match[2], "{") {
			within = append(within, "map") // tags = {
			continue
		}
		name, value := match[1], strings.Trim(match[2], `"`)
		switch block := within[len(within)-1]; block + " " + name {
		case "table hash_key":
			table.Keys = addKey(table.Keys, Key{at, value, "", Hash})
		case "table range_key":
			table.Keys = addKey(table.Keys, Key{at, value, "", Range})
		case "table billing_mode":
			table.Billing = append(table.Billing, Setting{at, value})
		case "table stream_view_type":
			table.Stream = keep(table.Stream, at, value)
		case "attribute name":
			attribute = value
		case "attribute type":
			types[attribute] = value
		case "ttl attribute_name":
			table.TTL = keep(table.TTL, at, value)
		case "point_in_time_recovery enabled":
			if value == "true" {
				table.PITR = keep(table.PITR, at, "enabled")
			}
		case "global_secondary_index name", "local_secondary_index name":
			index = table.addIndex(value, at)
			index.Local = block == "local_secondary_index"
		case "global_secondary_index hash_key":
			index.Keys = addKey(index.Keys, Key{at, value, "", Hash})
		case "global_secondary_index range_key", "local_secondary_index range_key":
			index.Keys = addKey(index.Keys, Key{at, value, "", Range})
		case "global_secondary_index projection_type", "local_secondary_index projection_type":
			index.Projection = Setting{at, value}
		case "global_secondary_index non_key_attributes", "local_secondary_index non_key_attributes":
			for _, each := range hclQuoted.FindAllStringSubmatch(match[2], -1) {
				index.Include = append(index.Include, each[1])
			}
		}
	}
	return found
}

// hclNamed returns the table of the resource that begins in a line of a block, by the name that
// one of the next lines gives.
func (r *reader) hclNamed(b *block, from int) *Table {
	for n := from + 1; n < len(b.code) && !hclBlock.MatchString(b.code[n]); n++ {
		if match := hclValue.FindStringSubmatch(b.code[n]); match != nil && match[1] == "name" {
			if name := strings.ReplaceAll(strings.Trim(match[2], `"`), "${var.", "${"); namesTable(name) {
				return r.addTable(name, At{b.line + n, Said})
			}
		}
	}
	return r.tableOf(b)
}

// typed gives keys the types of their attributes.
func (t *Table) typed(types map[string]string) {
	fill := func(keys []Key) {
		for i := range keys {
			keys[i].Type = cmp.Or(keys[i].Type, types[keys[i].Name])
		}
	}
	fill(t.Keys)
	for _, index := range t.Indexes {
		fill(index.Keys)
	}
}
