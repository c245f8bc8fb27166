// Package faults finds out whether verdicts survive trouble on the way to the
// engine. Each run replays one claim while the wire injects faults of each [Kind]
// by a seed. The deployment is right, or one
// item that the claim needs is taken away first; either is known beforehand, so
// that a verdict can be wrong. A lost answer may make a claim undecided. It may
// never make it fail, a missing item may never let it pass, and afterwards every
// table holds what it held before, byte for byte.
package faults

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/lab"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/session"
	"dynaproof/conformance/target"
)

// Options say which runs are made.
type Options struct {
	lab.Options
	// Claim is the id of the one claim that is tried; empty means all that replay.
	Claim string
	// Seed is the seed of the first run; each further one has the next.
	Seed uint64
	Runs int
	// Kinds are the kinds of trouble; empty means all.
	Kinds []Kind
	// Amend changes a contract or fixtures on purpose, in tests.
	Amend func(session *session.Session)
}

// Outcome is what one run came to.
type Outcome struct {
	Seed  uint64 `json:"seed"`
	Claim string `json:"claim"`
	// Without is the item that was taken away first; empty when the deployment
	// was right.
	Without string `json:"without,omitempty"`
	// With is the item that was added first and must not be there: a copy of an
	// expected one under another primary key.
	With    string           `json:"with,omitempty"`
	Struck  map[Kind]int     `json:"struck,omitempty"`
	Verdict evidence.Verdict `json:"verdict"`
	// Message is the first problem of a claim that did not pass.
	Message string `json:"message,omitempty"`
	// Wrong says why the verdict is wrong; empty when it is not.
	Wrong string `json:"wrong,omitempty"`
	// Lost and Extra name items that were there before and not afterwards, or
	// the other way round. A changed item is in both.
	Lost  []string `json:"lost,omitempty"`
	Extra []string `json:"extra,omitempty"`
}

// Bad reports whether the run shows a defect of the harness or of a flow.
func (o *Outcome) Bad() bool { return o.Wrong != "" || len(o.Lost)+len(o.Extra) > 0 }

// Report is what all runs came to.
type Report struct {
	Seed uint64 `json:"seed"`
	// Kinds are the kinds that could strike.
	Kinds    []Kind    `json:"kinds"`
	Outcomes []Outcome `json:"outcomes"`
}

// Bad returns the runs that show a defect.
func (r *Report) Bad() []Outcome {
	return lists.Where(r.Outcomes, func(outcome Outcome) bool { return outcome.Bad() })
}

// job is one run before it is made.
type job struct {
	seed  uint64
	claim manifest.Claim
}

// Run makes the runs. The error says that they could not be made; what they show
// is in the report, in the order of their seeds.
func Run(ctx context.Context, options Options) (*Report, error) {
	jobs, err := plan(options)
	if err != nil {
		return nil, err
	}
	if len(options.Kinds) == 0 {
		options.Kinds = Kinds()
	}
	report := &Report{Seed: options.Seed, Kinds: options.Kinds, Outcomes: make([]Outcome, len(jobs))}
	// Runs of one design follow each other on one deployment.
	slices.SortStableFunc(jobs, func(a, b job) int { return strings.Compare(a.claim.Design, b.claim.Design) })
	var done atomic.Int64
	var work []func(context.Context) error
	for chunk := range slices.Chunk(jobs, max((len(jobs)+1)/2, fewest)) { // each on engines of its own
		work = append(work, func(ctx context.Context) (err error) {
			w := &worker{options: options}
			defer func() { err = errors.Join(err, w.close(ctx)) }()
			for _, j := range chunk {
				outcome, err := w.run(ctx, j)
				if err != nil {
					return fmt.Errorf("seed %d, %s: %w", j.seed, j.claim.ID, err)
				}
				report.Outcomes[j.seed-options.Seed] = *outcome
				options.Note("run %d of %d", done.Add(1), options.Runs)
			}
			return nil
		})
	}
	return report, options.SideBySide(ctx, work)
}

// fewest are the runs for which a design is deployed once more, beside others: that takes as long as some of them.
const fewest = 25

// batchedOneIn is how many runs come to one that replays a flow which writes in
// batches, where these may be left in part unprocessed: few flows do.
const batchedOneIn = 8

