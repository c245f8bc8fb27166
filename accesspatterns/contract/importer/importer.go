// Package importer drafts a contract from what already describes tables: the answer of
// describe-table, CloudFormation, Terraform's or Pulumi's state, NoSQL Workbench and the
// files of AWS's modelling tools.
//
// The source itself becomes the document of the contract, so that every element cites the
// lines that it was taken from. What a source says and no contract can hold is told in
// [Result.Notes].
package importer

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"

	"go.yaml.in/yaml/v3"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/contract/file"
	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/must"
	"dynaproof/accesspatterns/strict"
)

// Source is a file that is imported.
type Source struct {
	// Name is the file's name without its folder.
	Name string
	Text []byte
	// Parameters are values for those of a CloudFormation template, in place of their defaults.
	Parameters map[string]string
	// Taken reports whether a file of that name beside the contract would be taken for another; nil for never.
	Taken func(name string) bool
}

// Result is what an import writes.
type Result struct {
	// Format names the source in words.
	Format string
	// Level is how far the contract goes.
	Level ap.Level
	// Files are the folder's files by name, the source among them.
	Files map[string][]byte
	// Notes say what the contract lacks, one line each.
	Notes []string
	// Listed counts the access patterns of the source, Reads and Writes those that are
	// patterns of the contract. NotCheckable are the others, each with its line and the
	// reason.
	Listed, Reads, Writes int
	NotCheckable          []string
	// Deployed says that the source describes what is deployed, and is no witness of its own for it. Computed counts the cases whose
	// expectations were computed.
	Deployed bool
	Computed int
}

// Import drafts a design of a name, up to a level; all the way where that is empty. usage is
// the usage data of a schema of AWS's modelling tools, which becomes items; nil without.
// Mistakes in a source are [*contract.Mistake], all of them joined. The source keeps its
// name, unless that is taken.
func Import(design string, level ap.Level, source Source, usage *Source) (*Result, error) {
	root, d, err := parse(source)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(formats, func(f format) bool { return f.is(root) })
	if at < 0 {
		return nil, d.mistake(root, "expected describe-table output or the input of create-table, CloudFormation, `terraform show -json`, Pulumi's exported state, a NoSQL Workbench model, dynamodb_data_model.json or schema.json, found none of them")
	}
	format := formats[at]
	if d.given = source.Parameters; len(d.given) > 0 && format.says != "CloudFormation" {
		d.report(root, "--parameters: expected a CloudFormation template, found %s; leave them out", format.says)
	}
	result := &Result{Format: format.says, Files: map[string][]byte{}, Deployed: format.deployed}
	document := documentName(d.file, source.Taken)
	d.contract = file.Contract{Design: ap.Design{
		Name: design, Title: cmp.Or(strings.TrimSuffix(d.file, filepath.Ext(d.file)), design),
		Document: ap.Document{File: document, SHA256: fmt.Sprintf("%x", sha256.Sum256(source.Text)), Deployed: format.deployed},
	}}
	format.read(d, root)
	if len(d.tables) == 0 && len(d.mistakes) == 0 {
		d.report(root, "expected at least one DynamoDB table in %s, found none%s", format.says, map[bool]string{true: "; " + strings.Join(d.said(), "; ")}[len(d.notes) > 0])
	}
	d.sameNames()
	d.refuse(usage != nil && d.schema == nil, root, "usage data belongs to schema.json of AWS's modelling tools, found %s; leave it out", format.says)
	if usage != nil && len(d.mistakes) == 0 {
		if err := d.usage(*usage); err != nil {
			return nil, err
		}
	}
	if d.schema == nil && len(d.mistakes) == 0 {
		d.kinds()
	}
	if err := strict.Ordered(d.mistakes); err != nil {
		return nil, err
	}
	if d.schema != nil && usage == nil {
		d.note(nil, "entities and access patterns were left out, for there are no items to try them with; give the usage data too")
	}
	if err := d.load(); err != nil {
		return nil, err
	}
	d.unstored()
	if d.access != nil && (d.schema == nil || usage != nil) {
		d.access()
	}
	if err := strict.Ordered(d.mistakes); err != nil {
		return nil, err
	}
	d.rest(root, nothingSaid)
	cases := d.cases()
	if result.Level, err = d.reaches(root, level); err != nil {
		return nil, err
	}
	d.files(result, cases)
	result.Files[document] = source.Text
	return result, nil
}

