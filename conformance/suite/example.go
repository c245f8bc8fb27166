package suite

import (
	"context"

	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/validate"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
)

// checkExample holds when an item that the document writes out is stored and
// comes back equal, attribute by attribute and type by type, and is what the
// document writes.
func checkExample(ctx context.Context, s *session.Session, o *observe.Observation) {
	fixture, known := s.Fixtures.Item(o.Claim.Subject)
	if !known {
		o.Cannot(evidence.Error, "the fixtures have no item %s", o.Claim.Subject)
		return
	}
	where := "item " + fixture.Name
	table, err := s.Fixtures.TableOf(s.Design, fixture)
	if err != nil {
		o.Broken(where, err)
		return
	}
	put, err := s.PutOf(fixture.Name)
	if err != nil {
		o.Missing(where, table.ID, err)
		return
	}
	item := put.Item
	if _, err := s.Client.PutItem(ctx, put); err != nil {
		o.Request(where+", PutItem", err)
		return
	}
	got, err := s.Get(ctx, table, table.KeyOf(item))
	if err != nil {
		o.Request(where+", GetItem", err)
		return
	}
	if !o.Must(got != nil, where+", GetItem", dynamo.ShowItem(item), "no item", remedy.UnlikePrimaryKey) {
		return
	}
	for _, difference := range dynamo.Differences(item, got) {
		o.Fail(where+", read back", "every attribute as it was put", difference, remedy.UnlikeItem)
	}
	departures(s, o, fixture.Name)
	entity, known := s.Design.Entity(fixture.Entity)
	if !known {
		return
	}
	for _, violation := range validate.Item(entity, got) {
		o.Fail(where+", as "+entity.Title, "an item that "+entity.Title+" allows", violation.String(),
			remedy.CitedEntity)
	}
}

// departures compares the example with the document, where it is at hand. Where it
// is not, the example rests on the fixtures alone.
func departures(s *session.Session, o *observe.Observation, name string) {
	if s.Source == nil {
		o.Note("not compared with the document: %v", s.SourceProblem)
		return
	}
	for _, example := range s.Design.Examples {
		if example.ID != name {
			continue
		}
		where := s.Design.Document.Cite(example.Cite)
		departures, err := s.Fixtures.Departures(s.Source, example)
		if err != nil {
			// A document that changed since it was transcribed; its own claim names
			// the lines.
			departures = []string{err.Error()}
		}
		o.Saw()
		for _, departure := range departures {
			o.Fail(where, "the item as the document writes it", departure, remedy.FixtureAsWritten)
		}
	}
}
