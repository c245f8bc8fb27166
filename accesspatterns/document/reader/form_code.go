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
	tableCode = lazyregexp.New(`aws_dynamodb_table|AWS::DynamoDB::(?:Global)?Table|\bKeySchema\b|dynamodb create-table|dynamodb\.(?:Table|TableV2|CfnTable)\s*\(|new (?:Table|TableV2)\s*\(`)
	cdkCall   = lazyregexp.New(`(?:dynamodb\.|new )(?:Table|TableV2|TablePropsV2)\s*\(|addGlobalSecondaryIndex\s*\(|addLocalSecondaryIndex\s*\(`)
	cliOption = lazyregexp.New(`(?:^|\s)--([a-z-]+)(?:\s+|=)`)
)

func definesTable(b *block) bool {
	return b.kind == codeBlock && tableCode.MatchString(strings.Join(b.code, "\n"))
}

// definition reads the tables that a fence defines, and returns false for a fence without one.
func (r *reader) definition(b *block) bool {
	text := strings.Join(b.code, "\n")
	switch {
	case !definesTable(b):
		return false
	case strings.Contains(text, "dynamodb create-table"):
		return r.command(b)
	case strings.Contains(text, "aws_dynamodb_table"):
		return r.terraform(b)
	case strings.Contains(text, "AWS::"):
		return r.cloudFormation(b, text)
	case cdkCall.MatchString(text):
		return r.constructs(b)
	}
	at := 0
	for n, line := range b.code { // the object that has a KeySchema
		if open := strings.IndexByte(line, '{'); open >= 0 && open == len(strings.TrimRight(line, " "))-1 {
			p := &literal{text, at + open, b.line + n}
			members, _ := p.object(0)
			if _, ofIndex := memberOf(members, "IndexName"); !ofIndex && r.resource(b, members) != nil { // of indexes alone no line says the table
				r.covered(b, n, p.row-b.line)
				return true
			}
		}
		at += len(line) + 1
	}
	return false
}

func (r *reader) covered(b *block, from, to int) {
	for n := from; n <= to && n < len(b.code); n++ {
		r.done[b.line+n] = true
	}
}

// memberOf returns a member by its path: between bars stand several, and the first that is there
// counts. Case is ignored, as CloudFormation and CDK differ in it.
func memberOf(members []Member, paths string) (found Member, has bool) {
	for _, path := range strings.Split(paths, "|") {
		found.Members = members
		for _, name := range strings.Split(path, ".") {
			if found, has = first(found.Members, func(m Member) bool { return strings.EqualFold(m.Name, name) }); !has {
				break
			}
		}
		if has {
			return found, true
		}
	}
	return Member{}, false
}

// textOf is the text of a member, and its line.
func textOf(members []Member, paths string) (string, int) {
	m, _ := memberOf(members, paths)
	if m.Type == "M" || m.Type == "L" {
		return "", m.Line
	}
	return m.Text, m.Line
}

// resource reads a table in CloudFormation's words, which CreateTable shares.
func (r *reader) resource(b *block, members []Member) *Table {
	schema, has := memberOf(members, "KeySchema")
	name, line := textOf(members, "TableName")
	if !has {
		return nil
	}
	table := r.definedTable(b, name, cmp.Or(line, schema.Line))
	if table == nil {
		return nil
	}
	r.resourceKeys(b, &table.Keys, members, nameOr(table))
	for _, kind := range []string{"GlobalSecondaryIndexes", "LocalSecondaryIndexes"} {
		all, _ := memberOf(members, kind)
		for _, x := range all.Members {
			definitions, _ := memberOf(members, "AttributeDefinitions")
			r.resourceIndex(b, table, append([]Member{definitions}, x.Members...), kind[0] == 'L')
		}
	}
	// keep gives a setting the value at a path, as far as it is one.
	take := func(setting **Setting, path string, as func(string) string) {
		if value, line := textOf(members, path); as(value) != "" {
			*setting = keep(*setting, b.frame.at(line), as(value))
		}
	}
	if mode, line := textOf(members, "BillingMode"); billingOf(mode) != "" {
		table.Billing = append(table.Billing, Setting{b.frame.at(line), billingOf(mode)})
	}
	if enabled, _ := textOf(members, "TimeToLiveSpecification.Enabled"); enabled != "false" {
		take(&table.TTL, "TimeToLiveSpecification.AttributeName", identifier.FindString)
	}
	take(&table.Stream, "StreamSpecification.StreamViewType", viewWord.FindString)
	take(&table.PITR, "PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled", func(text string) string {
		return map[string]string{"true": "enabled", "false": "disabled"}[strings.ToLower(text)]
	})
	tags, _ := memberOf(members, "Tags")
	for _, tag := range tags.Members {
		name, line := textOf(tag.Members, "Key")
		if value, _ := textOf(tag.Members, "Value"); name != "" {
			table.Tags = append(table.Tags, Tag{b.frame.at(line), name, value})
		}
	}
	return table
}

