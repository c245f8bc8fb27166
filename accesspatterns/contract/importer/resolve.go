package importer

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"dynaproof/accesspatterns/lists"
)

// openTag is the tag of a value that a template does not give. The value is then written as Fn::Sub writes it: orders-${Suffix}.
const openTag = "!open"

// template resolves the intrinsic functions of a CloudFormation template
// (https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html).
// What only a deployment knows stays open.
type template struct {
	mappings, conditions *yaml.Node
	// d has the parameters, and is told what is left out.
	d *draft
	// defaults are the parameters whose default was taken.
	defaults []string
	// deep is how many conditions are being decided: one that names itself has no end.
	deep int
}

// functionOf is the intrinsic function that a node calls, without Fn::, and what it is given.
func functionOf(node *yaml.Node) (name string, argument *yaml.Node) {
	if strings.HasPrefix(node.Tag, "!") && !strings.HasPrefix(node.Tag, "!!") && node.Tag != openTag {
		plain := *node
		plain.Tag = map[yaml.Kind]string{yaml.ScalarNode: "!!str", yaml.SequenceNode: "!!seq", yaml.MappingNode: "!!map"}[node.Kind]
		return node.Tag[1:], &plain
	}
	if node.Kind == yaml.MappingNode && len(node.Content) == 2 {
		name, is := strings.CutPrefix(node.Content[0].Value, "Fn::")
		if is || name == "Ref" || name == "Condition" && node.Content[1].Kind == yaml.ScalarNode {
			return name, node.Content[1]
		}
	}
	return "", nil
}

// scalarAt is a text in the line of a node.
func scalarAt(node *yaml.Node, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value, Line: node.Line}
}

func openAt(node *yaml.Node, what string) *yaml.Node {
	open := scalarAt(node, "${"+what+"}")
	open.Tag = openTag
	return open
}

// listAt is a list of texts in the line of a node.
func listAt(node *yaml.Node, texts []string) *yaml.Node {
	elements := lists.Map(texts, func(text string) *yaml.Node { return scalarAt(node, text) })
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: node.Line, Content: elements}
}

// elsewhere matches a value that is not the template's: a dynamic reference, or a variable of the Serverless Framework.
var elsewhere = regexp.MustCompile(`\{?(\{resolve:[^{}]*\})\}?|\$(\{\w+:[^{}]*\})`)

// resolve returns a node with the values of its functions in place; nil for AWS::NoValue.
func (t *template) resolve(node *yaml.Node) *yaml.Node {
	if name, argument := functionOf(node); name != "" {
		if node = t.call(name, argument, node); node == nil {
			return nil
		}
	}
	if node.Tag == "!!int" { // CloudFormation makes a text of it where it needs one
		node.Tag = "!!str"
	}
	if node.Kind == yaml.ScalarNode && elsewhere.MatchString(node.Value) {
		taken(node)
		return &yaml.Node{Kind: node.Kind, Tag: openTag, Line: node.Line, Column: read, Value: elsewhere.ReplaceAllString(node.Value, "$$$1$2")}
	}
	return rebuilt(node, func(_, element *yaml.Node) *yaml.Node { return t.resolve(element) })
}

// listOf are the elements of a list of so many or more; none of anything else.
func listOf(node *yaml.Node, n int) []*yaml.Node {
	if node.Kind != yaml.SequenceNode || len(node.Content) < n {
		return nil
	}
	return node.Content
}

// arguments are those of a function, resolved; nil where one of them has no value.
func (t *template) arguments(node *yaml.Node, n int) (all []*yaml.Node) {
	for _, each := range listOf(node, n) {
		value := t.resolve(each)
		if value == nil || value.Tag == openTag {
			return nil
		}
		all = append(all, value)
	}
	return all
}

