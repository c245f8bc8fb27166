package reader

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"go.yaml.in/yaml/v3"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// Definitions of tables in code: Terraform, CloudFormation and SAM, the request of CreateTable, the
// AWS CLI, and the objects that CDK and Pulumi are given. Each is parsed into members with their
// lines, and the members are read by name.

var (
	tableCode = lazyregexp.New(`aws_dynamodb_table|AWS::(?:DynamoDB::(?:Global)?Table|Serverless::SimpleTable)|\bKeySchema\b|dynamodb create-table|dynamodb\.(?:Table|TableV2|CfnTable)\s*\(|new (?:Table|TableV2)\s*\(`)
	cdkCall   = lazyregexp.New(`(?:dynamodb\.|new )(?:Table|TableV2|TablePropsV2)\s*\(|addGlobalSecondaryIndex\s*\(|addLocalSecondaryIndex\s*\(`)
	cliOption = lazyregexp.New(`(?:^|\s)--([a-z-]+)(?:\s+|=)`)
)

func definesTable(b *block) bool {
	return b.kind == codeBlock && tableCode.MatchString(strings.Join(b.code, "\n"))
}

// definition reads the tables that a fence defines, and returns false for a fence without one.
func (r *reader) definition(b *block) bool {
	if !definesTable(b) {
		return false
	}
	text := strings.Join(b.code, "\n")
	switch {
	case strings.Contains(text, "dynamodb create-table"):
		return r.command(b)
	case strings.Contains(text, "aws_dynamodb_table"):
		return r.terraform(b)
	case strings.Contains(text, "AWS::"):
		return r.cloudFormation(b, text)
	case cdkCall.MatchString(text):
		return r.constructs(b)
	}
	found := false
	for n, line := range b.code {
		// The object that has a KeySchema.
		if at := strings.IndexByte(line, '{'); at >= 0 && (at == len(strings.TrimRight(line, " "))-1) && !found {
			p := &literal{lines: b.code, row: n, column: at}
			if members, is := p.object(0); is {
				shift(members, b.line)
				if table := r.resource(b, members); table != nil {
					found = true
					r.covered(b, n, p.row)
				}
			}
		}
	}
	return found
}

func (r *reader) covered(b *block, from, to int) {
	for n := from; n <= to && n < len(b.code); n++ {
		r.done[b.line+n] = true
	}
}

// member returns a member by the first of the names that is there; case of the first letter is
// ignored, as CloudFormation and CDK differ in it.
func memberOf(members []Member, names ...string) (Member, bool) {
	for _, name := range names {
		for _, m := range members {
			if strings.EqualFold(m.Name, name) {
				return m, true
			}
		}
	}
	return Member{}, false
}

func textOf(members []Member, names ...string) (string, int) {
	m, _ := memberOf(members, names...)
	if m.Type != "" && m.Type != "S" && m.Type != "N" && m.Type != "BOOL" {
		return "", m.Line
	}
	return m.Text, m.Line
}

// resource reads a table in CloudFormation's words, which CreateTable shares.
func (r *reader) resource(b *block, members []Member) *Table {
	schema, has := memberOf(members, "KeySchema", "PrimaryKey")
	if !has {
		return nil
	}
	name, line := textOf(members, "TableName")
	table := r.definedTable(b, name, cmp.Or(line, schema.Line))
	if table == nil {
		return nil
	}
	at := func(line int) At { return b.frame.at(line) }
	types := typesIn(members)
	r.resourceKeys(b, &table.Keys, schema, types, nameOr(table))
	for _, kind := range []string{"GlobalSecondaryIndexes", "LocalSecondaryIndexes"} {
		all, _ := memberOf(members, kind)
		for _, x := range all.Members {
			r.resourceIndex(b, table, x.Members, types, kind[0] == 'L')
		}
	}
	if mode, line := textOf(members, "BillingMode"); billingOf(mode) != "" {
		table.Billing = append(table.Billing, Setting{at(line), billingOf(mode)})
	}
	if ttl, has := memberOf(members, "TimeToLiveSpecification"); has {
		if name, line := textOf(ttl.Members, "AttributeName"); identifier.MatchString(name) {
			table.TTL = keep(table.TTL, at(line), name)
		}
	}
	if stream, has := memberOf(members, "StreamSpecification"); has {
		if view, line := textOf(stream.Members, "StreamViewType"); viewWord.MatchString(view) {
			table.Stream = keep(table.Stream, at(line), view)
		}
	}
	if pitr, has := memberOf(members, "PointInTimeRecoverySpecification"); has {
		value, line := textOf(pitr.Members, "PointInTimeRecoveryEnabled")
		table.PITR = keep(table.PITR, at(line), enabled(value))
	}
	if tags, has := memberOf(members, "Tags"); has {
		for _, tag := range tags.Members {
			name, line := textOf(tag.Members, "Key")
			if value, _ := textOf(tag.Members, "Value"); name != "" {
				table.Tags = append(table.Tags, Tag{at(line), name, value})
			}
		}
	}
	return table
}

