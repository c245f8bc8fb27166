package reader

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// nakedKeys reads a code block below "Primary key:" or "Global secondary
// indexes:" that holds nothing but the names of the key attributes.
func (r *reader) nakedKeys(b *block) {
	about := b.frame.about()
	if about != topicKeys && about != topicIndexes || len(b.code) > 20 {
		return
	}
	for _, line := range b.code {
		if name := strings.TrimSpace(line); !identifierCase.MatchString(name) && !isPlainKeyName(name) {
			return
		}
	}
	table := r.tableOf(b)
	for n, line := range b.code {
		name, at := strings.TrimSpace(line), At{b.line + n, Said}
		switch number := numberedKey.FindStringSubmatch(name); {
		case number != nil:
			index := table.indexOfKey(name, at.Line)
			index.Keys = addKey(index.Keys, Key{at, name, "", roleOf(number[2])})
		case about == topicKeys && n < 2 && len(b.code) <= 2:
			table.Keys = addKey(table.Keys, Key{at, name, "", []string{Hash, Range}[n]})
		}
	}
}

// schemaCode reads table definitions out of code: the input of CreateTable in
// any of its spellings, the AWS CLI, CloudFormation and the CDK.
func (r *reader) schemaCode(b *block) {
	if grid := attributesInCode(b); grid != nil {
		r.schemaGrid(grid)
		return
	}
	if r.annotatedKeys(b) {
		return
	}
	if !definesTable(b) {
		r.nakedKeys(b)
		return
	}
	if r.terraform(b) {
		return
	}
	for _, part := range definitionsIn(b) {
		table := r.tableOf(b)
		for _, line := range part.code {
			if match := codeTableName.FindStringSubmatch(line); match != nil {
				if known := r.known(match[1]); known != nil {
					table = known
				}
			}
		}
		d := &definition{table: table, types: map[string]string{}}
		whole := strings.Join(part.code, "\n")
		for _, match := range codeTypes.FindAllStringSubmatch(whole, -1) {
			d.types[match[1]] = match[2][:1]
		}
		for n, line := range part.code {
			d.line(line, part.line+n)
		}
		table.typed(d.types)
	}
}

var (
	commentedTable = lazyregexp.New(`(?i)^\s*(?:#|//|--)\s*table(?: name)?\s*:\s*["'` + "`" + `]?([A-Za-z0-9_.{}<>$-]+)`)
	annotatedKey   = lazyregexp.New(`(?i)^\s*["']?([A-Za-z_]\w*)["']?\s*:\s*["']?(string|number|binary|s|n|b)\s*\((hash|partition|pk|range|sort|sk)(?: key)?\)`)
)

// annotatedKeys reads a block that shows the shape of items and marks their keys: "repoId":
// "STRING (HASH KEY)". It returns false for one without such a mark.
func (r *reader) annotatedKeys(b *block) bool {
	if !slices.ContainsFunc(b.code, annotatedKey.MatchString) {
		return false
	}
	var table *Table
	for n, line := range b.code {
		if match := commentedTable.FindStringSubmatch(line); match != nil && namesTable(match[1]) {
			table = r.addTable(match[1], At{b.line + n, Said})
			continue
		}
		match := annotatedKey.FindStringSubmatch(line)
		if match == nil {
			continue
		}
		if table == nil {
			table = r.tableOf(b)
		}
		table.Keys = addKey(table.Keys, Key{At{b.line + n, Said}, match[1], keyType(match[2]), roleOf(match[3])})
	}
	return true
}

// definitionsIn cuts a block with the definitions of several tables into one for each.
func definitionsIn(b *block) []*block {
	var from []int
	for n, line := range b.code {
		if oneTable.MatchString(line) {
			from = append(from, n)
		}
	}
	if len(from) < 2 {
		return []*block{b}
	}
	var parts []*block
	for i, start := range from {
		end := len(b.code)
		if i+1 < len(from) {
			end = from[i+1]
		}
		if i == 0 {
			start = 0
		}
		parts = append(parts, &block{kind: codeBlock, line: b.line + start, code: b.code[start:end], frame: b.frame})
	}
	return parts
}

// oneTable is the line with which the definition of a table begins.
var oneTable = lazyregexp.New(`AWS::DynamoDB::(?:Global)?Table\b|\bnew (?:\w+\.)?Table(?:V2)?\(|dynamodb create-table\b`)

