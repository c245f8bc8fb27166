package engines

import (
	"context"
	"errors"
	"time"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/lab"
	"dynaproof/conformance/suite"
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
