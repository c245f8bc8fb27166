package report

import (
	"fmt"
	"html/template"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns/cliinput"
	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
)

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

type claimView struct {
	evidence.Result
	Anchor string
	// Number is the claim's place in the list of all claims, from 0.
	Number int
	// Short is the id without the design's name.
	Short string
	// DocumentFile is the file that the claim cites.
	DocumentFile string
	Lines        []lineView
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

// Operation says what a pattern sends, in a few words.
func (c *claimView) Operation() string {
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
	steps := []evidence.Step{{Operation: c.Pattern.Operation, Table: c.Pattern.Table, Index: c.Pattern.Index}}
	for _, kase := range c.Pattern.Cases {
		steps = append(steps, kase.Steps...)
	}
	return joined(lists.Where(lists.With(nil, lists.Map(steps, of)...), func(text string) bool { return text != "" }))
}

const (
	// shownOfAClaim is how many further requests of a claim without a pass are
	// shown, and answerBytes how much of an answer: the ledger has the rest.
	shownOfAClaim = 4
	answerBytes   = 1500
)

func newClaimView(run *evidence.Run, design *evidence.Design, result evidence.Result, touching map[string][]string, options HTMLOptions, brief bool) claimView {
	c := claimView{
		Result: result, Anchor: "/claim/" + result.ID, Short: strings.TrimPrefix(result.ID, design.Name+"/"),
		Numbers: evidence.Ranges(result.Requests), Sent: map[int]*requestView{},
	}
	given := len(options.Documents[design.Document]) > 0
	file, places := cited(result.Cite)
	c.DocumentFile = file
	for _, place := range places {
		line := lineView{Text: place.String()}
		if given {
			line.Href = template.URL(fmt.Sprintf("#/document/%s/L%d", escapedPath(design.Document), place.first))
		}
		c.Lines = append(c.Lines, line)
	}
	passed := result.Verdict.Held()
	brief = brief && (passed || result.Verdict == evidence.Unsupported)
	show := func(seq int) (fresh bool) {
		entry := run.Request(seq)
		if brief && (result.Pattern == nil || len(c.Sent) > 0) || entry == nil || c.Sent[seq] != nil {
			return false
		}
		c.Sent[seq] = &requestView{entry, !passed, brief, options.Evidence}
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
				show(step.Request)
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
			show(exchange.Request)
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
			if show(seq) {
				c.Extra = append(c.Extra, c.Sent[seq])
			}
		}
	}
	c.Departures = related(design, "finding/", result.Departs)
	c.Touching = related(design, "finding/", lists.Where(touching[result.ID], func(id string) bool { return !slices.Contains(result.Departs, id) }))
	if result.Finding != nil {
		c.Related = related(design, "", result.Finding.Claims)
	}
	if result.Guardrail != nil {
		c.Related = related(design, "", result.Guardrail.Claims)
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

// related names claims of a design without its name, and without what else all of them begin with.
func related(design *evidence.Design, kind string, ids []string) []lineView {
	return lists.Map(ids, func(id string) lineView {
		return lineView{strings.TrimPrefix(id, design.Name+"/"+kind), knownHref(design, id)}
	})
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

// lineView is a range of lines of the document, with a link where the document
// has a page.
type lineView struct {
	Text string
	Href template.URL
}

type requestView struct {
	*wire.Entry
	answer, brief bool
	// file is the one that the run is stored in.
	file string
}