type definition struct {
	table *Table
	types map[string]string
	index *Index
	// inIndexes is set behind the word that begins the indexes, which is indented so far, until a
	// line that is indented no further.
	inIndexes, local bool
	indent           int
	// attribute is the name that waits for the role of a further line, ttl says that the next
	// one is the TTL's, and including that the next values are those that an index projects.
	attribute      string
	attributeAt    At
	ttl, including bool
}

const quotes = "[\"'`]?"

var (
	codeTypes      = lazyregexp.New(`AttributeName` + quotes + `\s*[=:]\s*` + quotes + `([A-Za-z_][\w.-]*)` + quotes + `\s*[,\n]?\s*-?\s*` + quotes + `AttributeType` + quotes + `\s*[=:]\s*` + quotes + `([SNB])\b`)
	codeKey        = lazyregexp.New(`AttributeName` + quotes + `\s*[=:]\s*` + quotes + `([A-Za-z_][\w.-]*)` + quotes + `\s*,?\s*` + quotes + `KeyType` + quotes + `\s*[=:]\s*` + quotes + `(HASH|RANGE)`)
	codeIndexes    = lazyregexp.New(`(Global|Local)SecondaryIndex(?:es)?\b|--(global|local)-secondary-indexes`)
	codeIndex      = lazyregexp.New(`[Ii]ndexName` + quotes + `\s*[=:]\s*` + quotes + `([A-Za-z0-9_.-]+)`)
	codeProjection = lazyregexp.New(`[Pp]rojectionType` + quotes + `\s*[=:]\s*` + quotes + `(?:dynamodb\.)?(?:ProjectionType\.)?(ALL|KEYS_ONLY|INCLUDE)`)
	codeBilling    = lazyregexp.New(`PAY_PER_REQUEST|\bPROVISIONED\b`)
	codeTTL        = lazyregexp.New(`(?:timeToLiveAttribute|TimeToLiveAttribute)` + quotes + `\s*[=:]\s*` + quotes + `([A-Za-z_]\w*)`)
	codeCDK        = lazyregexp.New(`(partitionKey|sortKey)` + quotes + `\s*[=:]\s*\{\s*name\s*:\s*` + quotes + `([A-Za-z_][\w.-]*)` + quotes + `\s*,\s*type\s*:\s*[\w.]*\b(STRING|NUMBER|BINARY)`)
	codePITR       = lazyregexp.New(`(?i)point_?in_?time_?recovery(?:Enabled)?` + quotes + `\s*[=:]\s*true`)
	codeTag        = lazyregexp.New(`Key` + quotes + `\s*[=:]\s*` + quotes + `([^"',]+)` + quotes + `\s*,\s*` + quotes + `Value` + quotes + `\s*[=:]\s*["']([^"']*)["']`)
)

