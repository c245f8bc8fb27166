package evidence

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/internal/redact"
	"dynaproof/conformance/internal/wholefile"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/target"
)

// Version names the format of evidence.json.gz. It changes when a reader of the
// older format would misunderstand a newer file.
const Version = "dynaproof/evidence/v2"

// NotListed is what is found of a documented table that ListTables does not name.
const NotListed = "none of that name"

// Problem is one way in which a claim does not hold.
type Problem struct {
	// Expected and Found say what the document promises and what was observed.
	Expected string `json:"expected"`
	Found    string `json:"found"`
	// Where names the place: table, index, item, case, request.
	Where string `json:"where"`
	// Cite is the document's line: "roll-model.md:5".
	Cite string `json:"cite"`
	// Do says what to do about it.
	Do string `json:"do,omitempty"`
}

// Fact is one thing that a claim asserts: "type" is "String".
type Fact = manifest.Fact

// Compared is a property of a deployment beside what the contract expects of it.
type Compared struct {
	Where    string `json:"where"`
	Expected string `json:"expected"`
	Found    string `json:"found"`
}

// Result is the verdict on one claim.
type Result struct {
	// ID is the claim's id in the manifest.
	ID     string `json:"id" jsonschema:"pattern=^[A-Za-z0-9._/*{}#:\\[\\]-]+$"`
	Design string `json:"design" jsonschema:"pattern=^[A-Za-z0-9_-]+$"`
	Kind   string `json:"kind" jsonschema:"pattern=^[a-z]+$"`
	Title  string `json:"title"`
	// Cite is the document and lines that the claim was transcribed from.
	Cite string `json:"cite"`
	// Basis says how the document carries the claim: stated, implied, or chosen by
	// the project where the document leaves it open. Because is the reason, or the
	// ruling or finding that chose.
	Basis   string  `json:"basis,omitempty"`
	Because string  `json:"because,omitempty"`
	Verdict Verdict `json:"verdict"`
	Grade   Grade   `json:"grade"`
	// Declared names what the target declared beforehand that it cannot answer:
	// "documents", "existing stack", "races", "region", "encryption" or "operation NAME". Only a
	// claim that is unsupported has it.
	Declared string `json:"declared,omitempty"`
	// Waiver is the id of the waiver that the verdict rests on.
	Waiver string `json:"waiver,omitempty"`
	// Departs are the ids of the findings because of which the run asked for something
	// else than the cited lines say.
	Departs []string `json:"departs,omitempty"`
	// Says is what the claim asserts, from the contract: types, values, the steps of a flow. It is empty for a finding, of which Finding
	// says it, and in evidence of earlier releases.
	Says []Fact `json:"says,omitempty"`
	// Problems are empty for a claim that passed.
	Problems []Problem `json:"problems,omitempty"`
	// Compared are the properties of a table or an index that the claim is about, as expected and as found.
	Compared []Compared `json:"compared,omitempty"`
	// Notes are observations that do not decide the verdict.
	Notes []string `json:"notes,omitempty"`
	// Noted are those of the notes that tell of a difference which fails nothing: a choice that the document leaves open, or
	// a setting of which it does not speak.
	Noted []string `json:"noted,omitempty"`
	// Observations counts what was looked at. A claim with none never passes.
	Observations int `json:"observations"`
	// Requests are the sequence numbers of the ledger entries that the verdict
	// rests on.
	Requests []int `json:"requests,omitempty"`
	// Microseconds is the time that the check took.
	Microseconds int64 `json:"microseconds"`
	// Pattern, Finding, Guardrail and Invariant are set for claims of those kinds that were
	// examined; Trials for findings and guardrails that requests have shown.
	Pattern   *Pattern   `json:"pattern,omitempty"`
	Finding   *Finding   `json:"finding,omitempty"`
	Guardrail *Guardrail `json:"guardrail,omitempty"`
	Invariant *Invariant `json:"invariant,omitempty"`
	Trials    []Trial    `json:"trials,omitempty"`
}

