package reader

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"go.yaml.in/yaml/v3"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// Definitions of tables in code: Terraform, CloudFormation and SAM, the request of CreateTable, the
// AWS CLI, and the objects that CDK and Pulumi are given. Each is parsed into members with their
// lines, and the members are read by name.

var (
	tableCode = lazyregexp.New(`aws_dynamodb_table|` + tableModule + `|AWS::DynamoDB::(?:Global)?Table|AWS::Serverless::SimpleTable|\bKeySchema\b|` + tableCommands + `|` + tableCall)
	// madeTable matches where the arguments of a call begin that makes a table or an index, or an object that may be one of these.
	madeTable = lazyregexp.New(`(?m)(?:` + tableCall + `|[aA]dd_?([gG]lobal|[lL]ocal)_?[sS]econdary_?[iI]ndex\s*\()|\{ *$`)
	// tableCommand matches the AWS CLI's commands that make or set a table.
	tableCommand = lazyregexp.New(`\baws (?:--[\w-]+[ =]\S+ )*` + tableCommands)
	tableUpdate  = lazyregexp.New(`\bupdate-table\b`)
	cliOption    = lazyregexp.New(`(?:^|\s)--([a-z-]+)(?:\s+|=)`)
	// tableHead is where the definition of a table begins.
	tableHead = lazyregexp.New(`"aws_dynamodb_table"|(?m)^ *module +"|AWS::DynamoDB::(?:Global)?Table|new (?:\w+\.)*(?:Table|TableV2|CfnTable|Dynamo)\s*\(|dynamodb\.(?:Table|TableV2|CfnTable)\s*\(\s*(?:self|scope|stack)\b`)
	// inputOfYAML matches the members of a table in YAML, as CreateTable takes them.
	inputOfYAML = lazyregexp.New(`(?m)^KeySchema:$`)
	inHCL       = lazyregexp.New(tableModule)
	inModule    = lazyregexp.New(`\$\{(?:var|local)\.`)
	// enumeration matches the words of Go's SDK: types.KeyTypeHash, types.BillingModePayPerRequest.
	enumeration = lazyregexp.New(`^(?:ScalarAttributeType|KeyType|BillingMode|ProjectionType|StreamViewType)([A-Z]\w*)$`)
	inWord      = lazyregexp.New(`([a-z])([A-Z])`)
)

// tableCommands are the commands of the AWS CLI that make or set a table.
const tableCommands = `\bdynamodb (?:--[\w-]+[ =]\S+ )*(?:create-table|update-table|update-time-to-live|update-continuous-backups)\b`

// tableModule is a module of Terraform that makes a table, as far as its call gives the key.
const tableModule = `(?m)^ *source *= *"[^"\n]*dynamodb(?:[-_/]table)?(?:/aws)?[^"\n/-]*"(?:[^{}]|\$\{[^}]*\})*\n *hash_key *=`

// tableCall are the calls that make a table, in the SDKs, CDK and Pulumi; boto3's dynamodb.Table("orders") makes none.
const tableCall = `\b[cC]reate_?[tT]able(?:Command|Input)?\s*(?:\(|\{)` +
	`|dynamodb\.(?:Table|TableV2|CfnTable)\s*\(\s*(?:self|scope|stack)\b|aws\.dynamodb\.Table\s*\(|new (?:\w+\.)*(?:Table|TableV2|CfnTable|Dynamo)\s*\(|\bTablePropsV2\s*\(`

// definesTable reports whether a block is a fence that defines a table. Each form asks it of each block: it is looked for once.
func definesTable(b *block) bool {
	if b.defines == nil {
		b.defines = new(b.kind == codeBlock && tableCode.MatchString(strings.Join(b.code, "\n")))
	}
	return *b.defines
}

// definition reads the tables that a fence defines, and returns false for a fence without one.
func (r *reader) definition(b *block) bool {
	text := strings.Join(b.code, "\n")
	switch {
	case !definesTable(b):
		return false
	case tableCommand.MatchString(text):
		return r.commands(b)
	case strings.Contains(text, "aws_dynamodb_table"), inHCL.MatchString(text):
		return r.terraform(b)
	case strings.Contains(text, "AWS::"), inputOfYAML.MatchString(text):
		return r.cloudFormation(b, text)
	}
	return r.constructs(b, text)
}

