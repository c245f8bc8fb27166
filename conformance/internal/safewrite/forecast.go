package safewrite

import (
	"maps"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
)

// Forecast says of requests, without sending any, whether a protection would refuse them on
// tables that hold nothing of others. It keeps what its own requests would have written.
type Forecast struct {
	protection *Protection
	holds      map[string]accesspatterns.Item
}

// Forecast begins with tables that hold the items that the run loads, by table and
// key.
func (p *Protection) Forecast(loaded map[string][]accesspatterns.Item) *Forecast {
	f := &Forecast{protection: p, holds: map[string]accesspatterns.Item{}}
	for name, items := range loaded {
		for _, item := range items {
			f.holds[keyID(name, keyOf(p.tables[name], item))] = item
		}
	}
	return f
}

// Again returns a forecast from what this one holds now, which the other leaves alone.
func (f *Forecast) Again() *Forecast {
	return &Forecast{protection: f.protection, holds: maps.Clone(f.holds)}
}

// Refusal returns why the protection would refuse a request; empty when it would send it.
func (f *Forecast) Refusal(operation string, parameters any) string {
	p := f.protection
	switch input := parameters.(type) {
	case *dynamodb.GetItemInput, *dynamodb.BatchGetItemInput, *dynamodb.TransactGetItemsInput:
		for _, asked := range keysAsked(parameters) {
			if reason := p.withheldKey(asked); reason != "" {
				return reason
			}
		}
		return ""
	case *dynamodb.QueryInput:
		return p.unreadable(p.partitionOf(input))
	case *dynamodb.PutItemInput, *dynamodb.UpdateItemInput, *dynamodb.DeleteItemInput, *dynamodb.TransactWriteItemsInput:
		return f.write(operation, parameters)
	}
	return p.never(operation, parameters)
}

func (f *Forecast) write(operation string, parameters any) string {
	writes, err := f.protection.takenApart(operation, parameters)
	if err != nil {
		return err.Error()
	}
	for _, w := range writes {
		if reason := f.protection.barred(w); reason != "" {
			return reason
		}
		if err := w.computed(f.holds[w.id()]); err != nil {
			return err.Error()
		}
		if reason := f.protection.shows(w); reason != "" {
			return reason
		}
	}
	return ""
}

// Write notes that a request that was not refused was carried out.
func (f *Forecast) Write(operation string, parameters any) {
	writes, err := f.protection.takenApart(operation, parameters)
	if err != nil {
		return
	}
	for _, w := range writes {
		if w.change != check && w.computed(f.holds[w.id()]) == nil {
			f.holds[w.id()] = w.after
		}
	}
}