// Promise has a result say what its claim says, whatever a run saw, and where the contract is given what that says of it: nothing of a claim
// that is none of the contract's any more.
func (r *Result) Promise(design *accesspatterns.Design, claim manifest.Claim) {
	r.ID, r.Design, r.Kind, r.Title, r.Cite = claim.ID, claim.Design, string(claim.Kind), claim.Title, claim.Cite
	r.Basis, r.Because, r.Waiver = claim.Basis.String(), claim.Because, claim.Waiver
	if design == nil {
		return
	}
	named := func(ids []string) []string {
		return lists.Map(ids, func(id string) string { return design.Name + "/" + id })
	}
	r.Departs = nil
	for _, finding := range design.Findings {
		if slices.Contains(named(finding.Departs), claim.ID) {
			r.Departs = append(r.Departs, design.Name+"/finding/"+finding.ID)
		}
	}
	if claim.Kind != manifest.KindFinding {
		r.Says = manifest.Says(design, claim, "")
	} else if of, known := design.Finding(claim.Subject); known && r.Finding != nil {
		r.Finding = &Finding{
			Kind: of.Kind, Severity: string(of.Severity), Literal: of.Literal, Resolved: of.Resolved,
			Claims: named(of.Claims), Departs: named(of.Departs), Instead: of.Instead, Static: of.Static,
		}
	}
}

// Design is what was seen of one design.
type Design struct {
	Name string `json:"name" jsonschema:"pattern=^[A-Za-z0-9_-]+$"`
	// Level is how far the replay went: schema, items, reads, writes or resilience. Empty for an audit, which compares tables alone.
	Level string `json:"level,omitempty"`
	// Stack is the Pulumi stack's name; empty for an audit.
	Stack string `json:"stack,omitempty"`
	// Document is the document's file name, and SHA256 the digest that the
	// contract pins. Read says whether the document itself was read in this run.
	Document string `json:"document"`
	SHA256   string `json:"sha256"`
	Read     bool   `json:"documentRead"`
	// Model is what the document promises to be deployed.
	Model *Model `json:"model,omitempty"`
	// Tables maps logical ids to deployed names.
	Tables map[string]string `json:"tables"`
	// Region is the region for which requests were signed.
	Region string `json:"region"`
	// Waivers are the named exceptions that results rest on.
	Waivers []Waiver `json:"waivers,omitempty"`
	// NotCheckable is what the document promises and no check decides.
	NotCheckable []NotCheckable `json:"notCheckable,omitempty"`
	// NoProof says what of the design proves nothing, although it held: cases whose expectations were computed, a document that describes the deployment.
	NoProof []string `json:"noProof,omitempty"`
	// Objections are those of the machine that read the document against the contract.
	Objections []Objection `json:"objections,omitempty"`
	// Claims counts those of the contract, also what was not run; 0 in evidence of earlier releases.
	Claims  int      `json:"claims,omitempty"`
	Results []Result `json:"results"`
	// Failure says why the design could not be deployed or loaded.
	Failure string `json:"failure,omitempty"`
}

// NotCheckable is a promise of the document that no check decides, and why.
type NotCheckable struct {
	ID      string `json:"id" jsonschema:"pattern=^[A-Za-z0-9._/-]+$"`
	Cite    string `json:"cite"`
	Says    string `json:"says"`
	Because string `json:"because"`
}

// Objection is a difference between the contract and the document as a machine reads
// it. It decides no claim.
type Objection struct {
	// ID is the kind of the difference, and the contract's element or what the document has.
	ID string `json:"id"`
	// Line is the document's line; 0 where the contract alone is at fault.
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
	// Answer is the contract's reason why it does not hold; empty for an open one.
	Answer string `json:"answer,omitempty"`
}

// Waiver is a named exception and how often it was used.
type Waiver struct {
	ID     string `json:"id" jsonschema:"pattern=^[A-Za-z0-9._/-]+$"`
	Reason string `json:"reason"`
	Cite   string `json:"cite"`
	// Owner says who answers for the exception; Since and Until are its first and last
	// day, as 2006-01-02. Until is empty for one that does not expire.
	Owner string `json:"owner,omitempty"`
	Since string `json:"since,omitempty"`
	Until string `json:"until,omitempty"`
	// Requests counts the requests that were made under the waiver.
	Requests int `json:"requests"`
}

// Acceptance says that somebody has accepted what a run leaves open of a claim. It changes no verdict.
type Acceptance struct {
	Claim string `json:"claim" jsonschema:"pattern=^[A-Za-z0-9._/*{}#:\\[\\]-]+$"`
	By    string `json:"by"`
	// Since and Until are the first and the last day, as 2006-01-02.
	Since string `json:"since,omitempty"`
	Until string `json:"until"`
	Note  string `json:"note,omitempty"`
}

// Over says that an acceptance did not hold any more, or not yet, at a time.
func (a *Acceptance) Over(at time.Time) bool {
	day := at.UTC().Format(time.DateOnly)
	return day > a.Until || a.Since != "" && day < a.Since
}