// typesIn are the types of the attributes that a definition gives.
func typesIn(members []Member) map[string]string {
	types := map[string]string{}
	definitions, _ := memberOf(members, "AttributeDefinitions")
	for _, d := range definitions.Members {
		name, _ := textOf(d.Members, "AttributeName")
		types[name], _ = textOf(d.Members, "AttributeType")
	}
	return types
}

func (r *reader) resourceKeys(b *block, to *[]Key, schema Member, types map[string]string, where string) {
	if schema.Type == "M" { // SAM's simple table
		name, line := textOf(schema.Members, "Name")
		kind, _ := textOf(schema.Members, "Type")
		r.give(to, where, b.frame.at(line), keyItem{role: Hash, name: name, kind: keyType(kind)})
	}
	for _, k := range schema.Members {
		name, line := textOf(k.Members, "AttributeName")
		role, _ := textOf(k.Members, "KeyType")
		if identifier.MatchString(name) && (role == Hash || role == Range) {
			r.give(to, where, b.frame.at(line), keyItem{role: role, name: name, kind: keyType(types[name])})
		}
	}
}

func (r *reader) resourceIndex(b *block, table *Table, members []Member, types map[string]string, local bool) {
	name, line := textOf(members, "IndexName")
	if !identifier.MatchString(name) {
		return
	}
	index := r.definedIndex(table, name, b.frame.at(line))
	index.Local = local
	schema, _ := memberOf(members, "KeySchema")
	r.resourceKeys(b, &index.Keys, schema, types, name)
	projection, _ := memberOf(members, "Projection")
	if value, line := textOf(projection.Members, "ProjectionType"); value != "" && index.Projection.Value == "" {
		index.Projection = Setting{b.frame.at(line), value}
	}
	include, _ := memberOf(projection.Members, "NonKeyAttributes")
	for _, each := range include.Members {
		index.Include = append(index.Include, each.Text)
	}
}

// said makes a member of a text, and of none nothing; several make an object or a list.
func said(name, text string, line int) []Member {
	if text == "" {
		return nil
	}
	return []Member{{Name: name, Type: "S", Text: text, Line: line}}
}

func several(name, kind string, line int, members ...[]Member) []Member {
	all := slices.Concat(members...)
	if len(all) == 0 {
		return nil
	}
	return []Member{{Name: name, Type: kind, Line: line, Members: all}}
}

// keySchema writes the names of keys as CreateTable takes them.
func keySchema(hash, sort Member) []Member {
	var keys []Member
	for i, m := range []Member{hash, sort} {
		if identifier.MatchString(m.Text) {
			keys = append(keys, several("", "M", m.Line, said("AttributeName", m.Text, m.Line), said("KeyType", []string{Hash, Range}[i], m.Line))...)
		}
	}
	return several("KeySchema", "L", hash.Line, keys)
}

func enabled(value string) string {
	if strings.EqualFold(value, "true") {
		return "enabled"
	}
	return "disabled"
}

// definedTable is the table that a definition in a section is of, and notes the definition.
func (r *reader) definedTable(b *block, name string, line int) *Table {
	table := r.tableDefined(b, name, line)
	if table != nil {
		r.doc.Definitions = append(r.doc.Definitions, Definition{Line: line, Last: b.line + len(b.code) - 1, Table: table})
	}
	return table
}

// definedIndex is the index that a definition gives its table.
func (r *reader) definedIndex(table *Table, name string, at At) *Index {
	for i := range r.doc.Definitions {
		if d := &r.doc.Definitions[i]; d.Table == table {
			d.Indexes = append(d.Indexes, name)
		}
	}
	return table.addIndex(name, at)
}

