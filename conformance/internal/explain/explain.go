package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agext/levenshtein"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// Options say how a claim is explained.
type Options struct {
	// Documents is the folder of the design documents.
	Documents string
	// Environment fills {env} in table names, where the last run in it has not deployed others.
	Environment string
	// Region stands in AWS CLI lines where the document fixes none. Empty leaves
	// it to the CLI's own configuration.
	Region string
	// At is the moment to which relative times in fixtures are resolved.
	At time.Time
	// Items adds the content of expected items and decoys.
	Items bool
	// Last are the last runs, the latest first.
	Last []*evidence.Run
}

// Explanation is what stands behind a claim.
type Explanation struct {
	Claim    manifest.Claim `json:"claim"`
	Document Document       `json:"document"`
	// Facts are what the contract says, in the order in which they are read.
	Facts []Fact `json:"facts,omitempty"`
	// Requests decide the claim, in the order in which they are sent.
	Requests []Request `json:"requests,omitempty"`
	// Decoys are loaded items that the requests must not return.
	Decoys []Decoy `json:"decoys,omitempty"`
	// RestsOn are the ids of the claims that must hold too.
	RestsOn []string `json:"restsOn,omitempty"`
	// Items are the contents of the items that are named, in DynamoDB's JSON.
	Items map[string]json.RawMessage `json:"items,omitempty"`
	// Last is the verdict of the latest run that checked the claim, nil when none did.
	Last *Last `json:"last,omitempty"`
}

// Document is the cited part of the document.
type Document struct {
	File string `json:"file"`
	// SHA256 is the pinned digest, Found that of the file that was read.
	SHA256 string `json:"sha256"`
	Found  string `json:"found,omitempty"`
	// Problem says why there are no lines, and Cited what the contract says of them.
	Problem string  `json:"problem,omitempty"`
	Cited   []Cited `json:"cited,omitempty"`
	Lines   []Line  `json:"lines,omitempty"`
}

// Cited are lines of the document and the words that must stand there, each on at
// least one of them.
type Cited struct {
	First int      `json:"first"`
	Last  int      `json:"last"`
	Words []string `json:"words,omitempty"`
}

// Line is one line of the document.
type Line struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
}

// Fact is one statement of the contract, or of the fixtures.
type Fact = manifest.Fact

// Request is one request with the answer that must come.
type Request struct {
	// Where names the case, trial or item that the request belongs to.
	Where     string `json:"where"`
	Operation string `json:"operation"`
	// Input is the request's body. It is what --cli-input-json takes.
	Input json.RawMessage `json:"input,omitempty"`
	// Command is the request as a line for a POSIX shell.
	Command string `json:"command"`
	// Expect names the items that must come back, in order where Ordered.
	Expect  []string `json:"expect,omitempty"`
	Ordered bool     `json:"ordered,omitempty"`
	// Outcome says in words what must come, where it is not a list of items.
	Outcome string `json:"outcome,omitempty"`
	// Why says what the request shows.
	Why string `json:"why,omitempty"`
	// onePage says that the CLI must not follow pages by itself, as it does
	// unless told: it would read past a documented limit.
	onePage bool
}

// Decoy is an item that a slightly wrong request would return.
type Decoy struct {
	Where string `json:"where"`
	Item  string `json:"item"`
	Why   string `json:"why"`
}

// Last is the verdict of the last run.
type Last struct {
	Finished time.Time       `json:"finished"`
	Command  string          `json:"command"`
	Engine   string          `json:"engine"`
	Result   evidence.Result `json:"result"`
}

// Explainer explains claims. It reads each design's contract and fixtures once, and none
// that no claim asks for.
type Explainer struct {
	options Options
	designs map[string]*known
}

// known is what is known of a design; its fixtures are nil until a claim is explained.
type known struct {
	*accesspatterns.Design
	claims []manifest.Claim
	set    *fixtures.Set
}

// New returns an Explainer.
func New(options Options) *Explainer { return &Explainer{options, map[string]*known{}} }

func (x *Explainer) read(name string) (*known, error) {
	if x.designs[name] == nil {
		design, err := designs.Find(name)
		if err != nil {
			return nil, err
		}
		x.designs[name] = &known{Design: design, claims: manifest.Claims(design)}
	}
	return x.designs[name], nil
}

// Claim explains one claim. An id may be given without its design where that is unambiguous.
func (x *Explainer) Claim(id string) (*Explanation, error) {
	claim, err := x.Find(id)
	if err != nil {
		return nil, err
	}
	of, err := x.read(claim.Design)
	if err == nil && of.set == nil {
		of.set, err = fixtures.Load(of.Name, x.options.At)
	}
	if err != nil {
		return nil, err
	}
	e := &explainer{Input: session.InEnvironment(of.Design, of.set, x.options.Environment), claim: claim, options: x.options, out: &Explanation{Claim: claim, RestsOn: manifest.RestsOn(of.Design, claim)}}
	maps.Copy(e.Deployment.Tables, x.deployed(of.Name))
	e.document()
	e.last()
	if claim.Basis != accesspatterns.Stated {
		e.fact(claim.Basis.String(), "%s", claim.Because)
	}
	if err = e.kind(); err == nil {
		err = e.items()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", claim.ID, err)
	}
	return e.out, nil
}