// line reads one line of a definition.
func (d *definition) line(line string, number int) {
	at := At{number, Said}
	text := strings.TrimLeft(line, " \t")
	indent := len(line) - len(text)
	if d.inIndexes && d.indent >= 0 && text != "" && indent <= d.indent && !strings.HasPrefix(text, "- ") {
		d.inIndexes, d.index = false, nil
	}
	if match := codeIndexes.FindStringSubmatch(line); match != nil {
		d.inIndexes, d.index, d.indent = true, nil, indent
		d.local = strings.EqualFold(match[1]+match[2], "local")
		if strings.HasPrefix(text, "-") || strings.Contains(line, "add") {
			d.indent = -1 // an option of a command, or a call
		}
	}
	if strings.Contains(line, "addGlobalSecondaryIndex") {
		d.inIndexes = true
	}
	if match := codeIndex.FindStringSubmatch(line); match != nil {
		d.index = d.table.addIndex(match[1], at)
		d.index.Local = d.local
	}
	add := func(at At, name, role string) {
		key := Key{at, name, d.types[name], role}
		switch {
		case d.inIndexes && d.index != nil:
			d.index.Keys = addKey(d.index.Keys, key)
		case !d.inIndexes:
			d.table.Keys = addKey(d.table.Keys, key)
		}
	}
	for _, match := range codeKey.FindAllStringSubmatch(line, -1) {
		add(at, match[1], match[2])
		d.attribute = ""
	}
	switch name, role := codeAttribute.FindStringSubmatch(line), codeRole.FindStringSubmatch(line); {
	case name != nil && d.ttl:
		d.table.TTL = keep(d.table.TTL, at, name[1])
		d.ttl = false
	case name != nil && role == nil && !strings.Contains(line, "AttributeType"):
		d.attribute, d.attributeAt = name[1], at
	case name == nil && role != nil && d.attribute != "":
		add(d.attributeAt, d.attribute, role[1])
		d.attribute = ""
	}
	if strings.Contains(line, "TimeToLiveSpecification") {
		name := codeAttribute.FindStringSubmatch(line)
		d.ttl = name == nil
		if name != nil {
			d.table.TTL = keep(d.table.TTL, at, name[1])
		}
	}
	if match := codeStream.FindStringSubmatch(line); match != nil {
		d.table.Stream = keep(d.table.Stream, at, match[1])
	}
	d.includes(line)
	for _, match := range codeCDK.FindAllStringSubmatch(line, -1) {
		d.types[match[2]] = match[3][:1]
		add(at, match[2], roleOf(match[1]))
	}
	if match := codeProjection.FindStringSubmatch(line); match != nil && d.index != nil && d.index.Projection.Value == "" {
		d.index.Projection = Setting{at, match[1]}
	}
	if mode := codeBilling.FindString(line); mode != "" {
		d.table.Billing = append(d.table.Billing, Setting{at, mode})
	}
	if match := codeTTL.FindStringSubmatch(line); match != nil {
		d.table.TTL = keep(d.table.TTL, at, match[1])
	}
	if codePITR.MatchString(line) {
		d.table.PITR = keep(d.table.PITR, at, "enabled")
	}
	for _, match := range codeTag.FindAllStringSubmatch(line, -1) {
		d.table.Tags = append(d.table.Tags, Tag{at, match[1], match[2]})
	}
}

// includes reads the attributes that an index projects beside its keys, on one line or on those
// that follow.
func (d *definition) includes(line string) {
	if d.index == nil {
		return
	}
	rest := line
	if match := codeIncludes.FindStringIndex(line); match != nil {
		d.including, rest = true, line[match[1]:]
	} else if d.including && !codeListed.MatchString(line) {
		d.including = false
	}
	if !d.including {
		return
	}
	for _, match := range codeWord.FindAllStringSubmatch(rest, -1) {
		d.index.Include = append(d.index.Include, match[1])
	}
	if strings.Contains(rest, "]") {
		d.including = false
	}
}

var (
	codeAttribute = lazyregexp.New(`\bAttributeName` + quotes + `\s*[=:]\s*` + quotes + `([A-Za-z_][\w.-]*)`)
	codeRole      = lazyregexp.New(`\bKeyType` + quotes + `\s*[=:]\s*` + quotes + `(HASH|RANGE)`)
	codeStream    = lazyregexp.New(`(?:[Ss]tream_?[Vv]iew_?[Tt]ype(?:\.|` + quotes + `\s*[=:]\s*` + quotes + `))(NEW_AND_OLD_IMAGES|NEW_IMAGE|OLD_IMAGE|KEYS_ONLY)`)
	codeIncludes  = lazyregexp.New(`[Nn]onKeyAttributes` + quotes + `\s*[=:]`)
	codeListed    = lazyregexp.New(`^\s*(?:-\s*)?["']?[A-Za-z_][\w.-]*["']?,?\s*$`)
	codeWord      = lazyregexp.New(`["']?([A-Za-z_][\w.-]*)["']?`)
)

// contentCode reads items, requests, classes and key forms out of code.
func (r *reader) contentCode(b *block) {
	if definesTable(b) {
		return
	}
	if grid := attributesInCode(b); grid != nil {
		r.contentGrid(grid)
		return
	}
	if r.diagram(b) {
		return
	}
	above := r.patternAbove(b)
	known := len(r.doc.Patterns)
	if r.requests(b) {
		if above != nil && len(r.doc.Patterns) == known+1 && len(above.Conditions) == 0 {
			// The code says how the pattern is asked.
			code := r.doc.Patterns[known]
			r.doc.Patterns = r.doc.Patterns[:known]
			above.Operation, above.Index, above.Table, above.Conditions = code.Operation, code.Index, code.Table, code.Conditions
			above.Limit, above.Consistent, above.Last, above.Text = max(above.Limit, code.Limit), above.Consistent || code.Consistent, code.Last, above.Text+" "+code.Text
			above.Sure = b.frame.sure()
		}
		return
	}
	if above != nil && r.spelledOut(above, b) {
		return
	}
	examples := literals(b.code, b.line)
	for _, example := range examples {
		example.Heading = b.frame.headingTitle()
		r.doc.Examples = append(r.doc.Examples, example)
	}
	if len(examples) == 0 && !r.titledKeys(b) && !r.alignedRows(b) && !r.members(b) && !r.spelledRequest(b) {
		r.keyLines(b)
	}
}

