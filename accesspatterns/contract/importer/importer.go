// Package importer drafts a contract from what already describes tables: the answer of
// describe-table, CloudFormation, Terraform's or Pulumi's state, NoSQL Workbench and the
// files of AWS's modelling tools.
//
// The source itself becomes the document of the contract, so that every element cites the
// lines that it was taken from. What a source says and no contract can hold is told in
// [Result.Notes].
package importer

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"dynaproof/accesspatterns/contract"
)

// Source is a file that is imported.
type Source struct {
	// Name is the file's name without its folder.
	Name string
	Text []byte
}

// Result is what an import writes.
type Result struct {
	// Format names the source in words.
	Format string
	// Level is how far the contract goes.
	Level string
	// Files are the folder's files by name, the source among them.
	Files map[string][]byte
	// Notes say what the contract lacks, one line each.
	Notes []string
	// Listed counts the access patterns of the source, Reads and Writes those that are
	// patterns of the contract. NotCheckable are the others, each with its line and the
	// reason.
	Listed, Reads, Writes int
	NotCheckable          []string
}

// Import drafts a design of a name. usage is the usage data of a schema of AWS's
// modelling tools, which becomes items; nil without. Mistakes in a source are
// [*contract.Mistake], all of them joined. The source keeps its name, unless it is one of
// those that are taken by fixtures.
func Import(design string, source Source, usage *Source, taken ...string) (*Result, error) {
	root, d, err := parse(source)
	if err != nil {
		return nil, err
	}
	result := &Result{Level: "schema"}
	at := slices.IndexFunc(formats, func(f format) bool { return f.is(root) })
	if at < 0 {
		return nil, d.mistake(root, "expected describe-table output, CloudFormation, `terraform show -json`, Pulumi's exported state, a NoSQL Workbench model, dynamodb_data_model.json or schema.json, found none of them")
	}
	format := formats[at]
	result.Format = format.says
	format.read(d, root)
	if len(d.tables) == 0 && len(d.mistakes) == 0 {
		d.report(root, "expected at least one DynamoDB table in %s, found none", format.says)
	}
	d.sameNames()
	result.Files = map[string][]byte{}
	if usage != nil && len(d.entities) == 0 {
		d.report(root, "usage data belongs to schema.json of AWS's modelling tools, found %s; leave it out", format.says)
	}
	if usage != nil && len(d.mistakes) == 0 {
		if err := d.items(*usage); err != nil {
			return nil, err
		}
	}
	if len(d.entities) == 0 && len(d.mistakes) == 0 {
		d.kinds()
	}
	for _, each := range d.commands {
		d.commandLine(each)
	}
	if len(d.mistakes) > 0 {
		slices.SortStableFunc(d.mistakes, func(a, b *contract.Mistake) int { return a.Line - b.Line })
		var all []error
		for _, each := range d.mistakes {
			all = append(all, each)
		}
		return nil, errors.Join(all...)
	}
	if err := d.sampledLevel(result); err != nil {
		return nil, err
	}
	if len(d.entities) > 0 && usage == nil && len(d.samples) == 0 {
		d.note("entities were left out, for there are no items to try them with; give the usage data too")
		d.entities = nil
	}
	result.Notes, result.Listed = d.notes, d.listed
	for _, p := range d.patterns {
		if p.writes != nil {
			result.Writes++
		} else {
			result.Reads++
		}
	}
	slices.SortStableFunc(d.unsaid, func(a, b unsaid) int {
		return strings.Compare(fmt.Sprintf("%9s", a.at.lines()[0]), fmt.Sprintf("%9s", b.at.lines()[0]))
	})
	for _, u := range d.unsaid {
		result.NotCheckable = append(result.NotCheckable, fmt.Sprintf("%s:%s, %s: %s", d.file, strings.Join(u.at.lines(), ","), u.says, u.because))
	}
	result.Files["contract.yaml"], result.Files[documentName(d.file, taken)] = d.write(design, documentName(d.file, taken), result.Level, format.says), source.Text
	return result, nil
}

// sampledLevel makes entities and fixtures of the source's own items.
func (d *draft) sampledLevel(result *Result) (err error) {
	cases := d.cases()
	if len(d.samples) == 0 {
		return nil
	}
	result.Level = "items"
	if len(cases) > 0 {
		if result.Files["cases.json"], err = listed(cases); err != nil {
			return err
		}
		result.Level = "reads"
	}
	if slices.ContainsFunc(d.patterns, func(p *pattern) bool { return p.writes != nil }) {
		result.Level = "writes"
	}
	result.Files["items.json"], err = listed(slices.Concat(d.samples, d.parts))
	return err
}