func (r *reader) covered(b *block, from, to int) {
	for n := from; n <= to && n < len(b.code); n++ {
		r.done[b.line+n] = true
	}
}

// memberOf returns a member by its path: between bars stand several, and the first that is there
// counts.
func memberOf(members []Member, paths string) (found Member, has bool) {
	for _, path := range strings.Split(paths, "|") {
		found = Member{Members: members}
		for _, name := range strings.Split(path, ".") {
			if found.Type == "L" && len(found.Members) == 1 {
				found = found.Members[0] // one structure in the CLI's shorthand
			}
			found, has = first(found.Members, func(m Member) bool { return sameWord(m.Name, name) })
		}
		if has {
			return found, true
		}
	}
	return Member{}, false
}

// sameWord reports whether two names of members differ in case and underscores alone: TableName, table_name.
func sameWord(a, b string) bool {
	return strings.EqualFold(strings.ReplaceAll(a, "_", ""), strings.ReplaceAll(b, "_", ""))
}

// textOf is the text of a member, and its line: of a name of an enumeration its last part, and of a choice nothing.
func textOf(members []Member, paths string) (string, int) {
	m, _ := memberOf(members, paths)
	switch {
	case m.Type == "M" || m.Type == "L" || m.Type == "" && strings.ContainsAny(m.Text, "?|&"):
		return "", m.Line
	case m.Type == "":
		text := m.Text[strings.LastIndexByte(m.Text, '.')+1:]
		if match := enumeration.FindStringSubmatch(text); match != nil {
			text = strings.ToUpper(inWord.ReplaceAllString(match[1], "${1}_$2"))
		}
		return text, m.Line
	}
	return m.Text, m.Line
}

// nameIn is the name that a member gives, as a text and no variable, and its line.
func nameIn(members []Member, paths string) (string, int) {
	m, _ := memberOf(members, paths)
	if m.Type != "S" {
		return "", m.Line
	}
	return m.Text, m.Line
}

// each are the members of a list, or all members of one of the names.
func each(members []Member, names string) (all []Member) {
	for _, m := range members {
		switch is := slices.ContainsFunc(strings.Split(names, "|"), func(name string) bool { return sameWord(m.Name, name) }); {
		case is && m.Type == "L":
			all = append(all, m.Members...)
		case is:
			all = append(all, m)
		}
	}
	return all
}

// The members of a definition have one path in CloudFormation's words, which CreateTable shares, one in Terraform's, and
// some in those of CDK and Pulumi.
const (
	definedAttributes = "AttributeDefinitions|attribute|attributes"
	definedGlobal     = "GlobalSecondaryIndexes|globalSecondaryIndex"
	definedLocal      = "LocalSecondaryIndexes|localSecondaryIndex"
	definedName       = "TableName|name"
	definedBilling    = "BillingMode|billing"
	definedCapacity   = "ProvisionedThroughput.ReadCapacityUnits|readCapacity"
	definedTTL        = "TimeToLiveSpecification.AttributeName|ttl.attributeName|ttlAttributeName|timeToLiveAttribute|ttl"
	definedStream     = "StreamSpecification.StreamViewType|streamViewType|stream|dynamoStream"
	definedPITR       = "PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled|pointInTimeRecovery.enabled|pointInTimeRecovery|pointInTimeRecoveryEnabled"
	definedTags       = "Tags"
	// definedBeside are what is read with another member, and what CreateTable and DescribeTable give beside a definition.
	definedBeside = "source|ttlEnabled|KeySchema|StreamEnabled|writeCapacity|TableArn|TableId|TableStatus|TableSizeBytes|ItemCount|CreationDateTime|LatestStreamArn|LatestStreamLabel"
)

var definedKeys = []struct{ role, paths string }{{Hash, "partitionKey|hashKey|PrimaryKey|primaryIndex.hashKey"}, {Range, "sortKey|rangeKey|primaryIndex.rangeKey"}}

// knownMember reports whether resource reads a member of a definition.
func knownMember(name string) bool {
	for _, paths := range []string{definedAttributes, definedGlobal, definedLocal, definedName, definedBilling, definedCapacity, definedTTL, definedStream, definedPITR, definedTags, definedBeside, definedKeys[0].paths, definedKeys[1].paths} {
		for _, path := range strings.Split(paths, "|") {
			if first, _, _ := strings.Cut(path, "."); sameWord(first, name) {
				return true
			}
		}
	}
	return false
}

