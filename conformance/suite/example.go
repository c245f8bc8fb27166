package suite

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/validate"
	"dynaproof/conformance/evidence"
)

// checkExample holds when an item that the document writes out is stored and
// comes back equal, attribute by attribute and type by type, and is what the
// document writes.
func checkExample(ctx context.Context, s *Session, o *Observation) {
	fixture, known := s.Fixtures.Item(o.claim.Subject)
	if !known {
		o.cannot(evidence.Error, "the fixtures have no item %s", o.claim.Subject)
		return
	}
	where := "item " + fixture.Name
	table, err := s.Fixtures.TableOf(s.Design, fixture)
	if err != nil {
		o.broken(where, err)
		return
	}
	name, err := s.TableName(table.ID)
	if err != nil {
		o.missing(where, table.ID, err)
		return
	}
	item := accesspatterns.Item(fixture.Item)
	if _, err := s.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(name), Item: item}); err != nil {
		o.request(where+", PutItem", err)
		return
	}
	got, err := loader{s}.get(ctx, table, table.KeyOf(item))
	if err != nil {
		o.request(where+", GetItem", err)
		return
	}
	if !o.must(got != nil, where+", GetItem", accesspatterns.ShowItem(item), "no item", unlikePrimaryKey) {
		return
	}
	for _, difference := range accesspatterns.Differences(item, got) {
		o.fail(where+", read back", "every attribute as it was put", difference, unlikeItem)
	}
	s.departures(o, fixture.Name)
	entity, known := s.Design.Entity(fixture.Entity)
	if !known {
		return
	}
	for _, violation := range validate.Item(entity, got) {
		o.fail(where+", as "+entity.Title, "an item that "+entity.Title+" allows", violation.String(),
			citedEntity)
	}
}

// departures compares the example with the document, where it is at hand. Where it
// is not, the example rests on the fixtures alone.
func (s *Session) departures(o *Observation, name string) {
	if s.Source == nil {
		o.note("not compared with the document: %v", s.SourceProblem)
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
		o.saw()
		for _, departure := range departures {
			o.fail(where, "the item as the document writes it", departure, fixtureAsWritten)
		}
	}
}
