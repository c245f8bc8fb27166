package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gruntwork-io/terratest/modules/testing"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/protect"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/target"
	"dynaproof/conformance/trail"
	"dynaproof/conformance/wire"
	"dynaproof/fixtures"
	"dynaproof/stacks/catalog"
	"dynaproof/stacks/deploy"
	"dynaproof/stacks/dryrun"
	"dynaproof/stacks/environment"
)

// DefaultRegion is the region that requests are signed for where neither the
// document nor the caller names one.
const DefaultRegion = "us-east-1"

// Options say what is replayed, and where.
type Options struct {
	// Designs are names; empty means all.
	Designs []string
	// Environment names the stacks: <design>.<environment>.
	Environment string
	// Endpoint is the URL of an engine on loopback. Empty means the embedded
	// engine.
	Endpoint string
	// NamePrefix stands before every table name, so that a run gets out of the
	// way of tables that are there already.
	NamePrefix string
	// TableNames are the deployed names of tables, by logical id, where the
	// document allows another name by configuration. Audits and replays on
	// existing stacks use them: any other replay deploys its own tables.
	TableNames map[string]string
	// Region is the region of designs whose document names none.
	Region string
	// Cloud is the AWS account to run in; Endpoint is then empty.
	Cloud *target.Account
	// MetricsWait bounds the wait for CloudWatch's figures on AWS; 0 means
	// [DefaultMetricsWait].
	MetricsWait time.Duration
	// TrailGroup is the log group to which a trail delivers the tables' data events; nil
	// where no trail is asked. It needs Cloud.
	TrailGroup *trail.Group
	// TrailWait bounds the wait for the trail's records; 0 means [DefaultTrailWait].
	TrailWait time.Duration
	// TrailSpan is how long the window of an audit is in which nobody may scan; 0
	// means [DefaultTrailSpan].
	TrailSpan time.Duration
	// Existing replays on tables that are deployed already, under their documented
	// names, beside the items of others. The run writes under a guard, and deletes
	// exactly what it wrote. Designs must name one, and StateDir must be set.
	Existing bool
	// Documents is the folder of the design documents.
	Documents string
	// Guardrails is what stacks are deployed with: enforce or off. Empty means
	// enforce, whatever a document's default, because claims about policies are
	// decided by what a stack has deployed.
	Guardrails string
	// Port is the port of the wire on 127.0.0.1; 0 takes a free one.
	Port int
	// DropResponses keeps answers out of the ledger, for runs without end.
	DropResponses bool
	// StateDir holds the state of runs on an endpoint, which is the journal of
	// what a run has deployed. The embedded engine ends with the run, and so
	// does its state.
	StateDir string
	// Seed decides the order in which racing clients take their runs.
	Seed uint64
	// Command is what reproduces the run.
	Command string
	// Progress is told what the run is doing, one line at a time.
	Progress func(string)
	// Ahead says which designs the suite will open, in their order. On embedded
	// engines the next of them is then deployed, on an engine of its own, while one
	// is replayed, and removed while the one after it is. Nil deploys a design when
	// it is opened. So do runs on an endpoint and on AWS, where others may see what
	// the run does, whatever Ahead says.
	Ahead func(*accesspatterns.Design) bool
	// Bounds are the longest waits; the zero value means what suits the target.
	Bounds suite.Bounds
	// T is handed to terratest's helpers.
	T testing.TestingT
	// Transforms break deployments on purpose, in tests.
	Transforms []pulumi.ResourceTransform
	// Amend changes a contract or fixtures on purpose, in tests.
	Amend func(*accesspatterns.Design, *fixtures.Set)
}

// Run is a run in progress.
type Run struct {
	options Options
	designs []*accesspatterns.Design
	site    // of all designs, or of the first where each has its own
	cloud   *target.Account
	ahead   *ahead // nil where a design is deployed when it is opened
	scratch string
	// sequence numbers the requests of all sites.
	sequence wire.Sequence
	// id is the run\'s own name on AWS, and readOnly says that it is an audit.
	id       string
	readOnly bool

	mu       sync.Mutex
	phases   map[string]time.Duration
	evidence evidence.Run
	stacks   map[string]*deploy.Stack
	sites    map[string]*site        // of designs that have their own, by name
	held     map[string]func() error // releases state folders, by stack
	journals map[string]*itemJournal // of designs on existing stacks, by stack
	lost     error
	closed   bool
}