// resourceKeys reads a key schema, with the types that the definitions beside it give.
func (r *reader) resourceKeys(b *block, to *[]Key, members []Member, where string) {
	schema, _ := memberOf(members, "KeySchema")
	definitions, _ := memberOf(members, "AttributeDefinitions")
	for _, k := range schema.Members {
		name, line := textOf(k.Members, "AttributeName")
		item := keyItem{name: identifier.FindString(name)}
		item.role, _ = textOf(k.Members, "KeyType")
		for _, d := range definitions.Members {
			if own, _ := textOf(d.Members, "AttributeName"); own == name {
				kind, _ := textOf(d.Members, "AttributeType")
				item.kind = keyType(kind)
			}
		}
		if item.role == Hash || item.role == Range {
			r.give(to, where, b.frame.at(line), item)
		}
	}
}

func (r *reader) resourceIndex(b *block, table *Table, members []Member, local bool) {
	name, line := textOf(members, "IndexName")
	if !identifier.MatchString(name) {
		return
	}
	for i := range r.doc.Definitions {
		if d := &r.doc.Definitions[i]; d.Table == table {
			d.Indexes = append(d.Indexes, name)
		}
	}
	index := table.addIndex(name, b.frame.at(line))
	index.Local = local
	r.resourceKeys(b, &index.Keys, members, name)
	if value, line := textOf(members, "Projection.ProjectionType"); value != "" && index.Projection.Value == "" {
		index.Projection = Setting{b.frame.at(line), value}
	}
	include, _ := memberOf(members, "Projection.NonKeyAttributes")
	for _, each := range include.Members {
		index.Include = append(index.Include, each.Text)
	}
}

// tableHead is where the definition of a table begins.
var tableHead = lazyregexp.New(`"aws_dynamodb_table"|AWS::DynamoDB::(?:Global)?Table|new (?:\w+\.)*(?:Table|TableV2|CfnTable)\s*\(`)

// definedTable is the table that a definition in a section is of, and notes the definition.
func (r *reader) definedTable(b *block, name string, line int) *Table {
	table := r.tableDefined(b, name, line)
	if table != nil {
		delete(r.weak, table)
		r.doc.Definitions = append(r.doc.Definitions, Definition{Line: line, Last: b.line + len(b.code) - 1, Table: table})
	}
	return table
}

func (r *reader) tableDefined(b *block, name string, line int) *Table {
	name = inModule.ReplaceAllString(name, "${")
	if !namesTable(name) {
		if len(tableHead.FindAllString(strings.Join(b.code, "\n"), -1)) > 1 {
			return nil // which of several
		}
		return r.keyed(b.frame, line)
	}
	table := r.known(name)
	if table != nil {
		return table
	}
	if at := b.frame.up(func(f *frame) bool { return f.table != nil }); at != nil && !r.named[at.table] && strings.HasSuffix(plain(name), plain(at.table.Name)) {
		table = at.table
		table.Also, table.Name = append(table.Also, table.Name), name
	} else if table = r.table(b.frame); table != nil && table.Name == "" {
		table.Name, table.Line = name, line
	} else {
		table = r.addTable(name, b.frame.at(line))
	}
	r.named[table] = true
	return table
}

var inModule = lazyregexp.New(`\$\{(?:var|local)\.`)

// cloudFormation reads the resources of a template, with what its intrinsics say.
func (r *reader) cloudFormation(b *block, text string) bool {
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil || len(root.Content) == 0 {
		return false
	}
	defaults := map[string]string{}
	parameters, _ := memberOf(membersOf(root.Content[0], b.line-1, nil), "Parameters")
	for _, p := range parameters.Members {
		defaults[p.Name], _ = textOf(p.Members, "Default")
	}
	found := false
	var walk func([]Member)
	walk = func(members []Member) {
		for _, m := range members {
			kind, _ := textOf(m.Members, "Type")
			if strings.HasPrefix(kind, "AWS::DynamoDB::") {
				properties, _ := memberOf(m.Members, "Properties")
				found = r.resource(b, properties.Members) != nil || found
			} else {
				walk(m.Members)
			}
		}
	}
	walk(membersOf(root.Content[0], b.line-1, defaults))
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
	ref := func(name string) Member { return Member{Type: "S", Text: cmp.Or(defaults[name], "${"+name+"}")} }
	members := membersOf(node, before, defaults)
	switch {
	case node.Tag == "!Ref":
		return ref(node.Value)
	case node.Tag == "!Sub" && len(node.Content) > 0:
		return Member{Type: "S", Text: node.Content[0].Value}
	case node.Kind == yaml.MappingNode && len(members) == 1 && members[0].Name == "Ref":
		return ref(members[0].Text)
	case node.Kind == yaml.MappingNode && len(members) == 1 && members[0].Name == "Fn::Sub":
		return Member{Type: "S", Text: members[0].Text}
	case node.Kind == yaml.MappingNode:
		return Member{Type: "M", Members: members}
	case node.Kind == yaml.SequenceNode:
		return Member{Type: "L", Members: members}
	}
	return Member{Type: "S", Text: node.Value}
}

