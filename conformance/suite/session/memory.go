package session

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/conformance/internal/flow"
	"dynaproof/conformance/suite/recorder"
	"dynaproof/fixtures"
)

// Carrier has the requests of patterns answered.
type Carrier interface {
	Read(ctx context.Context, read *accesspatterns.Read, repetitions []accesspatterns.Params, pageSize int32) (*flow.Answer, error)
	Write(ctx context.Context, request any) error
	Get(ctx context.Context, input *dynamodb.GetItemInput) (accesspatterns.Item, error)
}

// Carrier answers the requests of the session's patterns.
func (s *Session) Carrier() Carrier {
	if s.Memory != nil {
		return s.Memory
	}
	return s.Runner()
}

// InMemory is a session whose tables are in memory, where its patterns find the loaded items. It can do nothing else.
func InMemory(design *accesspatterns.Design, set *fixtures.Set) *Session {
	input := Input{Design: design, Fixtures: set, Deployment: Deployment{Tables: map[string]string{}}}
	s := &Session{Input: input, Recorder: recorder.New(), Loaded: map[string]accesspatterns.Item{}, Memory: &flow.Memory{Design: design, Tables: evaluate.Tables{}}}
	for i := range design.Tables {
		id := design.Tables[i].ID
		s.Deployment.Tables[id], s.Memory.Tables[id] = id, map[string]accesspatterns.Item{}
	}
	for i := range set.Items {
		item := accesspatterns.Item(set.Items[i].Item)
		if table, err := set.TableOf(design, &set.Items[i]); err == nil && !set.Items[i].Held { // what is of no table is a mistake, of which the fixtures' own check tells
			s.Loaded[evaluate.KeyIn(table, item)], s.Memory.Tables[table.ID][evaluate.KeyText(table, item)] = item, item
		}
	}
	return s
}

// Anew returns a session in memory that holds the loaded items again.
func Anew(s *Session) *Session {
	return &Session{Input: s.Input, Recorder: recorder.New(), Loaded: s.Loaded, Memory: s.Memory.Clone()}
}
