package report

import (
	"cmp"
	"fmt"
	"html/template"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns/cliinput"
	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
)

// reportView is all that the template shows.
type reportView struct {
	Run *evidence.Run
	// File is the name of the file that the run is stored in.
	File string
	// Departures are the claims that passed in another form than the document's.
	Departures []*claimView
	Designs    []designView
	Claims     []claimView
	Documents  []documentView
	RootCauses []cause
	// Unanswered are the causes of claims that this engine, or this run without
	// the documents, cannot answer.
	Unanswered []cause
	// LeftOut says that the page shows one case of each pattern that passed, and that the others are beside it.
	LeftOut bool
}

// conclusion is the verdict of the whole run in words, and in the few of a headline, each with what is wrong with the documents.
type conclusion struct {
	Verdict        evidence.Verdict
	Words, Outcome string
}

func concluded(run *evidence.Run) conclusion {
	c := conclusion{evidence.Indeterminate, couldNotTell, couldNotTell}
	switch code := run.ExitCode(); {
	case code == evidence.Conforms:
		c = conclusion{evidence.Pass, passed(run), "conforms"}
	case code == evidence.DoesNotConform:
		c = conclusion{evidence.Fail, failed(run), strings.TrimPrefix(failed(run), "the deployment ")}
	case run.Interrupted:
		c.Words, c.Outcome = "the run was interrupted", "interrupted, "+couldNotTell
	}
	findings := andFindings(run)
	c.Words, c.Outcome = c.Words+findings, c.Outcome+findings
	return c
}

// Sentence says in one sentence what a run found, as the headline of its page does.
func Sentence(run *evidence.Run) string { return concluded(run).Sentence() }

// Sentence is the words of the headline of a page.
func (c conclusion) Sentence() string {
	if strings.HasPrefix(c.Words, couldNotTell) {
		return "The run " + c.Words + "."
	}
	return capital(c.Words) + "."
}

// designView is the page of one design.
type designView struct {
	*evidence.Design
	Anchor   string
	Document *documentView
	Tables   []tableView
	Patterns []*claimView
	Findings []*claimView
	Rules    []*claimView
	Others   []kindCount
	Counts   []figure
}

type kindCount struct {
	Kind   string
	Counts []figure
}

// Operation says what a pattern sends, in a few words.
func (c *claimView) Operation() string {
	if c.Pattern != nil && c.Pattern.Operation != "" {
		return c.Pattern.Operation
	}
	return c.distinct(func(step evidence.Step) string { return step.Operation })
}

// Place says which tables and indexes a pattern reads and writes.
func (c *claimView) Place() string {
	return c.distinct(func(step evidence.Step) string {
		if step.Index != "" {
			return step.Table + " / " + step.Index
		}
		return step.Table
	})
}

