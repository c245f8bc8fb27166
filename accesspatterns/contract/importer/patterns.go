package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.yaml.in/yaml/v3"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/input"
)

// pattern is an access pattern with the cases that the source's own items make of it.
type pattern struct {
	id, title, step string
	at              cite
	returns         []string
	table           *table
	get             bool
	params          map[string]string
	// where is what the items that it returns fulfil, and filter what is asked of them
	// once they were read.
	where, filter []term
	order         string
	sort          string // the key by which it is ordered
	limit         int
	// project are the attributes that come back; all where there are none.
	project []string
	// filtered is the filter in the contract's words.
	filtered string
	// writes are those of a pattern that writes; batch and transact say how.
	writes          []*write
	batch, transact bool
	// put are the parameters of the keys of items that a transaction puts.
	put map[string]string
}

// unsaid is an access pattern of the source that the contract cannot say.
type unsaid struct {
	id, says, because string
	at                cite
}

type decoy struct {
	Item string `json:"item"`
	Why  string `json:"why"`
}

type tried struct {
	Pattern string            `json:"pattern"`
	Name    string            `json:"name,omitempty"`
	Params  map[string]string `json:"params"`
	Items   map[string]string `json:"items,omitempty"`
	Expect  []string          `json:"expect,omitempty"`
	Error   string            `json:"error,omitempty"`
	Reasons []string          `json:"reasons,omitempty"`
	Present []string          `json:"present,omitempty"`
	Absent  []string          `json:"absent,omitempty"`
	Decoys  []decoy           `json:"decoys,omitempty"`
}

// cannot lists an access pattern that the contract cannot say, with the reason.
func (d *draft) cannot(title string, at cite, because string, args ...any) {
	d.unsaid = append(d.unsaid, unsaid{d.newID(title), title, fmt.Sprintf(because, args...), at})
}

// newID is the id of an access pattern: the words of its title, and a number where
// another has these.
func (d *draft) newID(title string) string {
	id := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(title))
	for strings.Contains(id, "--") {
		id = strings.ReplaceAll(id, "--", "-")
	}
	if id = strings.Trim(id, "-"); id == "" {
		id = "pattern"
	}
	return unique(id, func(id string) bool {
		return slices.ContainsFunc(d.patterns, func(p *pattern) bool { return p.id == id }) || slices.ContainsFunc(d.unsaid, func(u unsaid) bool { return u.id == id })
	})
}

// options of the AWS CLI: those that a contract says, those that change nothing in what
// is promised, and those whose promise is noted as left out. With any other the request
// is another one.
var (
	saidOptions = map[string]string{
		"get-item":             "--table-name --key --projection-expression --expression-attribute-names",
		"query":                "--table-name --index-name --key-condition-expression --filter-expression --projection-expression --expression-attribute-names --expression-attribute-values --scan-index-forward --no-scan-index-forward --limit --max-items",
		"scan":                 "--table-name --index-name --filter-expression --projection-expression --expression-attribute-names --expression-attribute-values --limit --max-items",
		"put-item":             "--table-name --item --condition-expression --expression-attribute-names --expression-attribute-values",
		"update-item":          "--table-name --key --update-expression --condition-expression --expression-attribute-names --expression-attribute-values",
		"delete-item":          "--table-name --key --condition-expression --expression-attribute-names --expression-attribute-values",
		"transact-write-items": "--transact-items --client-request-token",
		"batch-write-item":     "--request-items",
	}
	emptyOptions = strings.Fields("--region --profile --output --query --endpoint-url --no-cli-pager --page-size --no-paginate --return-consumed-capacity --return-item-collection-metrics --no-verify-ssl --debug --color")
	notedOptions = strings.Fields("--consistent-read --no-consistent-read --return-values --return-values-on-condition-check-failure")
)