// plan deals the claims out to the seeds, so that every pattern and invariant has
// its turn, and a seed always the same one.
func plan(options Options) ([]job, error) {
	var claims, batched []manifest.Claim
	chosen, err := designs.Chosen(options.Designs)
	if err != nil {
		return nil, err
	}
	for _, design := range chosen {
		for _, claim := range manifest.InOrder(design) {
			if replayed(claim) && (options.Claim == "" || options.Claim == claim.ID) {
				claims = append(claims, claim)
				if inBatches(design, claim) {
					batched = append(batched, claim)
				}
			}
		}
	}
	if len(claims) == 0 {
		return nil, fmt.Errorf("faults: expected claims to try, found none that is replayed and is %q", options.Claim)
	}
	var jobs []job
	for i := range options.Runs {
		seed := options.Seed + uint64(i)
		claim := claims[seed%uint64(len(claims))]
		if len(batched) > 0 && (len(options.Kinds) == 0 || slices.Contains(options.Kinds, Unprocessed)) {
			turn := seed / batchedOneIn
			claim = claims[(seed-turn)%uint64(len(claims))] // the other runs count on without these
			if seed%batchedOneIn == 0 {
				claim = batched[turn%uint64(len(batched))]
			}
		}
		jobs = append(jobs, job{seed, claim})
	}
	return jobs, nil
}

// inBatches reports whether the flow that a claim replays has a step that writes in
// batches.
func inBatches(design *accesspatterns.Design, claim manifest.Claim) bool {
	flow := claim.Subject
	if invariant, known := design.Invariant(claim.Subject); claim.Kind == manifest.KindInvariant && known {
		flow = invariant.Flow
	}
	pattern, known := design.Pattern(flow)
	return known && slices.ContainsFunc(pattern.Steps, func(s accesspatterns.Step) bool { return s.Batch > 0 })
}

// worker makes runs one after the other, on one deployment after the other.
type worker struct {
	options Options
	design  string
	replay  *replay.Replay
	session *session.Session
	engine  *dynamodb.Client
	before  map[string]accesspatterns.Item
}

// patience bounds what a run waits for.
var patience = session.Bounds{IndexRead: 200 * time.Millisecond, Poll: time.Millisecond}

// deploy makes the design ready on an engine of its own.
func (w *worker) deploy(ctx context.Context, design string) error {
	if w.design == design && w.replay.Lost() == nil {
		return nil
	}
	if err := w.close(ctx); err != nil {
		return err
	}
	var err error
	w.replay, err = replay.Start(ctx, replay.Options{Designs: []string{design}, Documents: w.options.Documents, Bounds: patience,
		Orders: 1, // with faults the same order does not lead to the same requests
	})
	if err != nil {
		return err
	}
	if w.session, err = w.replay.Open(ctx, w.replay.Designs()[0]); err != nil {
		return err
	}
	if w.options.Amend != nil {
		w.options.Amend(w.session)
	}
	// The SDK's own number of attempts, without its pauses.
	w.session.Client = dynamodb.New(w.session.Client.Options(), func(o *dynamodb.Options) {
		o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxBackoff, o.RateLimiter = time.Millisecond, ratelimit.None
		})
	})
	past, err := w.replay.Past(design)
	if err != nil {
		return err
	}
	w.engine = target.NewClient(past, w.session.Deployment.Region)
	w.design = design
	w.before, err = w.items(ctx)
	return err
}

func (w *worker) close(ctx context.Context) error {
	if w.replay == nil {
		return nil
	}
	closing := w.replay
	w.replay, w.session, w.design = nil, nil, ""
	err := closing.Close(context.WithoutCancel(ctx))
	if closing.Lost() != nil {
		return nil // the run has killed the engine, which is all that there is to say
	}
	return err
}

func (w *worker) run(ctx context.Context, j job) (*Outcome, error) {
	if err := w.deploy(ctx, j.claim.Design); err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(j.seed, 0x72756e))
	outcome := &Outcome{Seed: j.seed, Claim: j.claim.ID}
	kinds := w.options.Kinds
	// Beside other trouble an engine dies in one run of twenty, and the others are
	// left to live.
	for _, end := range []Kind{EngineKilled, EngineExchanged} {
		if len(kinds) > 1 && random.IntN(20) != 0 {
			kinds = slices.DeleteFunc(slices.Clone(kinds), func(k Kind) bool { return k == end })
		}
	}
	var extra *added
	var err error
	if slices.Contains(kinds, LateExtra) {
		if extra, err = w.add(ctx, j, random); err != nil {
			return nil, err
		}
	}
	var restore func() error
	if extra != nil {
		outcome.With, restore = extra.name, func() error { return w.remove(ctx, extra) }
	} else if outcome.Without, restore, err = w.take(ctx, j, random); err != nil {
		return nil, err
	}
	oneIn := oftenOneIn
	if j.claim.Kind == manifest.KindInvariant {
		oneIn = rarelyOneIn[random.IntN(len(rarelyOneIn))]
	}
	var exchanged error
	trouble := newInjector(j.seed, j.claim.ID, kinds, oneIn, 1+random.IntN(8), map[Kind]func(){
		EngineKilled: w.replay.KillEngine, EngineExchanged: func() { exchanged = w.exchange(context.WithoutCancel(ctx)) },
	})
	trouble.extra = extra
	w.replay.Inject(trouble.fault)
	w.session.Seed = j.seed
	result := suite.Decide(ctx, j.claim, w.session, nil)
	w.replay.Inject(nil)
	if exchanged != nil {
		return nil, exchanged
	}
	outcome.Struck, outcome.Verdict = trouble.counts(), result.Verdict
	if len(result.Problems) > 0 {
		outcome.Message = result.Problems[0].Where + ": expected " + result.Problems[0].Expected + ", found " + result.Problems[0].Found
	}
	outcome.Wrong = wrong(outcome)
	if outcome.Struck[EngineKilled]+outcome.Struck[EngineExchanged] > 0 {
		return outcome, w.close(ctx)
	}
	if err := restore(); err != nil {
		return nil, err
	}
	after, err := w.items(ctx)
	if err != nil {
		return nil, err
	}
	outcome.Lost, outcome.Extra = missing(w.before, after), missing(after, w.before)
	if len(outcome.Lost)+len(outcome.Extra) > 0 {
		return outcome, w.close(ctx) // the next run begins anew
	}
	return outcome, nil
}

