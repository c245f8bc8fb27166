package safewrite

import (
	"maps"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/sdk"
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

// Send returns why the protection would refuse a request; where it is empty, the request is carried out from then on.
func (f *Forecast) Send(request any) string {
	operation := sdk.Operation(request)
	switch request.(type) {
	case *dynamodb.GetItemInput, *dynamodb.BatchGetItemInput, *dynamodb.TransactGetItemsInput, *dynamodb.QueryInput:
		_, reason := f.protection.unaskable(request)
		return reason
	case *dynamodb.PutItemInput, *dynamodb.UpdateItemInput, *dynamodb.DeleteItemInput, *dynamodb.TransactWriteItemsInput:
		return f.write(operation, request)
	}
	return f.protection.never(operation, request)
}

func (f *Forecast) write(operation string, request any) string {
	writes, err := f.protection.takenApart(operation, request)
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
	for _, w := range writes {
		if w.change != check {
			f.holds[w.id()] = w.after
		}
	}
	return ""
}