// terraform reads resources with HashiCorp's own parser.
func (r *reader) terraform(b *block) bool {
	source := []byte(strings.Join(b.code, "\n"))
	file, _ := hclsyntax.ParseConfig(source, "", hcl.InitialPos)
	if file == nil {
		return false
	}
	found := false
	for _, resource := range file.Body.(*hclsyntax.Body).Blocks {
		if resource.Type == "resource" && len(resource.Labels) == 2 && resource.Labels[0] == "aws_dynamodb_table" {
			found = true
			if r.resource(b, inHCL.members(b.membersOfHCL(resource.Body, source))) != nil {
				r.covered(b, resource.TypeRange.Start.Line-1, resource.CloseBraceRange.Start.Line-1)
			}
		}
	}
	return found
}

// membersOfHCL are the attributes and blocks of a resource of Terraform.
func (b *block) membersOfHCL(body *hclsyntax.Body, source []byte) (all []Member) {
	for name, a := range body.Attributes {
		text := string(a.Expr.Range().SliceBytes(source))
		m := Member{Name: name, Type: "S", Text: strings.Trim(inModule.ReplaceAllString(text, "$${"), `"`), Line: b.line + a.SrcRange.Start.Line - 1}
		if !strings.HasPrefix(text, `"`) {
			m.Type = "" // a variable, a number, or a list
		}
		for _, each := range quotedText.FindAllStringSubmatch(text, -1) {
			m.Members = append(m.Members, Member{Text: each[1]})
		}
		all = append(all, m)
	}
	for _, inner := range body.Blocks {
		all = append(all, Member{Name: inner.Type, Type: "M", Line: b.line + inner.TypeRange.Start.Line - 1, Members: b.membersOfHCL(inner.Body, source)})
	}
	return all
}

// dialect are the paths that a language has for the members of CreateTable.
type dialect map[string]string

var (
	inHCL = dialect{
		"TableName": "name", "IndexName": "name", "BillingMode": "billing_mode", Hash: "hash_key", Range: "range_key",
		"ProjectionType": "projection_type", "NonKeyAttributes": "non_key_attributes", "TimeToLiveSpecification": "ttl.attribute_name",
		"StreamSpecification": "stream_view_type", "PointInTimeRecoverySpecification": "point_in_time_recovery.enabled",
		"AttributeDefinitions": "attribute", "GlobalSecondaryIndexes": "global_secondary_index", "LocalSecondaryIndexes": "local_secondary_index",
	}
	inCDK = dialect{
		"TableName": "tableName|name", "IndexName": "indexName|name", "BillingMode": "billingMode|billing", Hash: "partitionKey|hashKey", Range: "sortKey|rangeKey",
		"ProjectionType": "projectionType", "NonKeyAttributes": "nonKeyAttributes", "TimeToLiveSpecification": "timeToLiveAttribute|ttl.attributeName",
		"StreamSpecification": "stream|dynamoStream|streamViewType", "PointInTimeRecoverySpecification": "pointInTimeRecovery",
		"AttributeDefinitions": "attributes", "GlobalSecondaryIndexes": "globalSecondaryIndexes", "LocalSecondaryIndexes": "localSecondaryIndexes",
	}
)

