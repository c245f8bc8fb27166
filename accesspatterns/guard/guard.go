package guard

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/accesspatterns/validate"
)

// Guard compares calls with one design. It does not change after it was made,
// and may be shared by clients and goroutines.
type Guard struct {
	design   *accesspatterns.Design
	settings settings
	tables   map[string]*table // by deployed name
	byID     map[string]*table
	reads    []*documented
	steps    []*step
	// user is whom the client acts for; openUser is the same where all of its roles
	// are confined to that user. Both are nil without ForUser.
	user, openUser *confinement
	// broken refuses every call when the guard could not be made.
	broken *Refusal
}

// New prepares a guard that enforces. It fails when the options do not fit the
// design, and returns a guard that refuses every call. The design must not be changed afterwards.
func New(design *accesspatterns.Design, options ...Option) (*Guard, error) {
	g := &Guard{design: design, settings: settings{violations: validate.Item}, tables: map[string]*table{}, byID: map[string]*table{}}
	for _, option := range options {
		option(&g.settings)
	}
	if err := g.prepare(); err != nil {
		err = fmt.Errorf("guard of %s: %w", design.Name, err)
		g.broken = &Refusal{
			Design: design.Name, Rule: RuleConfiguration,
			Expected: "options that fit the design", Found: err.Error(), Cite: design.Document.Cite(design.AccessPatterns),
		}
		return g, err
	}
	return g, nil
}

func (g *Guard) prepare() error {
	if err := g.settings.check(g.design); err != nil {
		return err
	}
	for contract := range lists.Each(g.design.Tables) {
		name, err := g.settings.deployed(contract)
		if err != nil {
			return err
		}
		if other, taken := g.tables[name]; taken {
			return fmt.Errorf("expected one table for each deployed name, found %s and %s under %s", other.contract.ID, contract.ID, name)
		}
		t := &table{design: g.design, contract: contract, name: name, keys: contract.Keys(), spaces: map[spaceKey]space{}}
		t.indexes = lists.Index(contract.Indexes, func(index accesspatterns.Index) (string, accesspatterns.Keys) { return index.Name, index.Keys() })
		g.tables[name], g.byID[contract.ID] = t, t
	}
	if err := g.confine(); err != nil {
		return err
	}
	if err := g.describeEntities(); err != nil {
		return err
	}
	if err := g.documentPatterns(); err != nil {
		return err
	}
	g.findReadable()
	return nil
}

// Enforce returns an option of dynamodb.New and dynamodb.NewFromConfig that
// refuses every call which the design does not document. When the guard's own
// options do not fit the design the client refuses all calls, with
// [RuleConfiguration]; use [New] to learn of it earlier.
func Enforce(design *accesspatterns.Design, options ...Option) func(*dynamodb.Options) {
	g, _ := New(design, options...) // refuses every call where it fails
	return g.Attach
}

// Observe is like [Enforce] but refuses nothing: what would be refused is logged
// at level Warn and counted. Use it to roll a guard out.
func Observe(design *accesspatterns.Design, options ...Option) func(*dynamodb.Options) {
	observe := func(s *settings) { s.observes = true }
	g, err := New(design, append(options[:len(options):len(options)], observe)...)
	if err != nil {
		// An observer must not stop a client; the log says that it is blind.
		g.broken.Operation = "nothing, because it cannot observe"
		g.settings.report(context.Background(), g.broken)
		return func(*dynamodb.Options) {}
	}
	return g.Attach
}

// report logs and counts a refusal.
func (s *settings) report(ctx context.Context, refusal *Refusal) {
	if s.counter != nil {
		s.counter.add(refusal.Rule)
	}
	if !s.observes && refusal.Rule != RuleConfiguration {
		return // the caller has the error
	}
	logger := s.logger
	if logger == nil {
		logger = slog.Default()
	}
	logger.LogAttrs(ctx, slog.LevelWarn, "request is not documented",
		slog.String("design", refusal.Design), slog.String("rule", string(refusal.Rule)),
		slog.String("operation", refusal.Operation), slog.String("table", refusal.Table), slog.String("index", refusal.Index),
		slog.String("expected", refusal.Expected), slog.String("found", refusal.Found),
		slog.String("pattern", refusal.Pattern), slog.String("cite", refusal.Cite))
}

