package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/internal/tables"
	"dynaproof/conformance/lab"
	"dynaproof/conformance/suite"
)

// added is an item that must not be there: an index shows it beside those that a
// case of the pattern expects.
type added struct {
	name, table, index string
	item, key          accesspatterns.Item
	// hidden is how many answers the item is left out of: as many as one look takes,
	// whole and item by item, and two more. An index is late for a while, not for ever.
	hidden int
}

// is reports whether an item of an answer is the one that was added.
func (a *added) is(item json.RawMessage) bool {
	shown, err := attributevalue.UnmarshalMapJSON(item)
	return err == nil && dynamo.PartOf(a.key, shown)
}

// add puts an item that must not be there into an index that the pattern reads, in
// half of the runs of such patterns: a copy of an expected item under another key.
// An item that no read of the pattern shows is taken away again.
func (w *worker) add(ctx context.Context, j job, random *rand.Rand) (*added, error) {
	if j.claim.Kind != manifest.KindPattern || random.IntN(2) == 0 {
		return nil, nil
	}
	pattern, _ := w.session.Design.Pattern(j.claim.Subject)
	var found []added
	for _, step := range pattern.Steps {
		if step.Read == nil || step.Read.Index == "" {
			continue
		}
		table, _ := w.session.Design.Table(step.Read.Table)
		deployed, err := w.session.TableName(table.ID)
		if err != nil {
			return nil, err
		}
		for _, c := range w.session.Fixtures.CasesOf(pattern.ID) {
			if c.Interfere != nil {
				continue
			}
			for _, name := range c.Steps[step.Name] {
				if copied := lab.Elsewhere(table, w.loaded(table, name)); copied != nil {
					found = append(found, added{name: name, table: deployed, index: step.Read.Index, item: copied, key: table.KeyOf(copied), hidden: 3 + len(c.Steps[step.Name])})
				}
			}
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	extra := found[random.IntN(len(found))]
	if _, err := w.engine.PutItem(ctx, &dynamodb.PutItemInput{TableName: &extra.table, Item: extra.item}); err != nil {
		return nil, err
	}
	if verdict := suite.Decide(ctx, j.claim, w.session, nil).Verdict; verdict != evidence.Fail {
		return nil, w.remove(ctx, &extra)
	}
	return &extra, nil
}

// loaded returns the item as the table holds it whose key, or of which a projection, a
// case expects; nil when it is not loaded.
func (w *worker) loaded(table *accesspatterns.Table, name string) accesspatterns.Item {
	expected, known := w.session.Fixtures.Item(name)
	if !known {
		return nil
	}
	deployed, _ := w.session.TableName(table.ID)
	return w.before[deployed+" "+dynamo.KeyID(table.KeyOf(accesspatterns.Item(expected.Item)))]
}

func (w *worker) remove(ctx context.Context, extra *added) error {
	_, err := w.engine.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &extra.table, Key: extra.key})
	return err
}

// exchange makes every table of the design anew, as they are on an engine that was
// started again and deployed to: of the same form, without items, with other ids. It goes
// through the wire, which answers what the engine lacks.
func (w *worker) exchange(ctx context.Context) error {
	operator := tables.At(w.replay.Endpoint(), w.session.Deployment.Region)
	err := operator.Restore(ctx, nil, "")
	if err == nil {
		err = tables.MakeAll(ctx, operator.Client, w.session.Design, replay.DefaultEnvironment, w.session.Deployment.Tables)
	}
	if err != nil {
		return fmt.Errorf("exchanging the tables: %w", err)
	}
	return nil
}
