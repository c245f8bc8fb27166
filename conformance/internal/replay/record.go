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

// notCheckable is what the contract lists as promised and decided by no check.
func notCheckable(design *accesspatterns.Design) (all []evidence.NotCheckable) {
	return lists.Map(design.NotCheckable, func(promise accesspatterns.NotCheckable) evidence.NotCheckable {
		return evidence.NotCheckable{ID: promise.ID, Cite: design.Document.Cite(promise.Cite), Says: promise.Says, Because: promise.Because}
	})
}

// countWaivers keeps a design's waivers with the requests that were made under each.
func (r *Replay) countWaivers(design *accesspatterns.Design, session *session.Session) {
	used := session.WaivedRequests()
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.design(design.Name)
	for _, waiver := range design.Waivers {
		seen.Waivers = append(seen.Waivers, evidence.Waiver{
			ID: waiver.ID, Reason: waiver.Reason, Cite: design.Document.Cite(waiver.Cite), Requests: used[waiver.ID],
			Owner: waiver.Owner, Since: waiver.Since, Until: waiver.Until,
		})
	}
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

// modelOf keeps what a contract promises to be deployed, so that a report needs
// the evidence alone.
func modelOf(design *accesspatterns.Design) *evidence.Model {
	model := &evidence.Model{Title: design.Title}
	for i := range design.Tables {
		model.Tables = append(model.Tables, tableOf(design, &design.Tables[i]))
	}
	for entity := range lists.Each(design.Entities) {
		shown := evidence.Entity{
			ID: entity.ID, Title: entity.Title, Table: entity.Table, Cite: design.Document.Cite(entity.Cite), Addition: entity.Cite.Basis.Because,
		}
		for _, key := range entity.Keys {
			shown.Keys = append(shown.Keys, evidence.EntityKey{
				Attribute: key.Attribute, Template: string(key.Template), Optional: key.Optional,
				Type: string(key.ValueType()),
			})
		}
		model.Entities = append(model.Entities, shown)
	}
	return model
}

func tableOf(design *accesspatterns.Design, table *accesspatterns.Table) evidence.Table {
	shown := evidence.Table{
		ID: table.ID, Name: string(table.Name), Cite: design.Document.Cite(table.Cite), Keys: keysOf(table.Keys()),
		Billing: string(table.Billing), PITR: table.PITR != nil, Encryption: table.Encryption != nil,
	}
	if table.TTL != nil {
		shown.TTL = table.TTL.Attribute
	}
	if table.Region != nil {
		shown.Region = table.Region.Region
	}
	for name, value := range table.Tags {
		if shown.Tags == nil {
			shown.Tags = map[string]string{}
		}
		shown.Tags[name] = string(value)
	}
	for index := range lists.Each(table.Indexes) {
		shown.Indexes = append(shown.Indexes, evidence.Index{
			Name: index.Name, Cite: design.Document.Cite(index.Cite), Keys: keysOf(slices.Concat(index.AllKeys())),
			Projection: string(index.Projection), NonKeyAttributes: index.NonKeyAttributes,
		})
	}
	return shown
}

func keysOf(keys []accesspatterns.Key) []evidence.Key {
	return lists.Map(keys, func(key accesspatterns.Key) evidence.Key {
		return evidence.Key{Attribute: key.Attribute, Type: string(key.Type)}
	})
}