// resource reads a table; called is its name in the program or template, which is none of DynamoDB.
func (r *reader) resource(b *block, called string, members []Member) *Table {
	definitions := each(members, definedAttributes)
	keys, schemaLine := definedSchema(members, definitions)
	name, line := nameIn(members, definedName)
	if len(keys) == 0 {
		return nil
	}
	table := r.definedTable(b, called, name, cmp.Or(line, schemaLine))
	if table == nil {
		return nil
	}
	r.doc.Definitions[len(r.doc.Definitions)-1].attributes = definitions
	table.Keys = slices.DeleteFunc(table.Keys, func(k Key) bool { return k.headed }) // the definition names the attributes
	r.keyTable(table, b.frame.at(schemaLine), keys...)
	for _, indexes := range []string{definedGlobal, definedLocal} {
		for _, x := range each(members, indexes) {
			r.resourceIndex(b, table, x.Members, definitions, indexes == definedLocal)
		}
	}
	for _, m := range members {
		if !knownMember(m.Name) {
			r.unread(m.Line, strings.TrimSpace(r.doc.Line(m.Line)), "no form reads this part of the definition of a table")
		}
	}
	r.definedSettings(b, table, members)
	return table
}

// definedSettings reads the settings of a table that a definition gives.
func (r *reader) definedSettings(b *block, table *Table, members []Member) {
	// take gives a setting the value at a path, as far as it is one.
	take := func(setting **Setting, value string, line int) {
		if value != "" {
			*setting = keep(*setting, b.frame.at(line), value)
		}
	}
	mode, line := textOf(members, definedBilling)
	if units, at := textOf(members, definedCapacity); units != "" && units != "0" && line == 0 {
		mode, line = "PROVISIONED", at // the mode where none is given
	}
	if billingOf(mode) != "" {
		table.Billing = append(table.Billing, Setting{b.frame.at(line), billingOf(mode)})
	}
	if enabled, has := memberOf(members, "TimeToLiveSpecification.Enabled|ttl.enabled|ttlEnabled"); !has || strings.EqualFold(enabled.Text, "true") {
		attribute, line := nameIn(members, definedTTL)
		take(&table.TTL, identifier.FindString(attribute), line)
	}
	if enabled, _ := textOf(members, "StreamSpecification.StreamEnabled|streamEnabled"); enabled != "false" {
		view, line := textOf(members, definedStream)
		take(&table.Stream, viewOf(view), line)
	}
	recovery, line := textOf(members, definedPITR)
	take(&table.PITR, map[string]string{"true": "enabled", "false": "disabled"}[strings.ToLower(recovery)], line)
	tags, _ := memberOf(members, definedTags)
	for _, tag := range tags.Members {
		name, line := textOf(tag.Members, "Key")
		if value, _ := textOf(tag.Members, "Value"); name != "" {
			table.Tags = append(table.Tags, Tag{b.frame.at(line), name, value})
		}
	}
}

// definedSchema are the keys of a table or index, with the types that the definitions beside them give; of keys of which
// one is a variable nothing is read.
func definedSchema(members, definitions []Member) (all []keyItem, line int) {
	schema, has := memberOf(members, "KeySchema")
	for _, k := range schema.Members {
		key := keyItem{}
		key.name, key.line = nameIn(k.Members, "AttributeName")
		key.role, _ = textOf(k.Members, "KeyType")
		all, line = append(all, key), schema.Line
	}
	for _, each := range definedKeys {
		if m, is := memberOf(members, each.paths); is && !has {
			key := keyItem{role: each.role}
			if m.Type == "M" {
				kind, _ := textOf(m.Members, "type")
				key.kind = keyType(kind)
				m, _ = memberOf(m.Members, "name")
			}
			if key.line = m.Line; m.Type == "S" {
				key.name = m.Text
			}
			all, line = append(all, key), cmp.Or(line, key.line)
		}
	}
	for i := range all {
		for _, d := range definitions {
			if own, _ := nameIn(d.Members, "AttributeName|name"); own == all[i].name && all[i].kind == "" {
				kind, _ := textOf(d.Members, "AttributeType|type")
				all[i].kind = keyType(kind)
			}
		}
	}
	if slices.ContainsFunc(all, func(k keyItem) bool { return !identifier.MatchString(k.name) || k.role != Hash && k.role != Range }) {
		return nil, line
	}
	return all, line
}