var (
	diagramKind   = lazyregexp.New(`^\s*erDiagram\b`)
	diagramEntity = lazyregexp.New(`^\s*"?([A-Za-z][\w -]*?)"?\s*\{\s*$`)
	diagramMember = lazyregexp.New(`^\s*([A-Za-z][\w\[\]]*)\s+([A-Za-z_]\w*)\b`)
)

// diagram reads the attributes of an entity relationship diagram (Mermaid). Which item
// each is of is known when all are read.
func (r *reader) diagram(b *block) bool {
	if !slices.ContainsFunc(b.code, diagramKind.MatchString) {
		return false
	}
	title := ""
	for n, line := range b.code {
		switch match := diagramEntity.FindStringSubmatch(line); {
		case match != nil:
			title = match[1]
		case strings.TrimSpace(line) == "}":
			title = ""
		case title != "":
			if member := diagramMember.FindStringSubmatch(line); member != nil {
				r.drawn[plain(title)] = append(r.drawn[plain(title)], Attribute{At{b.line + n, Said}, member[2], typeOf(member[1]), ""})
			}
		}
	}
	return true
}

// patternAbove is the access pattern in whose list item a block of code stands.
func (r *reader) patternAbove(b *block) *Pattern {
	item := b.frame.up(func(f *frame) bool { return f.level >= itemLevel })
	n := len(r.doc.Patterns)
	if item == nil || b.frame.about() != topicPatterns || n == 0 || !r.doc.Patterns[n-1].Listed || r.doc.Patterns[n-1].Line != item.title.line {
		return nil
	}
	return r.doc.Patterns[n-1]
}

var optional = lazyregexp.New(`(?i)^\s*(optional|or)\b`)

// spelledOut reads the key conditions of an access pattern, one on each line.
func (r *reader) spelledOut(p *Pattern, b *block) bool {
	for _, line := range b.code {
		if optional.MatchString(line) {
			break // another form of the same
		}
		p.Text += " " + line
	}
	found := r.requestConditions(strings.TrimSpace(p.Text), b.line)
	if len(found) == 0 {
		return false
	}
	table := r.tableOf(b)
	p.Conditions, p.Last, p.Sure = append(p.Conditions, found...), b.line+len(b.code)-1, b.frame.sure()
	p.Operation = cmp.Or(p.Operation, operationOf(p.Text))
	p.Table = cmp.Or(p.Table, table.Name)
	p.Index = cmp.Or(p.Index, r.indexNamedIn(table, p.Text))
	return true
}

var spelled = lazyregexp.New(`(?im)^\s*(query|get|getitem|scan)\b|\bbegins_with\b`)

// spelledRequest reads a request that is written as text: "query GSI1:" with a
// key condition on each line.
func (r *reader) spelledRequest(b *block) bool {
	whole := strings.Join(b.code, "\n")
	if len(b.code) > 12 || !spelled.MatchString(whole) {
		return false
	}
	p := &Pattern{At: At{b.line, b.frame.sure()}, Operation: operationOf(whole), Last: b.line + len(b.code) - 1, Text: whole}
	p.Conditions = r.requestConditions(whole, b.line)
	if len(p.Conditions) == 0 {
		return false
	}
	table := r.tableOf(b)
	p.Title, p.Table, p.Index = b.frame.sectionTitle(), table.Name, r.indexNamedIn(table, whole)
	r.doc.Patterns = append(r.doc.Patterns, p)
	return true
}

