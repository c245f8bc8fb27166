package accesspatterns

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/tabletest"
)

// each is a step that is repeated for the items of another, whose attributes bind parameters.
type each struct {
	Step        string
	Bind        [][2]string
	Except, And *each
}

func (e *each) of() *ForEach {
	if e == nil {
		return nil
	}
	of := &ForEach{Step: e.Step, Except: e.Except.of(), And: e.And.of()}
	for _, pair := range e.Bind {
		of.Bind = append(of.Bind, Binding{Attribute: pair[0], Parameter: pair[1]})
	}
	return of
}

func TestRepetitions(t *testing.T) {
	table := tabletest.Read[struct {
		Returned map[string][]map[string]any
		Steps    []struct {
			Name    string
			Each    *each
			Want    []Params
			Refused string
		}
		Days []struct {
			Name, From, To string
			AtMost         int
			Want           []string
			Refused        string
		}
		Ends []struct {
			Name      string
			WhenEmpty bool
			At        []string // the number of each repetition; nil where the step asks for none
			Seen      int
			Ends      bool
			Refused   string
		}
	}](t, "repetitions.yaml")
	returned := map[string][]Item{}
	for name, items := range table.Returned {
		returned[name] = nil
		for _, item := range items {
			returned[name] = append(returned[name], tabletest.Item(t, item))
		}
	}
	for _, row := range table.Steps {
		params := Params{"p": "x"}
		step := Step{Name: "step", ForEach: row.Each.of()}
		got, err := step.Repetitions(params, returned)
		as(t, row.Name, row.Refused, err, row.Want, got)
		assert.Len(t, params, 1, "%s: the parameters of the run were changed", row.Name)
	}
	for _, row := range table.Days {
		got, err := daysBetween(row.From, row.To, row.AtMost)
		as(t, row.Name, row.Refused, err, row.Want, got)
	}
	for _, row := range table.Ends {
		step := Step{Name: "s", StopWhenEmpty: row.WhenEmpty}
		repetitions := []Params{{}}
		if row.At != nil {
			step.StopAt, repetitions = &Operand{Type: dynamo.Number, Template: "{most}"}, nil
		}
		for _, at := range row.At {
			repetitions = append(repetitions, map[bool]Params{true: {"most": at}, false: {}}[at != ""])
		}
		got, err := step.Ends(repetitions, row.Seen)
		as(t, row.Name, row.Refused, err, row.Ends, got)
	}
}

// as holds an answer to what is wanted, or its error to the words of a refusal.
func as[T any](t *testing.T, name, refused string, err error, want, got T) {
	t.Helper()
	if refused != "" {
		assert.ErrorContains(t, err, refused, name)
		return
	}
	require.NoError(t, err, name)
	assert.Equal(t, want, got, name)
}