func (r *reader) resourceIndex(b *block, table *Table, members, definitions []Member, local bool) {
	name, line := nameIn(members, "IndexName|name")
	if !identifier.MatchString(name) {
		return
	}
	for i := range r.doc.Definitions {
		if d := &r.doc.Definitions[i]; d.Table == table {
			d.Indexes = append(d.Indexes, name)
		}
	}
	var also []string
	if at := r.indexPlace(b.frame); at != nil && bareNumber.MatchString(at.index.Name) {
		also = []string{at.index.Name} // of the section of GSI1
	}
	index := table.addIndex(name, b.frame.at(line), also...)
	index.Local = local
	keys, line := definedSchema(members, definitions)
	if hash, has := table.Key(Hash); has && local && len(keys) == 1 && keys[0].role == Range { // of the table
		keys = []keyItem{{role: Hash, name: hash.Name, kind: hash.Type, line: hash.Line}, keys[0]}
	}
	r.give(&index.Keys, name, b.frame.at(line), keys...)
	if value, line := textOf(members, "Projection.ProjectionType|projectionType"); value != "" && index.Projection.Value == "" {
		index.Projection = Setting{b.frame.at(line), value}
	}
	include, _ := memberOf(members, "Projection.NonKeyAttributes|nonKeyAttributes")
	if len(index.Include) == 0 { // or of a second definition
		for _, each := range include.Members {
			index.Include = append(index.Include, each.Text)
		}
	}
}

// definedOf are the attributes to which the definitions of a table give types.
func (r *reader) definedOf(table *Table) (all []Member) {
	for _, d := range r.doc.Definitions {
		if d.Table == table {
			all = append(all, d.attributes...)
		}
	}
	return all
}

// definedTable is the table that a definition in a section is of, and notes the definition.
func (r *reader) definedTable(b *block, called, name string, line int) *Table {
	name = inModule.ReplaceAllString(name, "${")
	table, at := cmp.Or(r.known(name), r.known(inOneEnvironment.ReplaceAllString(name, ""))), b.frame.up(func(f *frame) bool { return f.table != nil })
	same := r.called(called, name)
	switch {
	case isIndexTitle(name):
		return nil // { Name: "GSI1", HashKey: .. } within another definition
	case !namesTable(name) && len(tableHead.FindAllString(strings.Join(b.code, "\n"), -1)) > 1:
		return nil // which of several
	case !namesTable(name):
		if table = r.keyed(b.frame, line); table == nil {
			return nil
		}
	case table != nil:
	case at != nil && !at.table.named && strings.HasSuffix(Plain(name), Plain(at.table.Name)):
		table = at.table
		table.deployedAs(name)
	case at != nil && at.level <= 1 && at.table.weak && len(r.all) == 1 && r.saysSingle(): // "# State table", on a single table
		table = at.table
		table.deployedAs(name)
	case same != nil: // the template's OrdersTable is deployed as shop-orders, and the text calls it Orders
		if table = same; table.named {
			table.Also = append(table.Also, name)
		} else {
			table.deployedAs(name)
		}
	default:
		if table = r.table(b.frame); table != nil && table.Name == "" {
			table.Name, table.Line = name, line
		} else {
			table = r.addTable(name, b.frame.at(line))
		}
		table.named = true
	}
	r.doc.Definitions = append(r.doc.Definitions, Definition{Line: line, Last: b.line + len(b.code) - 1, Table: table})
	return table
}

// inOneEnvironment matches what a program adds to the name of a table in one environment: shop-orders-development is shop-orders there.
var inOneEnvironment = lazyregexp.New(`(?i)[-_.](?:dev|development|local|prod|production|stage|staging|test)$`)