// reaches is the level that the contract goes to. What lies beyond the level that is asked for is left out.
func (d *draft) reaches(root *yaml.Node, asked ap.Level) (ap.Level, error) {
	reached := ap.LevelSchema
	switch {
	case slices.ContainsFunc(d.patterns, func(p *pattern) bool { return p.writes }):
		reached = ap.LevelWrites
	case len(d.patterns) > 0:
		reached = ap.LevelReads
	case len(d.samples) > 0:
		reached = ap.LevelItems
	}
	to := cmp.Or(asked, reached)
	if !reached.Reaches(to) {
		return "", d.mistake(root, "expected at most --level %s, for no more comes along with this source, found %s", reached, asked)
	}
	if !to.Reaches(ap.LevelItems) {
		d.contract.Entities, d.samples, d.parts = nil, nil, nil
	}
	left := len(d.patterns)
	d.patterns = slices.DeleteFunc(d.patterns, func(p *pattern) bool {
		return !to.Reaches(ap.LevelReads) || p.writes && !to.Reaches(ap.LevelWrites)
	})
	if left -= len(d.patterns); left > 0 {
		d.note(nil, "%d access patterns were left out, for they lie beyond level %s", left, asked)
	}
	return to, nil
}

// files writes the contract and the fixtures.
func (d *draft) files(result *Result, cases []tried) {
	cases = slices.DeleteFunc(cases, func(c tried) bool {
		return !slices.ContainsFunc(d.patterns, func(p *pattern) bool { return p.ID == c.Pattern })
	})
	if len(cases) == 0 {
		d.parts = nil
	}
	for _, p := range d.patterns {
		if p.writes {
			result.Writes++
		} else {
			result.Reads++
		}
		d.contract.Patterns = append(d.contract.Patterns, p.Pattern)
	}
	slices.SortStableFunc(d.unsaid, func(a, b unsaid) int { return a.line - b.line })
	for _, u := range d.unsaid {
		result.NotCheckable = append(result.NotCheckable, fmt.Sprintf("%s:%d, %s: %s", d.file, u.line, u.Says, u.Because))
		d.contract.NotCheckable = append(d.contract.NotCheckable, u.NotCheckable)
	}
	result.Notes, result.Listed, result.Computed = d.said(), d.listed, len(cases)
	if len(d.patterns) > 0 {
		d.contract.AccessPatterns = d.patternsAt
	}
	d.contract.Level = result.Level
	result.Files["contract.yaml"] = append(fmt.Appendf(nil, "# Drafted by `dynaproof import` from %s; the source is the document.\n", result.Format), file.Print(&d.contract)...)
	if len(d.samples) > 0 {
		result.Files["items.json"] = listed(slices.Concat(d.samples, d.parts))
	}
	if len(cases) > 0 {
		result.Files["cases.json"] = listed(cases)
	}
}

// listed writes a list, one element a line.
func listed[T any](all []T) []byte {
	lines := lists.Map(all, func(each T) string {
		text := must.Have(json.Marshal(each))
		return "\n  " + strings.ReplaceAll(string(text), "{{", `\u007b\u007b`) // which stands for a moment in fixtures
	})
	return []byte("[" + strings.Join(lines, ",") + "\n]\n")
}