func (r *reader) tableDefined(b *block, name string, line int) *Table {
	name = strings.ReplaceAll(strings.ReplaceAll(name, "${var.", "${"), "${local.", "${")
	section := b.frame.up(func(f *frame) bool { return f.table != nil })
	if !namesTable(name) {
		return r.keyed(b.frame, line)
	}
	if known := r.known(name); known != nil {
		delete(r.weak, known)
		return known
	}
	if section != nil && !r.named[section.table] && strings.HasSuffix(plain(name), plain(section.table.Name)) {
		table := section.table
		table.Also, table.Name = append(table.Also, table.Name), name
		r.named[table] = true
		delete(r.weak, table)
		return table
	}
	if table := r.table(b.frame); table != nil && table.Name == "" {
		table.Name, table.Line, r.named[table] = name, line, true
		return table
	}
	table := r.addTable(name, b.frame.at(line))
	r.named[table] = true
	return table
}

// cloudFormation reads the resources of a template, with what its intrinsics say.
func (r *reader) cloudFormation(b *block, text string) bool {
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil || len(root.Content) == 0 {
		return false
	}
	defaults := map[string]string{}
	top := membersOf(root.Content[0], b.line-1, nil)
	if parameters, has := memberOf(top, "Parameters"); has {
		for _, p := range parameters.Members {
			if value, _ := textOf(p.Members, "Default"); value != "" {
				defaults[p.Name] = value
			}
		}
	}
	found := false
	var walk func(Member)
	walk = func(m Member) {
		kind, _ := textOf(m.Members, "Type")
		if strings.HasPrefix(kind, "AWS::DynamoDB::") || kind == "AWS::Serverless::SimpleTable" {
			properties, _ := memberOf(m.Members, "Properties")
			if r.resource(b, properties.Members) != nil {
				found = true
			}
			return
		}
		for _, each := range m.Members {
			walk(each)
		}
	}
	walk(Member{Members: membersOf(root.Content[0], b.line-1, defaults)})
	if found {
		r.covered(b, 0, len(b.code)-1)
	}
	return found
}

// membersOf takes YAML, or JSON, for members. What a parameter of the template stands for is its
// default with the parameter's own name left open where there is none.
func membersOf(node *yaml.Node, before int, defaults map[string]string) []Member {
	var all []Member
	switch node.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			m := valueOf(node.Content[i+1], before, defaults)
			m.Name, m.Line = node.Content[i].Value, node.Content[i].Line+before
			all = append(all, m)
		}
	case yaml.SequenceNode:
		for _, each := range node.Content {
			m := valueOf(each, before, defaults)
			m.Line = each.Line + before
			all = append(all, m)
		}
	}
	return all
}

func valueOf(node *yaml.Node, before int, defaults map[string]string) Member {
	switch node.Tag {
	case "!Ref":
		return Member{Type: "S", Text: cmp.Or(defaults[node.Value], "${"+node.Value+"}")}
	case "!Sub":
		text := node.Value
		if node.Kind == yaml.SequenceNode && len(node.Content) > 0 {
			text = node.Content[0].Value
		}
		return Member{Type: "S", Text: text}
	}
	switch node.Kind {
	case yaml.MappingNode:
		members := membersOf(node, before, defaults)
		if len(members) == 1 {
			switch m := members[0]; m.Name {
			case "Ref":
				return Member{Type: "S", Text: cmp.Or(defaults[m.Text], "${"+m.Text+"}")}
			case "Fn::Sub":
				return Member{Type: "S", Text: m.Text}
			}
		}
		return Member{Type: "M", Members: members}
	case yaml.SequenceNode:
		return Member{Type: "L", Members: membersOf(node, before, defaults)}
	}
	return Member{Type: "S", Text: node.Value}
}

// terraform reads resources with HashiCorp's own parser.
func (r *reader) terraform(b *block) bool {
	file, _ := hclsyntax.ParseConfig([]byte(strings.Join(b.code, "\n")), "", hcl.InitialPos)
	if file == nil {
		return false
	}
	body, is := file.Body.(*hclsyntax.Body)
	if !is {
		return false
	}
	found := false
	for _, resource := range body.Blocks {
		if resource.Type == "resource" && len(resource.Labels) == 2 && resource.Labels[0] == "aws_dynamodb_table" {
			found = true
			r.resource(b, b.inTerraform(resource.Body))
			r.covered(b, resource.TypeRange.Start.Line-1, resource.CloseBraceRange.Start.Line-1)
		}
	}
	return found
}