// called is the table of the text that a program calls by the same word, OrdersTable or orders_table, and deploys under a name that
// ends in that of the text or its plural.
func (r *reader) called(word, deployed string) *Table {
	found, _ := first(r.all, func(t *Table) bool {
		own := strings.TrimSuffix(Plain(t.Name), "table")
		return own != "" && own == strings.TrimSuffix(Plain(word), "table") && (strings.HasSuffix(Plain(deployed), own) || strings.HasSuffix(Plain(deployed), own+"s"))
	})
	return found
}

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
			if strings.HasPrefix(kind, "AWS::DynamoDB::") || kind == "AWS::Serverless::SimpleTable" {
				properties, _ := memberOf(m.Members, "Properties")
				found = r.resource(b, m.Name, properties.Members) != nil || found
			} else {
				walk(m.Members)
			}
		}
	}
	all := membersOf(root.Content[0], b.line-1, defaults)
	if walk(all); inputOfYAML.MatchString(text) {
		found = r.resource(b, "", all) != nil
	}
	if found {
		r.covered(b, 0, len(b.code)-1)
	}
	return found
}

// membersOf takes YAML, or JSON, for members. What a parameter of the template stands for is its
// default, with the parameter's own name left open where there is none.
func membersOf(node *yaml.Node, before int, defaults map[string]string) (all []Member) {
	step := 1
	if node.Kind == yaml.MappingNode {
		step = 2
	}
	for i := step - 1; i < len(node.Content); i += step {
		m, key := valueOf(node.Content[i], before, defaults), node.Content[i-step+1]
		if m.Line = key.Line + before; step == 2 {
			m.Name = key.Value
		}
		all = append(all, m)
	}
	return all
}

func valueOf(node *yaml.Node, before int, defaults map[string]string) Member {
	members, called, text := membersOf(node, before, defaults), node.Tag, node.Value
	if len(members) == 1 && node.Kind == yaml.MappingNode {
		called, text = members[0].Name, members[0].Text
	} else if len(members) > 0 {
		text = members[0].Text
	}
	switch {
	case called == "Ref" || called == "!Ref":
		return Member{Type: "S", Text: cmp.Or(defaults[text], "${"+text+"}")}
	case called == "Fn::Sub" || called == "!Sub" || node.Kind == yaml.ScalarNode:
		return Member{Type: "S", Text: text}
	case node.Kind == yaml.MappingNode:
		return Member{Type: "M", Members: members}
	}
	return Member{Type: "L", Members: members}
}

// terraform reads resources with HashiCorp's own parser.
func (r *reader) terraform(b *block) bool {
	source := []byte(strings.Join(b.code, "\n"))
	file, _ := hclsyntax.ParseConfig(source, "", hcl.InitialPos)
	found := false
	for _, resource := range file.Body.(*hclsyntax.Body).Blocks {
		ofModule := resource.Type == "module" && inHCL.MatchString(string(resource.Body.Range().SliceBytes(source)))
		makes := resource.Body.Attributes["create_table"]
		if makes != nil && string(makes.Expr.Range().SliceBytes(source)) == "false" {
			continue
		}
		if ofModule || resource.Type == "resource" && len(resource.Labels) == 2 && resource.Labels[0] == "aws_dynamodb_table" {
			found = true
			if r.resource(b, resource.Labels[len(resource.Labels)-1], b.membersOfHCL(resource.Body, source)) != nil {
				r.covered(b, resource.TypeRange.Start.Line-1, resource.CloseBraceRange.Start.Line-1)
			}
		}
	}
	return found
}

// membersOfHCL are the attributes and blocks of a resource of Terraform.
func (b *block) membersOfHCL(body *hclsyntax.Body, source []byte) (all []Member) {
	for name, a := range body.Attributes {
		all = append(all, b.memberOfHCL(name, a.Expr, source))
	}
	for _, inner := range body.Blocks {
		all = append(all, Member{Name: inner.Type, Type: "M", Line: b.line + inner.TypeRange.Start.Line - 1, Members: b.membersOfHCL(inner.Body, source)})
	}
	return all
}

// memberOfHCL is an argument of Terraform with what a list or an object holds.
func (b *block) memberOfHCL(name string, value hclsyntax.Expression, source []byte) Member {
	text := string(value.Range().SliceBytes(source))
	m := Member{Name: name, Type: "S", Text: strings.Trim(inModule.ReplaceAllString(text, "$${"), `"`), Line: b.line + value.Range().Start.Line - 1}
	if !strings.HasPrefix(text, `"`) {
		m.Type = "" // a variable or a number
	}
	switch of := value.(type) {
	case *hclsyntax.TupleConsExpr:
		m.Type = "L"
		for _, each := range of.Exprs {
			m.Members = append(m.Members, b.memberOfHCL("", each, source))
		}
	case *hclsyntax.ObjectConsExpr:
		m.Type = "M"
		for _, each := range of.Items {
			key := string(each.KeyExpr.Range().SliceBytes(source))
			m.Members = append(m.Members, b.memberOfHCL(strings.Trim(key, `"`), each.ValueExpr, source))
		}
	}
	return m
}

