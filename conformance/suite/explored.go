package suite

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/explore"
	"dynaproof/conformance/evidence"
	"dynaproof/fixtures"
)

// explorations are those of this process, by contract and claim: they are the same however often they are asked for.
var explorations sync.Map

type exploration struct {
	once sync.Once
	law  *explore.Law
	err  error
}

// Explore returns the exploration of one claim, or of a claim's formula. The first call of the process for a contract does
// the work.
func Explore(design *accesspatterns.Design, set *fixtures.Set, claim string) (*explore.Law, error) {
	text, err := json.Marshal(design)
	if err != nil {
		return nil, err
	}
	known, _ := explorations.LoadOrStore(fmt.Sprintf("%x %s", sha256.Sum256(text), claim), new(exploration))
	e := known.(*exploration)
	e.once.Do(func() { e.law, e.err = explore.One(design, set.Explored(), explore.Usual, claim) })
	return e.law, e.err
}

// checkExplored decides a claim that rests on exploration alone.
func checkExplored(ctx context.Context, _ *Session, o *Observation) {
	if o.session.Unexplored {
		o.cannot(evidence.Indeterminate, "not explored: the run has changed the contract")
	} else if o.explored(ctx) {
		o.evaluated = true
		o.rested = append(o.rested, evidence.Static)
	}
}

// explored looks whether the claim's exploration found what the contract says, and notes how far it went. It says no
// where there is nothing to look at.
func (o *Observation) explored(ctx context.Context) bool {
	s := o.session
	if s.Fixtures == nil {
		o.cannot(evidence.Indeterminate, "not explored: there are no items to make others from")
		return false
	}
	claim := strings.TrimPrefix(o.claim.ID, s.Design.Name+"/")
	law, err := Explore(s.Design, s.Fixtures, claim)
	if err != nil {
		o.cannot(evidence.Error, "exploration: %v", err)
		return false
	}
	o.saw()
	for _, problem := range law.Unlike(s.Design) {
		o.fail("exploration", "what the contract says of the claim", problem, notAsExplored)
	}
	for _, line := range law.Evidence() {
		o.note("%s", line)
	}
	trialCheck{o}.replayed(ctx, law)
	return true
}