// load builds the design of the tables, the entities and some patterns as every command does.
func (d *draft) load(patterns ...*pattern) (err error) {
	whole := d.contract
	if whole.Level = ap.LevelSchema; len(whole.Entities)+len(patterns) > 0 {
		whole.Level = ap.LevelWrites
	}
	if whole.AccessPatterns = d.patternsAt; d.patternsAt.First == 0 {
		whole.AccessPatterns = ap.Citation{First: 1, Last: 1, Tokens: []string{"-"}}
	}
	whole.Patterns = append(whole.Patterns, lists.Map(patterns, func(p *pattern) file.Pattern { return p.Pattern })...)
	text := file.Print(&whole)
	d.design, err = contract.Load(fstest.MapFS{"contract.yaml": {Data: text}})
	for _, each := range strict.Each(err) { // nobody has seen this contract: the mistake is in the line that it cites there
		if wrong, is := errors.AsType[*contract.Mistake](each); is {
			rest := bytes.SplitN(text, []byte("\n"), wrong.Line)
			found := cites.FindSubmatch(slices.Concat(rest[len(rest)-1], []byte("cite: 1")))
			wrong.File = d.file
			wrong.Line, _ = strconv.Atoi(string(found[1]))
		}
	}
	return err
}

var cites = regexp.MustCompile(`cite: \{?(\d+)`)

// format is one kind of source.
type format struct {
	says string
	// deployed says that it describes what is deployed.
	deployed bool
	is       func(root *yaml.Node) bool
	read     func(d *draft, root *yaml.Node)
}

// parse reads JSON or YAML with the lines of all its parts. Several JSON texts one behind the other are a list.
func parse(source Source) (*yaml.Node, *draft, error) {
	d := &draft{file: source.Name, keyed: map[string]*sample{}, lines: strings.Split(string(source.Text), "\n")}
	all, wrong := documents(source.Name, bytes.TrimPrefix(source.Text, []byte("\xef\xbb\xbf")))
	switch {
	case wrong != nil:
		return nil, nil, wrong
	case len(all) == 0:
		return nil, nil, &contract.Mistake{File: source.Name, Line: 1, Problem: "expected a source, found an empty file"}
	}
	for _, each := range all {
		d.twice(each)
	}
	if len(all) == 1 {
		return all[0], d, nil
	}
	return &yaml.Node{Kind: yaml.SequenceNode, Line: 1, Content: all}, d, nil
}

// documents are the JSON values of a file, or its YAML. YAML would take much of what is no JSON; a file that is called so is refused.
func documents(name string, text []byte) ([]*yaml.Node, *contract.Mistake) {
	if wrong := strict.UTF8(name, text); wrong != nil {
		return nil, wrong
	}
	var one json.RawMessage
	var err error
	for decoder := json.NewDecoder(bytes.NewReader(text)); err == nil; {
		if err = decoder.Decode(&one); errors.Is(err, io.EOF) && one != nil {
			all, broken := strict.Values(string(text))
			if broken > 0 {
				return nil, &contract.Mistake{File: name, Line: broken, Problem: "expected text, found half of a surrogate pair, which is none"}
			}
			return all, nil
		}
	}
	if len(text) > 0 && strings.HasSuffix(name, ".json") {
		line, says := strict.Syntax(text, err)
		return nil, &contract.Mistake{File: name, Line: cmp.Or(line, 1+bytes.Count(text[:len(text)-1], []byte("\n"))), Problem: "expected JSON: " + says}
	}
	if at := breaks.FindIndex(text); at != nil {
		return nil, &contract.Mistake{File: name, Line: 1 + bytes.Count(text[:at[0]], []byte("\n")), Problem: "expected lines that end in a line feed, found another break of lines; convert the file"}
	}
	var document, second yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&document); err != nil && !errors.Is(err, io.EOF) {
		line, says := strict.Syntax(text, err)
		return nil, &contract.Mistake{File: name, Line: max(line, 1), Problem: "expected JSON or YAML: " + says}
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, &contract.Mistake{File: name, Line: max(second.Line, 1), Problem: "expected one YAML document in the file, found a second one; put it into a file of its own"}
	}
	for _, each := range nodes(&document) {
		if each.Style == 0 && (yes.MatchString(each.Value) || no.MatchString(each.Value)) {
			each.Tag, each.Value = "!!bool", strconv.FormatBool(yes.MatchString(each.Value))
		}
	}
	return document.Content, nil
}

