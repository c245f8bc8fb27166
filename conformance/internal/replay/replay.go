// Package replay runs the suite end to end: it starts the target, puts the wire in
// front of it, deploys each design with its Pulumi program, loads the fixtures,
// hands the session to the specs, removes everything again, and returns the
// evidence.
//
// On embedded engines several designs are replayed at once, each on an engine of its own; see [Options].Apart.
//
// The command line, `go test` and `ginkgo` all come through here, so that they
// run the same thing.
package replay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/scratch"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/session"
	"dynaproof/conformance/target"
	"dynaproof/fixtures"
)

// Replay is a run in progress: the target, the wire, and what was deployed and replayed so far.
type Replay struct {
	options Options
	designs []*accesspatterns.Design
	site    // of all designs, or of the first where each has its own
	cloud   *target.Account
	scratch string
	sweep   func() error // removes scratch
	// recorder is the wire of a run on AWS: the transport of its own clients.
	recorder *wire.Recorder
	// sequence numbers the requests of all sites.
	sequence wire.Sequence
	// id is the run's own random name, and readOnly says that it is an audit.
	id       string
	readOnly bool
	// begun is what the tool has deployed, in [Replay.Begin].
	begun *session.Deployment

	mu       sync.Mutex
	phases   map[string]time.Duration
	evidence evidence.Run
	places   map[string]*place // by design
	first    *place            // which has the run's own site, where each has its own
	lost     error
	closed   bool
}

// Start starts the target and the wire. It deploys nothing yet.
func Start(ctx context.Context, options Options) (*Replay, error) { return start(ctx, options, false) }

func start(ctx context.Context, options Options, readOnly bool) (*Replay, error) {
	ambient := options.Region == ""
	chosen, err := options.resolve()
	if err != nil {
		return nil, ConfigError{err}
	}
	if err := options.deployable(chosen, readOnly); err != nil {
		return nil, ConfigError{err}
	}
	if ambient && options.Cloud != nil {
		options.Region = options.Cloud.Config.Region
	}
	options.Bounds = options.bounds()
	r := &Replay{
		id: newRunID(), readOnly: readOnly, options: options, designs: chosen, phases: map[string]time.Duration{}, places: map[string]*place{},
	}
	r.evidence = evidence.Run{
		Version: evidence.Version, ID: evidence.NewID(), Command: options.Command, Started: time.Now().UTC(), Modules: modules(),
		Environment: evidence.Environment(), Accepted: options.Accepted,
	}
	if r.evidence.Inputs, err = Inputs(); err != nil {
		return nil, err
	}
	err = r.timed("engine start", func() error {
		if options.Cloud != nil {
			r.startCloud()
			return nil
		}
		r.site, err = r.startSite(ctx, options.Port)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, r.Close(context.WithoutCancel(ctx)))
	}
	r.evidence.Target = r.target.Description()
	r.evidence.Target.Lacks = options.Lacks
	for _, design := range chosen {
		// A design that is not reached is shown as such, not left out.
		r.design(design.Name).Promise(design)
	}
	r.watch(r.target)
	if r.scratch, r.sweep, err = scratch.Folder(); err != nil {
		return nil, errors.Join(err, r.Close(context.WithoutCancel(ctx)))
	}
	return r, nil
}

// Plan returns what the suite needs to declare its specs.
func (r *Replay) Plan(record func(evidence.Result)) suite.Plan {
	return suite.Plan{Designs: r.designs, Open: r.Open, Close: r.Remove, Record: func(result evidence.Result) {
		result = r.record(result)
		if record != nil {
			record(result)
		}
	}}
}

// Designs returns the contracts of this run.
func (r *Replay) Designs() []*accesspatterns.Design { return r.designs }

// Endpoint is the address of the wire, or of the target where the wire has none.
func (r *Replay) Endpoint() string { return r.site.endpoint() }

// Engine names the engine that answers, with its version.
func (r *Replay) Engine() string {
	about := r.target.Description()
	return strings.TrimSpace(about.Engine + " " + about.Version)
}

// Past returns an address past the wire, for a design that is deployed. What is sent there has no witness, and on an engine that others
// use it reaches the design's own tables alone.
func (r *Replay) Past(design string) (string, error) {
	where, owned := r.at(design), r.of(design).owned
	if owned == nil {
		return where.target.URL(), nil
	}
	proxy, err := wire.Start(wire.Options{Upstream: where.target.URL(), DropResponses: true})
	if err != nil {
		return "", err
	}
	proxy.SetWarden(owned.journal)
	r.mu.Lock()
	defer r.mu.Unlock()
	where.past = append(where.past, proxy)
	return proxy.URL(), nil
}

func (r *Replay) progress(format string, args ...any) {
	if r.options.Progress != nil {
		r.options.Progress(fmt.Sprintf(format, args...))
	}
}

func (r *Replay) timed(phase string, do func() error) error {
	began := time.Now()
	err := do()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.phases[phase] += time.Since(began)
	return err
}