// distinct says what the pattern itself and its steps have, each once.
func (c *claimView) distinct(of func(evidence.Step) string) string {
	if c.Pattern == nil {
		return ""
	}
	steps := []evidence.Step{{Table: c.Pattern.Table, Index: c.Pattern.Index}}
	for _, kase := range c.Pattern.Cases {
		steps = append(steps, kase.Steps...)
	}
	var all []string
	for _, step := range steps {
		if text := of(step); text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return joined(all)
}

// Severity is the severity of a finding, for the filter.
func (c *claimView) Severity() string { return severityOf(c.Result) }

const (
	// shownOfAClaim is how many further requests of a claim without a pass are
	// shown, and answerBytes how much of an answer: the ledger has the rest.
	shownOfAClaim = 4
	answerBytes   = 1500
)

// figureTables are the tables of the first screen.
func figureTables(run *evidence.Run) []figureTable {
	parts := partsOf(run)
	tables := []figureTable{
		newFigureTable("subjects", "What the claims are about", subjectParts(run), claimColumns()),
		newFigureTable("verdicts", "Verdicts by design", parts, claimColumns()),
		newKindTable(run),
		newFigureTable("grades", "Evidence behind the claims that passed, by grade", parts, gradeColumns()),
		newFigureTable("basis", "How the documents carry the claims that passed", parts, basisColumns()),
	}
	if lookedAtFindings(run) {
		tables = slices.Insert(tables, 2, newFigureTable("findings", "Findings in the documents", parts, findingColumns()))
	}
	return tables
}

// lookedAtFindings says that the run looked at a finding of a document.
func lookedAtFindings(run *evidence.Run) bool {
	return slices.ContainsFunc(run.Results(), func(r evidence.Result) bool { return r.Finding != nil })
}

// newPage is the page of a run. Where it is brief it shows, of a claim that passed, one case of its pattern with its first request, and no
// trials.
func newPage(run *evidence.Run, options HTMLOptions, brief bool) *reportView {
	options.Evidence = cmp.Or(options.Evidence, EvidenceFile)
	p := &reportView{Run: run, File: options.Evidence, LeftOut: brief}
	touching := map[string][]string{} // findings, by the claims that they rest on
	for _, result := range run.Results() {
		if result.Finding != nil {
			for _, id := range result.Finding.Claims {
				touching[id] = append(touching[id], result.ID)
			}
		}
	}
	for i := range run.Designs {
		for j := range run.Designs[i].Results {
			claim := newClaimView(run, &run.Designs[i], run.Designs[i].Results[j], touching, options, brief)
			claim.Number, claim.Accepted = len(p.Claims), acceptedInWords(run, claim.ID)
			p.Claims = append(p.Claims, claim)
		}
	}
	p.Documents = documentViews(run, p.Claims, options)
	for _, cause := range rootCauses(run, p.Claims) {
		list := &p.RootCauses
		if cause.Claim.Verdict == evidence.Unsupported {
			list = &p.Unanswered
		}
		cause.Brief = len(*list) >= causesInFull
		*list = append(*list, cause)
	}
	for i := range p.Claims {
		if p.Claims[i].Verdict == evidence.Pass && len(p.Claims[i].Departs) > 0 {
			p.Departures = append(p.Departures, &p.Claims[i])
		}
	}
	for i := range run.Designs {
		p.Designs = append(p.Designs, p.newDesignView(&run.Designs[i]))
	}
	return p
}

func newClaimView(run *evidence.Run, design *evidence.Design, result evidence.Result, touching map[string][]string, options HTMLOptions, brief bool) claimView {
	c := claimView{
		Result: result, Anchor: "/claim/" + result.ID, Short: strings.TrimPrefix(result.ID, design.Name+"/"),
		Numbers: evidence.Ranges(result.Requests), Sent: map[int]*requestView{},
	}
	given := len(options.Documents[design.Document]) > 0
	_, places := cited(result.Cite)
	for _, place := range places {
		line := lineView{Text: place.String()}
		if given {
			line.Href = documentHref(design.Document, place.first)
		}
		c.Lines = append(c.Lines, line)
	}
	passed := result.Verdict.Held()
	brief = brief && (passed || result.Verdict == evidence.Unsupported)
	show := func(seq int, answer bool) (fresh bool) {
		entry := run.Request(seq)
		if brief && (result.Pattern == nil || len(c.Sent) > 0) || entry == nil || c.Sent[seq] != nil {
			return false
		}
		c.Sent[seq] = &requestView{entry, answer, brief, options.Evidence}
		return true
	}
	if result.Pattern != nil {
		for _, kase := range result.Pattern.Cases {
			c.Cases++
			for _, step := range kase.Steps {
				c.Pages += step.Pages
				c.Count += step.Count
				c.Scanned += step.ScannedCount
				c.Capacity += step.CapacityUnits
				show(step.Request, !passed)
			}
			for _, decoy := range kase.Decoys {
				c.Decoys++
				if decoy.Avoided {
					c.DecoysAvoided++
				}
			}
		}
	}
	for _, trial := range result.Trials {
		for _, exchange := range trial.Exchanges {
			show(exchange.Request, !passed)
		}
	}
	if brief {
		c.shorten()
	}
	if !passed {
		for _, seq := range result.Requests {
			if len(c.Extra) == shownOfAClaim {
				break
			}
			if show(seq, true) {
				c.Extra = append(c.Extra, c.Sent[seq])
			}
		}
	}
	for _, id := range result.Departs {
		c.Departures = append(c.Departures, lineView{strings.TrimPrefix(id, design.Name+"/finding/"), knownHref(design, id)})
	}
	for _, other := range touching[result.ID] {
		if !slices.Contains(result.Departs, other) {
			c.Touching = append(c.Touching, lineView{strings.TrimPrefix(other, design.Name+"/finding/"), claimHref(other)})
		}
	}
	if result.Finding != nil {
		c.Related = related(design, result.Finding.Claims)
	}
	if result.Guardrail != nil {
		c.Related = related(design, result.Guardrail.Claims)
	}
	return c
}

// shorten leaves one case of a pattern, and one trial, and says what is left out.
func (c *claimView) shorten() {
	var left []string
	if c.Pattern != nil && len(c.Pattern.Cases) > 0 {
		short := *c.Pattern
		if more := len(short.Cases) - 1; more > 0 {
			left = append(left, Plural(more, "more case"))
		}
		short.Cases = slices.Clone(short.Cases[:1])
		if decoys := len(short.Cases[0].Decoys); decoys > 0 {
			left = append(left, Plural(decoys, "decoy"))
			short.Cases[0].Decoys = nil
		}
		c.Pattern = &short
	}
	tried := len(c.Trials)
	if tried > 0 {
		left = append(left, Plural(tried, "trial"))
	}
	if c.Pattern != nil || tried > 0 {
		left = append(left, "all requests")
	}
	c.Trials = nil
	c.Left = strings.Join(left, ", ")
}

func related(design *evidence.Design, ids []string) []lineView {
	var views []lineView
	for _, id := range ids {
		views = append(views, lineView{strings.TrimPrefix(id, design.Name+"/"), knownHref(design, id)})
	}
	return views
}

// knownHref leads to a claim of the design; it is empty when the run did not
// check the claim.
func knownHref(design *evidence.Design, id string) template.URL {
	if slices.ContainsFunc(design.Results, func(r evidence.Result) bool { return r.ID == id }) {
		return claimHref(id)
	}
	return ""
}

// Command is a line for the AWS CLI with the request as it was sent in it. Like [requestView.Answer] it is made where the page is
// written: those of all requests are more than the page is long.
func (r *requestView) Command() template.HTML { return commandLine(r.Entry, r.brief) }

// Answer is empty where the page does not show it.
func (r *requestView) Answer() template.HTML {
	if !r.answer || len(r.Response) == 0 {
		return ""
	}
	text := normalised(r.Response, " ")
	if len(text) > answerBytes {
		text = strings.ToValidUTF8(text[:answerBytes], "") + fmt.Sprintf("\n… and %d bytes more; see request %d in %s", len(text)-answerBytes, r.Seq, r.file)
	}
	return escaped(text)
}

// Error is what the engine refused the request with, or empty.
func (r *requestView) Error() string {
	if r.ErrorType == "" {
		return ""
	}
	return r.ErrorType + ": " + r.ErrorMessage
}

// commandLine writes a request for the AWS CLI, with the JSON as it was sent. There is none for an operation that is not DynamoDB's: nothing else
// stands in a line to paste.
func commandLine(entry *wire.Entry, brief bool) template.HTML {
	if method, known := reflect.TypeFor[*dynamodb.Client]().MethodByName(entry.Operation); !known || method.Type.NumIn() < 3 {
		return ""
	}
	indent := " "
	if brief {
		indent = "" // on one line
	}
	return escaped(cliinput.CommandLine(entry.Operation, entry.SignedRegion, "--cli-input-json", normalised(entry.Request, indent)))
}

func (p *reportView) newDesignView(design *evidence.Design) designView {
	view := designView{Design: design, Anchor: "/design/" + design.Name}
	for i := range p.Documents {
		if p.Documents[i].File == design.Document {
			view.Document = &p.Documents[i]
		}
	}
	of := part{results: design.Results, filter: url.Values{"design": {design.Name}}}
	view.Counts = of.figures(verdictColumns())
	byKind := map[string][]*claimView{}
	for i := range p.Claims {
		if claim := &p.Claims[i]; claim.Design == design.Name {
			byKind[claim.Kind] = append(byKind[claim.Kind], claim)
		}
	}
	view.Patterns, view.Findings, view.Rules = byKind["pattern"], byKind["finding"], byKind["guardrail"]
	slices.SortStableFunc(view.Findings, func(a, b *claimView) int {
		return cmp.Compare(slices.Index(severities, a.Severity()), slices.Index(severities, b.Severity()))
	})
	for _, kind := range kindsOf(p.Run) {
		if kind == "pattern" || kind == "finding" || kind == "guardrail" {
			continue
		}
		if len(byKind[kind]) > 0 {
			of.results = slices.DeleteFunc(slices.Clone(design.Results), func(r evidence.Result) bool { return r.Kind != kind })
			of.filter = url.Values{"design": {design.Name}, "kind": {kind}}
			view.Others = append(view.Others, kindCount{kind, of.figures(verdictColumns())})
		}
	}
	if design.Model != nil {
		for _, table := range design.Model.Tables {
			view.Tables = append(view.Tables, newTableView(design, table))
		}
	}
	return view
}

func newTableView(design *evidence.Design, table evidence.Table) tableView {
	view := tableView{
		Table: table, Deployed: design.Tables[table.ID],
		Claims: claimsHref(url.Values{"design": {design.Name}, "q": {"table/" + table.ID}}),
	}
	for _, entity := range design.Model.Entities {
		if entity.Table != table.ID {
			continue
		}
		row := entityRow{Entity: entity, Href: knownHref(design, design.Name+"/entity/"+entity.ID), Own: keysIn(entity, table.Keys)}
		for _, index := range table.Indexes {
			row.Index = append(row.Index, keysIn(entity, index.Keys))
		}
		view.Entities = append(view.Entities, row)
	}
	view.Picture = picture(view)
	return view
}

// keysIn returns the entity's forms of the given key attributes, or nothing when
// the entity lacks one of them: then it does not appear there.
func keysIn(entity evidence.Entity, keys []evidence.Key) []evidence.EntityKey {
	var found []evidence.EntityKey
	for _, key := range keys {
		at := slices.IndexFunc(entity.Keys, func(k evidence.EntityKey) bool { return k.Attribute == key.Attribute })
		if at < 0 {
			return nil
		}
		found = append(found, entity.Keys[at])
	}
	return found
}

// DocumentFile is the file that the claim cites.
func (c *claimView) DocumentFile() string {
	file, _ := cited(c.Cite)
	return file
}

// claimView is the page of one claim.
type claimView struct {
	evidence.Result
	Anchor string
	// Number is the claim's place in the list of all claims, from 0.
	Number int
	// Short is the id without the design's name.
	Short string
	Lines []lineView
	// Sent are the requests that are shown; Numbers names all of them.
	Sent    map[int]*requestView
	Numbers string
	// Accepted says who has accepted what the run leaves open of it, and until when.
	Accepted string
	// Left says what stands in the second file alone.
	Left string
	// Extra are requests of a claim that did not pass and that no step shows.
	Extra []*requestView
	// Totals over the cases of a pattern.
	Cases, DecoysAvoided, Decoys, Pages, Count, Scanned int
	Capacity                                            float64
	// Causes are failed claims that this one probably fails because of.
	Causes []string
	// Related are the claims that this one rests on, with links to those that
	// the run has.
	Related []lineView
	// Departures are the findings because of which the claim departs from the text, and Touching the other findings that rest on it.
	Departures, Touching []lineView
}

// problemView is a problem with a link to the document's line.
type problemView struct {
	evidence.Problem
	Href template.URL
	// Undecided is set where nothing was found to be wrong.
	Undecided bool
}

func problemOf(claim *claimView, problem evidence.Problem) problemView {
	view := problemView{Problem: problem, Undecided: claim.Verdict != evidence.Fail}
	if len(claim.Lines) > 0 && problem.Cite == claim.Cite {
		view.Href = claim.Lines[0].Href
	}
	return view
}

// tableView is a documented table with its entities and its picture.
type tableView struct {
	evidence.Table
	Deployed string
	Picture  template.HTML
	Entities []entityRow
	Claims   template.URL
}

// entityRow is an entity with its keys in the table and in each index; an index
// without the entity has none.
type entityRow struct {
	evidence.Entity
	Href  template.URL
	Own   []evidence.EntityKey
	Index [][]evidence.EntityKey
}

// HTMLOptions say what the report shows besides the evidence.
type HTMLOptions struct {
	// Documents maps file names to the lines of the documents. A document that
	// is not here has no page of its own; its text is never part of the
	// evidence.
	Documents map[string][]string
	// Lines holds, by file name, the account of every line of a document, as
	// `dynaproof documents` counts them. Without it a line rests on the claims whose
	// citation covers it.
	Lines map[string][]coverage.LineAccount
	// Evidence is the name of the file that the run is stored in, where it is not
	// evidence.json.gz.
	Evidence string
}

// lineView is a range of lines of the document, with a link where the document
// has a page.
type lineView struct {
	Text string
	Href template.URL
}

// requestView is a request as it was sent.
type requestView struct {
	*wire.Entry
	answer, brief bool
	// file is the one that the run is stored in.
	file string
}