// deployed are the names of a design's tables in the last run in the environment: they may carry a prefix.
func (x *Explainer) deployed(design string) map[string]string {
	for _, run := range x.options.Last {
		for i := range run.Designs {
			if run.Designs[i].Stack == design+"."+x.options.Environment {
				return run.Designs[i].Tables
			}
		}
	}
	return nil
}

// Find returns the claim of an id, which may lack its design.
func (x *Explainer) Find(id string) (manifest.Claim, error) {
	named, _, _ := strings.Cut(id, "/")
	names := designs.Names()
	if at := slices.Index(names, named); at > 0 {
		names = slices.Insert(slices.Delete(names, at, at+1), 0, named) // the others may not be needed
	}
	var all, inADesign []manifest.Claim
	for _, name := range names {
		of, err := x.read(name)
		if err != nil {
			return manifest.Claim{}, err
		}
		for _, claim := range of.claims {
			if claim.ID == id {
				return claim, nil
			}
			if claim.ID == claim.Design+"/"+id {
				inADesign = append(inADesign, claim)
			}
		}
		all = append(all, of.claims...)
	}
	if len(inADesign) == 1 {
		return inADesign[0], nil
	}
	offered := nearest(id, all)
	if len(inADesign) > 0 {
		offered = lists.Map(inADesign, func(candidate manifest.Claim) string { return candidate.ID })
	}
	return manifest.Claim{}, fmt.Errorf("expected the id of a claim, found %q; nearest: %s; `dynaproof claims` lists all", id, strings.Join(offered, ", "))
}

// explainer is one explanation in progress.
type explainer struct {
	session.Input
	claim   manifest.Claim
	options Options
	out     *Explanation
	// named are the items that stand in the explanation.
	named []string
	// modules are those of the last run that checked the claim.
	modules map[string]string
}

func (e *explainer) fact(name, format string, args ...any) {
	if text := fmt.Sprintf(format, args...); text != "" {
		e.out.Facts = append(e.out.Facts, Fact{Name: name, Text: text})
	}
}

// document reads the cited lines, each once and in order.
func (e *explainer) document() {
	pinned := e.Design.Document
	e.out.Document = Document{File: pinned.File, SHA256: pinned.SHA256}
	source, err := coverage.Read(e.options.Documents, pinned)
	if err != nil {
		e.out.Document.Problem = err.Error()
		for _, cite := range e.claim.Citation.Places() {
			e.out.Document.Cited = append(e.out.Document.Cited, Cited{cite.First, cite.Last, cite.Tokens})
		}
		return
	}
	e.out.Document.Found = source.SHA256
	var numbers []int
	for _, cite := range e.claim.Citation.Places() {
		for number := cite.First; number <= min(cite.Last, source.Len()); number++ {
			numbers = append(numbers, number)
		}
	}
	for _, number := range lists.Sorted(numbers) {
		e.out.Document.Lines = append(e.out.Document.Lines, Line{number, source.Line(number)})
	}
}

// last finds the verdict of the last run.
func (e *explainer) last() {
	for _, run := range e.options.Last {
		for _, result := range run.Results() {
			if result.ID == e.claim.ID {
				e.modules = run.Modules
				e.out.Last = &Last{run.Finished, run.Command, strings.TrimSpace(run.Target.Engine + " " + run.Target.Version), result}
				return
			}
		}
	}
}

// items adds the content of the named items.
func (e *explainer) items() error {
	if !e.options.Items {
		return nil
	}
	e.out.Items = map[string]json.RawMessage{}
	for _, name := range e.named {
		item, err := e.FixtureItem(name)
		if err != nil {
			return err
		}
		e.out.Items[name] = json.RawMessage(dynamo.ShowItem(item))
	}
	return nil
}

// idsOffered is how many ids are offered for one that does not exist.
const idsOffered = 3

// nearest returns the ids with the smallest edit distance, also when the design
// was left out.
func nearest(id string, claims []manifest.Claim) []string {
	distance := map[string]int{}
	var ids []string
	for _, claim := range claims {
		path := strings.TrimPrefix(claim.ID, claim.Design+"/")
		distance[claim.ID] = min(levenshtein.Distance(id, claim.ID, nil), levenshtein.Distance(id, path, nil))
		ids = append(ids, claim.ID)
	}
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(distance[a], distance[b]) })
	return ids[:min(idsOffered, len(ids))]
}
