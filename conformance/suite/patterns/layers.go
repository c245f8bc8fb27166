package patterns

import (
	"cmp"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/suite/failures"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// Kept notes a layer that was seen to keep the rule of a guardrail or an invariant.
func Kept(o *observe.Observation, layer accesspatterns.Layer) {
	if !slices.Contains(o.KeptBy, string(layer)) {
		o.KeptBy = append(o.KeptBy, string(layer))
		slices.Sort(o.KeptBy)
	}
}

// keptInTrial notes what kept a rule in an attempt that went as expected: the guard
// or the engine where one of them refused a request; else the engine where the attempt
// wrote, because a key or a condition let the writes come to no harm; and else the
// access pattern as it is declared, which sent or showed no more than it may.
func keptInTrial(o *observe.Observation, trial fixtures.Trial, wrote bool) {
	if trial.Form != fixtures.Attempt {
		return
	}
	refused := false
	for i := range trial.Requests {
		want := &trial.Requests[i].Expect
		if want.Refused != "" {
			Kept(o, accesspatterns.LayerGuard)
		}
		if want.Error != "" {
			Kept(o, accesspatterns.LayerEngine)
		}
		refused = refused || want.Refused != "" || want.Error != ""
	}
	switch {
	case refused:
	case wrote:
		Kept(o, accesspatterns.LayerEngine)
	default:
		Kept(o, accesspatterns.LayerContract)
	}
}

// layers are what keeps a rule that a claim shows, by the claim's kind.
var layers = map[manifest.Kind]accesspatterns.Layer{
	manifest.KindSchema: accesspatterns.LayerDeployment, manifest.KindIndex: accesspatterns.LayerDeployment,
	manifest.KindPattern: accesspatterns.LayerContract, manifest.KindPolicy: accesspatterns.LayerPolicy,
}

// KeptByClaims notes what kept a rule that other claims show piece by piece.
func KeptByClaims(o *observe.Observation, ids []string) {
	for _, id := range ids {
		result, decided := o.Session.ResultOf(o.Session.Design.Name + "/" + id)
		if !decided || !result.Verdict.Held() {
			continue
		}
		if layer, keeps := layers[manifest.Kind(result.Kind)]; keeps {
			Kept(o, layer)
		} else if result.Guardrail != nil {
			o.KeptBy = append(o.KeptBy, result.Guardrail.KeptBy...)
		} else if result.Invariant != nil {
			o.KeptBy = append(o.KeptBy, result.Invariant.KeptBy...)
		} // else items are valid, whoever sees to it
	}
	o.KeptBy = lists.Sorted(o.KeptBy)
}

// KeptInFlow notes what kept an invariant in a run of its flow: the engine where it
// refused a write, or where a write stands or falls whole by a condition, by its
// transaction or because it is the only one; the order of the steps where the flow
// sent several writes.
func KeptInFlow(o *observe.Observation, written []any, err error) {
	if err != nil && failures.Classify(err) == failures.Refused {
		Kept(o, accesspatterns.LayerEngine)
	}
	if len(written) == 1 || slices.ContainsFunc(written, standsOrFalls) {
		Kept(o, accesspatterns.LayerEngine)
	}
	if len(written) > 1 {
		Kept(o, accesspatterns.LayerContract)
	}
}

// standsOrFalls reports whether a request is a transaction of several actions, or has
// a condition.
func standsOrFalls(input any) bool {
	writes, err := sdk.Writes(input)
	if err != nil {
		return false
	}
	_, transaction := input.(*dynamodb.TransactWriteItemsInput)
	return transaction && len(writes) > 1 || slices.ContainsFunc(writes, func(w sdk.Write) bool { return w.Condition != nil })
}

// CompareLayer compares the layer that the contract names with those that were seen. It says
// nothing where a part was not answered or went wrong: not all was seen then.
func CompareLayer(o *observe.Observation, declared accesspatterns.Layer) {
	if o.Instead != "" || len(o.Problems) > 0 {
		return
	}
	o.Must(slices.Contains(o.KeptBy, string(declared)), "what keeps the rule", string(declared), observe.ShowNames(o.KeptBy),
		remedy.LayerSeen)
}

// Judge compares the entities that a pattern names with those that its requests were
// seen to return or to write. What the last read of a pattern without writes returns
// is of no other entity.
func (s *Entities) Judge(o *observe.Observation, pattern *accesspatterns.Pattern) {
	if o.Instead != "" || len(o.Problems) > 0 {
		return
	}
	do := remedy.ReturnedEntities
	both := maps.Clone(s.read)
	maps.Copy(both, s.written)
	for _, entity := range pattern.Returns {
		o.Must(s.read[entity] || s.written[entity], "what the pattern returns", "items of entity "+entity,
			"of "+observe.ShowSet(slices.Collect(maps.Keys(both)))+" alone", do)
	}
	if len(s.written) > 0 || s.writes {
		return
	}
	for _, entity := range s.last {
		o.Must(slices.Contains(pattern.Returns, entity), "what the pattern returns",
			"items of "+observe.ShowNames(pattern.Returns), "an item of "+cmp.Or(entity, "none"), do)
	}
}

// Entities are those of the items that a pattern's requests returned and wrote,
// over all of its cases.
type Entities struct {
	read, written map[string]bool
	// last are those of its last read, which lastRead names.
	last     []string
	lastRead string
	// writes says that the pattern has a step that writes, reached or not.
	writes bool
}

// NewEntities is for the cases of a pattern, one after the other.
func NewEntities(pattern *accesspatterns.Pattern) *Entities {
	seen := &Entities{read: map[string]bool{}, written: map[string]bool{}, writes: pattern.Writes()}
	for _, step := range pattern.Steps {
		if step.Read != nil {
			seen.lastRead = step.Name
		}
	}
	return seen
}

// seeEntities notes the entities of the items that a read step returned, as they came.
func (r *replay) seeEntities(step accesspatterns.Step, expected []session.ExpectedItem, items []accesspatterns.Item) {
	table, known := r.s.Design.Table(step.Read.Table)
	if r.entities == nil || !known {
		return
	}
	for _, item := range items {
		found := entitiesOf(&r.s.Input, table, item, expected)
		for _, entity := range found {
			r.entities.read[entity] = true
		}
		if len(found) == 0 {
			found = []string{""}
		}
		if step.Name == r.entities.lastRead && len(found) == 1 && !slices.Contains(r.entities.last, found[0]) {
			r.entities.last = append(r.entities.last, found[0])
		}
	}
}

// entitiesOf returns of what an item may be: the entity of the fixture that it equals,
// and where that names none, or there is none, those whose key has its form and says
// most. "MILESTONE#1#AWARD#0" is no milestone with the id "1#AWARD#0".
func entitiesOf(s *session.Input, table *accesspatterns.Table, item accesspatterns.Item, expected []session.ExpectedItem) []string {
	for _, e := range expected {
		if fixture, known := s.Fixtures.Item(e.Name); known && fixture.Entity != "" && dynamo.EqualItems(e.Item, item) {
			return []string{fixture.Entity}
		}
	}
	return lists.Map(s.Design.EntitiesOf(table.ID, item), func(entity *accesspatterns.Entity) string { return entity.ID })
}
