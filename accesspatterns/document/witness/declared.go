package witness

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/document/internal/lazyregexp"
	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/dynamo"
)

// readings compares every row of the tables of which the contract says how they are to be read, and
// every attribute that cites one of their lines.
func (w *witness) readings() {
	for _, reading := range w.design.Readings {
		element := fmt.Sprintf("reading/%d-%d", reading.First, reading.Last)
		at := slices.IndexFunc(w.doc.Grids, func(g reader.Grid) bool { return g.Line >= reading.First && g.Line <= reading.Last })
		entity, is := w.design.Entity(reading.Entity)
		if at < 0 || !is {
			w.object(Declared, element, reading.First, "expected a table in the lines %d to %d, found none", reading.First, reading.Last)
			continue
		}
		grid := w.doc.Grids[at]
		last := grid.Line + 1
		if n := len(grid.Rows); n > 0 {
			last = grid.Rows[n-1].Line
		}
		if reading.First != grid.Line || reading.Last != last {
			w.object(Declared, element+"/lines", grid.Line, "expected the lines of one table, found one in the lines %d to %d", grid.Line, last)
		}
		column := map[string]int{}
		for i, header := range grid.Header {
			gives, declared := reading.Columns[header]
			if !declared {
				w.object(Declared, element+"/column/"+header, grid.Line, "the contract does not say how the column %q is read; write -, if it gives nothing to compare", header)
			}
			column[gives] = i + 1
		}
		for _, header := range slices.Sorted(maps.Keys(reading.Columns)) {
			if !slices.Contains(grid.Header, header) {
				w.object(Declared, element+"/column/"+header, grid.Line, "expected the column %q, found %s", header, strings.Join(grid.Header, ", "))
			}
		}
		seen := map[string]bool{}
		for _, row := range grid.Rows {
			cell := func(gives string) string {
				if n := column[gives]; n > 0 && n <= len(row.Cells) {
					return strings.Trim(row.Cells[n-1], " `")
				}
				return ""
			}
			if column["names"] > 0 {
				w.item(entity, reading, grid.Header, row, cell("names"), seen)
				continue
			}
			name := cell("name")
			if seen[name] = true; name == "" {
				w.object(Declared, fmt.Sprintf("%s/row/%d", element, row.Line), row.Line, "line %d has no name to compare", row.Line)
				continue
			}
			w.row(entity, reading, row.Line, name, cell)
		}
		for _, a := range entity.Attributes {
			if !seen[a.Name] && !strings.ContainsAny(a.Name, ".[*") && a.Cite.Covers(grid.Line, reading.Last) {
				w.object(Declared, "attribute/"+entity.ID+"/"+a.Name, a.Cite.First, "%s of %s cites the table of line %d, and no row has it", a.Name, entity.ID, grid.Line)
			}
		}
	}
}

var listedName = lazyregexp.New(`^[*` + "`" + `]*([A-Za-z_][\w.]*)`)

// item compares a row that is a whole item: the forms of its keys, and the names of its attributes between commas.
func (w *witness) item(entity *ap.Entity, reading ap.Reading, header []string, row reader.GridRow, list string, seen map[string]bool) {
	for i, cell := range row.Cells {
		if i >= len(header) || reading.Columns[header[i]] != "key" {
			continue
		}
		key, has := entity.Key(header[i])
		if form, is := reader.FormOf(cell); !has || !is || form.Shape() != key.Template.Shape() {
			w.object(Declared, "entity/"+entity.ID+"/key/"+header[i], row.Line, "line %d gives %s of %s the form %s, the contract does not", row.Line, header[i], entity.ID, cell)
		}
	}
	depth := 0
	for _, part := range strings.FieldsFunc(list, func(c rune) bool {
		depth = max(0, depth+strings.Count("(", string(c))-strings.Count(")", string(c)))
		return c == ',' && depth == 0
	}) {
		name := listedName.FindStringSubmatch(strings.TrimSpace(part))
		if name == nil {
			continue
		}
		seen[name[1]] = true
		_, isKey := entity.Key(name[1])
		if _, has := attributeOf(entity, name[1]); !has && !isKey {
			w.object(Declared, "attribute/"+entity.ID+"/"+name[1], row.Line, "line %d gives %s the attribute %s, the contract does not", row.Line, entity.ID, name[1])
		}
	}
}

// between matches what stands between the values of a list.
var between = lazyregexp.New(`[ ]*[,|/][ ]*(?:or +)?| +or +`)

// row compares one row with the attribute or key of its name.
func (w *witness) row(entity *ap.Entity, reading ap.Reading, line int, name string, cell func(string) string) {
	element := "attribute/" + entity.ID + "/" + name
	if slices.ContainsFunc(w.found, func(o Objection) bool {
		return o.Line == line && o.Kind != Declared && strings.Contains(o.ID, "/"+name)
	}) {
		return // the reader has said so by itself: one cause is one objection
	}
	kind, has := dynamo.Type(""), false
	a, isAttribute := entity.Attribute(name)
	if isAttribute {
		kind, has = a.Type, true
	} else if key, isKey := entity.Key(name); isKey {
		kind, has = typeOf(key), true
	}
	if _, inside := attributeOf(entity, name); !has && !inside {
		w.object(Declared, element, line, "line %d gives %s the attribute %s, the contract does not", line, entity.ID, name)
	}
	if !has {
		return
	}
	if word := cell("type"); word != "" {
		want := reading.Types[word]
		if want == "" {
			want = reader.TypeOf(word)
		}
		if want == "" {
			w.object(Declared, fmt.Sprintf("reading/%d-%d/type/%s", reading.First, reading.Last, word), line, "the contract does not say which type %q is", word)
		} else if string(kind) != want && !slices.Contains(w.told, fmt.Sprint(line, " ", name)) {
			w.object(Declared, element+"/type", line, "%s of %s is %s in line %d, and %s in the contract", name, entity.ID, want, line, kind)
		}
	}
	if !isAttribute {
		return
	}
	read := reader.Attribute{At: reader.At{Line: line}, Required: reader.Presence(cell("presence"))}
	if word := cell("presence"); word != "" && read.Required == "" {
		w.object(Declared, fmt.Sprintf("reading/%d-%d/presence/%s", reading.First, reading.Last, word), line, "nobody says whether %q means that an attribute is required", word)
	}
	if read.Allowed = between.Split(cell("allowed"), -1); len(read.Allowed) < 2 {
		read.Allowed = strings.Fields(cell("allowed"))
	}
	for i, value := range read.Allowed {
		read.Allowed[i] = strings.Trim(value, " `\"'")
	}
	if len(read.Allowed) < 2 {
		read.Allowed = nil // one word is no list
	}
	w.bounds(Declared, fmt.Sprintf("line %d", line), entity, a, read)
}
