package suite

import (
	"cmp"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/fixtures"
)

// layerCheck is a check that tells which layer keeps a rule.
type layerCheck struct{ *Observation }

// kept notes a layer that was seen to keep the rule of a guardrail or an invariant.
func (o layerCheck) kept(layer accesspatterns.Layer) {
	if !slices.Contains(o.keptBy, string(layer)) {
		o.keptBy = append(o.keptBy, string(layer))
		slices.Sort(o.keptBy)
	}
}

// keptInTrial notes what kept a rule in an attempt that went as expected: the guard
// or the engine where one of them refused a request; else the engine where the attempt
// wrote, because a key or a condition let the writes come to no harm; and else the
// access pattern as it is declared, which sent or showed no more than it may.
func (o layerCheck) keptInTrial(trial fixtures.Trial, wrote bool) {
	if trial.Form != fixtures.Attempt {
		return
	}
	refused := false
	for i := range trial.Requests {
		want := &trial.Requests[i].Expect
		if want.Refused != "" {
			o.kept(accesspatterns.LayerGuard)
		}
		if want.Error != "" {
			o.kept(accesspatterns.LayerEngine)
		}
		refused = refused || want.Refused != "" || want.Error != ""
	}
	switch {
	case refused:
	case wrote:
		o.kept(accesspatterns.LayerEngine)
	default:
		o.kept(accesspatterns.LayerContract)
	}
}

// keptByClaims notes what kept a rule that other claims show piece by piece.
func (o layerCheck) keptByClaims(ids []string) {
	o.session.mu.Lock()
	defer o.session.mu.Unlock()
	for _, id := range ids {
		result, decided := o.session.decided[o.session.Design.Name+"/"+id]
		if !decided || !result.Verdict.Held() {
			continue
		}
		switch manifest.Kind(result.Kind) {
		case manifest.KindSchema, manifest.KindIndex:
			o.kept(accesspatterns.LayerDeployment)
		case manifest.KindPattern:
			o.kept(accesspatterns.LayerContract)
		case manifest.KindPolicy:
			o.kept(accesspatterns.LayerPolicy)
		case manifest.KindGuardrail:
			o.keptBy = append(o.keptBy, result.Guardrail.KeptBy...)
		case manifest.KindInvariant:
			o.keptBy = append(o.keptBy, result.Invariant.KeptBy...)
		default: // an entity, an attribute, a rule: items are valid, whoever sees to it
		}
	}
	slices.Sort(o.keptBy)
	o.keptBy = slices.Compact(o.keptBy)
}

// keptInFlow notes what kept an invariant in a run of its flow: the engine where it
// refused a write, or where a write stands or falls whole by a condition, by its
// transaction or because it is the only one; the order of the steps where the flow
// sent several writes.
func (o layerCheck) keptInFlow(written []any, err error) {
	if err != nil && classify(err) == refused {
		o.kept(accesspatterns.LayerEngine)
	}
	if len(written) == 1 || slices.ContainsFunc(written, standsOrFalls) {
		o.kept(accesspatterns.LayerEngine)
	}
	if len(written) > 1 {
		o.kept(accesspatterns.LayerContract)
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

// layer compares the layer that the contract names with those that were seen. It says
// nothing where a part was not answered or went wrong: not all was seen then.
func (o layerCheck) layer(declared accesspatterns.Layer) {
	if o.instead != "" || len(o.problems) > 0 {
		return
	}
	o.must(slices.Contains(o.keptBy, string(declared)), "what keeps the rule", string(declared), showNames(o.keptBy),
		layerSeen)
}

// judge compares the entities that a pattern names with those that its requests were
// seen to return or to write. What the last read of a pattern without writes returns
// is of no other entity.
func (s *seenEntities) judge(o *Observation, pattern *accesspatterns.Pattern) {
	if o.instead != "" || len(o.problems) > 0 {
		return
	}
	do := returnedEntities
	for _, entity := range pattern.Returns {
		o.must(s.read[entity] || s.written[entity], "what the pattern returns", "items of entity "+entity,
			"of "+showNames(union(s.read, s.written))+" alone", do)
	}
	if len(s.written) > 0 || s.writes {
		return
	}
	for _, entity := range s.last {
		o.must(slices.Contains(pattern.Returns, entity), "what the pattern returns",
			"items of "+showNames(pattern.Returns), "an item of "+cmp.Or(entity, "none"), do)
	}
}

// seenEntities are the entities of the items that a pattern's requests returned and wrote,
// over all of its cases.
type seenEntities struct {
	read, written map[string]bool
	// last are those of its last read.
	last []string
	// writes says that the pattern has a step that writes, reached or not.
	writes bool
}

func seeEntities(pattern *accesspatterns.Pattern) *seenEntities {
	return &seenEntities{
		read: map[string]bool{}, written: map[string]bool{},
		writes: slices.ContainsFunc(pattern.Steps, func(step accesspatterns.Step) bool { return step.Read == nil }),
	}
}

// seeEntities notes the entities of the items that a read step returned, as they came.
func (r *replay) seeEntities(step accesspatterns.Step, expected []expectedItem, items []accesspatterns.Item) {
	table, known := r.s.Design.Table(step.Read.Table)
	if r.entities == nil || !known {
		return
	}
	steps := r.pattern.Steps
	last := steps[slices.IndexFunc(steps, func(s accesspatterns.Step) bool { return s.Name == step.Name }):]
	isLast := !slices.ContainsFunc(last[1:], func(s accesspatterns.Step) bool { return s.Read != nil })
	for _, item := range items {
		found := r.s.entities(table, item, expected)
		for _, entity := range found {
			r.entities.read[entity] = true
		}
		if len(found) == 0 {
			found = []string{""}
		}
		if isLast && len(found) == 1 && !slices.Contains(r.entities.last, found[0]) {
			r.entities.last = append(r.entities.last, found[0])
		}
	}
}

// entities returns of what an item may be: the entity of the fixture that it equals,
// and where that names none, or there is none, those whose key has its form and says
// most. "MILESTONE#1#AWARD#0" is no milestone with the id "1#AWARD#0".
func (s *Input) entities(table *accesspatterns.Table, item accesspatterns.Item, expected []expectedItem) []string {
	for _, e := range expected {
		if fixture, known := s.Fixtures.Item(e.name); known && fixture.Entity != "" && accesspatterns.EqualItems(e.item, item) {
			return []string{fixture.Entity}
		}
	}
	most := -1
	var found []string
	for i := range s.Design.Entities {
		entity := &s.Design.Entities[i]
		if entity.Table != table.ID {
			continue
		}
		literals, fits := 0, true
		for _, key := range table.Keys() {
			own, has := entity.Key(key.Attribute)
			if !has || item[key.Attribute] == nil {
				fits = false
				break
			}
			_, err := own.Template.Parse(accesspatterns.ScalarText(item[key.Attribute]))
			fits = fits && err == nil
			literals += len(parameter.ReplaceAllString(string(own.Template), ""))
		}
		switch {
		case !fits || literals < most:
		case literals > most:
			most, found = literals, []string{entity.ID}
		default:
			found = append(found, entity.ID)
		}
	}
	return found
}
