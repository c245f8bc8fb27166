// Package environments audits several environments at once: it reads the list of them, asks each for its tables within limits, and
// puts what was seen together for one report. It sends nothing but what an audit of one environment sends.
package environments

import (
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/strict"
	"dynaproof/conformance/internal/trail"
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
	// Trail is the log group to which a trail of CloudTrail delivers the tables' data events; nil takes that of all environments, if any.
	Trail *trail.Group
	// Folder is that of a design of the caller's, with its contract and document; empty for a design of the catalog.
	Folder string
	// Accepted are the open points of that design that somebody has accepted.
	Accepted []evidence.Acceptance
	// Line is where the entry stands in the list.
	Line int
}

// Stack is the name of the environment's stack.
func (e *Environment) Stack() string { return e.Design + "." + e.Env }

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

// Read reads the list of a file. Each mistake is named with the file and its line; designs are the names that a stack may have. An entry may name
// the folder of another design, from the list's own folder on: open opens it once, and returns the design's name.
func Read(path string, designs []string, open func(folder string) (name string, err error)) ([]Environment, error) {
	brought := map[string]string{}
	opened := func(folder string) (name string, err error) {
		if folder = filepath.Clean(folder); !filepath.IsAbs(folder) {
			folder = filepath.Join(filepath.Dir(path), folder)
		}
		if _, known := brought[folder]; !known {
			if brought[folder], err = open(folder); err != nil {
				delete(brought, folder)
			}
		}
		return brought[folder], err
	}
	var list []Environment
	first := map[string]int{}
	err := strict.List(path, "environments", func(r *strict.Reader, node *yaml.Node) {
		e := environment(r, node, designs, opened)
		if e.Folder != "" && !filepath.IsAbs(e.Folder) {
			e.Folder = filepath.Join(filepath.Dir(path), e.Folder)
		}
		if at, known := first[e.Name]; known {
			r.Report(node, "the name %s is that of line %d; give each a name of its own", e.Name, at)
		}
		first[e.Name] = e.Line
		list = append(list, e)
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

func environment(r *strict.Reader, node *yaml.Node, designs []string, open func(string) (string, error)) Environment {
	e := Environment{Line: node.Line}
	stack, group := "", ""
	values := map[string]strict.Text{
		"name": {Into: &e.Name, Form: nameForm, Want: "letters, digits, dots, hyphens and underscores"}, "stack": {Into: &stack, Form: stackForm, Want: "DESIGN.ENV, such as osem-ladders.prod"},
		"account": {Into: &e.Account, Form: accountForm, Want: "the 12 digits of an account, in quotes"}, "region": {Into: &e.Region, Form: regionForm, Want: "a region such as eu-west-1"},
		"role":            {Into: &e.Role, Form: roleForm, Want: "the ARN of a role, such as arn:aws:iam::000000000000:role/audit"},
		"cloudtrail-logs": {Into: &group, Form: anyForm, Want: "the name of a log group, or its ARN"},
		"design":          {Into: &e.Folder, Form: anyForm, Want: "the folder of a design of your own"},
		"endpoint":        {Into: &e.Endpoint, Form: anyForm, Want: "the URL of an engine on this machine"}, "prefix": {Into: &e.Prefix, Form: prefixForm, Want: "the beginning of table names"},
	}
	right := r.Texts(node, " of an environment", values, map[string]func(*yaml.Node){"tables": func(value *yaml.Node) { e.Tables = tables(r, value) }})
	e.Design, e.Env, _ = strings.Cut(stack, ".")
	if e.Name == "" {
		e.Name = strings.Join(slices.DeleteFunc([]string{stack, e.Region}, func(part string) bool { return part == "" }), "-")
	}
	if !right {
		return e
	}
	if group != "" {
		parsed, err := trail.ParseGroup(group)
		if err != nil {
			r.Report(node, "cloudtrail-logs: %v", err)
			return e
		}
		e.Trail = &parsed
	}
	if e.Folder != "" {
		name, err := open(e.Folder)
		if err != nil {
			r.Report(node, "design: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
			return e
		}
		designs = []string{name}
	}
	at, err := url.Parse(e.Endpoint)
	switch {
	case accountIn.MatchString(e.Name):
		r.Report(node, "name: expected one without the number of an account, because reports show it, found %s", e.Name)
	case stack == "":
		r.Report(node, "expected stack: DESIGN.ENV, found none")
	case !slices.Contains(designs, e.Design):
		r.Report(node, "stack: expected one of the designs %s, found %s", strings.Join(designs, ", "), e.Design)
	case e.Endpoint != "" && (e.Account != "" || e.Role != ""):
		r.Report(node, "expected an endpoint, or an account and a role on AWS, found both; leave one out")
	case e.Endpoint != "" && e.Trail != nil:
		r.Report(node, "cloudtrail-logs: expected it of an environment on AWS, found an endpoint, which no trail sees; leave one out")
	case strings.Contains(e.Endpoint, "@"):
		r.Report(node, "endpoint: expected a URL such as http://127.0.0.1:8000, found one with a user name in it, which is not shown")
	case e.Endpoint != "" && (err != nil || at.Host == ""):
		r.Report(node, "endpoint: expected a URL such as http://127.0.0.1:8000, found %q", e.Endpoint)
	case e.Account != "" && e.Role != "" && !strings.Contains(e.Role, "::"+e.Account+":"):
		r.Report(node, "role: expected one of account %s, found %s", e.Account, e.Role)
	}
	return e
}

func tables(r *strict.Reader, node *yaml.Node) map[string]string {
	names := map[string]string{}
	if node.Kind != yaml.MappingNode {
		r.Report(node, "tables: expected deployed names by logical id, such as {fus-main: fus-test}, found something else")
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i+1].Kind != yaml.ScalarNode || !prefixForm.MatchString(node.Content[i+1].Value) {
			r.Report(node.Content[i+1], "tables: expected the name of a table, found %q", node.Content[i+1].Value)
			continue
		}
		names[node.Content[i].Value] = node.Content[i+1].Value
	}
	return names
}