// commandLine reads an access pattern of a data model: an AWS CLI line, which is parsed
// and never executed.
func (d *draft) commandLine(node *yaml.Node) {
	line, title := d.text(node, "implementation"), d.text(node, "description")
	if line == nil || title == nil {
		return
	}
	d.listed++
	what, at := title.Value, d.cite(title)
	if number := get(node, "pattern"); number != nil {
		what = "access pattern " + number.Value + ", " + what
	}
	words, err := shellWords(line.Value)
	if err != nil || len(words) < 3 || words[0] != "aws" || words[1] != "dynamodb" {
		if strings.HasPrefix(line.Value, "aws ") {
			d.report(line, "%s: expected one line of the AWS CLI for DynamoDB, found %v", what, err)
		} else {
			d.cannot(title.Value, at, "no line of the AWS CLI for DynamoDB implements it")
		}
		return
	}
	options, operation := optionsOf(words[3:]), words[2]
	for name, value := range options {
		if json.Valid([]byte(value)) {
			if twice, _ := input.Twice([]byte(value)); twice != "" {
				d.report(line, "%s: %s: %s stands twice; keep one", what, name, twice)
				return
			}
		}
	}
	said, known := saidOptions[operation]
	if !known {
		d.cannot(title.Value, at, "it is sent by %s; expected one of %s", operation, strings.Join(slices.Sorted(maps.Keys(saidOptions)), ", "))
		return
	}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		switch value := options[name]; {
		case strings.HasPrefix(value, "file://") || strings.HasPrefix(value, "fileb://"):
			d.cannot(title.Value, at, "%s stands in another file, %s", name, value)
			return
		case slices.Contains(strings.Fields(said), name), slices.Contains(emptyOptions, name):
		case slices.Contains(notedOptions, name):
			d.note("%s: %s was left out, for a contract says nothing of it", what, name)
		default:
			d.cannot(title.Value, at, "its line has %s, which no contract says", strings.TrimSpace(name+" "+strings.TrimPrefix(value, "yes")))
			return
		}
	}
	p := &pattern{title: title.Value, at: at, params: map[string]string{}, get: operation == "get-item"}
	var because string
	if reads(operation) {
		because, err = d.readLine(p, operation, options)
	} else {
		because, err = d.writeLine(p, operation, options)
	}
	switch {
	case err != nil:
		d.report(line, "%s: %v", what, err)
	case because != "":
		d.cannot(title.Value, at, "%s", because)
	default:
		p.id = d.newID(p.title)
		d.patterns = append(d.patterns, p)
	}
}

func reads(operation string) bool {
	return slices.Contains([]string{"get-item", "query", "scan"}, operation)
}

// sourceOf resolves the names and values of an expression.
func sourceOf(names, values string) (source expression.Source, err error) {
	source.Names = map[string]string{}
	switch {
	case names == "":
	case strings.HasPrefix(strings.TrimSpace(names), "{"):
		if err := json.Unmarshal([]byte(names), &source.Names); err != nil {
			return source, fmt.Errorf("expression attribute names: %w", err)
		}
	default: // the short form, #n=name,#m=other
		for _, pair := range strings.Split(names, ",") {
			name, of, _ := strings.Cut(pair, "=")
			source.Names[strings.TrimSpace(name)] = strings.TrimSpace(of)
		}
	}
	if values != "" {
		if source.Values, err = attributevalue.UnmarshalMapJSON([]byte(values)); err != nil {
			return source, fmt.Errorf("expression attribute values: %w", err)
		}
	}
	return source, nil
}

