package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/document/drafter"
	thirdwitness "dynaproof/accesspatterns/document/witness"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/must"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

func (r *Replay) design(name string) *evidence.Design {
	at := slices.IndexFunc(r.evidence.Designs, func(d evidence.Design) bool { return d.Name == name })
	if at < 0 {
		at = len(r.evidence.Designs)
		r.evidence.Designs = append(r.evidence.Designs, evidence.Design{Name: name})
	}
	return &r.evidence.Designs[at]
}

// record keeps a verdict and returns it. Once the engine is lost, no verdict
// stands: what it rests on may be what the engine no longer answered.
func (r *Replay) record(result evidence.Result) evidence.Result {
	if lost := r.lostWith(result.Verdict); lost != nil {
		result = undecided(result, evidence.Error, lost.Error())
	}
	r.add(result)
	return result
}

func (r *Replay) add(result evidence.Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	design := r.design(result.Design)
	design.Results = append(design.Results, result)
	r.phases["replay"] += time.Duration(result.Microseconds) * time.Microsecond
}

// countWaivers keeps a design's waivers with the requests that were made under each.
func (r *Replay) countWaivers(design *accesspatterns.Design, session *session.Session) {
	used := session.WaivedRequests()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.design(design.Name).Waive(design, used)
}

// objections are those of the machine that reads the document, at the contract's level.
func (r *Replay) objections(design *accesspatterns.Design) ([]evidence.Objection, error) {
	reached, _, err := thirdwitness.Of(design, r.options.Documents)
	var all []evidence.Objection
	if text, err := fs.ReadFile(input.Design(r.options.Documents), "contract.yaml"); err == nil {
		if marked := drafter.Marked(text); len(marked) > 0 {
			all = append(all, evidence.Objection{ID: "unconfirmed/contract.yaml", Message: fmt.Sprintf(
				"no second witness: the machine wrote %d lines of contract.yaml of the document, the first is line %d; compare each with it, and remove the mark `%s`", len(marked), marked[0], drafter.Mark)})
		}
	}
	for _, objection := range reached {
		all = append(all, evidence.Objection{ID: objection.ID, Line: objection.Line, Message: objection.Message, Answer: objection.Answer})
	}
	return all, err
}

// Evidence returns what the run has seen so far.
func (r *Replay) Evidence(interrupted bool) *evidence.Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.evidence.Designs {
		design := &r.evidence.Designs[i]
		design.Claims = lists.Count(must.Have(designs.Manifest()), func(claim manifest.Claim) bool { return claim.Design == design.Name }) // a test reads it
	}
	seen := r.evidence
	seen.Finished = time.Now().UTC()
	seen.Interrupted = interrupted
	seen.Strict = r.options.Strict
	seen.Private = r.cloud != nil || r.readOnly || r.options.Existing
	seen.Ledger = r.entries()
	seen.Phases = nil
	for _, name := range []string{"engine start", "deploy", "load", "replay", "destroy"} {
		seen.Phases = append(seen.Phases, evidence.Phase{Name: name, Microseconds: r.phases[name].Microseconds()})
	}
	return &seen
}

// Inputs returns the digests of what this executable carries and verdicts rest on, for [evidence.Run.Inputs].
// They are made once for the designs that are in the catalog.
func Inputs() (map[string]string, error) {
	present := designs.Present()
	made, _ := madeInputs.LoadOrStore(present, sync.OnceValues(inputs))
	found, err := made.(func() (map[string]string, error))()
	return maps.Clone(found), err
}

// madeInputs are what inputs returned, by the catalog.
var madeInputs sync.Map

func inputs() (map[string]string, error) {
	committed, err := designs.GenerateManifest()
	if err != nil {
		return nil, fmt.Errorf("digest of the contract: %w", err)
	}
	sums, err := fixtures.Sums()
	if err != nil {
		return nil, err
	}
	return map[string]string{"contract": digestOf(committed), "fixtures": digestOf(sums)}, nil
}

func digestOf(text []byte) string {
	digest := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(digest[:])
}

// modules lists the versions of the modules that a verdict can depend on. Those that deploy are told by what deploys.
func modules() map[string]string {
	versions := map[string]string{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return versions
	}
	versions["go"] = info.GoVersion
	versions["dynaproof"] = info.Main.Version
	decisive := []string{
		"github.com/aws/aws-sdk-go-v2/service/dynamodb", "github.com/gruntwork-io/terratest", "github.com/onsi/ginkgo/v2",
	}
	for _, module := range info.Deps {
		if slices.Contains(decisive, module.Path) {
			versions[module.Path] = module.Version
		}
	}
	return versions
}