// format is one kind of source.
type format struct {
	says string
	is   func(root *yaml.Node) bool
	read func(d *draft, root *yaml.Node)
}

// parse reads JSON or YAML with the lines of all its parts.
func parse(source Source) (*yaml.Node, *draft, error) {
	d := &draft{file: source.Name, content: source.Text, lines: strings.Split(string(source.Text), "\n")}
	var document yaml.Node
	if err := yaml.Unmarshal(source.Text, &document); err != nil {
		line, problem := 1, strings.TrimPrefix(err.Error(), "yaml: ")
		if found := syntaxLine.FindStringSubmatch(problem); found != nil {
			line, _ = strconv.Atoi(found[1])
			problem = found[2]
		}
		return nil, nil, &contract.Mistake{File: source.Name, Line: line, Problem: "expected JSON or YAML: " + problem}
	}
	if len(document.Content) == 0 {
		return nil, nil, &contract.Mistake{File: source.Name, Line: 1, Problem: "expected a source, found an empty file"}
	}
	d.twice(&document)
	return document.Content[0], d, nil
}

// twice reports names that stand twice in a mapping: of two values nobody knows which one is meant.
func (d *draft) twice(node *yaml.Node) {
	seen := map[string]bool{}
	for i, child := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 0 {
			if seen[child.Value] {
				d.report(child, "%s stands twice; keep one", child.Value)
			}
			seen[child.Value] = true
		}
		d.twice(child)
	}
}

var syntaxLine = regexp.MustCompile(`^line (\d+): (.*)`)

// draft is an import in progress.
type draft struct {
	file     string
	content  []byte
	lines    []string
	tables   []*table
	entities []*entity
	samples  []*sample
	parts    []*sample // what projections return of them
	patterns []*pattern
	// patternsAt is where the source lists its access patterns, commands are their lines,
	// and listed counts them.
	patternsAt cite
	commands   []*yaml.Node
	listed     int
	unsaid     []unsaid
	mistakes   []*contract.Mistake
	notes      []string
}

type table struct {
	id, name string
	at       cite // where it is named
	key
	indexes      []index
	indexesAt    cite
	billing      string
	units        string
	stream       string // empty where the source gives no view type
	streamAt     cite   // nil: not on
	class        string
	classAt      cite
	protectionAt cite // nil: not on
	billingAt    cite
	ttl          string
	ttlAt        cite
	pitrAt       cite // nil: not on
	tags         map[string]string
	tagsAt       cite
	node         *yaml.Node
}

// key is the key of a table or index.
type key struct {
	partition, sort string // sort may be empty
	types           map[string]string
	keyAt, typesAt  cite
}

type index struct {
	name  string
	at    cite
	local bool
	key
	projection   string
	projectionAt cite
	chosen       string // why the projection is chosen
	include      []string
}

// cite are tokens by line.
type cite map[int][]string

func (c cite) add(line int, tokens ...string) cite {
	if c == nil {
		c = cite{}
	}
	for _, token := range tokens {
		if !slices.Contains(c[line], token) {
			c[line] = append(c[line], token)
		}
	}
	return c
}

func (c cite) and(other cite) cite {
	for _, line := range slices.Sorted(maps.Keys(other)) {
		c = c.add(line, other[line]...)
	}
	return c
}

func (d *draft) mistake(node *yaml.Node, format string, args ...any) *contract.Mistake {
	return &contract.Mistake{File: d.file, Line: max(node.Line, 1), Problem: fmt.Sprintf(format, args...)}
}

func (d *draft) report(node *yaml.Node, format string, args ...any) {
	d.mistakes = append(d.mistakes, d.mistake(node, format, args...))
}

func (d *draft) note(format string, args ...any) {
	d.notes = append(d.notes, fmt.Sprintf(format, args...))
}