// inTerraform writes a resource of Terraform as CreateTable takes it.
func (b *block) inTerraform(body *hclsyntax.Body) []Member {
	source := []byte(strings.Join(b.code, "\n"))
	text := func(body *hclsyntax.Body, name string) Member {
		a, has := body.Attributes[name]
		if !has {
			return Member{}
		}
		raw := string(a.Expr.Range().SliceBytes(source))
		return Member{Text: strings.Trim(strings.NewReplacer("${var.", "${", "${local.", "${").Replace(raw), `"`), Line: b.line + a.SrcRange.Start.Line - 1}
	}
	as := func(body *hclsyntax.Body, name, attribute string) []Member {
		m := text(body, attribute)
		return said(name, m.Text, m.Line)
	}
	members := slices.Concat(as(body, "TableName", "name"), as(body, "BillingMode", "billing_mode"), keySchema(text(body, "hash_key"), text(body, "range_key")),
		several("StreamSpecification", "M", b.line, as(body, "StreamViewType", "stream_view_type")))
	var types []Member
	indexes := map[string][]Member{}
	for _, block := range body.Blocks {
		switch body := block.Body; block.Type {
		case "attribute":
			types = append(types, several("", "M", b.line, as(body, "AttributeName", "name"), as(body, "AttributeType", "type"))...)
		case "ttl":
			members = append(members, several("TimeToLiveSpecification", "M", b.line, as(body, "AttributeName", "attribute_name"))...)
		case "point_in_time_recovery":
			members = append(members, several("PointInTimeRecoverySpecification", "M", b.line, as(body, "PointInTimeRecoveryEnabled", "enabled"))...)
		case "global_secondary_index", "local_secondary_index":
			var include []Member
			for _, each := range quotedText.FindAllStringSubmatch(text(body, "non_key_attributes").Text, -1) {
				include = append(include, Member{Text: each[1]})
			}
			name := map[byte]string{'g': "GlobalSecondaryIndexes", 'l': "LocalSecondaryIndexes"}[block.Type[0]]
			indexes[name] = append(indexes[name], several("", "M", b.line, as(body, "IndexName", "name"), keySchema(text(body, "hash_key"), text(body, "range_key")),
				several("Projection", "M", b.line, as(body, "ProjectionType", "projection_type"), several("NonKeyAttributes", "L", b.line, include)))...)
		}
	}
	for name, all := range indexes {
		members = append(members, several(name, "L", b.line, all)...)
	}
	return append(members, several("AttributeDefinitions", "L", b.line, types)...)
}

var quotedText = lazyregexp.New(`"([^"]*)"`)

// command reads `aws dynamodb create-table` with its options.
func (r *reader) command(b *block) bool {
	first := -1
	for n, line := range b.code {
		if strings.Contains(line, "dynamodb create-table") {
			first = n
			break
		}
	}
	last := first
	for last+1 < len(b.code) && (strings.HasSuffix(strings.TrimSpace(b.code[last]), `\`) || openBracket(b.code[first:last+1])) {
		last++
	}
	var members []Member
	text := strings.Join(b.code[first:last+1], "\n")
	options := cliOption.FindAllStringSubmatchIndex(text, -1)
	for i, at := range options {
		end := len(text)
		if i+1 < len(options) {
			end = options[i+1][0]
		}
		line := b.line + first + strings.Count(text[:at[2]], "\n")
		value := strings.TrimSpace(strings.ReplaceAll(text[at[1]:end], "\\\n", " "))
		name := text[at[2]:at[3]]
		switch name {
		case "table-name", "billing-mode":
			members = append(members, Member{Name: map[string]string{"table-name": "TableName", "billing-mode": "BillingMode"}[name], Type: "S", Text: strings.Trim(value, `"' \`), Line: line})
		case "key-schema", "attribute-definitions", "global-secondary-indexes", "local-secondary-indexes", "stream-specification", "tags":
			m, is := cliValue(value, line)
			if !is {
				return false
			}
			m.Name, m.Line = strings.ReplaceAll(name, "-", ""), line
			members = append(members, m)
		}
	}
	if r.resource(b, members) == nil {
		return false
	}
	r.covered(b, first, last)
	return true
}

func openBracket(lines []string) bool {
	text := strings.Join(lines, "\n")
	return strings.Count(text, "[")+strings.Count(text, "{") > strings.Count(text, "]")+strings.Count(text, "}")
}