var (
	requestStart = lazyregexp.New(`\.(query|get_item|scan|put_item|update_item|delete_item|batch_get_item|transact_write_items)\s*\(|new (Query|Get|GetItem|Scan|Put|PutItem|Update|UpdateItem|Delete|DeleteItem|BatchGet|TransactWrite)Command\s*\(|aws dynamodb (query|get-item|scan|put-item|update-item|delete-item)\b|dynamodb\.(Query|GetItem|Scan|PutItem|UpdateItem|DeleteItem|BatchGetItem|TransactWriteItems)Input\s*\{`)
	requestIndex = lazyregexp.New(`(?:IndexName` + quotes + `\s*[=:]\s*|--index-name\s+)(?:aws\.String\()?` + quotes + `([A-Za-z0-9_.-]+)`)
	requestTable = lazyregexp.New(`(?:TableName` + quotes + `\s*[=:]\s*|--table-name\s+)(?:aws\.String\()?` + quotes + `([A-Za-z0-9_.{}<>$-]+)`)
	requestKey   = lazyregexp.New(`Key` + quotes + `\s*[=:]\s*(?:map\[string\]types\.AttributeValue)?\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}`)
	requestPart  = lazyregexp.New(`["'` + "`" + `]?([A-Za-z_]\w*)["'` + "`" + `]?\s*:\s*(?:&types\.AttributeValueMember[SN]\{\s*Value:\s*)?(?:fmt\.Sprintf\(\s*)?`)
	bindings     = lazyregexp.New(`["'` + "`" + `]:(\w+)["'` + "`" + `]\s*:\s*(?:\{\s*["']?[SN]["']?\s*:\s*|&types\.AttributeValueMember[SN]\{\s*Value:\s*)?(?:fmt\.Sprintf\(\s*)?`)
	lineBindings = lazyregexp.New(`(?m)^\s*:(\w+)\s*=\s*`)
	nameBindings = lazyregexp.New(`["'` + "`" + `]#(\w+)["'` + "`" + `]\s*:\s*["'` + "`" + `](\w+)["'` + "`" + `]`)
	filterStart  = lazyregexp.New(`FilterExpression|--filter-expression`)
	requestLimit = lazyregexp.New(`(?:Limit` + quotes + `\s*[=:]\s*(?:aws\.Int32\()?|--(?:limit|max-items)\s+)(\d+)`)
)

// requests reads the calls of an SDK or of the AWS CLI.
func (r *reader) requests(b *block) bool {
	whole := strings.Join(b.code, "\n")
	starts := requestStart.FindAllStringSubmatchIndex(whole, 50)
	for i, at := range starts {
		end := len(whole)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		match := requestStart.FindStringSubmatch(whole[at[0]:at[1]])
		operation := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(match[1] + match[2] + match[3] + match[4]))
		line, text := b.line+strings.Count(whole[:at[0]], "\n"), whole[at[0]:end]
		p := &Pattern{
			At: At{line, Said}, Title: b.frame.sectionTitle(), Operation: operationNames[operation], Text: text,
			Last: line + strings.Count(strings.TrimRight(text, "\n "), "\n"),
		}
		table := r.tableOf(b)
		if match := requestTable.FindStringSubmatch(text); match != nil {
			if known := r.known(match[1]); known != nil {
				table = known
			}
		}
		p.Table = table.Name
		if match := requestIndex.FindStringSubmatch(text); match != nil {
			p.Index = match[1]
		}
		if match := requestLimit.FindStringSubmatch(text); match != nil {
			limit, _ := strconv.Atoi(match[1])
			p.Limit = min(limit, 1<<30)
		}
		p.Consistent = consistent.MatchString(text)
		p.Conditions = r.requestConditions(text, line)
		r.doc.Patterns = append(r.doc.Patterns, p)
	}
	return len(starts) > 0
}

var concatenated = lazyregexp.New(`^\s*\+\s*([A-Za-z_][\w.]*)`)

// joinedText is a text with the variable that a program joins to it: "USER#" + id.
func joinedText(raw, behind string) string {
	if match := concatenated.FindStringSubmatch(behind); match != nil && len(raw) > 2 && raw[0] == raw[len(raw)-1] && strings.IndexByte("\"'`", raw[0]) >= 0 {
		return raw[:len(raw)-1] + "{" + match[1] + "}" + raw[len(raw)-1:]
	}
	return raw
}