// cite cites a scalar: its text as it stands in its line, or else the whole line.
func (d *draft) cite(nodes ...*yaml.Node) cite {
	var c cite
	for _, node := range nodes {
		line := strings.TrimRight(d.lines[min(node.Line, len(d.lines))-1], "\r")
		token := node.Value
		if quoted := `"` + token + `"`; node.Style&yaml.DoubleQuotedStyle != 0 && strings.Contains(line, quoted) {
			token = quoted
		}
		if node.Kind != yaml.ScalarNode || token == "" || !strings.Contains(line, token) {
			token = strings.TrimSpace(line)
		}
		c = c.add(node.Line, token)
	}
	return c
}

// get returns a member of a mapping; nil where there is none or it is null.
func get(node *yaml.Node, path ...string) *yaml.Node {
	for _, name := range path {
		_, node = member(node, name)
		if node == nil {
			return nil
		}
	}
	return node
}

// member returns the name's node too.
func member(node *yaml.Node, name string) (at, value *yaml.Node) {
	if node == nil || node.Kind != yaml.MappingNode {
		return nil, nil
	}
	for at, value := range members(node) {
		if at.Value == name && value.Tag != "!!null" {
			return at, value
		}
	}
	return nil, nil
}

// members are the names of a mapping with their values.
func members(node *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(name, value *yaml.Node) bool) {
		for i := 0; i+1 < len(node.Content); i += 2 {
			if !yield(node.Content[i], node.Content[i+1]) {
				return
			}
		}
	}
}

// textOf is the text of a member; empty where there is none.
func textOf(node *yaml.Node, path ...string) string {
	if found := get(node, path...); found != nil {
		return found.Value
	}
	return ""
}

// text returns a member that must be text; nil after a mistake.
func (d *draft) text(node *yaml.Node, name string) *yaml.Node {
	value := get(node, name)
	switch {
	case value == nil:
		d.report(node, "expected %s here, found none", name)
	case value.Kind != yaml.ScalarNode || value.Tag != "!!str" || value.Value == "":
		d.report(value, "%s: expected text, found %s", name, shown(value))
	default:
		return value
	}
	return nil
}

// list returns the elements of a member; none where it is absent.
func (d *draft) list(node *yaml.Node, name string) []*yaml.Node {
	value := get(node, name)
	if value == nil {
		return nil
	}
	if value.Kind != yaml.SequenceNode {
		d.report(value, "%s: expected a list, found %s", name, shown(value))
		return nil
	}
	return value.Content
}

func shown(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "an object"
	case yaml.SequenceNode:
		return "a list"
	}
	if node.Value == "" {
		return "nothing"
	}
	return node.Value
}

// sameNames refuses two tables of one name.
func (d *draft) sameNames() {
	lines := map[string]int{}
	for _, table := range d.tables {
		if line, twice := lines[table.id]; twice {
			d.report(table.node, "table %s stands twice, first in line %d", table.id, line)
		}
		lines[table.id] = table.node.Line
	}
}

// keyType takes the type of a key attribute from the attribute definitions.
func (d *draft) keyType(k *key, attribute *yaml.Node, types map[string]*yaml.Node) {
	node := types[attribute.Value]
	if node == nil {
		d.report(attribute, "key attribute %s: expected it among the attribute definitions, found %s", attribute.Value, cmp.Or(strings.Join(slices.Sorted(maps.Keys(types)), ", "), "none"))
		return
	}
	d.typed(k, attribute, node)
}

// typed sets the type of a key attribute.
func (d *draft) typed(k *key, attribute, node *yaml.Node) {
	if !slices.Contains([]string{"S", "N", "B"}, node.Value) {
		d.report(node, "key attribute %s: expected the type S, N or B, found %s", attribute.Value, shown(node))
		return
	}
	k.types[attribute.Value] = node.Value
	k.typesAt = k.typesAt.and(d.cite(node))
}

// documentName is the name of the source beside the contract: one that is no file of the
// contract or of its fixtures.
func documentName(source string, taken []string) string {
	if name, is := strings.CutSuffix(source, ".yaml"); is {
		return name + ".yml"
	}
	if slices.Contains(taken, source) {
		return "source-" + source
	}
	return source
}