// readLine reads a get-item, query or scan. It says why the contract cannot say it, or
// what is wrong with it.
func (d *draft) readLine(p *pattern, operation string, options map[string]string) (because string, err error) {
	t := d.known(options["--table-name"])
	if t == nil {
		return "", fmt.Errorf("expected a table of this file, found %q", options["--table-name"])
	}
	p.table = t
	index := options["--index-name"]
	keys, known := t.keysOf(index)
	if !known {
		return "", fmt.Errorf("expected an index of table %s, found no index %s", t.id, index)
	}
	source, err := sourceOf(options["--expression-attribute-names"], options["--expression-attribute-values"])
	if err != nil {
		return "", err
	}
	switch operation {
	case "get-item":
		key, err := attributevalue.UnmarshalMapJSON([]byte(options["--key"]))
		if err != nil {
			return "", fmt.Errorf("--key: %w", err)
		}
		for _, attribute := range keys {
			if key[attribute] == nil {
				return "", fmt.Errorf("expected key attribute %s of table %s in --key, found none", attribute, t.id)
			}
			if ap.ScalarText(key[attribute]) == "" {
				return "the value of " + attribute + " is neither a String nor a Number", nil
			}
			p.add(term{place: attributeAt(attribute), op: expression.Equal, low: operand{name: attribute, value: key[attribute]}}, attribute == t.sort)
		}
		p.sort = t.sort
	case "query":
		var parsed expression.Conjunction
		if err := expression.ParseKeyCondition(options["--key-condition-expression"], source, &parsed); err != nil {
			return "", fmt.Errorf("--key-condition-expression: %w", err)
		}
		for _, each := range terms(&parsed, source) {
			name := strings.Join(each.path, ".")
			if !slices.Contains(keys, name) {
				return "", fmt.Errorf("expected a condition on %s, found one on %s", strings.Join(keys, " and "), name)
			}
			if ap.ScalarText(each.low.value) == "" {
				return "the value of " + name + " is neither a String nor a Number", nil
			}
			p.add(each, len(keys) > 1 && name == keys[1])
		}
		if !slices.ContainsFunc(p.where, func(each term) bool { return each.path[0] == keys[0] && each.op == expression.Equal }) {
			return "", fmt.Errorf("expected an equality on the partition key %s, found none", keys[0])
		}
		p.sort = keys[len(keys)-1]
		if options["--no-scan-index-forward"] != "" || options["--scan-index-forward"] == "false" {
			p.order = "descending"
		}
		for _, option := range []string{"--limit", "--max-items"} {
			if n, notNumber := strconv.Atoi(options[option]); notNumber == nil {
				p.limit = n
			}
		}
	}
	if text := options["--filter-expression"]; text != "" {
		if because, err := d.filter(p, text, keys, source); because != "" || err != nil {
			return because, err
		}
		if options["--max-items"] != "" {
			return "--max-items counts what is left of the filter, which is the command line's own doing, and no request's", nil
		}
	}
	if projection := options["--projection-expression"]; projection != "" {
		paths, err := expression.ParseProjection(projection, source)
		if err != nil {
			return "", fmt.Errorf("--projection-expression: %w", err)
		}
		for _, path := range paths {
			name, _ := source.TopLevel(path)
			if !source.IsAttribute(path, name) {
				return "it projects " + path + ", which is within an attribute; transcribe it with the items that come back", nil
			}
			p.project = append(p.project, name)
		}
	}
	if operation == "scan" {
		step := "{scan: " + t.id
		if index != "" {
			step += "/" + index
		}
		if p.filtered != "" {
			step += ", filter: " + quote(p.filtered)
		}
		return "it is a Scan, which needs a waiver: write the pattern with the step " + step + "}, a waiver that somebody owns, and the items that it returns", nil
	}
	p.finish(index)
	return "", nil
}

// filter takes a filter over.
func (d *draft) filter(p *pattern, text string, keys []string, source expression.Source) (because string, err error) {
	if p.filter, because, err = d.condition("--filter-expression", text, source); because != "" || err != nil {
		return because, err
	}
	for _, each := range p.filter {
		if p.where != nil && slices.Contains(keys, each.path[0]) {
			return "", fmt.Errorf("--filter-expression: expected attributes that are no key, found %s; a condition on a key belongs into --key-condition-expression", each.path[0])
		}
	}
	p.filtered, because = d.said(p, p.table, nil, p.filter)
	return because, nil
}

// condition reads a filter or the condition of a write.
func (d *draft) condition(option, text string, source expression.Source) (all []term, because string, err error) {
	var parsed expression.Conjunction
	if err := expression.ParseCondition(text, source, &parsed); err != nil {
		because, err := tooLong(option, err)
		return nil, because, err
	}
	return terms(&parsed, source), "", nil
}

// tooLong says that an expression has more terms than a contract's, if that is what is
// wrong with it.
func tooLong(option string, wrong error) (because string, err error) {
	if errors.Is(wrong, expression.ErrTerms) {
		return option + ": a contract has " + strings.TrimPrefix(wrong.Error(), "expected "), nil
	}
	return "", fmt.Errorf("%s: %w", option, wrong)
}