// ConfigError is a mistake in the options: exit code 2.
type ConfigError struct{ Err error }

func (e ConfigError) Error() string { return e.Err.Error() }

// Unwrap returns the mistake.
func (e ConfigError) Unwrap() error { return e.Err }

// Start starts the target and the wire. It deploys nothing yet.
func Start(ctx context.Context, options Options) (*Run, error) { return start(ctx, options, false) }

func start(ctx context.Context, options Options, readOnly bool) (*Run, error) {
	ambient := options.Region == ""
	chosen, err := options.resolve()
	if err != nil {
		return nil, ConfigError{err}
	}
	if ambient && options.Cloud != nil {
		options.Region = options.Cloud.Config.Region
	}
	options.Bounds = options.bounds()
	r := &Run{
		readOnly: readOnly,
		options:  options, designs: chosen, phases: map[string]time.Duration{}, stacks: map[string]*deploy.Stack{}, sites: map[string]*site{}, held: map[string]func() error{}, journals: map[string]*itemJournal{},
	}
	r.evidence = evidence.Run{
		Version: evidence.Version, Command: options.Command, Started: time.Now().UTC(), Modules: modules(),
	}
	err = r.timed("engine start", func() error {
		if options.Cloud != nil {
			return r.startCloud()
		}
		r.site, err = r.startSite(ctx, options.Port)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, r.Close(context.WithoutCancel(ctx)))
	}
	r.evidence.Target = r.target.Description()
	for _, design := range chosen {
		// A design that is not reached is shown as such, not left out.
		seen := r.design(design.Name)
		seen.Document, seen.SHA256, seen.Model = design.Document.File, design.Document.SHA256, modelOf(design)
	}
	r.watch(r.target)
	r.goAhead(ctx)
	if r.scratch, err = os.MkdirTemp("", "dynaproof-"); err != nil {
		return nil, errors.Join(err, r.Close(context.WithoutCancel(ctx)))
	}
	return r, nil
}

// bounds are the longest waits, where the options name none, by the target.
func (o *Options) bounds() suite.Bounds {
	switch {
	case o.Bounds != (suite.Bounds{}):
		return o.Bounds
	case o.Cloud != nil: // a service over a network
		return suite.Bounds{IndexRead: time.Minute, Poll: 500 * time.Millisecond}
	case o.Endpoint == "":
		// The embedded engine writes an index with its table: there a wait only puts
		// the failure off.
		return suite.Bounds{IndexRead: 500 * time.Millisecond, Poll: 10 * time.Millisecond}
	}
	return suite.DefaultBounds()
}

// resolve checks the options before anything is started.
func (o *Options) resolve() ([]*accesspatterns.Design, error) {
	if o.Environment == "" {
		o.Environment = "dev"
	}
	if o.Existing {
		if err := o.checkExisting(); err != nil {
			return nil, err
		}
	}
	chosen, err := designs.Chosen(o.Designs)
	if err != nil {
		return nil, err
	}
	for _, design := range chosen {
		region := o.Region
		if fixed, err := catalog.Region(design.Name); err != nil || len(o.Designs) == 0 && fixed != "" {
			region = "" // of all designs, the region is for those whose document names none
		}
		if err := CheckConfiguration(design.Name, o.Environment, region, o.NamePrefix, nil); err != nil {
			return nil, err
		}
		if err := renamable(design, o.TableNames); err != nil {
			return nil, err
		}
	}
	if o.Region == "" {
		o.Region = DefaultRegion
	}
	return chosen, nil
}

// regionForm is the form of region names: those of AWS, and words of local
// engines.
var regionForm = regexp.MustCompile(`^[a-z0-9-]*$`)