// Phase is a part of a run and the time that it took, all designs together. The phases
// of different designs may go on at the same time: on embedded engines the next design
// is deployed, and the last one removed, while one is replayed.
type Phase struct {
	Name         string `json:"name" jsonschema:"pattern=^[a-z ]+$"`
	Microseconds int64  `json:"microseconds"`
}

// Run is everything that one run has seen.
type Run struct {
	// Version is [Version].
	Version string `json:"version"`
	// ID tells this run from every other one: 26 letters and digits, made when the run began; empty in evidence of earlier releases.
	ID string `json:"id,omitempty" jsonschema:"pattern=^[a-z2-7]+$"`
	// Signer is the id of the key with which the run's attestation is signed; empty when it is unsigned.
	Signer string `json:"signer,omitempty" jsonschema:"pattern=^[0-9a-f]+$"`
	// Command reproduces the run.
	Command string `json:"command"`
	// Started and Finished are in UTC.
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	// Interrupted says that the run was stopped before its end.
	Interrupted bool `json:"interrupted,omitempty"`
	// Private says that the tables or the account are somebody's: the run was on AWS, on an existing stack, or an audit. Its
	// files are then for their owner alone, and names of tables that are not the run's own are replaced.
	Private bool `json:"private,omitempty"`
	// Names says whether names of accounts, callers, people and tables of others were replaced ("redacted") or kept, because
	// somebody asked for them ("kept"). It is empty in evidence of earlier releases, which kept them.
	Names string `json:"names,omitempty" jsonschema:"enum=redacted,enum=kept"`
	// Target is the engine that answered.
	Target target.Description `json:"target"`
	// Modules are the versions of the main modules in use.
	Modules map[string]string `json:"modules"`
	// Inputs are the digests of what the executable carries and the verdicts rest on, "sha256:" and 64 hexadecimal digits: "contract" is
	// the manifest of all claims, and "fixtures" the output of sha256sum for all files of fixtures.
	Inputs map[string]string `json:"inputs,omitempty"`
	// Guardrails is what the stacks were deployed with, "enforce" or "off", whatever the default of their documents; empty where the
	// run deployed none.
	Guardrails string `json:"guardrails,omitempty" jsonschema:"enum=enforce,enum=off"`
	// Strict says that the run fails, too, while an objection of the document's reader is open, and where the document leaves a
	// choice and a deployment that is somebody's chose otherwise than the contract.
	Strict bool `json:"strict,omitempty"`
	// Environment holds the variables of the environment that changed what the run did, those named DYNAPROOF_*. Of a key it says
	// only that it was set.
	Environment map[string]string `json:"environment,omitempty"`
	Designs     []Design          `json:"designs"`
	// Accepted are the open points that somebody has accepted, from a status file.
	Accepted []Acceptance `json:"accepted,omitempty"`
	// Phases say where the time went.
	Phases []Phase `json:"phases"`
	// Ledger holds every request that passed the wire, in order.
	Ledger []wire.Entry `json:"ledger"`

	file string // see [Run.FileDigest]
}

// Results returns the results of all designs.
func (r *Run) Results() []Result {
	results := make([]Result, 0, r.Sum(func(d *Design) int { return len(d.Results) }))
	for i := range r.Designs {
		results = append(results, r.Designs[i].Results...)
	}
	return results
}

// Design returns what was seen of a design, or nil.
func (r *Run) Design(name string) *Design {
	at := slices.IndexFunc(r.Designs, func(d Design) bool { return d.Name == name })
	if at < 0 {
		return nil
	}
	return &r.Designs[at]
}

// Request returns the entry of the ledger with a sequence number, or nil.
func (r *Run) Request(seq int) *wire.Entry {
	at, found := slices.BinarySearchFunc(r.Ledger, seq, func(entry wire.Entry, seq int) int { return cmp.Compare(entry.Seq, seq) })
	if !found {
		return nil
	}
	return &r.Ledger[at]
}

// OpenObjections are those that the contract does not answer.
func (d *Design) OpenObjections() []Objection {
	return lists.Where(d.Objections, func(o Objection) bool { return o.Answer == "" })
}

// Sum adds up what a function says of each design.
func (r *Run) Sum(of func(*Design) int) (sum int) {
	for i := range r.Designs {
		sum += of(&r.Designs[i])
	}
	return sum
}