// requestConditions reads the key conditions and filters of a request, with the
// values that its placeholders are bound to.
func (r *reader) requestConditions(text string, line int) []Condition {
	values, names := map[string]string{}, map[string]string{}
	for _, at := range bindings.FindAllStringSubmatchIndex(text, 100) {
		if raw, used, is := valueAt(text[at[1]:]); is {
			values["{"+text[at[2]:at[3]]+"}"] = joinedText(raw, text[at[1]+used:])
		}
	}
	bound := map[int]bool{} // lines that bind a value rather than compare
	for _, at := range lineBindings.FindAllStringSubmatchIndex(text, 100) {
		if raw, _, is := valueAt(text[at[1]:]); is {
			values["{"+text[at[2]:at[3]]+"}"] = raw
			bound[strings.Count(text[:at[2]], "\n")] = true
		}
	}
	for _, match := range nameBindings.FindAllStringSubmatch(text, 100) {
		names[match[1]] = match[2]
	}
	var found []Condition
	filterAt := filterStart.FindStringIndex(text)
	searched, _, _ := strings.Cut(text, "ExpressionAttributeValues")
	searched, _, _ = strings.Cut(searched, "--expression-attribute-values")
	end := -1 // of the line, in bytes
	for n, part := range strings.Split(searched, "\n") {
		end += 1 + len(part)
		if bound[n] {
			continue
		}
		for _, c := range conditions(part, line+n) {
			if !r.isKey(c.Attribute) && names[c.Attribute] == "" && (filterAt == nil || end < filterAt[0]) && c.Operator != "begins_with" && c.Operator != "BETWEEN" {
				continue
			}
			if real := names[c.Attribute]; real != "" {
				c.Attribute = real
			}
			for _, side := range []*Template{&c.Value, &c.High} {
				if raw, bound := values[string(*side)]; bound {
					*side = codeValue(raw)
				}
			}
			c.Filter = filterAt != nil && !r.isKey(c.Attribute)
			found = append(found, c)
		}
	}
	if match := requestKey.FindStringSubmatch(text); match != nil {
		for _, at := range requestPart.FindAllStringSubmatchIndex(match[1], -1) {
			name := match[1][at[2]:at[3]]
			if raw, used, is := valueAt(match[1][at[1]:]); is && r.isKey(name) {
				found = append(found, Condition{Line: line, Attribute: name, Operator: "=", Value: codeValue(joinedText(raw, match[1][at[1]+used:]))})
			}
		}
	}
	return found
}

var (
	memberLine = lazyregexp.New(`^\s*(?:readonly |public |private )?([A-Za-z_]\w*)(\?)?\s*:\s*([A-Za-z][\w.]*(?:\[[\w\[\], |]*\]|<[\w<>, |]*>|\[\])*)\s*(?:\|\s*(?:None|null|undefined)\s*)?(?:=\s*[^#/]*)?[,;]?\s*(?:(?:#|//)\s*(.*))?$`)
	classLine  = lazyregexp.New(`^\s*(?:export\s+)?(?:@?\w+\s+)?(class|interface|type|struct)\s+(\w+)`)
	baseWord   = lazyregexp.New(`(?i)\b(base|common|shared|abstract)\w*`)
)

// members reads the attributes of a class or interface.
func (r *reader) members(b *block) bool {
	class := ""
	var found []Attribute
	var keys []EntityKey
	read := false
	for n, line := range b.code {
		if match := classLine.FindStringSubmatch(line); match != nil {
			read = r.class(b, class, found, keys) || read
			class, found, keys = match[2], nil, nil
			continue
		}
		if match := memberKey.FindStringSubmatch(line); match != nil && r.isKey(match[1]) {
			if template, guessed, is := templateOf(match[2]); is {
				keys = append(keys, EntityKey{sureAt(b.line+n, guessed), match[1], template})
			}
			continue
		}
		match := memberLine.FindStringSubmatch(line)
		if match == nil || typeOf(match[3]) == "" && !strings.EqualFold(match[3], "datetime") {
			continue
		}
		found = append(found, Attribute{At{b.line + n, Said}, match[1], typeOf(match[3]), match[4]})
	}
	return r.class(b, class, found, keys) || read
}

// memberKey is a member of a type that is a key: pk: `USER#${string}`;
var memberKey = lazyregexp.New("^\\s*(?:readonly )?([A-Za-z_]\\w*)\\??\\s*:\\s*([`\"'][^`\"']+[`\"'])\\s*[;,]?")

