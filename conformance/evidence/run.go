package evidence

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"dynaproof/conformance/internal/wholefile"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/target"
)

// Version names the format of evidence.json. It changes when a reader of the
// older format would misunderstand a newer file.
const Version = "dynaproof/evidence/v1"

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

// Result is the verdict on one claim.
type Result struct {
	// ID is the claim's id in the manifest.
	ID     string `json:"id"`
	Design string `json:"design"`
	Kind   string `json:"kind"`
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
	// "documents", "existing stack", "races", "region" or "operation NAME". Only a
	// claim that is unsupported has it.
	Declared string `json:"declared,omitempty"`
	// Waiver is the id of the waiver that the verdict rests on.
	Waiver string `json:"waiver,omitempty"`
	// Problems are empty for a claim that passed.
	Problems []Problem `json:"problems,omitempty"`
	// Notes are observations that do not decide the verdict.
	Notes []string `json:"notes,omitempty"`
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

// Design is what was seen of one design.
type Design struct {
	Name string `json:"name"`
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
	Results []Result `json:"results"`
	// Failure says why the design could not be deployed or loaded.
	Failure string `json:"failure,omitempty"`
}

// Waiver is a named exception and how often it was used.
type Waiver struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
	Cite   string `json:"cite"`
	// Requests counts the requests that were made under the waiver.
	Requests int `json:"requests"`
}

// Phase is a part of a run and the time that it took, all designs together. The phases
// of different designs may go on at the same time: on embedded engines the next design
// is deployed, and the last one removed, while one is replayed.
type Phase struct {
	Name         string `json:"name"`
	Microseconds int64  `json:"microseconds"`
}

// Run is everything that one run has seen.
type Run struct {
	// Version is [Version].
	Version string `json:"version"`
	// Command reproduces the run.
	Command string `json:"command"`
	// Started and Finished are in UTC.
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	// Interrupted says that the run was stopped before its end.
	Interrupted bool `json:"interrupted,omitempty"`
	// Target is the engine that answered.
	Target target.Description `json:"target"`
	// Modules are the versions of the main modules in use.
	Modules map[string]string `json:"modules"`
	Designs []Design          `json:"designs"`
	// Phases say where the time went.
	Phases []Phase `json:"phases"`
	// Ledger holds every request that passed the wire, in order.
	Ledger []wire.Entry `json:"ledger"`
}

// Results returns the results of all designs.
func (r *Run) Results() []Result {
	var results []Result
	for i := range r.Designs {
		results = append(results, r.Designs[i].Results...)
	}
	return results
}

// ExitCode decides the process exit code.
func (r *Run) ExitCode() ExitCode {
	counts := Count(r.Results())
	broken := counts[Indeterminate] + counts[Error]
	for _, result := range r.Results() {
		if result.Verdict == Unsupported && result.Declared == "" {
			broken++ // nobody knew beforehand that the target cannot answer
		}
	}
	for i := range r.Designs {
		if r.Designs[i].Failure != "" {
			broken++
		}
	}
	switch {
	case counts[Fail] > 0:
		return DoesNotConform
	case broken > 0, r.Interrupted, counts[Pass] == 0:
		return CouldNotTell
	}
	return Conforms
}

// Count counts results by verdict.
func Count(results []Result) map[Verdict]int {
	counts := map[Verdict]int{}
	for i := range results {
		counts[results[i].Verdict]++
	}
	return counts
}

// Write stores the run as JSON. The file appears whole or not at all.
func (r *Run) Write(path string) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	if err := wholefile.Write(path, append(text, '\n'), wholefile.Report); err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	return nil
}

// Read loads a stored run. It refuses formats that it does not know.
func Read(path string) (*Run, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("evidence: %w", err)
	}
	var run Run
	if err := json.Unmarshal(text, &run); err != nil {
		return nil, fmt.Errorf("evidence %s: %w", path, err)
	}
	if run.Version != Version {
		return nil, fmt.Errorf("evidence %s: expected version %s, found %q; render it with the release that wrote it", path, Version, run.Version)
	}
	return &run, nil
}
