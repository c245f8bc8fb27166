// Package environments audits several environments at once: it reads the list of them, asks each for its tables within limits, and
// puts what was seen together for one report. It sends nothing but what an audit of one environment sends.
package environments

import (
	"cmp"
	"errors"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/strict"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/internal/trail"
	"dynaproof/conformance/target"
)

// Environment is one place in which a design is deployed.
type Environment struct {
	strict.At
	// Name is unique in the list, and the name of the environment's folder in the report. Where the list gives none it is the stack and
	// the region, joined by a hyphen. Reports show it, so that it holds no account.
	Name string `yaml:"name"`
	// Place is the stack as the list gives it, such as osem-ladders.prod; Design and Env are its parts.
	Place       string `yaml:"stack"`
	Design, Env string
	// Account is the account in which the tables are; empty takes that of the credentials. Role is the ARN of the role to take there.
	Account string `yaml:"account"`
	Role    string `yaml:"role"`
	// Region is the region; empty takes the environment's own, or the document's.
	Region string `yaml:"region"`
	// Endpoint is the URL of an engine on loopback, in place of AWS.
	Endpoint string `yaml:"endpoint"`
	// Prefix stands before every table name; Tables are the deployed names of tables, by logical id.
	Prefix string            `yaml:"prefix"`
	Tables map[string]string `yaml:"tables"`
	// Logs names the log group to which a trail of CloudTrail delivers the tables' data events, or is its ARN; Trail is that group, and nil
	// takes that of all environments, if any.
	Logs  string `yaml:"cloudtrail-logs"`
	Trail *trail.Group
	// Folder is that of a design of the caller's, with its contract and document; empty for a design of the catalog.
	Folder string `yaml:"design"`
	// Accepted are the open points of that design that somebody has accepted.
	Accepted []evidence.Acceptance
}

// Stack is the name of the environment's stack.
func (e *Environment) Stack() string { return e.Design + "." + e.Env }

// forms are those of the members, with what they expect in words.
var forms = []struct {
	member string
	of     func(*Environment) string
	form   *regexp.Regexp
	want   string
}{
	{"name", func(e *Environment) string { return e.Name }, regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`), "letters, digits, dots, hyphens and underscores"},
	{"stack", func(e *Environment) string { return e.Place }, regexp.MustCompile(`^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$`), "DESIGN.ENV, such as osem-ladders.prod"},
	{"account", func(e *Environment) string { return e.Account }, regexp.MustCompile(`^[0-9]{12}$`), "the 12 digits of an account, in quotes"},
	{"region", func(e *Environment) string { return e.Region }, regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-[0-9]+$`), "a region such as eu-west-1"},
	{"role", func(e *Environment) string { return e.Role }, regexp.MustCompile(`^arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]+$`), "the ARN of a role, such as arn:aws:iam::000000000000:role/audit"},
	{"prefix", func(e *Environment) string { return e.Prefix }, regexp.MustCompile(`^[A-Za-z0-9._-]+$`), "the beginning of table names"},
}

var accountIn = regexp.MustCompile(`[0-9]{12}`)

// Read reads the list of a file. Each mistake is named with the file and its line; designs are the names that a stack may have. An entry may name
// the folder of another design, from the list's own folder on: open opens it once, and returns the design's name.
func Read(path string, designs []string, open func(folder string) (name string, err error)) ([]Environment, error) {
	brought := map[string]string{}
	opened := func(folder string) (name string, err error) {
		folder = filepath.Clean(folder)
		if _, known := brought[folder]; !known {
			if brought[folder], err = open(folder); err != nil {
				delete(brought, folder)
			}
		}
		return brought[folder], err
	}
	content, err := input.File(path, input.Text)
	if err != nil {
		return nil, err
	}
	file := filepath.Base(path)
	var list struct {
		strict.At
		Environments []Environment `yaml:"environments" jsonschema:"required"`
	}
	if err := strict.YAML(file, content, &list); err != nil {
		return nil, err
	}
	if len(list.Environments) == 0 {
		return nil, strict.Place{File: file, Line: max(list.Line, 1)}.Errorf("environments: expected a list with an entry for each, found none")
	}
	var problems []error
	first := map[string]int{}
	for e := range lists.Each(list.Environments) {
		if e.Folder != "" && !filepath.IsAbs(e.Folder) {
			e.Folder = filepath.Join(filepath.Dir(path), e.Folder)
		}
		problems = append(problems, e.complete(designs, opened))
		if at, known := first[e.Name]; known && e.Name != "" {
			problems = append(problems, e.Errorf("", "the name %s is that of line %d; give each a name of its own", e.Name, at))
		}
		first[e.Name] = e.Line
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return list.Environments, nil
}

// complete fills in what follows from the members, and says what is wrong with them.
func (e *Environment) complete(designs []string, open func(string) (string, error)) error {
	for _, each := range forms {
		if value := each.of(e); value != "" && !each.form.MatchString(value) {
			return e.Errorf(each.member, "%s: expected %s, found %q", each.member, each.want, value)
		}
	}
	for _, name := range slices.Sorted(maps.Values(e.Tables)) {
		if !replay.TableForm.MatchString(name) {
			return e.Errorf("tables", "tables: expected the name of a table, found %q", name)
		}
	}
	e.Design, e.Env, _ = strings.Cut(e.Place, ".")
	e.Name = cmp.Or(e.Name, strings.Trim(e.Place+"-"+e.Region, "-"))
	if e.Logs != "" {
		parsed, err := trail.ParseGroup(e.Logs)
		if err != nil {
			return e.Errorf("cloudtrail-logs", "cloudtrail-logs: %v", err)
		}
		e.Trail = &parsed
	}
	if e.Folder != "" {
		name, err := open(e.Folder)
		if err != nil {
			return e.Errorf("design", "design: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
		}
		designs = []string{name}
	}
	at, err := url.Parse(e.Endpoint)
	switch {
	case accountIn.MatchString(e.Name):
		return e.Errorf("name", "name: expected one without the number of an account, because reports show it, found %s", e.Name)
	case e.Place == "":
		return e.Errorf("", "expected stack: DESIGN.ENV, found none")
	case !slices.Contains(designs, e.Design):
		return e.Errorf("stack", "stack: expected one of the designs %s, found %s", strings.Join(designs, ", "), e.Design)
	case e.Endpoint != "" && (e.Account != "" || e.Role != ""):
		return e.Errorf("", "expected an endpoint, or an account and a role on AWS, found both; leave one out")
	case e.Endpoint != "" && e.Trail != nil:
		return e.Errorf("cloudtrail-logs", "cloudtrail-logs: expected it of an environment on AWS, found an endpoint, which no trail sees; leave one out")
	case target.HoldsSecret(e.Endpoint):
		return e.Errorf("endpoint", "endpoint: expected a URL such as http://127.0.0.1:8000, found %s", target.NotShown)
	case e.Endpoint != "" && (err != nil || at.Host == ""):
		return e.Errorf("endpoint", "endpoint: expected a URL such as http://127.0.0.1:8000, found %q", e.Endpoint)
	case e.Account != "" && e.Role != "" && !strings.Contains(e.Role, "::"+e.Account+":"):
		return e.Errorf("role", "role: expected one of account %s, found %s", e.Account, e.Role)
	}
	return nil
}