// breaks are those of lines that YAML has, and no document.
var breaks = regexp.MustCompile("\r(?:[^\n]|$)|[\u0085\u2028\u2029]")

// yes and no are words without quotes that CloudFormation takes for true and false, as YAML 1.1 does.
var (
	yes = regexp.MustCompile(`^(?:true|True|TRUE|yes|Yes|YES|on|On|ON)$`)
	no  = regexp.MustCompile(`^(?:false|False|FALSE|no|No|NO|off|Off|OFF)$`)
)

// twice reports names that stand twice in a mapping: of two values nobody knows which one is meant. An alias is no value either, and
// what a loop makes only its own tool knows. Resources of a template that are no tables are nobody's concern here.
func (d *draft) twice(node *yaml.Node) {
	seen := map[string]bool{}
	if _, kind := member(node, "Type"); kind != nil && strings.Contains(kind.Value, "::") && !slices.Contains(tableKinds, kind.Value) {
		return
	}
	d.refuse(node.Kind == yaml.AliasNode, node, "expected a value, found the alias *%s; write out what it stands for", node.Value)
	for i, child := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 0 {
			d.refuse(seen[child.Value], child, "%s stands twice; keep one", child.Value)
			seen[child.Value] = true
			if strings.HasPrefix(child.Value, "Fn::ForEach::") {
				d.report(child, "%s: expected what the loop makes, found the loop; import the template as it is deployed (aws cloudformation get-template --template-stage Processed)", child.Value)
			}
		}
		d.twice(child)
	}
}

// draft is an import in progress.
type draft struct {
	file  string
	lines []string
	// contract is what has been drafted so far, and design the same as it was loaded last.
	contract file.Contract
	design   *ap.Design
	tables   []*table
	samples  []*sample
	keyed    map[string]*sample // by table and key
	parts    []*sample          // what projections return of them, and what writes leave
	patterns []*pattern
	// schema are the entities of schema.json; nil for every other source. used reads its usage data.
	schema    []*modelEntity
	used      *draft
	usageData *yaml.Node
	// access reads the access patterns of the source, nil where it has none; patternsAt is where it lists them, and listed counts them.
	access     func()
	patternsAt ap.Citation
	listed     int
	unsaid     []unsaid
	// parameters are those of a template, and given the values that the caller gives some of them. open says that the table which is
	// read has parts that the template does not give.
	parameters *yaml.Node
	given      map[string]string
	open       bool

	mistakes []*contract.Mistake
	notes    []*noted
	// before stands before the lines of the notes: the name of a second file.
	before string
}

func (d *draft) mistake(node *yaml.Node, format string, args ...any) *contract.Mistake {
	problem := fmt.Sprintf(format, args...)
	if strings.HasSuffix(problem, "found ") {
		problem += "nothing"
	}
	return &contract.Mistake{File: d.file, Line: max(node.Line, 1), Problem: problem}
}

func (d *draft) report(node *yaml.Node, format string, args ...any) {
	wrong := d.mistake(node, format, args...)
	if !slices.ContainsFunc(d.mistakes, func(other *contract.Mistake) bool { return *other == *wrong }) {
		d.mistakes = append(d.mistakes, wrong)
	}
}

// once refuses a name that stands in a place already; false then. seen has the lines.
func (d *draft) once(seen map[string]int, name *yaml.Node, format string, args ...any) bool {
	line, twice := seen[name.Value]
	d.refuse(twice && name.Value != "", name, "%s stands twice, first in line %d", fmt.Sprintf(format, args...), line)
	seen[name.Value] = name.Line
	return !twice
}

func (d *draft) refuse(wrong bool, node *yaml.Node, format string, args ...any) {
	if wrong {
		d.report(node, format, args...)
	}
}

// note says what the contract lacks, once, with the lines that it is about: none of what is about the whole source.
func (d *draft) note(at *yaml.Node, format string, args ...any) {
	d.tell(fmt.Sprintf(format, args...), "", at)
}