// OpenObjections counts the objections of all designs that the contract does not answer.
func (r *Run) OpenObjections() int {
	return r.Sum(func(d *Design) int { return len(d.OpenObjections()) })
}

// SignKeyVariable names the variable of the environment that holds the key of the attestation, as PEM or as the name of a file.
const SignKeyVariable = "DYNAPROOF_SIGN_KEY"

// NewID returns the id of a new run.
func NewID() string { return strings.ToLower(rand.Text()) }

// Environment returns the variables of this process that change what a run does.
func Environment() map[string]string {
	found := map[string]string{}
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		switch {
		case name == SignKeyVariable:
			found[name] = "set"
		case strings.HasPrefix(name, "DYNAPROOF_"):
			found[name] = value
		}
	}
	return found
}

// Signature says in words whether the run's attestation is signed, and with which key.
func (r *Run) Signature() string {
	if r.Signer == "" {
		return "unsigned"
	}
	return "signed with key " + r.Signer
}

// ExitCode decides the process exit code.
func (r *Run) ExitCode() ExitCode {
	counts := Count(r.Results())
	broken := counts[Indeterminate] + counts[Error] + lists.Count(r.Results(), func(result Result) bool {
		return result.Verdict == Unsupported && result.Declared == "" // nobody knew beforehand that the target cannot answer
	})
	if slices.ContainsFunc(r.Designs, func(d Design) bool { return d.Failure != "" }) {
		broken++
	}
	switch {
	case counts[Fail] > 0, r.Strict && r.OpenObjections() > 0:
		return DoesNotConform
	case broken > 0, r.Interrupted, counts[Pass] == 0:
		return CouldNotTell
	}
	return Conforms
}

// rangesShown is how many ranges of requests of a claim are written out.
const rangesShown = 8

// Ranges writes the numbers of requests as "3, 7–9", and of many ranges the first ones.
func Ranges(numbers []int) string {
	var words []string
	for i := 0; i < len(numbers); {
		if len(words) == rangesShown {
			words = append(words, fmt.Sprintf("and more, %d in all", len(numbers)))
			break
		}
		last := i
		for last+1 < len(numbers) && numbers[last+1] == numbers[last]+1 {
			last++
		}
		if last == i {
			words = append(words, fmt.Sprint(numbers[i]))
		} else {
			words = append(words, fmt.Sprintf("%d–%d", numbers[i], numbers[last]))
		}
		i = last + 1
	}
	return strings.Join(words, ", ")
}

// Findings counts the findings of the documents that stand, and those of high severity among them.
func Findings(results []Result) (found, high int) {
	standing := lists.Where(results, func(r Result) bool { return r.Verdict.Found() })
	return len(standing), lists.Count(standing, func(r Result) bool { return r.Finding != nil && r.Finding.Severity == "high" })
}

// Count counts results by verdict.
func Count(results []Result) map[Verdict]int {
	counts := map[Verdict]int{}
	for i := range results {
		counts[results[i].Verdict]++
	}
	return counts
}

// What became of names.
const (
	NamesRedacted = "redacted"
	NamesKept     = "kept"
)

// Redacted returns the run without secrets, and without the names of accounts, callers, people and tables of others
// unless they are kept on purpose; the run itself where all were replaced already.
func (r *Run) Redacted() *Run {
	switch r.Names {
	case NamesRedacted:
		return r
	case NamesKept:
		return redact.Copy(r, redact.Secrets)
	}
	names := redact.Names{Account: r.Target.Account, Caller: r.Target.Caller}
	if r.Private {
		names.Tables = []string{}
		known := map[string]bool{} // words of the documents, which name nobody's table
		for i := range r.Designs {
			names.Tables = slices.AppendSeq(names.Tables, maps.Values(r.Designs[i].Tables))
			for id := range r.Designs[i].Tables {
				known[id] = true
			}
		}
		for i := range r.Ledger {
			names.Strangers = append(names.Strangers, redact.Strangers(string(r.Ledger[i].Response), names.Tables)...)
		}
		slices.Sort(names.Strangers)
		names.Strangers = slices.DeleteFunc(slices.Compact(names.Strangers), func(name string) bool { return known[name] })
	}
	clean := *redact.Copy(r, redact.New(names).Text)
	clean.Names = NamesRedacted
	return &clean
}

// Mode is the mode of files that hold what the run saw: those of a private run are for their owner alone.
func (r *Run) Mode() fs.FileMode {
	if r.Private {
		return wholefile.Private
	}
	return wholefile.Report
}