// class takes a class or interface for a kind of item, that of its section unless
// it has keys and the section has some already.
func (r *reader) class(b *block, class string, found []Attribute, keys []EntityKey) bool {
	if len(found)+len(keys) == 0 || class == "" {
		return false
	}
	for _, a := range found {
		if ttlMention.MatchString(a.Note+" "+a.Name) && a.Type == "N" && (strings.EqualFold(a.Name, "ttl") || lazyregexp.New(`(?i)\bTTL\b|time[- ]to[- ]live`).MatchString(a.Note)) {
			table, sure := r.table(b.frame, b.line)
			table.TTL = keep(table.TTL, At{a.Line, sure}, a.Name)
		}
	}
	if baseWord.MatchString(class+" "+b.frame.headingTitle()) || strings.HasPrefix(class, "Base") {
		r.doc.Common = append(r.doc.Common, found...)
		return true
	}
	entity := r.entityAt(b.frame, b.line)
	if len(keys) > 0 && len(entity.Keys) > 0 {
		entity = r.addEntity(&Entity{At: At{keys[0].Line, Said}, Title: entityTitle(classSuffix.ReplaceAllString(class, "")), Table: entity.Table})
	}
	for _, key := range keys {
		entity.set(key)
	}
	for _, a := range found {
		entity.attribute(a)
	}
	return true
}

var classSuffix = lazyregexp.New(`(Record|Item|Entity|Row|Schema)$`)

var gap = lazyregexp.New(`\s{2,}|\t+|\s*\|\s*`)

var attributeInCode = lazyregexp.New(`^\s*([A-Za-z_]\w*)\??(?:\s{2,}|\t+)([A-Za-z][A-Za-z<>\[\]]*)\??(?:(?:\s{2,}|\t+)(.*))?$`)

// attributesInCode is a block that lists attributes with their types, drawn with blanks:
//
//	orderId    String   PK
//	total      Number   in cents
//
// It is nil for any other.
func attributesInCode(b *block) *block {
	grid := &block{kind: gridBlock, line: b.line, frame: b.frame}
	for _, name := range []string{"Attribute", "Type", "Notes"} {
		grid.header = append(grid.header, inline{line: b.line, text: name})
	}
	for n, line := range b.code {
		if strings.TrimSpace(line) == "" {
			continue
		}
		match := attributeInCode.FindStringSubmatch(line)
		if match == nil || typeOf(match[2]) == "" {
			return nil
		}
		var row []inline
		for _, cell := range match[1:] {
			row = append(row, inline{line: b.line + n, text: strings.TrimSpace(cell)})
		}
		grid.rows = append(grid.rows, row)
	}
	if len(grid.rows) < 2 {
		return nil
	}
	return grid
}

// alignedRows reads a table that is drawn with blanks.
func (r *reader) alignedRows(b *block) bool {
	for n, line := range b.code {
		header := gap.Split(strings.TrimSpace(strings.Trim(strings.TrimSpace(line), "|")), -1)
		var cells []inline
		for _, cell := range header {
			cells = append(cells, inline{line: b.line + n, text: cell})
		}
		c := columnsOf(cells)
		if len(cells) < 2 || !c.has("pk") {
			continue
		}
		grid := &block{kind: gridBlock, line: b.line + n, header: cells, frame: b.frame}
		for m := n + 1; m < len(b.code); m++ {
			text := strings.TrimSpace(strings.Trim(strings.TrimSpace(b.code[m]), "|"))
			if text == "" || strings.Trim(text, "-=+| ─") == "" {
				continue
			}
			var row []inline
			for _, cell := range gap.Split(text, len(cells)) {
				row = append(row, inline{line: b.line + m, text: strings.TrimSpace(cell)})
			}
			if len(row) >= 2 {
				grid.rows = append(grid.rows, row)
			}
		}
		if len(grid.rows) == 0 {
			return false
		}
		r.keyColumns(grid, c)
		r.learnKeys()
		r.contentGrid(grid)
		return true
	}
	return false
}

var titleBefore = lazyregexp.New(`^[\s│├└─┬|+*•>-]*([\p{L}][\p{L}\p{N} _/-]{1,60}?)\s*[:(]\s*(?i:PK|partition key)\b`)

