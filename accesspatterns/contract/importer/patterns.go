package importer

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.yaml.in/yaml/v3"

	"dynaproof/accesspatterns/expression"
)

// pattern is an access pattern that reads, with the case that the source's own items
// make of it.
type pattern struct {
	id, title, step string
	at              cite
	returns         []string
	table           *table
	get             bool
	params          map[string]string
	// where is what the items that it returns fulfil.
	where []condition
	order string
	sort  string // the key by which it is ordered
	limit int
	// project are the attributes that come back; all where there are none.
	project []string
}

// condition is a term with the value that the source's example has.
type condition struct {
	attribute, op string
	low, high     string
}

type decoy struct {
	Item string `json:"item"`
	Why  string `json:"why"`
}

type tried struct {
	Pattern string            `json:"pattern"`
	Params  map[string]string `json:"params"`
	Expect  []string          `json:"expect"`
	Decoys  []decoy           `json:"decoys,omitempty"`
}

// commandLine reads an access pattern of a data model: an AWS CLI line, which is parsed
// and never executed.
func (d *draft) commandLine(node *yaml.Node) {
	line, title := d.text(node, "implementation"), d.text(node, "description")
	if line == nil || title == nil {
		return
	}
	what := title.Value
	if number := get(node, "pattern"); number != nil {
		what = "access pattern " + number.Value + ", " + what
	}
	words, err := shellWords(line.Value)
	if err != nil || len(words) < 3 || words[0] != "aws" || words[1] != "dynamodb" {
		if strings.HasPrefix(line.Value, "aws ") {
			d.report(line, "%s: expected one line of the AWS CLI for DynamoDB, found %v", what, err)
		} else {
			d.note("%s was left out: no line of the AWS CLI for DynamoDB implements it", what)
		}
		return
	}
	options, operation := optionsOf(words[3:]), words[2]
	if !slices.Contains([]string{"get-item", "query"}, operation) {
		d.note("%s was left out: %s; transcribe it with the cases that it needs", what, operation)
		return
	}
	t := d.known(options["--table-name"])
	if t == nil {
		d.report(line, "%s: expected a table of this file, found %q", what, options["--table-name"])
		return
	}
	p := &pattern{title: title.Value, at: d.cite(title), table: t, params: map[string]string{}, get: operation == "get-item"}
	index := options["--index-name"]
	keys, known := t.keysOf(index)
	if !known {
		d.report(line, "%s: expected an index of table %s, found no index %s", what, t.id, index)
		return
	}
	values := func(option string) map[string]types.AttributeValue {
		if err != nil || options[option] == "" {
			return nil
		}
		var all map[string]types.AttributeValue
		if all, err = attributevalue.UnmarshalMapJSON([]byte(options[option])); err != nil {
			err = fmt.Errorf("%s: %w", option, err)
		}
		return all
	}
	bound := values("--expression-attribute-values")
	source := expression.Source{Values: bound, Names: map[string]string{}}
	if names := options["--expression-attribute-names"]; names != "" && err == nil {
		var parsed yaml.Node
		if err = yaml.Unmarshal([]byte(names), &parsed); err == nil {
			for i := 0; len(parsed.Content) > 0 && i+1 < len(parsed.Content[0].Content); i += 2 {
				source.Names[parsed.Content[0].Content[i].Value] = parsed.Content[0].Content[i+1].Value
			}
		}
	}
	switch {
	case err != nil:
	case p.get:
		key := values("--key")
		for _, attribute := range keys {
			text, ok := scalar(key[attribute])
			if !ok {
				d.report(line, "%s: expected key attribute %s of table %s in --key, found none", what, attribute, t.id)
				return
			}
			p.add(condition{attribute: attribute, op: "=", low: text}, attribute, attribute == t.sort)
		}
		p.sort = t.sort
	default:
		var parsed expression.Conjunction
		if err = expression.ParseKeyCondition(options["--key-condition-expression"], source, &parsed); err != nil {
			break
		}
		for _, term := range parsed.All() {
			name, _ := source.TopLevel(term.Path)
			if !slices.Contains(keys, name) {
				d.report(line, "%s: expected a condition on %s, found one on %s", what, strings.Join(keys, " and "), name)
				return
			}
			c := condition{attribute: name, op: string(term.Op)}
			c.low, _ = scalar(term.Low.Value)
			c.high, _ = scalar(term.High.Value)
			p.add(c, strings.TrimPrefix(term.Low.Text, ":"), len(keys) > 1 && name == keys[1])
		}
		if !slices.ContainsFunc(p.where, func(c condition) bool { return c.attribute == keys[0] && c.op == "=" }) {
			d.report(line, "%s: expected an equality on the partition key %s, found none", what, keys[0])
			return
		}
		p.sort = keys[len(keys)-1]
		if options["--no-scan-index-forward"] != "" {
			p.order = "descending"
		}
		for _, option := range []string{"--limit", "--max-items"} {
			if n, notNumber := strconv.Atoi(options[option]); notNumber == nil {
				p.limit = n
			}
		}
		if filter := options["--filter-expression"]; filter != "" {
			d.note("%s was left out: it filters; transcribe it with the cases that it needs", what)
			return
		}
	}
	if err != nil {
		d.report(line, "%s: %v", what, err)
		return
	}
	if projection := options["--projection-expression"]; projection != "" {
		paths, err := expression.ParseProjection(projection, source)
		for _, path := range paths {
			name, _ := source.TopLevel(path)
			if !source.IsAttribute(path, name) {
				d.note("%s was left out: it projects what is within an attribute; transcribe it with the items that come back", what)
				return
			}
			p.project = append(p.project, name)
		}
		if err != nil {
			d.report(line, "%s: projection: %v", what, err)
			return
		}
	}
	d.patterned(p, index)
}