// cliValue reads a value of the CLI: JSON in quotes, or its shorthand "A=b,C=d E=f".
func cliValue(value string, line int) (Member, bool) {
	value = strings.TrimSpace(value)
	if len(value) > 1 && (value[0] == '\'' || value[0] == '"') && value[len(value)-1] == value[0] {
		value = value[1 : len(value)-1]
	}
	value = strings.ReplaceAll(value, `\"`, `"`)
	if strings.HasPrefix(value, "[") || strings.HasPrefix(value, "{") {
		p := &literal{lines: strings.Split(value, "\n")}
		m, is := p.value(0)
		shift(m.Members, line)
		return m, is
	}
	all := Member{Type: "L"}
	for _, each := range strings.Fields(strings.ReplaceAll(value, `\`, " ")) {
		one := Member{Type: "M", Line: line}
		for _, pair := range strings.Split(each, ",") {
			name, text, is := strings.Cut(pair, "=")
			if !is {
				return Member{}, false
			}
			one.Members = append(one.Members, Member{Name: name, Type: "S", Text: text, Line: line})
		}
		all.Members = append(all.Members, one)
	}
	return all, len(all.Members) > 0
}

// constructs reads the objects that CDK's and Pulumi's tables are made with.
func (r *reader) constructs(b *block) bool {
	var table *Table
	for n, line := range b.code {
		call := cdkCall.FindString(line)
		if call == "" {
			continue
		}
		at := strings.Index(line, call) + len(call)
		row, column := n, -1
		for row < len(b.code) && row < n+4 && column < 0 {
			if found := strings.IndexByte(b.code[row][at:], '{'); found >= 0 {
				column = at + found
				break
			}
			row, at = row+1, 0
		}
		if column < 0 {
			continue
		}
		p := &literal{lines: b.code, row: row, column: column}
		members, is := p.object(0)
		if !is {
			continue
		}
		shift(members, b.line)
		if strings.HasPrefix(call, "add") {
			if table == nil {
				table = r.table(b.frame)
			}
			if table != nil {
				index := constructed(members)
				r.resourceIndex(b, table, index, typesIn(index), strings.Contains(call, "Local"))
				r.covered(b, n, p.row)
			}
			continue
		}
		if made := r.resource(b, constructed(members)); made != nil {
			table = made
			r.covered(b, n, p.row)
		}
	}
	return table != nil
}

// constructed writes the object that a table or index of CDK or Pulumi is made with as CreateTable takes it.
func constructed(members []Member) []Member {
	var types []Member
	known, _ := memberOf(members, "attributes")
	for _, a := range known.Members {
		name, line := textOf(a.Members, "name")
		kind, _ := textOf(a.Members, "type")
		types = append(types, several("", "M", line, said("AttributeName", name, line), said("AttributeType", kind, line))...)
	}
	last := func(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
	key := func(names ...string) Member {
		m, _ := memberOf(members, names...)
		if m.Type == "M" {
			name, _ := textOf(m.Members, "name")
			kind, _ := textOf(m.Members, "type")
			types = append(types, several("", "M", m.Line, said("AttributeName", name, m.Line), said("AttributeType", last(kind), m.Line))...)
			m.Text = name
		}
		return m
	}
	as := func(name string, from []Member, names ...string) []Member {
		text, line := textOf(from, names...)
		return said(name, last(text), line)
	}
	ttl, _ := memberOf(members, "ttl")
	include, _ := memberOf(members, "nonKeyAttributes")
	name, line := textOf(members, "tableName", "name")
	out := slices.Concat(said("TableName", name, line), as("IndexName", members, "indexName", "name"), keySchema(key("partitionKey", "hashKey"), key("sortKey", "rangeKey")),
		several("Projection", "M", line, as("ProjectionType", members, "projectionType"), several("NonKeyAttributes", "L", line, include.Members)),
		several("TimeToLiveSpecification", "M", line, as("AttributeName", append(slices.Clone(members), ttl.Members...), "timeToLiveAttribute", "attributeName")),
		several("StreamSpecification", "M", line, as("StreamViewType", members, "stream", "dynamoStream", "streamViewType")),
		several("PointInTimeRecoverySpecification", "M", line, as("PointInTimeRecoveryEnabled", members, "pointInTimeRecovery")))
	mode, line := textOf(members, "billingMode", "billing")
	if mode = last(mode); strings.HasPrefix(mode, "onDemand") {
		mode = "PAY_PER_REQUEST"
	}
	out = append(out, said("BillingMode", mode, line)...)
	for _, kind := range []string{"GlobalSecondaryIndexes", "LocalSecondaryIndexes"} {
		all, _ := memberOf(members, kind)
		var indexes []Member
		for _, x := range all.Members {
			each := constructed(x.Members)
			own, _ := memberOf(each, "AttributeDefinitions")
			types = append(types, own.Members...)
			indexes = append(indexes, several("", "M", x.Line, each)...)
		}
		out = append(out, several(kind, "L", all.Line, indexes)...)
	}
	return append(out, several("AttributeDefinitions", "L", line, types)...)
}