// Open deploys a design, loads its fixtures and returns the session.
func (r *Replay) Open(ctx context.Context, design *accesspatterns.Design) (*session.Session, error) {
	session, err := r.open(ctx, design)
	if err != nil {
		err = r.located(design.Name, err)
	}
	objections, unread := r.objections(design)
	if err == nil {
		err = unread
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.design(design.Name)
	seen.Level, seen.Stack = string(design.Level), r.stackOf(design)
	seen.Objections = objections
	if err != nil {
		seen.Failure = err.Error()
		return nil, err
	}
	seen.Read = session.Source != nil
	seen.Tables = session.Deployment.Tables
	seen.Region = session.Deployment.Region
	seen.NoProof = session.Fixtures.NoProof(design)
	if len(design.Policies.Roles) > 0 && session.Deployment.Guardrails != "" {
		r.evidence.Guardrails = session.Deployment.Guardrails
	}
	return session, nil
}

// located names the engine in an error where the wire in front of it is named:
// the wire's address means nothing to the reader.
func (r *Replay) located(design string, err error) error {
	if lost := r.lostWith(evidence.Error); lost != nil {
		return lost // whatever failed, this is why
	}
	where := r.at(design)
	return &locatedError{strings.ReplaceAll(err.Error(), where.endpoint(), where.target.URL()), err}
}

type locatedError struct {
	text  string
	cause error
}

func (e *locatedError) Error() string { return e.text }

func (e *locatedError) Unwrap() error { return e.cause }

func (r *Replay) open(ctx context.Context, design *accesspatterns.Design) (*session.Session, error) {
	var deployment session.Deployment
	var err error
	switch {
	case r.begun != nil:
		deployment = *r.begun
	case r.options.Existing: // beside the items of others
		deployment = r.options.documented(design)
		err = r.timed("deploy", func() error { return r.occupy(ctx, design) })
	default:
		deployment, err = r.Deploy(ctx, design)
	}
	if err != nil {
		return nil, err
	}
	r.progress("%s: loading fixtures", design.Name)
	set, err := fixtures.Load(design.Name, time.Now())
	if err != nil {
		return nil, err
	}
	if r.options.Amend != nil {
		r.options.Amend(design, set)
	}
	return r.Examine(ctx, design, set, deployment)
}

// Deploy brings a design's stack up and returns what it says that it deployed.
func (r *Replay) Deploy(ctx context.Context, design *accesspatterns.Design) (deployment session.Deployment, err error) {
	if r.apart() {
		if err := r.startApart(ctx, design.Name); err != nil {
			return deployment, err
		}
	}
	r.progress("%s: deploying", design.Name)
	err = r.timed("deploy", func() (err error) {
		deployment, err = r.deploy(ctx, design)
		return err
	})
	return deployment, err
}

// Examine loads fixtures into a deployment and opens a session on it. Without
// fixtures the session reads schemas alone. A deployment may be examined several
// times, one after the other.
func (r *Replay) Examine(ctx context.Context, design *accesspatterns.Design, set *fixtures.Set, deployment session.Deployment) (*session.Session, error) {
	var opened *session.Session
	err := r.timed("load", func() error {
		input, err := r.input(design, deployment)
		if err != nil {
			return err
		}
		where := r.at(design.Name)
		input.Fixtures, input.Exclusive, input.Keep = set, r.Alone(), where.wire.SetKeep
		input.Seed, input.Orders, input.Interruptions = r.options.Seed, r.options.orders(), r.options.Interruptions
		input.FromContract = deploy.FromContract(design.Name) && r.options.Tool == nil && !r.options.Existing
		if where.proxy != nil {
			input.Transport = where.proxy.Transport()
		}
		if written := r.of(design.Name).written; written != nil {
			input.Existing, input.ShareCapacity = written, r.options.ShareCapacity
		}
		input.Unexplored = r.options.Amend != nil
		if r.options.Engine != nil {
			input.Deviates, input.NoRaces = r.options.Engine.Deviates, r.options.Engine.NoRaces
		}
		opened, err = session.Open(ctx, input)
		return err
	})
	return opened, err
}

// input is what every session needs that looks at a deployment, with items or without.
func (r *Replay) input(design *accesspatterns.Design, deployment session.Deployment) (session.Input, error) {
	pinned, err := designs.Lines(design.Document)
	where := r.at(design.Name)
	input := session.Input{
		Design: design, Environment: r.options.Environment, NamePrefix: r.options.NamePrefix, TableNames: r.options.TableNames,
		Deployment: deployment, Endpoint: where.endpoint(), Ledger: where.wire.Ledger(), ReadOnly: r.readOnly, Strict: r.options.Strict,
		Grade: evidence.Grade(r.target.Description().Grade), Documents: r.options.Documents, PinnedLines: pinned,
		Bounds: r.options.Bounds, Progress: r.options.Progress, Describer: r.options.Describer, Lacks: r.options.Lacks,
	}
	r.reach(&input)
	return input, err
}

// Alone says whether the engine belongs to this run, and ends with it.
func (r *Replay) Alone() bool { return r.options.Endpoint == "" && r.cloud == nil }

// Remove destroys a design's stack and notes the waivers that were used. An engine of the design's own ends with it.
func (r *Replay) Remove(ctx context.Context, design *accesspatterns.Design, session *session.Session) error {
	if session != nil {
		r.countWaivers(design, session)
	}
	r.progress("%s: removing", design.Name)
	if r.options.Existing {
		return r.vacate(ctx, design)
	}
	err := r.destroy(ctx, design)
	if own := r.of(design.Name).site; own != nil { // else no engine came up, or it is one for all
		err = errors.Join(err, own.close(ctx))
	}
	return err
}

// Close ends the wire and the target, and removes scratch files.
func (r *Replay) Close(ctx context.Context) error {
	if r.closed {
		return nil
	}
	r.closed = true
	r.mu.Lock()
	everywhere := r.everywhere()
	r.mu.Unlock()
	problems := lists.Map(everywhere, func(each *site) error { return each.close(ctx) })
	if r.sweep != nil {
		problems = append(problems, r.sweep())
	}
	for _, at := range r.places {
		if at.release != nil {
			problems = append(problems, at.release())
		}
	}
	return errors.Join(problems...)
}