// add takes a condition over: the constant part of its value stands in the request, and
// the rest is a parameter.
func (p *pattern) add(c condition, parameter string, isSort bool) {
	p.where = append(p.where, c)
	template := func(value, parameter string) string {
		form, rest := formOf(value, parameterOf(parameter), isSort)
		if rest != "" {
			p.params[parameterOf(parameter)] = rest
		}
		return literal(form)
	}
	name := quotedName(c.attribute)
	joint := " AND "
	if p.step == "" {
		joint = ""
	}
	switch c.op {
	case "BETWEEN":
		p.step += joint + name + " BETWEEN " + template(c.low, parameter) + " AND " + template(c.high, parameter+"_to")
	case "begins_with":
		p.step += joint + "begins_with(" + name + ", " + template(c.low, parameter) + ")"
	default:
		p.step += joint + name + " " + c.op + " " + template(c.low, parameter)
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

// patterned finishes a pattern.
func (d *draft) patterned(p *pattern, index string) {
	on := p.table.id
	if index != "" {
		on += "/" + index
	}
	options := ""
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
	p.id = strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(p.title)), "-")
	for strings.Contains(p.id, "--") {
		p.id = strings.ReplaceAll(p.id, "--", "-")
	}
	base := p.id
	for n := 2; slices.ContainsFunc(d.patterns, func(other *pattern) bool { return other.id == p.id }); n++ {
		p.id = fmt.Sprintf("%s-%d", base, n)
	}
	d.patterns = append(d.patterns, p)
}

// cases tries every pattern on the source's items. A pattern that would return all of
// them, or none, cannot be tried and is left out.
func (d *draft) cases() []tried {
	var all []tried
	d.patterns = slices.DeleteFunc(d.patterns, func(p *pattern) bool {
		c := tried{Pattern: p.id, Params: p.params, Expect: []string{}}
		var found []*sample
		for _, s := range d.samples {
			if s.table != p.table {
				continue
			}
			if p.holds(s) {
				found = append(found, s)
				if !slices.Contains(p.returns, s.Entity) {
					p.returns = append(p.returns, s.Entity)
				}
			} else if !p.get {
				c.Decoys = append(c.Decoys, decoy{s.Name, "the condition does not hold for it"})
			}
		}
		slices.SortStableFunc(found, func(a, b *sample) int {
			x, _ := a.text(p.sort)
			y, _ := b.text(p.sort)
			by := compared(x, y, p.table.typeOf(p.sort))
			if p.order == "descending" {
				by = -by
			}
			return by
		})
		if p.limit > 0 && len(found) > p.limit {
			for _, s := range found[p.limit:] {
				c.Decoys = append(c.Decoys, decoy{s.Name, "beyond the limit"})
			}
			found = found[:p.limit]
		}
		if len(found) == 0 || !p.get && len(c.Decoys) == 0 {
			d.note("access pattern %q was left out: the source's items do not try it, for it returns all of them or none; transcribe it, with items that do", p.title)
			return true
		}
		for _, s := range found {
			c.Expect = append(c.Expect, d.returned(p, s))
		}
		all = append(all, c)
		return false
	})
	return all
}

// returned is the name of what comes back of an item: a part of it where the pattern
// projects, which is held beside the items.
func (d *draft) returned(p *pattern, s *sample) string {
	if len(p.project) == 0 {
		return s.Name
	}
	part := *s
	part.Name, part.Held, part.Item = s.Name+"-in-"+p.id, true, map[string]any{}
	for _, name := range p.project {
		if value, has := s.Item[name]; has {
			part.Item[name] = value
		}
	}
	d.parts = append(d.parts, &part)
	return part.Name
}

// holds reports whether a read returns an item. An index holds no item that lacks one of its keys.
func (p *pattern) holds(s *sample) bool {
	if _, in := s.text(p.sort); p.sort != "" && !in {
		return false
	}
	return !slices.ContainsFunc(p.where, func(c condition) bool {
		text, has := s.text(c.attribute)
		of := p.table.typeOf(c.attribute)
		switch by := compared(text, c.low, of); c.op {
		case "=":
			return !has || by != 0
		case "<":
			return !has || by >= 0
		case "<=":
			return !has || by > 0
		case ">":
			return !has || by <= 0
		case ">=":
			return !has || by < 0
		case "begins_with":
			return !has || !strings.HasPrefix(text, c.low)
		case "BETWEEN":
			return !has || by < 0 || compared(text, c.high, of) > 0
		}
		return true
	})
}

// compared compares two keys as DynamoDB does.
func compared(a, b, of string) int {
	x, isNumber := new(big.Rat).SetString(a)
	y, both := new(big.Rat).SetString(b)
	if of == "N" && isNumber && both {
		return x.Cmp(y)
	}
	return strings.Compare(a, b)
}

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
	k := &t.key
	if name != "" {
		at := slices.IndexFunc(t.indexes, func(each index) bool { return each.name == name })
		if at < 0 {
			return nil, false
		}
		k = &t.indexes[at].key
	}
	if k.sort == "" {
		return []string{k.partition}, true
	}
	return []string{k.partition, k.sort}, true
}

func (d *draft) known(name string) *table {
	for _, t := range d.tables {
		if t.name == name && name != "" {
			return t
		}
	}
	return nil
}

func scalar(value types.AttributeValue) (string, bool) {
	switch value := value.(type) {
	case *types.AttributeValueMemberS:
		return value.Value, true
	case *types.AttributeValueMemberN:
		return value.Value, true
	}
	return "", false
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
	line(2, "returns: [%s]", quoted(p.returns))
}