// wrong says why a verdict is wrong, or nothing.
func wrong(outcome *Outcome) string {
	struck := 0
	for _, times := range outcome.Struck {
		struck += times
	}
	passed := outcome.Verdict.Held()
	right := outcome.Without == "" && outcome.With == ""
	undecided := outcome.Verdict == evidence.Error || outcome.Verdict == evidence.Indeterminate
	switch {
	case right && outcome.Verdict == evidence.Fail:
		return "the claim holds, and failed"
	case outcome.Verdict == evidence.Unsupported:
		return "the engine knows all operations, and the claim is unsupported"
	case right && struck == 0 && !passed:
		return "nothing was wrong, and the claim did not pass"
	case outcome.Without != "" && passed:
		return "item " + outcome.Without + " was not there, and the claim passed"
	case outcome.With != "" && passed:
		return "item " + outcome.With + " must not be there, and the claim passed"
	case right && outcome.Struck[EngineKilled] > 0 && !undecided:
		return "the engine was dead, and the claim was decided"
	case outcome.Struck[EngineExchanged] > 0 && !undecided:
		return "the engine was another one, and the claim was decided"
	}
	return ""
}

// take takes an item away that a case of the pattern must return, in half of the runs that replay a pattern, and returns its name and what
// puts it back. Nothing else of the case depends on it.
func (w *worker) take(ctx context.Context, j job, random *rand.Rand) (name string, restore func() error, err error) {
	restore = func() error { return nil }
	if j.claim.Kind != manifest.KindPattern || random.IntN(2) == 0 {
		return "", restore, nil
	}
	var names []string
	for _, c := range w.session.Fixtures.CasesOf(j.claim.Subject) {
		if c.Interfere != nil {
			continue
		}
		names = append(names, lists.Where(slices.Concat(slices.Collect(maps.Values(c.Steps))...), func(name string) bool {
			item, known := w.session.Fixtures.Item(name)
			return known && !item.Held
		})...)
	}
	if len(names) == 0 {
		return "", restore, nil
	}
	slices.Sort(names)
	name = names[random.IntN(len(names))]
	item, _ := w.session.Fixtures.Item(name)
	table, deployed, err := w.session.Placed(item)
	if err != nil {
		return "", nil, err
	}
	_, err = w.engine.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &deployed, Key: table.KeyOf(accesspatterns.Item(item.Item))})
	return name, func() error {
		_, err := w.engine.PutItem(ctx, &dynamodb.PutItemInput{TableName: &deployed, Item: item.Item})
		return err
	}, err
}

// items reads every item of the design's tables from the engine itself, by table
// and key. The claims must not scan; their judge may.
func (w *worker) items(ctx context.Context) (map[string]accesspatterns.Item, error) {
	all := map[string]accesspatterns.Item{}
	for id, name := range w.session.Deployment.Tables {
		table, known := w.session.Design.Table(id)
		if !known {
			return nil, fmt.Errorf("no table %s in the contract", id)
		}
		pages := dynamodb.NewScanPaginator(w.engine, &dynamodb.ScanInput{TableName: &name, ConsistentRead: aws.Bool(true)})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				return nil, fmt.Errorf("reading table %s: %w", name, err)
			}
			for _, item := range page.Items {
				all[name+" "+dynamo.KeyID(table.KeyOf(item))] = item
			}
		}
	}
	return all, nil
}

// missing lists what is in the first and not, or not with the same content, in the
// second, in order.
func missing(first, second map[string]accesspatterns.Item) []string {
	return lists.Where(slices.Sorted(maps.Keys(first)), func(name string) bool {
		found, present := second[name]
		return !present || !dynamo.EqualItems(first[name], found)
	})
}