// bind gives a parameter its value, and another name where it has another value already.
func (p *pattern) bind(name, value string) string {
	base := parameterOf(name)
	name = base
	for n := 2; ; n++ {
		known, taken := p.params[name]
		if put, is := p.put[name]; is && !taken {
			known, taken = put, true
		}
		if !taken || known == value {
			p.params[name] = value
			return name
		}
		name = fmt.Sprintf("%s_%d", base, n)
	}
}

// add takes a key condition over: the constant part of its value stands in the request,
// and the rest is a parameter.
func (p *pattern) add(c term, isSort bool) {
	p.where = append(p.where, c)
	template := func(value types.AttributeValue, parameter string) string {
		form, rest := formOf(ap.ScalarText(value), parameterOf(parameter), isSort)
		if rest != "" {
			form = strings.Replace(form, "{"+parameterOf(parameter)+"}", "{"+p.bind(parameter, rest)+"}", 1)
		}
		return literal(form)
	}
	values := []string{template(c.low.value, c.low.name)}
	if c.op == expression.Between {
		values = append(values, template(c.high.value, c.low.name+"_to"))
	}
	p.say(c.path[0], c.op, values)
}

// say adds a condition in a contract's words, with two values for BETWEEN.
func (p *pattern) say(attribute string, op expression.Operator, values []string) {
	if p.step != "" {
		p.step += " AND "
	}
	switch name := quotedName(attribute); op {
	case expression.BeginsWith:
		p.step += "begins_with(" + name + ", " + values[0] + ")"
	default:
		p.step += name + " " + string(op) + " " + strings.Join(values, " AND ")
	}
}

// literal writes a value of a contract's expression.
func literal(text string) string {
	if strings.ContainsAny(text, " '\",()=<>") {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return text
}

func quotedName(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" {
		return name
	}
	return `"` + name + `"`
}

// finish writes the step of a read.
func (p *pattern) finish(index string) {
	on := p.table.id
	if index != "" {
		on += "/" + index
	}
	options := ""
	if p.filtered != "" {
		options += ", filter: " + quote(p.filtered)
	}
	if p.order != "" {
		options += ", order: " + p.order
	}
	if p.limit > 0 {
		options += fmt.Sprintf(", limit: %d", p.limit)
	}
	if len(p.project) > 0 {
		options += ", project: [" + quoted(p.project) + "]"
	}
	if p.get {
		var key []string
		for _, part := range strings.Split(p.step, " AND ") {
			name, value, _ := strings.Cut(part, " = ")
			key = append(key, quote(strings.Trim(name, `"`))+": "+quote(strings.Trim(value, "'")))
		}
		p.step = "{get: " + quote(on) + ", key: {" + strings.Join(key, ", ") + "}" + options + "}"
	} else {
		p.step = "{query: " + quote(on) + ", where: " + quote(p.step) + options + "}"
	}
}

// cases tries every pattern on the source's items. One that these do not try is left to
// the author.
func (d *draft) cases() []tried {
	var all []tried
	d.patterns = slices.DeleteFunc(d.patterns, func(p *pattern) bool {
		try := d.read
		if p.writes != nil {
			try = d.written
		}
		cases, because := try(p)
		if because != "" {
			d.unsaid = append(d.unsaid, unsaid{p.id, p.title, because, p.at})
		}
		all = append(all, cases...)
		return because != ""
	})
	return all
}

// read is the case of a pattern that reads. One that would return all of the source's
// items, or none, cannot be tried.
func (d *draft) read(p *pattern) (cases []tried, because string) {
	c := tried{Pattern: p.id, Params: p.params}
	var found []*sample
	decoys := func(why string, samples ...*sample) {
		for _, s := range samples {
			c.Decoys = append(c.Decoys, decoy{s.Name, why})
		}
	}
	for _, s := range d.samples {
		switch {
		case s.table != p.table:
		case p.inspects(s):
			found = append(found, s)
		case !p.get:
			decoys("the condition does not hold for it", s)
		}
	}
	slices.SortStableFunc(found, func(a, b *sample) int {
		by, _ := evaluate.Compare(a.values()[p.sort], b.values()[p.sort])
		if p.order == "descending" {
			by = -by
		}
		return by
	})
	if p.limit > 0 && len(found) > p.limit {
		decoys("beyond the limit", found[p.limit:]...)
		found = found[:p.limit]
	}
	found = slices.DeleteFunc(found, func(s *sample) bool {
		out := !holds(p.filter, s.values())
		if out {
			decoys("the filter leaves it out", s)
		}
		return out
	})
	if len(found) == 0 || !p.get && len(c.Decoys) == 0 {
		return nil, "the source's items do not try it, for it returns all of them or none; transcribe it, with items that do"
	}
	for _, s := range found {
		if !slices.Contains(p.returns, s.Entity) {
			p.returns = append(p.returns, s.Entity)
		}
		c.Expect = append(c.Expect, d.returned(p, s))
	}
	return []tried{c}, ""
}

