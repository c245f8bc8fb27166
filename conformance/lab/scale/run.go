// Package scale proves that what an access pattern costs does not depend on the
// data of others.
//
// It loads a population beside the fixtures and replays every case while the
// population grows: consumed capacity, scanned count and pages may change only
// where a finding of the contract says so. Then it lets the pattern's own result
// grow, and expects the cost to grow with it. Every figure is taken from the
// wire's ledger. That the embedded engine counts as AWS documents is a test of its own.
package scale

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/internal/own"
	"dynaproof/conformance/internal/prices"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/lab"
	"dynaproof/conformance/suite/session"
	"dynaproof/conformance/target"
	"dynaproof/fixtures"
)

// Options say what is measured, and where.
type Options struct {
	lab.Options
	// Items is the number of others' items at 1x; 0 takes the population's own.
	Items int
	// Seed decides which items others have.
	Seed uint64
	// Calls is the traffic that costs are estimated for: calls of each pattern in
	// a month.
	Calls float64
	// Endpoint is the URL of an engine on loopback; empty means an embedded engine
	// for each design.
	Endpoint string
	// Environment, NamePrefix and Region are those of the stacks.
	Environment, NamePrefix, Region string
	// StateDir holds the state of a run on an endpoint.
	StateDir string
	// Amend changes contract, fixtures or population on purpose, in tests.
	Amend func(*accesspatterns.Design, *fixtures.Set, *fixtures.Population)
}

// multiples are the sizes at which is measured, in multiples of Items; 0 is the
// fixtures alone.
var multiples = []int{0, 1, 10, 100}

// ownSizes are the numbers of items by which a pattern's own result grows, unless
// its population says otherwise.
var ownSizes = []int{20, 200}

// Run measures the designs one after the other. A design that could not be
// measured is in the report, with the reason; the error says that nothing was.
func Run(ctx context.Context, options Options) (*Report, error) {
	chosen, err := options.resolve()
	if err != nil {
		return nil, replay.ConfigError{Err: err}
	}
	list, err := prices.Load()
	if err != nil {
		return nil, err
	}
	price := list.In(options.Region)
	report := &Report{
		Version: Version, Command: options.Command, Started: time.Now().UTC(), Seed: options.Seed, Calls: options.Calls,
		Prices: Prices{list.Date, list.Source, list.Currency, price.Region, price},
	}
	for _, design := range chosen {
		p := &proof{options: options, design: design, price: price, result: Design{Name: design.Name}, crowded: map[string][]string{}}
		if err := p.run(ctx); err != nil {
			if errors.As(err, new(*target.ConfigError)) || errors.As(err, new(replay.ConfigError)) {
				return nil, err
			}
			p.result.Failure = err.Error()
		}
		report.Target = p.description
		report.Designs = append(report.Designs, p.result)
		if ctx.Err() != nil {
			return report, ctx.Err()
		}
	}
	report.Finished = time.Now().UTC()
	return report, nil
}

// populated says what to write where a design has no population.
func populated(design *accesspatterns.Design) error {
	_, err := fixtures.LoadPopulation(design.Name, time.Now())
	if !errors.Is(err, fixtures.ErrNoPopulation) {
		return err
	}
	set, loading := fixtures.Load(design.Name, time.Now())
	if loading != nil {
		return loading
	}
	return fmt.Errorf("%w; write there what others have, to begin with: %s", err, set.DraftPopulation(design))
}

func (o *Options) resolve() ([]*accesspatterns.Design, error) {
	if o.Items < 0 || o.Calls < 0 {
		return nil, fmt.Errorf("expected numbers of items and calls of at least 0, found %d and %g", o.Items, o.Calls)
	}
	chosen, err := designs.Chosen(o.Designs)
	if err != nil {
		return nil, err
	}
	for _, design := range chosen {
		if err := populated(design); err != nil {
			return nil, err
		}
	}
	o.Environment, o.Region = cmp.Or(o.Environment, "scale"), cmp.Or(o.Region, replay.DefaultRegion)
	return chosen, nil
}