// CheckConfiguration runs a design's Pulumi program on mocks, which deploys
// nothing, so that a configuration that contradicts the document is refused
// before anything is started. An empty region leaves the choice open.
func CheckConfiguration(name, env, regionName, prefix string, config map[string]string) error {
	program, err := catalog.Program(name)
	if err != nil {
		return err
	}
	if !regionForm.MatchString(regionName) {
		return fmt.Errorf("region: expected a name such as eu-west-1, found %q", regionName)
	}
	settings := map[string]string{environment.Project + ":namePrefix": prefix, "aws:region": regionName}
	maps.Copy(settings, config)
	_, err = dryrun.Run(program, name+"."+env, settings)
	var several interface{ WrappedErrors() []error }
	if errors.As(err, &several) && len(several.WrappedErrors()) > 0 {
		return several.WrappedErrors()[0] // Pulumi lays the errors of a program out as a list
	}
	return err
}

// Plan returns what the suite needs to declare its specs.
func (r *Run) Plan(record func(evidence.Result)) suite.Plan {
	return suite.Plan{Designs: r.designs, Open: r.Open, Close: r.Remove, Record: func(result evidence.Result) {
		result = r.record(result)
		if record != nil {
			record(result)
		}
	}}
}

// Designs returns the contracts of this run.
func (r *Run) Designs() []*accesspatterns.Design { return r.designs }

// Endpoint is the address of the wire, or of the target where the wire has none.
func (r *Run) Endpoint() string { return r.site.endpoint() }

// EngineURL is the address of the engine behind the wire. What is sent there has
// no witness.
func (r *Run) EngineURL() string { return r.target.URL() }

func (r *Run) progress(format string, args ...any) {
	if r.options.Progress != nil {
		r.options.Progress(fmt.Sprintf(format, args...))
	}
}

func (r *Run) timed(phase string, do func() error) error {
	began := time.Now()
	err := do()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.phases[phase] += time.Since(began)
	return err
}

func (r *Run) design(name string) *evidence.Design {
	for i := range r.evidence.Designs {
		if r.evidence.Designs[i].Name == name {
			return &r.evidence.Designs[i]
		}
	}
	r.evidence.Designs = append(r.evidence.Designs, evidence.Design{Name: name})
	return &r.evidence.Designs[len(r.evidence.Designs)-1]
}

// record keeps a verdict and returns it. Once the engine is lost, no verdict
// stands: what it rests on may be what the engine no longer answered.
func (r *Run) record(result evidence.Result) evidence.Result {
	if lost := r.lostWith(result.Verdict); lost != nil {
		result = undecided(result, evidence.Error, lost.Error())
	}
	r.add(result)
	return result
}

func (r *Run) add(result evidence.Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	design := r.design(result.Design)
	design.Results = append(design.Results, result)
	r.phases["replay"] += time.Duration(result.Microseconds) * time.Microsecond
}

