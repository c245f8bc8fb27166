package report

import (
	"html/template"
	"strings"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/columns"
)

// word is a word of the report with its meaning. Several words may have one meaning.
type word struct {
	Word, Means string
}

// chapter is some words of the legend that belong together.
type chapter struct {
	Title string
	Words []word
}

// legend explains every column, figure and word of the report's first screen, and those of its tables. What is shown links here.
var legend = []chapter{
	{"What was decided", []word{
		{"claim", "one thing that a document promises, with its lines"},
		{"claims", "how many were asked, or would have been"},
		{"verdict", "what was decided about a claim"},
		{"pass", "what the claim asserts was looked at, and holds"},
		{"fail", "an answer contradicts the claim"},
		{"waived", "holds but for a named exception, or differs where the document leaves the choice"},
		{"unsupported", "this target cannot answer, and said so beforehand"},
		{"indeterminate", "nothing could be told: no answer came, or none about the claim"},
		{"error", "the check itself broke"},
		{"shown", "a fault of the document, seen in a replay; never a pass"},
		{"told", "a fault of the document, found by reading; never a pass"},
		{"not run", "not asked in this run; nothing is said about it"},
		{"passed", "verdict pass"},
		{"other", "every other verdict"},
		{"total", "all designs together"},
		{"accepted", "for how many somebody has signed, until a day: a status file says so"},
		{"observation", "one thing that was looked at and could have shown the claim to be wrong: a property, a returned item, a request that had to be refused"},
	}},
	{"What was seen of it", []word{
		{"evidence", "what answered; the weakest answer of a claim counts"},
		{"aws", "AWS answered"},
		{"engine", "a program that speaks DynamoDB's protocol answered"},
		{"emulated", "this project's own stand-in answered, because the engine lacks the operation"},
		{"library", "this project's client refused the request; nothing was sent"},
		{"static", "decided without a request: by evaluation, or by the text"},
		{"without AWS evidence", "passed, and not by an answer of AWS"},
	}},
	{"How the document carries it", []word{
		{"basis", "how the document carries the claim"},
		{"stated", "the document says it in words"},
		{"implied", "the document says it by another line, or by what DynamoDB does; the reason stands beside it"},
		{"chosen", "the document is silent or contradicts itself, and this project decided; a deployment that chose otherwise does not fail"},
		{"departures", "passed in another form than the document's, because of a finding"},
		{"lines", "the cited lines of the document"},
	}},
	{"What a claim is about", []word{
		{"kind", "what sort of thing a claim is about"},
		{string(manifest.KindSchema), "a property of a table"},
		{string(manifest.KindIndex), "the key or the projection of an index"},
		{string(manifest.KindPattern), "an access pattern: its requests, replayed"},
		{string(manifest.KindGuardrail), "a rule about how the tables are used, which requests try to break"},
		{string(manifest.KindInvariant), "what stays true while clients race and die"},
		{string(manifest.KindPolicy), "an IAM policy, evaluated"},
		{string(manifest.KindLedger), "the numbered list of every request of the run with its answer, and what holds of all of them"},
		{string(manifest.KindEntity), "the key forms of one kind of item"},
		{string(manifest.KindAttribute), "type, presence and values of one attribute"},
		{string(manifest.KindRule), "a relation between the attributes of an item"},
		{string(manifest.KindExample), "an example item of the document, stored and read back"},
		{string(manifest.KindDocument), "the document itself: its digest, and the words of every cited line"},
		{string(manifest.KindFinding), "something wrong or open in the document: a contradiction, a gap, or a hazard"},
		{"deployment and access", "tables, indexes, access patterns, guardrails, invariants, policies, and the ledger"},
		{"items", "what items look like: entities, attributes, rules, examples"},
		{"the document", "the text: its digest and its findings"},
	}},
	{"Findings", []word{
		{"findings", "faults of the document that were looked at"},
		{"severity", "what a finding costs whoever follows the text"},
		{"high", "wrong data is read or written, privacy is broken, or the documented request cannot work"},
		{"medium", "cost, scale or order suffers, or two readers build different things"},
		{"low", "a reader has to guess, without harm to data"},
	}},
	{"Numbers of access patterns", []word{
		{"cases", "how often the pattern was replayed, with other parameters"},
		{"decoys avoided", "stored items that a slightly wrong request would return, and this one did not"},
		{"pages", "answers that the reads took; in brackets how many with pages of one item"},
		{"count", "items returned"},
		{"scanned", "items inspected to return them"},
		{"capacity", "capacity units that the engine counted"},
		{"roles", "who may use the pattern"},
	}},
	{"Rules and exceptions", []word{
		{"guard", "this project's client, which refuses a request that the contract does not have"},
		{"contract", "all claims of a document, transcribed by people and checked against its words"},
		{"deployment", "how the tables are configured"},
		{"waiver", "a named exception to a rule, with who answers for it"},
		{"decoy", "a stored item that a slightly wrong request would return"},
		{"at risk", "what a difference of a deployment can cost"},
		{"guardrails", "rules about how the tables are used"},
		{"invariants", "what stays true while clients race and die"},
		{"design", "a document, its contract and its program"},
	}},
}

// meanings is the legend by its words.
var meanings = func() map[string]string {
	all := map[string]string{}
	for _, chapter := range legend {
		for _, each := range chapter.Words {
			all[each.Word] = each.Means
		}
	}
	return all
}()

// explained finds the word of the legend that stands for a label: the label itself in small letters, or its last or first word, as in "roll-model
// passed" and "evidence of grade static".
func explained(label string) (string, bool) {
	label = strings.ToLower(label)
	words := strings.Fields(label)
	for _, candidate := range []string{label, words[len(words)-1], words[0]} {
		if _, known := meanings[candidate]; known {
			return candidate, true
		}
	}
	return "", false
}

// wordHTML writes a label, as a link to its meaning where the legend has one.
func wordHTML(label string) template.HTML {
	text := escaped(label)
	if known, is := explained(label); is {
		return `<a class="word" href="#` + template.HTML(wordAnchor(known)) + `">` + text + `</a>`
	}
	return text
}

func wordAnchor(word string) string { return "word/" + strings.ReplaceAll(word, " ", "-") }

// legend writes what the words of a summary mean: those of the verdicts and grades that occur in it.
func (t *Terminal) legend(run *evidence.Run) {
	table := columns.Left(t.Out)
	counts := evidence.Count(run.Results())
	for _, verdict := range evidence.Verdicts() {
		if counts[verdict] > 0 {
			table.Row(string(verdict), meanings[string(verdict)])
		}
	}
	for _, grade := range evidence.Grades() {
		if passedBy(run.Results(), grade) > 0 {
			table.Row(string(grade), "of what passed: "+meanings[string(grade)])
		}
	}
	table.Flush()
}