// noteAt is note of what has been read with it.
func (d *draft) noteAt(node *yaml.Node, format string, args ...any) {
	d.aside(fmt.Sprintf(format, args...), "", node)
}

// aside tells what stands beside the tables of a source, by its name: one note for all that is left out for one reason.
func (d *draft) aside(text, name string, node *yaml.Node) {
	taken(node)
	d.tell(text, name, node)
}

func (d *draft) tell(text, name string, at *yaml.Node) {
	n := find(d.notes, func(n *noted) bool { return n.text == text && n.name == name })
	if n == nil {
		n = &noted{text: text, name: name}
		d.notes = append(d.notes, n)
	}
	if at != nil {
		n.lines = lists.With(n.lines, strconv.Itoa(at.Line))
	}
}

func taken(node *yaml.Node) {
	for _, each := range nodes(node) {
		each.Column = read
	}
}

// nodes are a node and all that is in it; none of nil.
func nodes(node *yaml.Node) (all []*yaml.Node) {
	if node == nil {
		return nil
	}
	all = append(all, node)
	for _, child := range node.Content {
		all = append(all, nodes(child)...)
	}
	return all
}

// rebuilt is a mapping or a list with others in place of its elements, without those that become nil; anything else as it is. An element of a
// list has no name.
func rebuilt(node *yaml.Node, other func(name, element *yaml.Node) *yaml.Node) *yaml.Node {
	made := *node
	made.Content = nil
	switch node.Kind {
	case yaml.MappingNode:
		for name, element := range members(node) {
			if into := other(name, element); into != nil {
				made.Content = append(made.Content, name, into)
			}
		}
	case yaml.SequenceNode:
		for _, element := range node.Content {
			if into := other(nil, element); into != nil {
				made.Content = append(made.Content, into)
			}
		}
	default:
		return node
	}
	return &made
}

// noted is a note with its lines, and what it names.
type noted struct {
	text, name string
	lines      []string
}

func (d *draft) said() (all []string) {
	for _, n := range d.notes {
		known := slices.IndexFunc(all, func(said string) bool { return strings.HasPrefix(said, n.text+": ") })
		switch {
		case n.name != "" && known >= 0:
			all[known] += fmt.Sprintf(", %s (%sline %s)", n.name, d.before, n.lines[0])
		case n.name != "": // where it stands first
			all = append(all, fmt.Sprintf("%s: %s (%sline %s)", n.text, n.name, d.before, n.lines[0]))
		case len(n.lines) > 0:
			all = append(all, n.text+"; "+d.before+"line "+strings.Join(n.lines, ", "))
		default:
			all = append(all, n.text)
		}
	}
	if d.used != nil {
		all = append(all, d.used.said()...)
	}
	return all
}

// cite cites scalars: their text as it stands in the line, or else the whole line, which then implies it.
func (d *draft) cite(nodes ...*yaml.Node) (c ap.Citation) {
	for _, node := range nodes {
		line := strings.TrimRight(d.lines[min(max(node.Line, 1), len(d.lines))-1], "\r")
		token := node.Value
		if quoted := `"` + token + `"`; node.Style&yaml.DoubleQuotedStyle != 0 && strings.Contains(line, quoted) {
			token = quoted
		}
		cited := ap.Citation{First: max(node.Line, 1), Last: max(node.Line, 1)}
		if node.Kind != yaml.ScalarNode || token == "" || !reader.HasWord(line, token) {
			if token = strings.TrimSpace(line); node.Kind == yaml.ScalarNode && node.Value != "" {
				cited = cited.Implied("what stands in the line makes it " + node.Value)
			}
		}
		cited.Tokens = []string{token}
		c = c.Join(cited)
	}
	return c
}

// get returns a member of a mapping, and marks it as read; nil where there is none or it is null.
func get(node *yaml.Node, path ...string) *yaml.Node {
	for _, name := range path {
		_, node = member(node, name)
		if node == nil {
			return nil
		}
	}
	if node != nil && len(node.Content) == 0 {
		node.Column = read
	}
	return node
}

