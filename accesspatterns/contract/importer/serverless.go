package importer

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// variables resolves those of serverless.yml (https://www.serverless.com/framework/docs/guides/variables). What stands in another file, or
// only a deployment knows, stays open.
type variables struct {
	d    *draft
	root *yaml.Node
	// asked are the options that a value was taken for, deep is how many variables are being resolved, and count how many have been.
	asked       []string
	deep, count int
}

// mostVariables is how many a file may have resolved: one that names itself has no end.
const mostVariables = 10_000

// variableSource is a variable: a source and an address in it; ${AWS::Region} and ${Orders.Arn} are CloudFormation's.
var variableSource = regexp.MustCompile(`^\s*(?:(\w+)(\([^)]*\))?:([^:].*)|file\(.*)$`)

// resolve returns a node with the values of its variables in place.
func (v *variables) resolve(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.ScalarNode {
		return v.text(node)
	}
	resolved := *node
	resolved.Content = nil
	for i, child := range node.Content {
		if node.Kind != yaml.MappingNode || i%2 == 1 {
			child = v.resolve(child)
		}
		resolved.Content = append(resolved.Content, child)
	}
	return &resolved
}

// text fills a text in. One that is a variable and nothing else has that value, whatever it is.
func (v *variables) text(node *yaml.Node) *yaml.Node {
	filled, found := *node, false
	filled.Value = ""
	for rest := node.Value; ; {
		from := strings.Index(rest, "${")
		end := 0
		if from >= 0 {
			end = closing(rest[from:])
		}
		if end <= 0 {
			filled.Value += rest
			break
		}
		inner := rest[from+2 : from+end]
		if filled.Value += rest[:from]; end == len(rest[from:])-1 && from == 0 && rest == node.Value {
			if value := v.value(inner, node); value != nil {
				return value
			}
		}
		if value := v.value(inner, node); value == nil || value.Kind != yaml.ScalarNode || value.Tag == openTag {
			filled.Value += rest[from : from+end+1]
			if node.Tag == "!!str" && variableSource.MatchString(inner) {
				filled.Tag = openTag
			}
		} else {
			filled.Value += value.Value
		}
		found, rest = true, rest[from+end+1:]
	}
	if !found {
		return node
	}
	return &filled
}

// closing is where the brace that closes ${ stands; negative where there is none.
func closing(text string) int {
	deep := 0
	for i, r := range text {
		switch r {
		case '{':
			deep++
		case '}':
			if deep--; deep == 0 {
				return i
			}
		}
	}
	return -1
}

// value is that of the first source of a variable that has one; nil where none has, or it is none of serverless.yml.
func (v *variables) value(inner string, node *yaml.Node) *yaml.Node {
	if v.count++; v.count == mostVariables {
		v.d.report(node, "expected at most %d variables to resolve, found more; one of them names itself", mostVariables)
	}
	if v.deep > 20 || v.count > mostVariables || !variableSource.MatchString(inner) {
		return nil
	}
	v.deep++
	defer func() { v.deep-- }()
	nested := v.text(scalarAt(node, inner))
	if nested.Tag == openTag || nested.Kind != yaml.ScalarNode {
		return nil
	}
	inner = nested.Value
	for i, each := range strings.Split(inner, ",") {
		each = strings.TrimSpace(each)
		found := variableSource.FindStringSubmatch(each)
		var value *yaml.Node
		switch {
		case found == nil && i > 0 && each != "":
			value = scalarAt(node, strings.Trim(each, `'"`))
		case found == nil:
		case found[1] == "self":
			value = v.at(strings.Split(found[3], "."))
		case found[1] == "opt", found[1] == "sls" && found[3] == "stage":
			given, is := v.d.given[found[3]]
			switch {
			case is:
				v.asked = append(v.asked, found[3])
				return scalarAt(node, given)
			case found[1] == "sls":
				value = v.at([]string{"provider", "stage"})
			}
		case found[1] == "param":
			stage := "dev"
			if at := v.value("sls:stage", node); at != nil {
				stage = at.Value
			}
			if value = v.at([]string{"params", stage, found[3]}); value == nil {
				value = v.at([]string{"params", "default", found[3]})
			}
		default: // a file, the environment of the deployment, a parameter store
			return nil
		}
		if value != nil && value.Tag != openTag {
			if i > 0 {
				v.d.note("variable ${%s}: %s is taken for it%s", inner, shown(value), v.d.howToGive(scalarAt(node, "${"+strings.Split(inner, ",")[0]+"}")))
			}
			return inLine(value, node)
		}
	}
	return nil
}