// returned is the name of what comes back of an item: a part of it where the pattern
// projects, which is held beside the items.
func (d *draft) returned(p *pattern, s *sample) string {
	if len(p.project) == 0 {
		return s.Name
	}
	part := *s
	part.Name, part.Held, part.Item, part.read = s.Name+"-in-"+p.id, true, map[string]any{}, nil
	for _, name := range p.project {
		if value, has := s.Item[name]; has {
			part.Item[name] = value
		}
	}
	d.parts = append(d.parts, &part)
	return part.Name
}

// inspects reports whether a read comes by an item. An index holds no item that lacks one of its keys.
func (p *pattern) inspects(s *sample) bool {
	return (p.sort == "" || s.values()[p.sort] != nil) && holds(p.where, s.values())
}

// typeOf is the type of a key attribute of the table or of an index.
func (t *table) typeOf(attribute string) string {
	if kind, is := t.types[attribute]; is {
		return kind
	}
	for i := range t.indexes {
		if kind, is := t.indexes[i].types[attribute]; is {
			return kind
		}
	}
	return ""
}

// keysOf are the key attributes of the table or of an index.
func (t *table) keysOf(name string) ([]string, bool) {
	if name == "" {
		return t.keys(), true
	}
	if found := t.index(name); found != nil {
		return found.keys(), true
	}
	return nil, false
}

// index is the index of a name; nil where there is none.
func (t *table) index(name string) *index {
	for i := range t.indexes {
		if t.indexes[i].name == name {
			return &t.indexes[i]
		}
	}
	return nil
}

func (d *draft) known(name string) *table {
	for _, t := range d.tables {
		if t.name == name && name != "" {
			return t
		}
	}
	return nil
}

// shellWords cuts a command line into words as a shell does, without ever running it:
// quotes and backslashes are taken off, and nothing is expanded.
func shellWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	in, open := false, rune(0)
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			escaped = false
			if r != '\n' {
				word.WriteRune(r)
			}
		case r == '\\' && open != '\'':
			escaped, in = true, true
		case open != 0 && r == open:
			open = 0
		case open != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			open, in = r, true
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			if in {
				words = append(words, word.String())
				word.Reset()
				in = false
			}
		case strings.ContainsRune("|;&<>`$", r):
			return nil, fmt.Errorf("%q, which is for a shell to run", string(r))
		default:
			word.WriteRune(r)
			in = true
		}
	}
	if open != 0 {
		return nil, fmt.Errorf("a quote that is not closed")
	}
	if in {
		words = append(words, word.String())
	}
	return words, nil
}

// optionsOf are the options of a command line; one without a value has a text of its own.
func optionsOf(words []string) map[string]string {
	options := map[string]string{}
	for i := 0; i < len(words); i++ {
		name, value, given := strings.Cut(words[i], "=")
		if !strings.HasPrefix(name, "--") {
			continue
		}
		if !given && i+1 < len(words) && !strings.HasPrefix(words[i+1], "--") {
			i++
			value, given = words[i], true
		}
		if options[name] = value; !given {
			options[name] = "yes"
		}
	}
	return options
}

func (p *pattern) write(line func(depth int, format string, args ...any)) {
	line(1, "%s:", quote(p.id))
	line(2, "title: %s", quote(p.title))
	line(2, "cite: %s", p.at)
	line(2, "steps: [%s]", p.step)
	if len(p.returns) > 0 {
		line(2, "returns: [%s]", quoted(p.returns))
	}
}