func (t *template) call(name string, argument, node *yaml.Node) *yaml.Node {
	open := openAt(node, strings.TrimSpace(name+" "+argument.Value))
	if name != "If" {
		defer taken(node)
	}
	switch name {
	case "Ref":
		return t.ref(argument.Value, node)
	case "Sub":
		return t.sub(argument, node)
	case "GetAtt":
		if of := listOf(argument, 2); of != nil {
			return openAt(node, of[0].Value+"."+of[1].Value)
		}
		return openAt(node, argument.Value)
	case "If":
		if of := listOf(argument, 3); of != nil {
			holds, known := t.holds(of[0].Value)
			if !known {
				return openAt(node, "If "+of[0].Value)
			}
			here, other := of[1], of[2]
			if !holds {
				here, other = other, here
			}
			for _, each := range []*yaml.Node{other, get(t.conditions, of[0].Value)} {
				t.d.noteAt(each, "what stands for the case that condition %s %s is left out, for with the template's values it %s", of[0].Value, hold(!holds), hold(holds))
			}
			taken(of[0])
			return t.resolve(here)
		}
	case "Join":
		of := listOf(argument, 2)
		if of == nil {
			break
		}
		parts := t.resolve(of[1])
		if parts == nil || parts.Kind != yaml.SequenceNode {
			break
		}
		joined := scalarAt(node, strings.Join(lists.Map(parts.Content, func(part *yaml.Node) string { return part.Value }), of[0].Value))
		if slices.ContainsFunc(parts.Content, func(part *yaml.Node) bool { return part.Tag == openTag }) {
			joined.Tag = openTag
		}
		return joined
	case "FindInMap":
		if at := t.arguments(argument, 3); at != nil {
			found := get(t.mappings, at[0].Value, at[1].Value, at[2].Value)
			if found == nil && len(at) > 3 {
				found = get(at[3], "DefaultValue")
			}
			if found != nil {
				return inLine(found, node)
			}
		}
	case "Select":
		if of := listOf(argument, 2); of != nil {
			n, err := strconv.Atoi(of[0].Value)
			if all := t.resolve(of[1]); err == nil && all != nil && all.Kind == yaml.SequenceNode && n >= 0 && n < len(all.Content) {
				return all.Content[n]
			}
		}
	case "Split":
		if at := t.arguments(argument, 2); at != nil && at[0].Value != "" {
			return listAt(node, strings.Split(at[1].Value, at[0].Value))
		}
	}
	return open
}

func hold(holds bool) string { return map[bool]string{true: "holds", false: "does not hold"}[holds] }

// inLine is a value in the line in which it is used.
func inLine(value, node *yaml.Node) *yaml.Node {
	moved := *value
	moved.Line, moved.Column = node.Line, node.Column
	return &moved
}

// ref is the value of a parameter: the one that is given, or its default, where it has one.
func (t *template) ref(name string, node *yaml.Node) *yaml.Node {
	if name == "AWS::NoValue" {
		return nil
	}
	kind, value := textOf(t.d.parameters, name, "Type"), get(t.d.parameters, name, "Default")
	given, own := t.d.given[name]
	if own {
		value = scalarAt(node, given)
	}
	if value == nil || strings.HasPrefix(kind, "AWS::SSM::Parameter::Value") { // the default of these is a name in the Parameter Store
		return openAt(node, name)
	}
	if !own && !slices.Contains(t.defaults, name) {
		t.defaults = append(t.defaults, name)
	}
	value = inLine(value, node)
	if kind == "CommaDelimitedList" || strings.HasPrefix(kind, "List<") {
		return listAt(node, commas.Split(strings.TrimSpace(value.Value), -1))
	}
	value.Tag, value.Style = "!!str", 0
	return value
}

// commas part the members of a CommaDelimitedList, with the space around them.
var commas = regexp.MustCompile(`\s*,\s*`)

var variable = regexp.MustCompile(`\$\{([^}]*)\}`)

func (t *template) sub(argument, node *yaml.Node) *yaml.Node {
	var values *yaml.Node
	text := argument
	if of := listOf(argument, 2); of != nil {
		text, values = of[0], of[1]
	}
	filled := scalarAt(node, "")
	filled.Value = variable.ReplaceAllStringFunc(text.Value, func(found string) string {
		name := strings.TrimSpace(found[2 : len(found)-1])
		if literal, is := strings.CutPrefix(name, "!"); is {
			return "${" + literal + "}"
		}
		value := t.ref(name, node)
		if own := get(values, name); own != nil {
			value = t.resolve(own)
		}
		if value == nil || value.Kind != yaml.ScalarNode {
			value = openAt(node, name)
		}
		if value.Tag == openTag {
			filled.Tag = openTag
		}
		return value.Value
	})
	return filled
}

func (t *template) holds(name string) (holds, known bool) {
	condition := get(t.conditions, name)
	if condition == nil || t.deep > len(t.conditions.Content) {
		return false, false
	}
	t.deep++
	defer func() { t.deep-- }()
	return t.decide(condition)
}

func (t *template) decide(node *yaml.Node) (holds, known bool) {
	name, argument := functionOf(node)
	switch name {
	case "Condition":
		return t.holds(argument.Value)
	case "Equals":
		at := t.arguments(argument, 2)
		if at == nil {
			return false, false
		}
		return at[0].Value == at[1].Value, true
	case "Not", "And", "Or":
		of := listOf(argument, 1)
		decides, all := name != "And", of != nil // one such condition decides
		for _, each := range of {
			holds, known := t.decide(each)
			if known && holds == decides {
				return name == "Or", true
			}
			all = all && known
		}
		return name != "Or", all
	}
	return false, false
}