// structured are the options of the CLI that take lists and structures.
var structured = []string{"key-schema", "attribute-definitions", "global-secondary-indexes", "global-secondary-index-updates", "local-secondary-indexes", "stream-specification", "tags", "provisioned-throughput",
	"time-to-live-specification", "point-in-time-recovery-specification"}

// commands reads the AWS CLI's commands of a fence that make tables, or set those that are known.
func (r *reader) commands(b *block) (found bool) {
	for first := 0; first < len(b.code); first++ {
		if tableCommand.MatchString(b.code[first]) && !commentLine.MatchString(b.code[first]) {
			lines := commandFrom(b.code[first:])
			if members, is := cliMembersOf(strings.Join(lines, "\n"), b.line+first); is && r.made(b, b.calledAbove(first), members, tableUpdate.MatchString(lines[0])) {
				r.covered(b, first, first+len(lines)-1)
				found = true
			}
			first += len(lines) - 1
		}
	}
	return found
}

// tableAbove matches the comment above a command with what it calls the table: "# Create the orders table".
var tableAbove = lazyregexp.New(`(?i)^\W*(?:create (?:the )?)?([\w-]+) ?(?:table|テーブル)\W*$`)

// calledAbove is what the comment right above a line of a fence calls a table, "" where none does.
func (b *block) calledAbove(n int) string {
	if n > 0 && commentLine.MatchString(b.code[n-1]) {
		if match := tableAbove.FindStringSubmatch(b.code[n-1]); match != nil {
			return match[1]
		}
	}
	return ""
}

// made takes the options of a command for a table that it makes or sets. The comment above calls it by a word of the text.
func (r *reader) made(b *block, called string, members []Member, update bool) bool {
	if _, makes := memberOf(members, "KeySchema"); makes {
		return r.resource(b, called, members) != nil
	}
	name, _ := nameIn(members, definedName)
	table, partly := r.known(name), b.frame.up(func(f *frame) bool { return f.level <= labelLevel && phrase("partly").MatchString(f.title.text) })
	off, _ := textOf(members, "TimeToLiveSpecification.Enabled|PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled")
	considered := b.frame.up(func(f *frame) bool { return f.level > 1 && f.considers })
	if table == nil || update || partly != nil || off == "false" || considered != nil || !b.frame.meant() {
		return false // what is turned off there, was on, and what else an update sets is done by hand
	}
	r.definedSettings(b, table, members)
	return true
}

// cliMembersOf takes the options of a command for members.
func cliMembersOf(text string, from int) (members []Member, is bool) {
	options := cliOption.FindAllStringSubmatchIndex(text, -1)
	for i, at := range options {
		end := len(text)
		if i+1 < len(options) {
			end = options[i+1][0]
		}
		value := strings.ReplaceAll(text[at[1]:end], "\\\n", " \n")
		name, line := text[at[2]:at[3]], from+strings.Count(text[:at[2]], "\n")
		m, is := Member{Type: "S", Text: strings.Trim(strings.ReplaceAll(value, " \n", " "), "\"' \\\n\t")}, true
		if slices.Contains(structured, name) {
			m, is = cliValue(value, line)
		}
		if !is {
			return nil, false
		}
		m.Name, m.Line = strings.ReplaceAll(name, "-", ""), line
		members = append(members, m)
	}
	return members, true
}