// write writes the contract.
func (d *draft) write(design, document, level, says string) []byte {
	var out strings.Builder
	line := func(depth int, format string, args ...any) {
		fmt.Fprintf(&out, strings.Repeat("  ", depth)+format+"\n", args...)
	}
	line(0, "# Drafted by `dynaproof import` from %s; the source is the document.", says)
	line(0, "design: %s", quote(design))
	line(0, "title: %s", quote(strings.TrimSuffix(d.file, filepath.Ext(d.file))))
	line(0, "level: %s", level)
	line(0, "document: {file: %s, sha256: %s}", quote(document), quote(fmt.Sprintf("%x", sha256.Sum256(d.content))))
	line(0, "\ntables:")
	for _, t := range d.tables {
		line(1, "%s:", quote(t.id))
		line(2, "name: %s", quote(t.name))
		line(2, "cite: %s", t.at)
		line(2, "partition-key: {%s: %s}", quote(t.partition), t.types[t.partition])
		if t.sort != "" {
			line(2, "sort-key: {%s: %s}", quote(t.sort), t.types[t.sort])
		}
		line(2, "key-cite: %s", t.keyAt.and(t.typesAt))
		for _, list := range []string{"indexes", "local-indexes"} {
			indexes := slices.DeleteFunc(slices.Clone(t.indexes), func(i index) bool { return i.local != (list == "local-indexes") })
			if len(indexes) > 0 {
				line(2, "%s:", list)
			}
			for _, i := range indexes {
				line(3, "%s:", quote(i.name))
				if !i.local {
					line(4, "partition-key: {%s: %s}", quote(i.partition), i.types[i.partition])
				}
				if i.sort != "" {
					line(4, "sort-key: {%s: %s}", quote(i.sort), i.types[i.sort])
				}
				line(4, "projection: %s", i.projection)
				if len(i.include) > 0 {
					line(4, "non-key-attributes: [%s]", quoted(i.include))
				}
				line(4, "cite: %s", i.at.and(i.keyAt).and(i.typesAt))
				line(4, "projection-cite: %s", i.projectionAt.because(i.chosen))
			}
		}
		line(2, "indexes-cite: %s", t.indexesAt)
		if t.billing != "" {
			units := ""
			if t.units != "" {
				units = ", units: " + t.units
			}
			line(2, "billing: {mode: %s%s, cite: %s}", t.billing, units, t.billingAt)
		}
		if t.ttl != "" {
			line(2, "ttl: {attribute: %s, cite: %s}", quote(t.ttl), t.ttlAt)
		}
		if t.streamAt != nil {
			view := ""
			if t.stream != "" {
				view = "view: " + t.stream + ", "
			}
			line(2, "stream: {%scite: %s}", view, t.streamAt)
		}
		if t.protectionAt != nil {
			line(2, "deletion-protection: {cite: %s}", t.protectionAt)
		}
		if t.class != "" {
			line(2, "table-class: {name: %s, cite: %s}", t.class, t.classAt)
		}
		if t.pitrAt != nil {
			line(2, "pitr: {cite: %s}", t.pitrAt)
		}
		if len(t.tags) > 0 {
			line(2, "tags:")
			line(3, "values:")
			for _, name := range slices.Sorted(maps.Keys(t.tags)) {
				line(4, "%s: %s", quote(name), quote(t.tags[name]))
			}
			line(3, "cite: %s", t.tagsAt)
		}
	}
	if len(d.entities) > 0 {
		line(0, "\nentities:")
	}
	for _, e := range d.entities {
		e.write(line)
	}
	if len(d.patterns) > 0 {
		line(0, "\naccess-patterns: %s", d.patternsAt)
		line(0, "\npatterns:")
	}
	for _, p := range d.patterns {
		p.write(line)
	}
	if len(d.unsaid) > 0 {
		line(0, "\nnot-checkable:")
	}
	for _, u := range d.unsaid {
		line(1, "%s: {says: %s, because: %s, cite: %s}", quote(u.id), quote(u.says), quote(u.because), u.at)
	}
	return []byte(out.String())
}

// lines are the numbers of the cited lines.
func (c cite) lines() (all []string) {
	for _, line := range slices.Sorted(maps.Keys(c)) {
		all = append(all, strconv.Itoa(line))
	}
	return all
}

// String writes a citation.
func (c cite) String() string { return c.because("") }

// because is a citation that was chosen for a reason, if there is one.
func (c cite) because(chosen string) string {
	var parts []string
	for _, line := range slices.Sorted(maps.Keys(c)) {
		parts = append(parts, fmt.Sprintf("%d: [%s]", line, quoted(c[line])))
	}
	if chosen != "" {
		parts = append(parts, "chosen: "+quote(chosen))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func quoted(texts []string) string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = quote(text)
	}
	return strings.Join(all, ", ")
}

// quote writes text for YAML.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