// Open deploys a design, loads its fixtures and returns the session.
func (r *Run) Open(ctx context.Context, design *accesspatterns.Design) (*suite.Session, error) {
	session, err := r.open(ctx, design)
	if err != nil {
		err = r.located(design.Name, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.design(design.Name)
	seen.Document, seen.SHA256 = design.Document.File, design.Document.SHA256
	seen.Stack = design.Name + "." + r.options.Environment
	seen.Model = modelOf(design)
	if err != nil {
		seen.Failure = err.Error()
		return nil, err
	}
	seen.Read = session.Source != nil
	seen.Tables = session.Deployment.Tables
	seen.Region = session.Deployment.Region
	return session, nil
}

// located names the engine in an error where the wire in front of it is named:
// the wire's address means nothing to the reader.
func (r *Run) located(design string, err error) error {
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

func (r *Run) open(ctx context.Context, design *accesspatterns.Design) (*suite.Session, error) {
	deployment, existing, err := r.ready(ctx, design)
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
	return r.examine(ctx, design, set, deployment, existing)
}

// ready returns where the design is deployed: on its own stack, or beside the
// items of others on an existing one, whose journal is returned then.
func (r *Run) ready(ctx context.Context, design *accesspatterns.Design) (deployment suite.Deployment, existing protect.Journal, err error) {
	switch {
	case r.ahead != nil:
		deployment, err = r.await(ctx, design)
		return deployment, nil, err
	case !r.options.Existing:
		deployment, err = r.Deploy(ctx, design)
		return deployment, nil, err
	}
	err = r.timed("deploy", func() (err error) {
		deployment = r.documented(design)
		existing, err = r.occupy(ctx, design)
		return err
	})
	return deployment, existing, err
}

// Deploy brings a design's stack up and returns what it says that it deployed.
func (r *Run) Deploy(ctx context.Context, design *accesspatterns.Design) (suite.Deployment, error) {
	r.progress("%s: deploying", design.Name)
	var deployment suite.Deployment
	err := r.timed("deploy", func() (err error) {
		deployment, err = r.deploy(ctx, design.Name)
		return err
	})
	return deployment, err
}

// Examine loads fixtures into a deployment and opens a session on it. Without
// fixtures the session reads schemas alone. A deployment may be examined several
// times, one after the other.
func (r *Run) Examine(ctx context.Context, design *accesspatterns.Design, set *fixtures.Set, deployment suite.Deployment) (*suite.Session, error) {
	return r.examine(ctx, design, set, deployment, nil)
}

func (r *Run) examine(ctx context.Context, design *accesspatterns.Design, set *fixtures.Set, deployment suite.Deployment, existing protect.Journal) (*suite.Session, error) {
	var session *suite.Session
	err := r.timed("load", func() error {
		pinned, err := designs.Lines(design.Document)
		if err != nil {
			return err
		}
		where := r.at(design.Name)
		input := suite.Input{
			Design: design, Fixtures: set, Environment: r.options.Environment, NamePrefix: r.options.NamePrefix,
			Deployment: deployment, Endpoint: where.endpoint(), Ledger: where.wire.Ledger(),
			Exclusive: r.alone(), Grade: evidence.Grade(r.target.Description().Grade),
			Documents: r.options.Documents, PinnedLines: pinned, Bounds: r.options.Bounds, Seed: r.options.Seed, T: r.options.T,
			Existing: existing, TableNames: r.options.TableNames,
		}
		r.reach(&input)
		session, err = suite.Open(ctx, input)
		return err
	})
	return session, err
}

// Stack opens the Pulumi stack of a design on this run's target.
func (r *Run) Stack(ctx context.Context, name string) (*deploy.Stack, error) {
	r.mu.Lock()
	known := r.stacks[name]
	r.mu.Unlock()
	if known != nil {
		return known, nil
	}
	options, err := StackOptions(name, r.options.Environment, r.options.Region, r.options.NamePrefix)
	if err != nil {
		return nil, err
	}
	if options.Config == nil {
		options.Config = map[string]string{}
	}
	options.Config[deploy.Project+":guardrails"] = cmp.Or(r.options.Guardrails, environment.Enforce)
	options.Endpoint = r.at(name).endpoint()
	if r.cloud != nil {
		options.Endpoint, options.Cloud = r.cloud.Override(), r.cloud.Override() == ""
	}
	options.StateDir = r.stateDir(stackName(options))
	options.Transforms = slices.Concat(r.options.Transforms, r.tagging())
	stack, err := deploy.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stacks[name] = stack
	return stack, nil
}

// StackOptions returns what the deployer needs for a design, apart from the
// endpoint and the state folder.
func StackOptions(name, environment, region, prefix string) (deploy.Options, error) {
	program, err := catalog.Program(name)
	if err != nil {
		return deploy.Options{}, err
	}
	fixed, err := catalog.Region(name)
	if err != nil {
		return deploy.Options{}, err
	}
	if fixed != "" {
		region = fixed
	}
	options := deploy.Options{Design: name, Environment: environment, Program: program, Region: region}
	if prefix != "" {
		options.Config = map[string]string{deploy.Project + ":namePrefix": prefix}
	}
	return options, nil
}

func stackName(options deploy.Options) string { return options.Design + "." + options.Environment }

// keepsState says whether the state outlives the run when it is interrupted. The
// embedded engine ends with the run, and so does its state.
func (r *Run) keepsState() bool { return !r.alone() && r.options.StateDir != "" }

// alone says whether the engine belongs to this run, and ends with it.
func (r *Run) alone() bool { return r.options.Endpoint == "" && r.cloud == nil }

// place names where the run sends its requests, in paths of state folders.
func (r *Run) place() string {
	if r.cloud != nil {
		return r.cloud.StateName()
	}
	return r.options.Endpoint
}

// stateDir is where a stack's state is kept.
func (r *Run) stateDir(stack string) string {
	if !r.keepsState() {
		return r.scratch
	}
	if r.options.Existing {
		return existingState(r.options.StateDir, r.place(), stack)
	}
	return verifyState(r.options.StateDir, r.place(), stack)
}

// take takes a stack's state folder for this run.
func (r *Run) take(stack string) error {
	if !r.keepsState() {
		return nil
	}
	release, err := hold(r.stateDir(stack), stack)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held[stack] = release
	return nil
}

// leave removes the state of a stack that owns nothing any more, and gives its
// folder up.
func (r *Run) leave(stack string) error {
	r.mu.Lock()
	release := r.held[stack]
	delete(r.held, stack)
	r.mu.Unlock()
	if release == nil {
		return nil
	}
	return errors.Join(os.RemoveAll(r.stateDir(stack)), release())
}

// deploy brings a stack up and reads its outputs. What an interrupted run left
// of the same stack is removed first.
func (r *Run) deploy(ctx context.Context, name string) (suite.Deployment, error) {
	var none suite.Deployment
	if err := r.take(name + "." + r.options.Environment); err != nil {
		return none, err
	}
	stack, err := r.Stack(ctx, name)
	if err != nil {
		return none, err
	}
	if r.keepsState() {
		if err := r.journal(ctx, name, stack); err != nil {
			return none, err
		}
	}
	result, err := stack.Up(ctx)
	if err != nil {
		return none, err
	}
	deployment, err := Outputs(result.Outputs)
	if err == nil && r.cloud != nil {
		err = r.awaitActive(ctx, deployment)
	}
	return deployment, err
}

// journal removes what an interrupted run left, and then writes down what this
// run creates.
func (r *Run) journal(ctx context.Context, name string, stack *deploy.Stack) error {
	region, err := catalog.Region(name)
	if err != nil {
		return err
	}
	region = cmp.Or(region, r.options.Region)
	folder := r.stateDir(stack.Name())
	engine := journalClient(r.target.URL(), region)
	if r.cloud != nil {
		engine = cloudClient(r.cloud, region)
	}
	if _, err := removeLeftovers(ctx, stack, folder, engine); err != nil {
		return err
	}
	kept, err := startJournal(ctx, folder, engine)
	if err != nil {
		return fmt.Errorf("journal of the run: %w", err)
	}
	if r.cloud != nil { // the provider's traffic does not pass the wire
		return r.announceTables(name, kept)
	}
	r.wire.SetFault(kept.observe)
	return nil
}

// Outputs reads a stack's outputs.
func Outputs(outputs map[string]any) (suite.Deployment, error) {
	deployment := suite.Deployment{Tables: map[string]string{}, Indexes: map[string][]string{}}
	var problems []error
	expect := func(ok bool, name, form string) {
		if !ok {
			problems = append(problems, fmt.Errorf("stack outputs: expected %s to be %s, found %v", name, form, outputs[name]))
		}
	}
	tables, ok := outputs["tables"].(map[string]any)
	expect(ok, "tables", "a map of names")
	for id, value := range tables {
		deployed, ok := value.(string)
		expect(ok, "tables", "a map of names")
		deployment.Tables[id] = deployed
	}
	indexes, ok := outputs["indexes"].(map[string]any)
	expect(ok, "indexes", "a map of lists of names")
	for id, value := range indexes {
		names, ok := value.([]any)
		expect(ok, "indexes", "a map of lists of names")
		deployment.Indexes[id] = []string{}
		for _, name := range names {
			text, ok := name.(string)
			expect(ok, "indexes", "a map of lists of names")
			deployment.Indexes[id] = append(deployment.Indexes[id], text)
		}
	}
	region, ok := outputs["region"].(string)
	expect(ok, "region", "a name")
	deployment.Region = region
	texts := func(name string) map[string]string {
		read := map[string]string{}
		values, ok := outputs[name].(map[string]any)
		expect(ok, name, "a map of texts")
		for id, value := range values {
			text, ok := value.(string)
			expect(ok, name, "a map of texts")
			read[id] = text
		}
		return read
	}
	deployment.TableARNs = texts("tableArns")
	guardrails, ok := outputs["guardrails"].(string)
	expect(ok, "guardrails", "enforce or off")
	deployment.Guardrails = guardrails
	if guardrails == environment.Enforce {
		deployment.RolePolicies, deployment.TablePolicies = texts("rolePolicies"), texts("tablePolicies")
	}
	return deployment, errors.Join(problems...)
}

// Remove destroys a design's stack and notes the waivers that were used. Where
// designs are deployed ahead it begins to, and returns; behind the last design, and
// after an interrupt, it waits for all of them. Its error is then [Removals].
func (r *Run) Remove(ctx context.Context, design *accesspatterns.Design, session *suite.Session) error {
	if session != nil {
		r.countWaivers(design, session)
	}
	if r.ahead != nil {
		return r.leaveBehind(ctx, design)
	}
	r.progress("%s: removing", design.Name)
	if r.options.Existing {
		return r.vacate(ctx, design)
	}
	return r.destroy(ctx, design.Name)
}

// destroy destroys a design's stack, if it has one.
func (r *Run) destroy(ctx context.Context, name string) error {
	r.mu.Lock()
	stack := r.stacks[name]
	r.mu.Unlock()
	if stack == nil {
		return nil
	}
	if lost := r.Lost(); lost != nil {
		if r.alone() {
			return nil // the tables went with the engine
		}
		return lost
	}
	return r.timed("destroy", func() error {
		if _, err := stack.Destroy(ctx); err != nil {
			return r.located(name, err)
		}
		if err := stack.Remove(ctx); err != nil {
			return err
		}
		return r.leave(stack.Name())
	})
}

// countWaivers keeps a design's waivers with the requests that were made under each.
func (r *Run) countWaivers(design *accesspatterns.Design, session *suite.Session) {
	used := session.WaivedRequests()
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.design(design.Name)
	for _, waiver := range design.Waivers {
		seen.Waivers = append(seen.Waivers, evidence.Waiver{
			ID: waiver.ID, Reason: waiver.Reason, Cite: design.Document.Cite(waiver.Cite), Requests: used[waiver.ID],
		})
	}
}

// Close ends the wire and the target, and removes scratch files.
func (r *Run) Close(ctx context.Context) error {
	if r.closed {
		return nil
	}
	r.closed = true
	r.ahead.stop()
	problems := []error{r.closeSites(ctx)}
	if r.ahead != nil {
		problems = append(problems, r.ahead.wait(ctx), r.closeSites(ctx)) // also of those that were started meanwhile
	}
	if r.scratch != "" {
		problems = append(problems, os.RemoveAll(r.scratch))
	}
	for _, release := range r.held {
		problems = append(problems, release())
	}
	return errors.Join(problems...)
}

// Evidence returns what the run has seen so far.
func (r *Run) Evidence(interrupted bool) *evidence.Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.evidence
	seen.Finished = time.Now().UTC()
	seen.Interrupted = interrupted
	seen.Ledger = r.entries()
	seen.Phases = nil
	for _, name := range []string{"engine start", "deploy", "load", "replay", "destroy"} {
		seen.Phases = append(seen.Phases, evidence.Phase{Name: name, Microseconds: r.phases[name].Microseconds()})
	}
	return &seen
}

// modules lists the versions of the modules that a verdict can depend on.
func modules() map[string]string {
	versions := map[string]string{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return versions
	}
	versions["go"] = info.GoVersion
	versions["dynaproof"] = info.Main.Version
	for _, module := range info.Deps {
		for _, path := range []string{
			"github.com/aws/aws-sdk-go-v2/service/dynamodb", "github.com/gruntwork-io/terratest", "github.com/onsi/ginkgo/v2",
			"github.com/pulumi/pulumi-aws/sdk/v6", "github.com/pulumi/pulumi/sdk/v3", "github.com/pulumi/pulumi/pkg/v3",
		} {
			if module.Path == path {
				versions[path] = module.Version
			}
		}
	}
	return versions
}

// lines hands whole lines of what is written to a function.
type lines func(string)

func writer(progress func(string)) lines {
	if progress == nil {
		return func(string) {}
	}
	return progress
}

// Write implements io.Writer.
func (l lines) Write(text []byte) (int, error) {
	for line := range strings.Lines(string(text)) {
		l(strings.TrimRight(line, "\n"))
	}
	return len(text), nil
}
