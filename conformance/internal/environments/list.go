// Package environments audits several environments at once: it reads the list of them, asks each for its tables within limits, and
// puts what was seen together for one report. It sends nothing but what an audit of one environment sends.
package environments

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Environment is one place in which a design is deployed.
type Environment struct {
	// Name is unique in the list, and the name of the environment's folder in the report. Where the list gives none it is the stack and
	// the region, joined by a hyphen. Reports show it, so that it holds no account.
	Name string
	// Design and Env are those of the stack, such as osem-ladders.prod.
	Design, Env string
	// Account is the account in which the tables are; empty takes that of the credentials. Role is the ARN of the role to take there.
	Account, Role string
	// Region is the region; empty takes the environment's own, or the document's.
	Region string
	// Endpoint is the URL of an engine on loopback, in place of AWS.
	Endpoint string
	// Prefix stands before every table name; Tables are the deployed names of tables, by logical id.
	Prefix string
	Tables map[string]string
	// Line is where the entry stands in the list.
	Line int
}

// Stack is the name of the environment's stack.
func (e *Environment) Stack() string { return e.Design + "." + e.Env }

// text is a value of an entry: where it goes, and its form.
type text struct {
	into *string
	form *regexp.Regexp
	want string
}

var (
	stackForm   = regexp.MustCompile(`^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$`)
	accountForm = regexp.MustCompile(`^[0-9]{12}$`)
	regionForm  = regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-[0-9]+$`)
	roleForm    = regexp.MustCompile(`^arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]+$`)
	nameForm    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	accountIn   = regexp.MustCompile(`[0-9]{12}`)
	prefixForm  = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)
	anyForm     = regexp.MustCompile(`.`)
)

// Read reads the list of a file. Each mistake is named with the file and its line; designs are the names that a stack may have.
func Read(path string, designs []string) ([]Environment, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		return nil, fmt.Errorf("%s: expected YAML: %w", filepath.Base(path), err)
	}
	r := reader{file: filepath.Base(path)}
	if len(document.Content) != 1 {
		return nil, fmt.Errorf("%s:1: expected a list under environments:, found nothing", r.file)
	}
	var list []Environment
	r.members(document.Content[0], "", map[string]func(*yaml.Node){"environments": func(node *yaml.Node) {
		if node.Kind != yaml.SequenceNode || len(node.Content) == 0 {
			r.report(node, "environments: expected a list with an entry for each environment, found none")
			return
		}
		for _, entry := range node.Content {
			list = append(list, r.environment(entry, designs))
		}
	}})
	if list == nil && r.problems == nil {
		r.report(document.Content[0], "expected a list under environments:, found none")
	}
	first := map[string]int{}
	for i := range list {
		if at, known := first[list[i].Name]; known {
			r.problems = append(r.problems, fmt.Errorf("%s:%d: the name %s is that of line %d; give each a name of its own", r.file, list[i].Line, list[i].Name, at))
		}
		first[list[i].Name] = list[i].Line
	}
	if err := errors.Join(r.problems...); err != nil {
		return nil, err
	}
	return list, nil
}

type reader struct {
	file     string
	problems []error
}

func (r *reader) report(node *yaml.Node, format string, args ...any) {
	r.problems = append(r.problems, fmt.Errorf("%s:%d: %s", r.file, node.Line, fmt.Sprintf(format, args...)))
}

// members hands the members of a mapping to those who know them, and refuses every other.
func (r *reader) members(node *yaml.Node, of string, known map[string]func(*yaml.Node)) {
	if node.Kind != yaml.MappingNode {
		r.report(node, "expected names with values%s, found something else", of)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		take, is := known[key.Value]
		switch {
		case !is:
			var names []string
			for name := range known {
				names = append(names, name)
			}
			slices.Sort(names)
			r.report(key, "%s is not known%s; expected one of %s", key.Value, of, strings.Join(names, ", "))
		case seen[key.Value]:
			r.report(key, "%s stands twice; keep one", key.Value)
		default:
			take(value)
		}
		seen[key.Value] = true
	}
}

func (r *reader) environment(node *yaml.Node, designs []string) Environment {
	e := Environment{Line: node.Line}
	stack := ""
	values := map[string]text{
		"name": {&e.Name, nameForm, "letters, digits, dots, hyphens and underscores"}, "stack": {&stack, stackForm, "DESIGN.ENV, such as osem-ladders.prod"},
		"account": {&e.Account, accountForm, "the 12 digits of an account, in quotes"}, "region": {&e.Region, regionForm, "a region such as eu-west-1"},
		"role":     {&e.Role, roleForm, "the ARN of a role, such as arn:aws:iam::123456789012:role/audit"},
		"endpoint": {&e.Endpoint, anyForm, "the URL of an engine on this machine"}, "prefix": {&e.Prefix, prefixForm, "the beginning of table names"},
	}
	known := map[string]func(*yaml.Node){"tables": func(value *yaml.Node) { e.Tables = r.tables(value) }}
	for name, into := range values {
		known[name] = func(value *yaml.Node) {
			if value.Kind != yaml.ScalarNode || !into.form.MatchString(value.Value) {
				r.report(value, "%s: expected %s, found %q", name, into.want, value.Value)
				return
			}
			*into.into = value.Value
		}
	}
	before := len(r.problems)
	r.members(node, " of an environment", known)
	e.Design, e.Env, _ = strings.Cut(stack, ".")
	if e.Name == "" {
		e.Name = strings.Join(slices.DeleteFunc([]string{stack, e.Region}, func(part string) bool { return part == "" }), "-")
	}
	if len(r.problems) > before {
		return e
	}
	at, err := url.Parse(e.Endpoint)
	switch {
	case accountIn.MatchString(e.Name):
		r.report(node, "name: expected one without the number of an account, because reports show it, found %s", e.Name)
	case stack == "":
		r.report(node, "expected stack: DESIGN.ENV, found none")
	case !slices.Contains(designs, e.Design):
		r.report(node, "stack: expected one of the designs %s, found %s", strings.Join(designs, ", "), e.Design)
	case e.Endpoint != "" && (e.Account != "" || e.Role != ""):
		r.report(node, "expected an endpoint, or an account and a role on AWS, found both; leave one out")
	case e.Endpoint != "" && (err != nil || at.Host == ""):
		r.report(node, "endpoint: expected a URL such as http://127.0.0.1:8000, found %q", e.Endpoint)
	case e.Account != "" && e.Role != "" && !strings.Contains(e.Role, "::"+e.Account+":"):
		r.report(node, "role: expected one of account %s, found %s", e.Account, e.Role)
	}
	return e
}

func (r *reader) tables(node *yaml.Node) map[string]string {
	names := map[string]string{}
	if node.Kind != yaml.MappingNode {
		r.report(node, "tables: expected deployed names by logical id, such as {fus-main: fus-test}, found something else")
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i+1].Kind != yaml.ScalarNode || !prefixForm.MatchString(node.Content[i+1].Value) {
			r.report(node.Content[i+1], "tables: expected the name of a table, found %q", node.Content[i+1].Value)
			continue
		}
		names[node.Content[i].Value] = node.Content[i+1].Value
	}
	return names
}