// lineTitle is what stands before the keys of one line: "Order: PK: ...", "├── Order (PK: ...".
func lineTitle(line string) string {
	match := titleBefore.FindStringSubmatch(line)
	if match == nil || isPlainKeyName(match[1]) {
		return ""
	}
	return strings.TrimSpace(match[1])
}

// titledKeys reads lines that each name a kind of items and its keys, of a list or of a tree that
// is drawn. It returns false for a block with fewer than two.
func (r *reader) titledKeys(b *block) bool {
	table := r.tableOf(b)
	if len(table.Keys) == 0 {
		r.usualKeys(table)
	}
	pk, sk := roleNames(table.Keys)
	var read []func()
	for n, line := range b.code {
		title, number := lineTitle(line), b.line+n
		all := r.keyForms(line, number, true)
		partition, hasPartition := first(all, func(k EntityKey) bool { return k.Attribute == pk })
		sort, hasSort := first(all, func(k EntityKey) bool { return k.Attribute == sk })
		if title == "" || !hasPartition || !hasSort {
			continue
		}
		read = append(read, func() {
			entity := r.newEntity(&block{kind: itemBlock, line: number, frame: &frame{}}, table, title, partition, sort)
			for _, key := range all {
				if key != partition && key != sort {
					entity.set(key)
				}
			}
		})
	}
	if len(read) < 2 {
		return false
	}
	for _, add := range read {
		add()
	}
	return true
}

// keyLines reads "PK: USER#{id}   SK: META" and "Fields: a, b".
func (r *reader) keyLines(b *block) {
	var partition *EntityKey
	for n, line := range b.code {
		number := b.line + n
		keys := r.keyForms(line, number, true)
		table := r.tableOf(b)
		pk, sk := roleNames(table.Keys)
		if index := numberedIndex.FindStringSubmatch(strings.TrimSpace(line)); index != nil && len(keys) > 0 && !r.keyNames[index[0]] {
			for _, key := range keys {
				key.Attribute = r.indexKeyName(table, index[1], key.Attribute, pk)
				r.entityAt(b.frame, number).set(key)
			}
			continue
		}
		if start := keyForm.FindStringIndex(strings.TrimLeft(line, " \t-*|")); start == nil || start[0] > 0 {
			keys = nil // a sentence or a diagram
		}
		var entity *Entity
		for _, key := range keys {
			switch key.Attribute {
			case pk:
				partition = &key
				entity = r.entityAt(b.frame, number)
				_, has := entity.Key(pk)
				if _, whole := entity.Key(sk); has && whole {
					entity = nil // a further entity of the same section
					continue
				}
				entity.set(key)
			case sk:
				if partition == nil {
					r.unread(number, strings.TrimSpace(line), "a sort key without a partition key")
					continue
				}
				if entity == nil {
					entity = r.entityAt(b.frame, number)
				}
				if old, has := entity.Key(sk); has && old.Template != key.Template || !has && !slices.ContainsFunc(entity.Keys, func(k EntityKey) bool { return k == *partition }) {
					entity = r.newEntity(&block{kind: itemBlock, line: number, frame: b.frame}, table, "", *partition, key)
					continue
				}
				entity.set(key)
			default:
				if entity == nil {
					entity = r.entityAt(b.frame, number)
				}
				entity.set(key)
			}
		}
		if match := attributeLine.FindStringSubmatch(line); match != nil && len(keys) == 0 && typeOf(match[2]) != "" {
			r.entityAt(b.frame, number).attribute(Attribute{At{number, Said}, match[1], typeOf(match[2]), strings.TrimSpace(match[2])})
			if strings.EqualFold(match[1], "ttl") && typeOf(match[2]) == "N" {
				table.TTL = keep(table.TTL, At{number, Said}, match[1])
			}
		}
		if match := fieldsLine.FindStringSubmatch(line); match != nil {
			for _, entry := range entries(inline{line: number, text: match[1]}) {
				r.entry(r.entityAt(b.frame, number), entry, number)
			}
		}
	}
}

var attributeLine = lazyregexp.New(`^\s*[-*]?\s*([A-Za-z_]\w*)\??\s*:\s*([A-Za-z].*)$`)

var fieldsLine = lazyregexp.New(`(?i)^\s*(?:fields|attributes|attrs)\s*:\s*(.+)$`)