// proof is the proof of one design in progress.
type proof struct {
	options     Options
	design      *accesspatterns.Design
	price       prices.Price
	description target.Description
	result      Design

	set        *fixtures.Set
	population *fixtures.Population
	generator  *fixtures.Generator
	session    *session.Session
	client     *dynamodb.Client // past the wire: nothing rests on what it sends
	world      *world
	unit       int // items of others at 1x
	// sizes are what the cases cost at each size, by their pattern.
	sizes []map[string][]caseMeasured
	// crowded says, by pattern, what became dearer by the growth of another
	// pattern's result.
	crowded map[string][]string
}

func (p *proof) note(format string, args ...any) {
	p.options.Note("%s: %s", p.design.Name, fmt.Sprintf(format, args...))
}

func (p *proof) run(ctx context.Context) (err error) {
	options := replay.Options{
		Designs: []string{p.design.Name}, Environment: p.options.Environment, Endpoint: p.options.Endpoint, NamePrefix: p.options.NamePrefix,
		StateDir: p.options.StateDir, Documents: p.options.Documents, Progress: p.options.Progress, Bounds: session.DefaultBounds(),
		DropResponses: true, // answers are long and nothing rests on their text
	}
	if own.FixedRegion(p.design) == "" {
		options.Region = p.options.Region
	}
	if p.population, err = fixtures.LoadPopulation(p.design.Name, time.Now().UTC().Truncate(time.Second)); err != nil {
		return err
	}
	if amend := p.options.Amend; amend != nil {
		options.Amend = func(design *accesspatterns.Design, set *fixtures.Set) { amend(design, set, p.population) }
	}
	run, err := replay.Start(ctx, options)
	if err != nil {
		return err
	}
	closing := context.WithoutCancel(ctx)
	defer func() { err = errors.Join(err, run.Close(closing)) }()
	p.design = run.Designs()[0]
	p.description = run.Evidence(false).Target
	if p.options.Endpoint != "" { // elsewhere the tables go with the engine
		defer func() { err = errors.Join(err, run.Remove(closing, p.design, nil)) }()
	}
	if p.session, err = run.Open(ctx, p.design); err != nil {
		return err
	}
	past, err := run.Past(p.design.Name)
	if err != nil {
		return err
	}
	p.set, p.client = p.session.Fixtures, target.NewClient(past, p.session.Deployment.Region)
	p.result.About = p.population.About
	if p.generator, err = fixtures.NewGenerator(p.population, p.design, p.set, p.options.Seed); err != nil {
		return err
	}
	p.world = &world{design: p.design, spread: map[source]map[string]partition{}}
	return p.measure(ctx)
}

// measure lets the data of others grow, and then each pattern's own result.
func (p *proof) measure(ctx context.Context) error {
	p.unit = cmp.Or(p.options.Items, p.population.Items)
	next, stop := iter.Pull2(p.generator.Members())
	defer stop()
	before := 0
	for _, multiple := range multiples {
		size := p.unit * multiple
		if err := p.grow(ctx, next, before, size); err != nil {
			return err
		}
		before = size
		p.note("measuring beside %d items of others", size)
		if err := p.measureSize(ctx); err != nil {
			return err
		}
		p.result.Sizes = append(p.result.Sizes, size)
	}
	p.result.Spreads = p.world.spreads()
	p.result.Bytes = p.world.bytes
	for i := range p.design.Patterns {
		if err := p.judge(ctx, &p.design.Patterns[i]); err != nil {
			return err
		}
	}
	p.conclude()
	return nil
}

