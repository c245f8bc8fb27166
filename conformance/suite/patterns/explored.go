package patterns

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/explore"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// explorations make those of this process, each once, by contract and claim: they are the same however often they are asked for.
var explorations sync.Map

// Explore returns the exploration of one claim, or of a claim's formula. The first call of the process for a contract and its items
// does the work.
func Explore(design *accesspatterns.Design, set *fixtures.Set, claim string) (*explore.Law, error) {
	text, err := json.Marshal(design)
	if err != nil {
		return nil, err
	}
	items := set.Explored()
	for _, item := range items {
		text = append(text, item.Entity+dynamo.ShowItem(item.Item)...)
	}
	known, _ := explorations.LoadOrStore(fmt.Sprintf("%x %s", sha256.Sum256(text), claim), sync.OnceValues(func() (*explore.Law, error) {
		return explore.One(design, explore.BasesOf(design, items), explore.Usual, claim)
	}))
	return known.(func() (*explore.Law, error))()
}

// CheckExplored decides a claim that rests on exploration alone.
func CheckExplored(ctx context.Context, _ *session.Session, o *observe.Observation) {
	if o.Session.Unexplored {
		o.Cannot(evidence.Indeterminate, "not explored: the run has changed the contract")
	} else if Explored(ctx, o) {
		o.Rested = append(o.Rested, evidence.Static)
	}
}

// Explored looks whether the claim's exploration found what the contract says, and notes how far it went. It says no
// where there is nothing to look at.
func Explored(ctx context.Context, o *observe.Observation) bool {
	s := o.Session
	if s.Fixtures == nil {
		o.Cannot(evidence.Indeterminate, "not explored: there are no items to make others from")
		return false
	}
	claim := strings.TrimPrefix(o.Claim.ID, s.Design.Name+"/")
	law, err := Explore(s.Design, s.Fixtures, claim)
	if err != nil {
		o.Cannot(evidence.Error, "exploration: %v", err)
		return false
	}
	if untold := law.Untold(); untold != "" {
		o.Cannot(evidence.Indeterminate, "%s", untold)
		return false
	}
	o.Saw()
	for _, problem := range law.Unlike(s.Design) {
		o.Fail("exploration", "what the contract says of the claim", problem, remedy.NotAsExplored)
	}
	for _, line := range law.Evidence() {
		o.Note("%s", line)
	}
	replayShortest(ctx, o, law)
	return true
}