// member returns the name's node too.
func member(node *yaml.Node, name string) (at, value *yaml.Node) {
	for at, value := range members(node) {
		if at.Value == name && value.Tag != "!!null" {
			return at, value
		}
	}
	return nil, nil
}

// members are the names of a mapping with their values; none of what is no mapping.
func members(node *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(name, value *yaml.Node) bool) {
		for i := 0; node != nil && node.Kind == yaml.MappingNode && i+1 < len(node.Content); i += 2 {
			if !yield(node.Content[i], node.Content[i+1]) {
				return
			}
		}
	}
}

// textOf is the text of a member; empty where there is none.
func textOf(node *yaml.Node, path ...string) string { return word(node, path...).Value }

// word is textOf with its place: a member, or an empty text in the line of what lacks it.
func word(node *yaml.Node, path ...string) *yaml.Node {
	return cmp.Or(get(node, path...), scalarAt(cmp.Or(node, &yaml.Node{}), ""))
}

// text returns a member that must be text; nil after a mistake.
func (d *draft) text(node *yaml.Node, name string) *yaml.Node {
	value := get(node, name)
	switch {
	case value == nil:
		d.report(node, "expected %s here, found none", name)
	case value.Tag == openTag:
		d.report(value, "%s: expected text, found %s, whose value the template does not give%s", name, value.Value, d.howToGive(value))
	case value.Kind != yaml.ScalarNode || value.Tag != "!!str" || strings.TrimSpace(value.Value) == "":
		d.report(value, "%s: expected text, found %s", name, shown(value))
	default:
		return value
	}
	return nil
}

// oneOf is text for a member that has one of a few words.
func (d *draft) oneOf(node *yaml.Node, name string, words ...string) *yaml.Node {
	value := d.text(node, name)
	if value == nil || !d.among(name, value, words...) {
		return nil
	}
	return value
}

// among reports a value that is none of a few words; what says what has it.
func (d *draft) among(what string, value *yaml.Node, words ...string) bool {
	is := slices.Contains(words, value.Value)
	d.refuse(!is, value, "%s: expected %s, found %s", what, orList(words), shown(value))
	return is
}

// orList is two words or more, as a choice.
func orList(words []string) string {
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// list returns the elements of a member; none where it is absent.
func (d *draft) list(node *yaml.Node, name string) []*yaml.Node {
	value := get(node, name)
	switch {
	case value == nil:
	case value.Tag == openTag:
		d.report(value, "%s: expected a list, found %s, whose value the template does not give%s", name, value.Value, d.howToGive(value))
	case value.Kind != yaml.SequenceNode:
		d.report(value, "%s: expected a list, found %s", name, shown(value))
	default:
		return value.Content
	}
	return nil
}

func shown(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "an object"
	case yaml.SequenceNode:
		return "a list"
	}
	return cmp.Or(strings.TrimSpace(node.Value), "nothing")
}

// documentName is the name of the source beside the contract: one that is not hidden, and is no file of the
// contract or of its fixtures.
func documentName(source string, taken func(name string) bool) string {
	if name, is := strings.CutSuffix(source, ".yaml"); is {
		source = name + ".yml"
	}
	if strings.HasPrefix(source, ".") || taken != nil && taken(source) {
		kind := filepath.Ext(source)
		return "source-" + strings.ReplaceAll(strings.Trim(strings.TrimSuffix(source, kind), "."), ".", "-") + kind
	}
	return source
}

// find is the first that is what is looked for; nil where there is none.
func find[T any](all []*T, is func(*T) bool) *T {
	if at := slices.IndexFunc(all, is); at >= 0 {
		return all[at]
	}
	return nil
}

// unique is a name, with a number behind a dash where it is taken.
func unique(name, dash string, taken func(name string) bool) string {
	base := name
	for n := 2; taken(name); n++ {
		name = base + dash + strconv.Itoa(n)
	}
	return name
}