// commandFrom are the lines of the command that the first begins: the next one is of it too behind a backslash, and within a bracket.
func commandFrom(lines []string) []string {
	open := 0
	for n, line := range lines {
		open += strings.Count(line, "[") + strings.Count(line, "{") - strings.Count(line, "]") - strings.Count(line, "}")
		if open <= 0 && !strings.HasSuffix(strings.TrimSpace(line), `\`) {
			return lines[:n+1]
		}
	}
	return lines
}

// cliValue reads a value of the CLI that begins on a line: JSON in quotes, or its shorthand "A=b,C=d E=f".
func cliValue(value string, line int) (Member, bool) {
	line += strings.Count(value[:len(value)-len(strings.TrimLeftFunc(value, unicode.IsSpace))], "\n")
	value = strings.TrimSpace(value)
	if len(value) > 1 && (value[0] == '\'' || value[0] == '"') && value[len(value)-1] == value[0] {
		value = value[1 : len(value)-1]
	}
	value = strings.ReplaceAll(value, `\"`, `"`)
	if strings.HasPrefix(value, "[") || strings.HasPrefix(value, "{") {
		return newLiteral(value, 0, line).value(0)
	}
	all := Member{Type: "L"}
	value = strings.NewReplacer(`\`, " ", "'", "").Replace(value) // as the shell does: KeySchema=['{AttributeName=day,KeyType=HASH}']
	for _, at := range structure.FindAllStringIndex(value, -1) {
		text := "{" + strings.Trim(value[at[0]:at[1]], `"`) + "}"
		members, is := newLiteral(text, 0, line+strings.Count(value[:at[0]], "\n")).object(0)
		if !is || len(members) == 0 {
			return Member{}, false
		}
		all.Members = append(all.Members, Member{Type: "M", Line: line, Members: asTexts(members)})
	}
	return all, len(all.Members) > 0
}

// structure matches one of several in the CLI's shorthand, "A=b,C=[{D=e}]": blanks stand between them, and can stand behind a comma.
var structure = lazyregexp.New(`[^\s,]+(?:,\s*[^\s,]+)*`)

// asTexts takes the words of the CLI's shorthand, which has no quotes, for the texts that they are.
func asTexts(members []Member) []Member {
	for i := range members {
		if m := &members[i]; m.Type == "" || m.Type == "N" {
			m.Type = "S"
		}
		asTexts(members[i].Members)
	}
	return members
}

// assignedTo matches the name of a variable before a call: table := , const table = , this.table.
var assignedTo = lazyregexp.New(`(\w+)(?:\s*:?=\s*(?:await\s+)?|\.)$`)

// constructs reads what calls of the SDKs, CDK and Pulumi make, and objects that have a KeySchema. An index is that of the
// variable that it is added to, or of the only table.
func (r *reader) constructs(b *block, text string) bool {
	tables, latest, last := map[string]*Table{}, (*Table)(nil), -1
	n, behind := 0, 0
	for _, at := range madeTable.FindAllStringSubmatchIndex(text, -1) {
		since := text[behind:at[0]]
		n, behind = n+strings.Count(since, "\n"), at[0]
		if n <= last || commentLine.MatchString(b.code[n]) {
			continue
		}
		p, end := b.literal(text, at[1]), ")"
		switch text[at[1]-1] {
		case '{', ' ':
			end = "}"
		case '(':
		default: // in the midst of the arguments: dynamodb.Table(self
			p = b.literal(text, at[0]+strings.IndexByte(text[at[0]:], '(')+1)
		}
		found, _ := p.arguments(end, 0, false)
		_, ofIndex := memberOf(found.Members, "IndexName")
		variable := ""
		if match := assignedTo.FindStringSubmatch(since); match != nil {
			variable = match[1]
		}
		table := tables[variable]
		switch {
		case !ofIndex:
			table = r.resource(b, variable, found.Members)
		case at[2] < 0 && (len(tables) > 0 || b.frame.about() != topicIndexes || !b.frame.meant()):
			table = nil // of an index alone only a section on indexes says the table
		case len(tables) == 0:
			table = r.table(b.frame)
		case table == nil && len(tables) == 1:
			table = latest
		}
		if table == nil {
			continue
		}
		if ofIndex {
			r.resourceIndex(b, table, found.Members, r.definedOf(table), at[2] >= 0 && strings.EqualFold(text[at[2]:at[3]], "local"))
		}
		tables[variable], latest = table, table
		r.covered(b, n, p.row-b.line)
		last = p.row - b.line
	}
	if latest == nil { // the members of an object without its braces
		if found, is := newLiteral("{"+text+"}", 0, b.line).object(0); is && len(found) > 0 {
			if latest = r.resource(b, "", found); latest != nil {
				r.covered(b, 0, len(b.code)-1)
			}
		}
	}
	return latest != nil
}