// at is what stands in the file, resolved.
func (v *variables) at(path []string) *yaml.Node {
	node := v.root
	for _, name := range path {
		if n, err := strconv.Atoi(name); err == nil && node != nil && node.Kind == yaml.SequenceNode && n >= 0 && n < len(node.Content) {
			node = node.Content[n]
			continue
		}
		if _, node = member(node, name); node == nil {
			return nil
		}
		if node.Kind == yaml.ScalarNode {
			taken(node)
			node = v.text(node)
		}
	}
	value := v.resolve(node)
	taken(node)
	return value
}

// serverless reads the resources of serverless.yml, which are CloudFormation.
func (d *draft) serverless(root *yaml.Node) {
	v := &variables{d: d, root: root}
	resources := get(root, "resources")
	if resources == nil {
		return
	}
	*resources = *v.resolve(resources)
	templates := []*yaml.Node{resources}
	if resources.Kind == yaml.SequenceNode {
		templates = resources.Content
	}
	given := d.given
	d.given = maps.Clone(given)
	maps.DeleteFunc(d.given, func(name, _ string) bool { return slices.Contains(v.asked, name) })
	for _, each := range templates {
		if of := get(each, "Resources"); each.Tag == openTag || of != nil && of.Tag == openTag {
			d.noteAt(each, "resources of line %d stand in another file and are left out; import the template that `serverless package` makes", each.Line)
			continue
		}
		d.cloudFormation(each)
	}
}

// expand carries out Fn::ForEach (https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-foreach.html).
func (t *template) expand(node *yaml.Node) *yaml.Node {
	if node == nil || len(node.Content) == 0 {
		return node
	}
	expanded := *node
	expanded.Content = nil
	for i, child := range node.Content {
		name, loops := "", false
		if node.Kind == yaml.MappingNode && i%2 == 1 {
			_, loops = strings.CutPrefix(node.Content[i-1].Value, "Fn::ForEach::")
			name = node.Content[i-1].Value
		}
		switch {
		case node.Kind == yaml.MappingNode && i%2 == 0:
		case loops:
			expanded.Content = append(expanded.Content, t.loop(name, child)...)
		case node.Kind == yaml.MappingNode:
			expanded.Content = append(expanded.Content, node.Content[i-1], t.expand(child))
		default:
			expanded.Content = append(expanded.Content, t.expand(child))
		}
	}
	return &expanded
}

// mostLoops is how many elements all loops of a template may have: a template has at most 500 resources.
const mostLoops = 1000

// loop are the members that a loop makes.
func (t *template) loop(name string, node *yaml.Node) (all []*yaml.Node) {
	if node.Kind != yaml.SequenceNode || len(node.Content) != 3 || node.Content[0].Kind != yaml.ScalarNode || node.Content[2].Kind != yaml.MappingNode {
		t.d.report(node, "%s: expected an identifier, a collection and what is made of each, found %s", name, shown(node))
		return nil
	}
	identifier, collection := node.Content[0].Value, t.resolve(node.Content[1])
	if collection == nil || collection.Kind != yaml.SequenceNode || slices.ContainsFunc(collection.Content, func(each *yaml.Node) bool { return each.Tag == openTag || each.Kind != yaml.ScalarNode }) {
		if collection == nil || collection.Kind != yaml.ScalarNode {
			collection = openAt(node, "a list")
		}
		t.d.noteAt(node, "%s is left out, for its collection is %s, which the template does not give%s", name, collection.Value, t.d.howToGive(collection))
		return nil
	}
	for _, each := range collection.Content {
		if t.loops++; t.loops > mostLoops {
			t.d.report(node, "%s: expected at most %d elements in all loops, found more", name, mostLoops)
			return nil
		}
		all = append(all, t.expand(replaced(node.Content[2], identifier, each.Value)).Content...)
	}
	return all
}

var notAlphanumeric = regexp.MustCompile(`[^A-Za-z0-9]`)

// replaced is a copy with the value of a loop's identifier in place.
func replaced(node *yaml.Node, identifier, value string) *yaml.Node {
	if name, argument := functionOf(node); name == "Ref" && argument.Value == identifier {
		return scalarAt(node, value)
	}
	made := *node
	made.Value = strings.NewReplacer("${"+identifier+"}", value, "&{"+identifier+"}", notAlphanumeric.ReplaceAllString(value, "")).Replace(node.Value)
	made.Content = nil
	for _, child := range node.Content {
		made.Content = append(made.Content, replaced(child, identifier, value))
	}
	return &made
}
