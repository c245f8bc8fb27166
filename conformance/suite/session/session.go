// Package session holds one design, deployed and loaded, under examination: what it was opened with, its items, what
// it has asked, and how it waits for indexes.
package session

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/flow"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/suite/failures"
	"dynaproof/conformance/suite/recorder"
	"dynaproof/conformance/target"
	"dynaproof/fixtures"
)

// Session is one design, deployed and loaded, under examination.
type Session struct {
	Input
	// Client is the SDK client whose requests are joined to claims.
	Client *dynamodb.Client
	// Memory, if set, answers the requests of patterns in place of a service. There is no client then.
	Memory *flow.Memory
	// Source is the document, nil when the folder does not hold it.
	Source *coverage.Source
	// SourceProblem says why Source is nil.
	SourceProblem error

	Recorder   *recorder.Recorder
	Protection *safewrite.Protection                 // nil unless the stack existed before the run
	guards     map[[2]string]func(*dynamodb.Options) // those of production code, by role and user
	Opened     time.Time
	begin      int // length of the ledger when the session was opened
	LoadErrs   map[string]error
	Loaded     map[string]accesspatterns.Item // what was loaded, by table and key
	// identities tell the tables that the items were loaded into from others of the
	// same names.
	identities map[string]string
	// awaitedIn are the items that each index has to show before a claim rests on
	// what it shows, by their ids; unshown says which index did not.
	awaitedIn map[Place]map[string]indexed
	Unshown   map[Place]string
	decided   map[string]evidence.Result
	// answers are those that several claims rest on, each a *cached, by what was asked.
	answers map[string]any
	mu      sync.Mutex
	// Unloaded says why the items could not be loaded, were not put back after a claim, or are in other tables: then nothing can be
	// told of what rests on them.
	Unloaded error
	// Unsimulated says why IAM's policy simulator is asked no more.
	Unsimulated error
	// Waived counts the requests of others that waivers allow, by waiver.
	Waived map[string]int
}

// newSession returns a session that has sent nothing yet.
func newSession(input Input) *Session {
	return &Session{
		Input:      input,
		Recorder:   recorder.New(),
		Opened:     time.Now(),
		begin:      input.Ledger.Len(),
		LoadErrs:   map[string]error{},
		Loaded:     map[string]accesspatterns.Item{},
		awaitedIn:  map[Place]map[string]indexed{},
		Unshown:    map[Place]string{},
		identities: map[string]string{},
		guards:     map[[2]string]func(*dynamodb.Options){},
		answers:    map[string]any{},
		decided:    map[string]evidence.Result{},
		Waived:     map[string]int{},
	}
}

// Open prepares a session: it reads the document, makes the client and loads the
// fixtures.
func Open(ctx context.Context, input Input) (*Session, error) {
	if input.Bounds == (Bounds{}) {
		input.Bounds = DefaultBounds()
	}
	if input.Describer == nil {
		input.Describer = bySDK{}
	}
	s := newSession(input)
	if input.Existing != nil {
		s.Protection = existingTables{s}.shielded(input.Existing)
		if input.Keep != nil {
			input.Keep(s.Protection.Redacted)
		}
	}
	if err := s.misnamed(); err != nil {
		return nil, err
	}
	connect(s)
	s.Source, s.SourceProblem = coverage.Read(input.Documents, input.Design.Document)
	if s.SourceProblem != nil && !errors.Is(s.SourceProblem, coverage.ErrNoDocument) {
		return nil, s.SourceProblem
	}
	if input.Fixtures == nil || input.ReadOnly {
		return s, nil
	}
	if s.Protection != nil {
		if err := (existingTables{s}).survey(recorder.WithClaim(ctx, recorder.Surveying)); err != nil {
			return nil, err
		}
	}
	identifyTables(ctx, s)
	if err := loadItems(recorder.WithClaim(ctx, recorder.Loading), s); err != nil {
		if kind := failures.Classify(err); kind != failures.Denied && kind != failures.Unanswered && kind != failures.UnknownOperation {
			return nil, err
		}
		s.Unloaded = err // the schema can be examined all the same
	}
	return s, nil
}

// NoteDecided keeps the result of a claim, which other claims may rest on.
func (s *Session) NoteDecided(result evidence.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.decided[result.ID] = result
}

// ResultOf returns the result of a claim that was decided.
func (s *Session) ResultOf(claim string) (evidence.Result, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	result, decided := s.decided[claim]
	return result, decided
}

// connect makes the client: recorded, and held back where the session must not
// write, or only beside the items of others.
func connect(s *Session) {
	attached := []func(*middleware.Stack) error{s.Recorder.Attach}
	if s.ReadOnly {
		attached = append(attached, safewrite.ReadOnly)
	}
	if s.Protection != nil {
		attached = append(attached, s.Protection.Attach)
	}
	if !s.Exclusive {
		attached = append(attached, safewrite.Within(slices.Collect(maps.Values(s.Deployment.Tables))...))
	}
	s.Client = newClient(&s.Input, attached...)
}

// Again returns a session on the same deployment and the same loaded items that
// has sent nothing yet, for another reading of the contract: design and set may
// differ from this session's in anything but what is deployed and loaded.
func (s *Session) Again(design *accesspatterns.Design, set *fixtures.Set) *Session {
	again := newSession(s.Input)
	again.Design, again.Fixtures = design, set
	again.Source, again.SourceProblem, again.Protection = s.Source, s.SourceProblem, s.Protection
	again.LoadErrs, again.Loaded, again.Unloaded, again.identities = s.LoadErrs, s.Loaded, s.Unloaded, s.identities
	again.awaitedIn, again.Unshown = maps.Clone(s.awaitedIn), maps.Clone(s.Unshown)
	connect(again)
	return again
}

// newClient returns an SDK client for an engine on this machine, or for what the input
// connects to. It keeps the SDK's default retries unless these options chose others.
func newClient(input *Input, apiOptions ...func(*middleware.Stack) error) *dynamodb.Client {
	region := input.Deployment.Region
	options := target.ClientOptions(input.Endpoint, region)
	switch {
	case input.Connect != nil:
		options = input.Connect.Copy()
	case input.Transport != nil:
		options.HTTPClient = target.HTTPClient(input.Transport)
	}
	options.Region = region
	options.APIOptions = append(options.APIOptions, apiOptions...)
	return dynamodb.New(options)
}

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