// environments are parameters that stand for the environment, as {env} does in the names of a contract.
var environments = regexp.MustCompile(`(?i)^(deploy(ment)?)?(env|environment|stage)(name)?$`)

// named is a text of a name or a tag, in which parameters for the environment may stay; false for one that is open otherwise.
func named(value *yaml.Node) bool {
	if value.Tag != openTag {
		return true
	}
	text := variable.ReplaceAllStringFunc(value.Value, func(found string) string {
		name := found[2 : len(found)-1]
		if name = name[strings.LastIndexAny(name, ":.")+1:]; environments.MatchString(name) {
			return "{" + name + "}"
		}
		return found
	})
	if strings.Contains(text, "${") {
		return false
	}
	value.Tag, value.Value = "!!str", text
	return true
}

// tableKinds are the resources of a template that are tables.
var tableKinds = []string{"AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable", "AWS::Serverless::SimpleTable"}

// cloudFormation reads the tables of a template, also of one that CDK synthesized.
func (d *draft) cloudFormation(root *yaml.Node) {
	d.parameters = get(root, "Parameters")
	for _, name := range slices.Sorted(maps.Keys(d.given)) {
		of := get(d.parameters, name)
		switch allowed := elements(of, "AllowedValues"); {
		case of == nil && !strings.HasPrefix(name, "AWS::"):
			d.report(root, "--parameters: expected a parameter of the template, found %s", name)
		case len(allowed) > 0 && !slices.ContainsFunc(allowed, func(each *yaml.Node) bool { return each.Value == d.given[name] }):
			d.report(of, "parameter %s: expected one of its AllowedValues, found %s", name, d.given[name])
		}
	}
	t := &template{mappings: get(root, "Mappings"), conditions: get(root, "Conditions"), d: d}
	for id, resource := range members(get(root, "Resources")) {
		kind := get(resource, "Type")
		switch {
		case strings.HasPrefix(id.Value, "Fn::"):
			d.noteAt(id, "%s is left out, for it is expanded only when the template is deployed", id.Value)
			taken(resource)
			continue
		case kind == nil:
			d.report(id, "resource %s: expected a Type, found none", id.Value)
			continue
		case !slices.Contains(tableKinds, kind.Value):
			if strings.Contains(kind.Value, "DynamoDB") || textOf(resource, "Properties", "ServiceNamespace") == "dynamodb" {
				d.noteAt(id, "resource %s of type %s is left out", id.Value, kind.Value)
				taken(resource)
			} else {
				d.aside(noTables, kind.Value, resource)
			}
			continue
		}
		if condition := get(resource, "Condition"); condition != nil {
			switch holds, known := t.holds(condition.Value); {
			case get(t.conditions, condition.Value) == nil:
				d.report(condition, "resource %s: expected a condition of the template, found %s", id.Value, condition.Value)
			case !known:
				d.noteAt(get(t.conditions, condition.Value), "table %s is made only under condition %s, which the template leaves open; it is taken", id.Value, condition.Value)
			case !holds:
				for _, each := range []*yaml.Node{resource, get(t.conditions, condition.Value)} {
					d.noteAt(each, "table %s is left out, for condition %s does not hold with the template's values", id.Value, condition.Value)
				}
				continue
			}
		}
		properties := get(resource, "Properties")
		if properties == nil && kind.Value != "AWS::Serverless::SimpleTable" {
			d.report(resource, "resource %s: expected Properties, found none", id.Value)
			continue
		}
		if properties == nil {
			properties = &yaml.Node{Kind: yaml.MappingNode, Line: id.Line}
		}
		properties = t.resolve(properties)
		if globals := get(root, "Globals", "SimpleTable"); globals != nil && kind.Value == "AWS::Serverless::SimpleTable" {
			complete(properties, t.resolve(globals), "")
		}
		d.resource(id, kind.Value, properties)
	}
	for _, name := range t.defaults {
		d.noteAt(get(t.d.parameters, name), "parameter %s: its default %s is taken", name, shown(get(t.d.parameters, name, "Default")))
	}
}