// members writes the members of a table or index as CreateTable takes them.
func (d dialect) members(from []Member) (to []Member) {
	object := func(members ...Member) Member { return Member{Type: "M", Line: members[0].Line, Members: members} }
	as := func(m Member, name string) Member {
		m.Name, m.Type, m.Members = name, "S", nil
		if m.Text = m.Text[strings.LastIndexByte(m.Text, '.')+1:]; strings.HasPrefix(m.Text, "onDemand") {
			m.Text = "PAY_PER_REQUEST"
		}
		return m
	}
	schema, types, projection := Member{Name: "KeySchema", Type: "L"}, Member{Name: "AttributeDefinitions", Type: "L"}, Member{Name: "Projection", Type: "M"}
	typed := func(m Member) {
		name, _ := memberOf(m.Members, "name")
		kind, _ := memberOf(m.Members, "type")
		types.Members = append(types.Members, object(as(name, "AttributeName"), as(kind, "AttributeType")))
	}
	for _, role := range []string{Hash, Range} {
		key, has := memberOf(from, d[role])
		if key.Type == "M" {
			typed(key)
			name, _ := memberOf(key.Members, "name")
			key.Text, key.Type = name.Text, name.Type
		}
		if has && (key.Type != "S" || !identifier.MatchString(key.Text)) {
			schema = Member{} // a variable: and of a key that is read in part nothing is read
			break
		} else if has {
			schema.Members = append(schema.Members, object(as(key, "AttributeName"), Member{Name: "KeyType", Type: "S", Text: role}))
			schema.Line = cmp.Or(schema.Line, key.Line)
		}
	}
	if name, has := memberOf(from, d["TableName"]); has && name.Type == "S" {
		name.Name = "TableName"
		to = append(to, name)
	}
	for name, inner := range map[string]string{"IndexName": "", "BillingMode": "", "TimeToLiveSpecification": "AttributeName", "StreamSpecification": "StreamViewType", "PointInTimeRecoverySpecification": "PointInTimeRecoveryEnabled"} {
		off, _ := textOf(from, map[string]string{"TimeToLiveSpecification": "ttl.enabled", "StreamSpecification": "stream_enabled"}[name])
		if m, has := memberOf(from, d[name]); off == "false" || (name == "IndexName" || inner == "AttributeName") && m.Type != "S" || m.Type == "" && strings.ContainsAny(m.Text, "?|&") {
			continue // switched off, a variable, or one of several
		} else if has && inner == "" {
			to = append(to, as(m, name))
		} else if has {
			to = append(to, Member{Name: name, Type: "M", Members: []Member{as(m, inner)}})
		}
	}
	if m, has := memberOf(from, d["ProjectionType"]); has {
		projection.Members = append(projection.Members, as(m, "ProjectionType"))
	}
	if m, has := memberOf(from, d["NonKeyAttributes"]); has {
		m.Name = "NonKeyAttributes"
		projection.Members = append(projection.Members, m)
	}
	each := func(name string, take func(Member)) {
		for _, m := range from {
			switch {
			case !strings.EqualFold(m.Name, d[name]):
			case m.Type == "L":
				for _, one := range m.Members {
					take(one)
				}
			default:
				take(m)
			}
		}
	}
	each("AttributeDefinitions", typed)
	for _, name := range []string{"GlobalSecondaryIndexes", "LocalSecondaryIndexes"} {
		all := Member{Name: name, Type: "L"}
		each(name, func(m Member) {
			index := object(append(d.members(m.Members), m)...)
			own, _ := memberOf(index.Members, "AttributeDefinitions")
			types.Members, all.Members = append(types.Members, own.Members...), append(all.Members, index)
		})
		to = append(to, all)
	}
	if len(schema.Members) > 0 {
		to = append(to, schema)
	}
	return append(to, projection, types)
}

var quotedText = lazyregexp.New(`"([^"]*)"`)

// command reads `aws dynamodb create-table` with its options.
func (r *reader) command(b *block) bool {
	first := slices.IndexFunc(b.code, func(line string) bool { return strings.Contains(line, "dynamodb create-table") })
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
		value := strings.TrimSpace(strings.ReplaceAll(text[at[1]:end], "\\\n", " "))
		m, is := Member{Type: "S", Text: strings.Trim(value, `"' \`)}, true
		switch name := text[at[2]:at[3]]; name {
		case "key-schema", "attribute-definitions", "global-secondary-indexes", "local-secondary-indexes", "stream-specification", "tags":
			m, is = cliValue(value, b.line+first+strings.Count(text[:at[2]], "\n"))
			fallthrough
		case "table-name", "billing-mode":
			m.Name, m.Line = strings.ReplaceAll(name, "-", ""), b.line+first+strings.Count(text[:at[2]], "\n")
			members = append(members, m)
		}
		if !is {
			return false
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
		return (&literal{text: value, row: line}).value(0)
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
	text := strings.Join(b.code, "\n")
	for _, at := range cdkCall.FindAllStringIndex(text, -1) {
		call, n := text[at[0]:at[1]], strings.Count(text[:at[0]], "\n")
		if commentLine.MatchString(b.code[n]) {
			continue
		}
		// The object begins in the line of the call, or soon behind it.
		p := &literal{text, at[1], b.line + strings.Count(text[:at[1]], "\n")}
		if open := strings.IndexByte(text[at[1]:], '{'); open >= 0 && strings.Count(text[at[1]:at[1]+open], "\n") < 4 {
			p.pass(open)
		}
		members, is := p.object(0)
		if !is {
			continue
		}
		if members = inCDK.members(members); !strings.HasPrefix(call, "add") {
			if made := r.resource(b, members); made != nil {
				table = made
				r.covered(b, n, p.row-b.line)
			}
			continue
		}
		if table = cmp.Or(table, r.table(b.frame)); table != nil {
			r.resourceIndex(b, table, members, strings.Contains(call, "Local"))
			r.covered(b, n, p.row-b.line)
		}
	}
	return table != nil
}