// Admission names the documented read or write step that a call is.
type Admission struct{ Pattern, Step string }

// Decision names what a call was admitted as.
type Decision struct {
	// Admission is the first of All; empty for a write that the document leaves open,
	// and for batches.
	Admission
	// All are the documented steps that admit the call: one request may be that of
	// several patterns. It is empty where Admission is.
	All []Admission
}

// Check judges an input of the SDK, such as *dynamodb.QueryInput, without sending
// it. It counts towards no logical read.
func (g *Guard) Check(ctx context.Context, input any) (Decision, error) {
	ctx = uncounted(ctx)
	var all []Admission
	admitted, refusal := g.judge(ctx, input, &all)
	if refusal != nil {
		return Decision{}, refusal
	}
	return Decision{admitted.Admission, all}, nil
}

// tell notes a step once, although it may have several forms of what a flow binds.
func tell(told *[]Admission, as Admission) {
	if !slices.Contains(*told, as) {
		*told = append(*told, as)
	}
}

// admission is what a call was admitted as, and what has to be settled when it
// is over. read is nil when nothing has.
type admission struct {
	Admission
	read     *Read
	reserved int32
}

// judge decides about one call. Where told is not nil it takes all steps that admit the
// call, which are not looked for otherwise. What a step admits is refused all the same
// where DynamoDB would, for a reserved word.
func (g *Guard) judge(ctx context.Context, input any, told *[]Admission) (admission, *Refusal) {
	lookups, broken := sdk.Lookups(input)
	word, table := reservedWord(input, lookups)
	if word == "" {
		return g.documented(ctx, input, lookups, broken, told)
	}
	admitted, refusal := g.documented(uncounted(ctx), input, lookups, broken, told)
	if refusal != nil {
		return admission{}, refusal
	}
	refusal = g.refuse(operationOf(ctx, input), table, "", breach{
		RuleExpression, "#" + word + ", with " + word + " under it in ExpressionAttributeNames", word + " as it is, a reserved word that DynamoDB refuses",
	})
	refusal.Pattern = admitted.Pattern
	return admission{}, refusal.citing(g.design, g.design.AccessPatterns)
}

// documented decides whether the design documents a call, whose lookups are those of [sdk.Lookups], with its error.
func (g *Guard) documented(ctx context.Context, input any, lookups []sdk.Lookup, broken error, told *[]Admission) (admission, *Refusal) {
	if g.broken != nil {
		refusal := *g.broken
		refusal.Operation = operationOf(ctx, input)
		return admission{}, &refusal
	}
	switch input.(type) {
	case *dynamodb.GetItemInput, *dynamodb.QueryInput, *dynamodb.ScanInput:
		r := newRequest()
		defer r.free()
		return g.judgeRead(ctx, r, g.normalise(r, &lookups[0]), told)
	case *dynamodb.BatchGetItemInput, *dynamodb.TransactGetItemsInput:
		return g.judgeTogether(ctx, sdk.Operation(input), lookups, broken)
	case *dynamodb.PutItemInput, *dynamodb.UpdateItemInput, *dynamodb.DeleteItemInput, *dynamodb.BatchWriteItemInput, *dynamodb.TransactWriteItemsInput:
		return g.judgeWriting(sdk.Operation(input), input, told)
	}
	operation := operationOf(ctx, input)
	return admission{}, g.refuse(operation, "", "", breach{RuleOperation, "an operation that a pattern of the design uses", "another operation"}).
		citing(g.design, g.design.AccessPatterns)
}

func operationOf(ctx context.Context, input any) string {
	return cmp.Or(awsmiddleware.GetOperationName(ctx), sdk.Operation(input), "an unknown operation")
}

func (g *Guard) refuse(operation, tableName, index string, b breach) *Refusal {
	return &Refusal{
		Design: g.design.Name, Rule: b.rule, Operation: operation, Table: tableName, Index: index,
		Roles: g.settings.roles, Expected: b.expected, Found: b.found,
	}
}

// citing says which lines of the design's document the refusal rests on.
func (r *Refusal) citing(design *accesspatterns.Design, cite accesspatterns.Citation) *Refusal {
	r.Cite = design.Document.Cite(cite)
	return r
}