func (p *proof) measureSize(ctx context.Context) error {
	all := map[string][]caseMeasured{}
	for pattern := range lists.Each(p.design.Patterns) {
		for _, c := range p.set.CasesOf(pattern.ID) {
			measured, err := measureCase(ctx, p.session, pattern, c)
			if err != nil {
				return err
			}
			all[pattern.ID] = append(all[pattern.ID], measured)
		}
	}
	p.sizes = append(p.sizes, all)
	return nil
}

func (p *proof) judge(ctx context.Context, pattern *accesspatterns.Pattern) error {
	cases := p.set.CasesOf(pattern.ID)
	judged := p.flatness(pattern, cases)
	judged.Cost = p.costOf(pattern.ID, cases)
	judged.Cost.Shared = p.meets(pattern, cases)
	if judged.Verdict != Flat {
		for _, step := range pattern.Steps {
			if step.Read != nil && judged.Limits == nil {
				judged.Limits = limitsOf(&judged, step.Read, p.result.Spreads, p.price)
			}
		}
	}
	if err := p.own(ctx, pattern, cases, &judged); err != nil {
		return err
	}
	p.result.Patterns = append(p.result.Patterns, judged)
	return nil
}

// own lets a pattern's own result grow, and takes the growth away again.
func (p *proof) own(ctx context.Context, pattern *accesspatterns.Pattern, cases []fixtures.Case, judged *Pattern) error {
	read := pattern.OnlyRead()
	switch {
	case read == nil:
		judged.NotOwn = "not tried for flows"
	case read.Operation == dynamo.GetItem:
		judged.NotOwn = "one item"
	case read.Limit > 0:
		judged.NotOwn = fmt.Sprintf("limited to %d", read.Limit)
	case len(cases) == 0:
		judged.NotOwn = "no case"
	}
	if judged.NotOwn != "" {
		return nil
	}
	chosen := max(0, slices.IndexFunc(cases, func(c fixtures.Case) bool { return len(c.Steps[pattern.Steps[0].Name]) > 0 }))
	c := cases[chosen]
	table, _ := p.design.Table(read.Table)
	sizes := p.population.Own[pattern.ID]
	if len(sizes) == 0 {
		sizes = ownSizes
	}
	source := &ownResult{generator: p.generator, design: p.design, read: read, params: c.Params, table: table}
	items, err := source.items(pattern.Returns, sizes[len(sizes)-1])
	if err != nil {
		judged.NotOwn = err.Error()
		// One item under a key is all that there can be; a larger result is not of
		// this pattern.
		return nil
	}
	p.note("%s: its own result grows", pattern.ID)
	points, bytes, err := p.ownPoints(ctx, pattern, c, table, items, sizes)
	if err == nil {
		err = p.neighbours(ctx, pattern, table, items)
	}
	remove := func(item accesspatterns.Item) types.WriteRequest {
		return types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: table.KeyOf(item)}}
	}
	if err := errors.Join(err, p.write(context.WithoutCancel(ctx), table, items, remove)); err != nil {
		return err
	}
	judged.Own = points
	judged.Problems = append(judged.Problems, judgeOwn(read, points, bytes)...)
	return nil
}

// ownPoints measures a pattern while its own result grows, and returns by how many bytes it has grown at each point.
func (p *proof) ownPoints(ctx context.Context, pattern *accesspatterns.Pattern, c fixtures.Case, table *accesspatterns.Table, items []accesspatterns.Item, sizes []int) (points []OwnPoint, bytes []int, err error) {
	have, larger := 0, 0
	for _, size := range append([]int{0}, sizes...) {
		if err := p.write(ctx, table, items[have:size], put); err != nil {
			return nil, nil, err
		}
		for _, item := range items[have:size] {
			larger += dynamo.Size(item)
		}
		have = size
		measured, err := measureCase(ctx, p.session, pattern, c)
		if err != nil {
			return nil, nil, err
		}
		points = append(points, OwnPoint{size, measured.all()})
		bytes = append(bytes, larger)
	}
	return points, bytes, nil
}
