package safewrite

import (
	"maps"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
)

// Forecast says of requests, without sending any, whether a guard would refuse them on
// tables that hold nothing of others. It keeps what its own requests would have written.
type Forecast struct {
	guard *Guard
	holds map[string]accesspatterns.Item
}

// Forecast begins with tables that hold the items that the run loads, by table and
// key.
func (g *Guard) Forecast(loaded map[string][]accesspatterns.Item) *Forecast {
	f := &Forecast{guard: g, holds: map[string]accesspatterns.Item{}}
	for name, items := range loaded {
		for _, item := range items {
			f.holds[keyID(name, keyOf(g.tables[name], item))] = item
		}
	}
	return f
}

// Again returns a forecast from what this one holds now, which the other leaves alone.
func (f *Forecast) Again() *Forecast { return &Forecast{guard: f.guard, holds: maps.Clone(f.holds)} }

// Refusal returns why the guard would refuse a request; empty when it would send it.
func (f *Forecast) Refusal(operation string, parameters any) string {
	g := f.guard
	switch input := parameters.(type) {
	case *dynamodb.GetItemInput, *dynamodb.BatchGetItemInput, *dynamodb.TransactGetItemsInput:
		for _, asked := range keysAsked(parameters) {
			if reason := g.withheldKey(asked); reason != "" {
				return reason
			}
		}
		return ""
	case *dynamodb.QueryInput:
		return g.unreadable(g.partitionOf(input))
	case *dynamodb.PutItemInput, *dynamodb.UpdateItemInput, *dynamodb.DeleteItemInput, *dynamodb.TransactWriteItemsInput:
		return f.write(operation, parameters)
	}
	return g.never(operation, parameters)
}

func (f *Forecast) write(operation string, parameters any) string {
	writes, err := f.guard.takenApart(operation, parameters)
	if err != nil {
		return err.Error()
	}
	for _, w := range writes {
		if reason := f.guard.barred(w); reason != "" {
			return reason
		}
		if err := w.computed(f.holds[w.id()]); err != nil {
			return err.Error()
		}
		if reason := f.guard.shows(w); reason != "" {
			return reason
		}
	}
	return ""
}

// Write notes that a request that was not refused was carried out.
func (f *Forecast) Write(operation string, parameters any) {
	writes, err := f.guard.takenApart(operation, parameters)
	if err != nil {
		return
	}
	for _, w := range writes {
		if w.change != check && w.computed(f.holds[w.id()]) == nil {
			f.holds[w.id()] = w.after
		}
	}
}
