package engines

import (
	"fmt"
	"slices"
	"strings"

	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/target"
)

// Engine is one column of the matrix.
type Engine struct {
	// Name is the engine's name, as in a [Deviation].
	Name string
	// Note says how far its answers carry. Empty when there is nothing to say.
	Note string
	replay.Engine
}

// All returns the engines of the matrix, the embedded one first.
func All() []Engine {
	return []Engine{
		{"dynoxide", "", replay.Engine{Start: target.Embedded}},
		{"dynalite", "no transactions; time to live and point-in-time recovery are emulated by the wire", replay.Engine{Start: target.Dynalite, Lacks: []string{"TransactWriteItems", "TransactGetItems", "ExecuteStatement"}}},
		{
			"moto", "accepts much that DynamoDB refuses, so that its acceptance alone proves nothing; its refusals and the items that it returns do",
			replay.Engine{Start: target.Moto, NoRaces: "moto 5.2.1 does not keep the conditions and transactions of concurrent clients apart"},
		},
	}
}

// Find returns the engines with these names, in the order of [All]; all of them when none is named.
func Find(names []string) ([]Engine, error) {
	all := All()
	var known []string
	for _, engine := range all {
		known = append(known, engine.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("--engine: expected one of %s, found %q", strings.Join(known, ", "), name)
		}
	}
	if len(names) == 0 {
		return all, nil
	}
	return slices.DeleteFunc(all, func(engine Engine) bool { return !slices.Contains(names, engine.Name) }), nil
}
