// Package engines runs all designs on several engines that nobody here wrote, and says which claims each of them can
// answer, so that no verdict rests on the word of one engine where a second one can be asked.
//
// Every engine is started by the run itself at a pinned version: [All] lists them. What an engine lacks is
// `unsupported`, as in every run. What it accepts or answers wrongly is a [Deviation]: named, written down in
// deviations.json with every problem that it shows, and compared with what was seen in both directions. A problem that no
// deviation tells of is unexpected; a deviation that no longer shows is mended and has to be removed. Either fails the
// matrix, so the list can neither hide a failure nor outlive its cause.
//
// The matrix says nothing about AWS.
package engines

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/lab"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/target"
	"dynaproof/fixtures"
)

// closeTime bounds the removal of a design and the end of an engine, which happen also after an interrupt.
const closeTime = 30 * time.Second

// Options say what [Run] does.
type Options struct {
	lab.Options
	// Amend changes a contract or fixtures on purpose, in tests.
	Amend func(*accesspatterns.Design, *fixtures.Set)
}

// Run replays the designs on one engine, one after the other, and returns what was seen. The error says why the engine
// could not be had or did not end as it should; what was seen is returned beside it, nil when there was no run.
func Run(ctx context.Context, engine Engine, options Options) (seen *evidence.Run, err error) {
	run, err := replay.Start(ctx, replay.Options{
		Designs: options.Designs, Documents: options.Documents, Command: options.Command, Progress: options.Progress, Amend: options.Amend, Engine: &engine.Engine,
	})
	if err != nil {
		return nil, err
	}
	closing := func(do func(context.Context) error) error {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
		defer cancel()
		return do(bounded)
	}
	defer func() { err = errors.Join(err, closing(run.Close)) }()
	plan := run.Plan(nil)
	for _, design := range run.Designs() {
		session, failure := plan.Open(ctx, design)
		for _, claim := range manifest.InOrder(design) {
			plan.Record(suite.Decide(ctx, claim, session, failure))
		}
		err = errors.Join(err, closing(func(ctx context.Context) error { return plan.Close(ctx, design, session) }))
	}
	return run.Evidence(ctx.Err() != nil), errors.Join(err, run.Lost())
}

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

// Names are those of [All].
func Names() []string { return lists.Map(All(), func(engine Engine) string { return engine.Name }) }

// Find returns the engines with these names, in the order of [All]; all of them when none is named.
func Find(names []string) ([]Engine, error) {
	for _, name := range names {
		if !slices.Contains(Names(), name) {
			return nil, fmt.Errorf("--engine: expected one of %s, found %q", strings.Join(Names(), ", "), name)
		}
	}
	return lists.Where(All(), func(engine Engine) bool { return len(names) == 0 || slices.Contains(names, engine.Name) }), nil
}