func (d *draft) resource(id *yaml.Node, kind string, properties *yaml.Node) {
	own := scalarAt(id, id.Value)
	if own.Column = logical; len(id.Value) < 3 {
		own.Value += "-table"
	}
	name := get(properties, "TableName")
	if name != nil && !named(name) {
		d.note(id, "table %s: its name is %s; audit it with --table %s=NAME%s", id.Value, name.Value, idOf(own.Value), d.howToGive(name))
		name = own
	} else if name == nil || name.Kind != yaml.ScalarNode {
		d.note(id, "table %s: the template gives it no fixed name; audit it with --table %s=NAME", id.Value, idOf(own.Value))
		name = own
	}
	for _, list := range []string{"Tags", "Replicas"} {
		for _, value := range nodes(get(properties, list)) {
			named(value)
		}
	}
	d.open = false
	properties = d.closed(id.Value, properties)
	switch kind {
	case "AWS::DynamoDB::GlobalTable":
		properties = d.replicas(id.Value, properties)
	case "AWS::Serverless::SimpleTable":
		properties = d.simpleTable(id, properties)
	}
	d.namedTable("createTable", properties, name)
}

// howToGive says how the parameters in what is open get values; nothing where it has none.
func (d *draft) howToGive(open *yaml.Node) string {
	var names []string
	for _, found := range variable.FindAllStringSubmatch(open.Value, -1) {
		if name := found[1]; get(d.parameters, name) != nil && !strings.HasPrefix(textOf(d.parameters, name, "Type"), "AWS::SSM::") {
			names = append(names, "--parameters "+name+"=VALUE")
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; " + strings.Join(names, " ") + " gives it"
}

// needed are the members of a table that it cannot be read without, or not rightly.
var needed = []string{"AttributeDefinitions", "KeySchema", "AttributeName", "AttributeType", "KeyType", "IndexName", "KMSMasterKeyId"}

// closed takes away what is open, and tells it. What is needed stays, for its reader to refuse.
func (d *draft) closed(table string, node *yaml.Node) *yaml.Node {
	return rebuilt(node, func(name, element *yaml.Node) *yaml.Node {
		what := "an element"
		if name != nil {
			what = name.Value
		}
		if strings.HasPrefix(what, "Fn::") {
			d.open = true
			d.noteAt(element, "table %s: %s is left out, for it is expanded only when the template is deployed", table, what)
			return nil
		}
		if element.Tag != openTag || slices.Contains(needed, what) {
			d.open = d.open || element.Tag == openTag
			return d.closed(table, element)
		}
		if what != "TableName" && element.Value != "${AWS::Region}" {
			d.open = true
			d.noteAt(element, "table %s: %s is %s, which the template does not give; it is left out%s", table, what, element.Value, d.howToGive(element))
		}
		return nil
	})
}

// complete gives a mapping the members of another that it lacks, but for one.
func complete(whole, from *yaml.Node, but string) *yaml.Node {
	for name, value := range members(from) {
		if _, own := member(whole, name.Value); own == nil && name.Value != but {
			whole.Content = append(whole.Content, name, value)
		}
	}
	return whole
}

// replicas gives a global table the settings of its first replica, where CloudFormation has those that a table has itself.
func (d *draft) replicas(id string, properties *yaml.Node) *yaml.Node {
	all := d.list(properties, "Replicas")
	if len(all) == 0 {
		return properties
	}
	whole := complete(&yaml.Node{Kind: yaml.MappingNode, Line: properties.Line}, properties, "Replicas")
	if _, own := member(whole, "SSESpecification"); own != nil { // a replica's has the key
		if _, of := member(all[0], "SSESpecification"); of != nil {
			own.Content = append(own.Content, of.Content...)
		}
	}
	complete(whole, all[0], map[bool]string{true: "Region"}[len(all) > 1])
	for _, each := range all[1:] {
		d.noteAt(each, "table %s has %d replicas: a contract speaks of one region, and the settings are those of the first replica", id, len(all))
	}
	return whole
}

// simpleTable is a table of the serverless model as CreateTable has it.
func (d *draft) simpleTable(id, properties *yaml.Node) *yaml.Node {
	name, kind := "id", "String"
	at := id
	if key := get(properties, "PrimaryKey"); key != nil {
		at, name = key, textOf(key, "Name")
		if get(key, "Type") != nil {
			if typed := d.oneOf(key, "Type", "String", "Number", "Binary"); typed != nil {
				kind = typed.Value
			}
		}
	}
	text := fmt.Sprintf("{AttributeDefinitions: [{AttributeName: %q, AttributeType: %.1s}], KeySchema: [{AttributeName: %q, KeyType: HASH}]}", name, kind, name)
	var made yaml.Node
	if err := yaml.Unmarshal([]byte(text), &made); err != nil {
		return properties
	}
	whole := made.Content[0]
	for _, each := range nodes(whole) {
		each.Line, each.Style = at.Line, 0
	}
	complete(whole, properties, "PrimaryKey")
	if get(whole, "ProvisionedThroughput") == nil {
		whole.Content = append(whole.Content, scalarAt(at, "BillingMode"), scalarAt(at, "PAY_PER_REQUEST"))
	}
	return whole
}
