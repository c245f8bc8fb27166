package suite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
	"github.com/gruntwork-io/terratest/modules/testing"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/batch"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/internal/trail"
	"dynaproof/conformance/internal/wire"
	"dynaproof/fixtures"
)

// loader is a session that loads items, and puts them back.
type loader struct{ *Session }

// Deployment is what the suite is told about a deployed design: by a stack's
// outputs, or for an audit by the contract and the environment's name.
type Deployment struct {
	// Tables maps logical ids to deployed table names.
	Tables map[string]string
	// Indexes maps logical ids to the names of the indexes that the stack says
	// it deployed. Nil when no stack was asked.
	Indexes map[string][]string
	// Region is the region that requests are signed for.
	Region string
	// TableARNs maps logical ids to ARNs.
	TableARNs map[string]string
	// Guardrails is "enforce" or "off": whether the stack attaches policies. Empty
	// when no stack was asked.
	Guardrails string
	// RolePolicies and TablePolicies are the policy documents that the stack has
	// deployed, as JSON, by role and by the table's logical id.
	RolePolicies, TablePolicies map[string]string
}

// Bounds are the longest times that the suite waits.
type Bounds struct {
	// IndexRead bounds the wait for an index to show the expected items and no
	// others, which it may do late because index reads are eventually consistent.
	IndexRead time.Duration
	// Poll is the pause between two looks.
	Poll time.Duration
	// Metrics bounds the wait for the service's own figures.
	Metrics time.Duration
	// Trail bounds the wait for the records of a trail, and each search of it.
	Trail time.Duration
	// TrailPoll is the pause between two looks for the session's own requests in a
	// trail, each of which reads all of them.
	TrailPoll time.Duration
}

// DefaultBounds suit an engine on the same machine.
func DefaultBounds() Bounds {
	return Bounds{IndexRead: 5 * time.Second, Poll: 10 * time.Millisecond}
}

// Ledger is the witness of all requests: the recording proxy's ledger.
type Ledger interface {
	// Len is the number of entries so far.
	Len() int
	// Entries returns the entries after the first n.
	Entries(n int) []wire.Entry
	// Find returns the entries of one SDK invocation: several after retries.
	Find(invocationID string) []wire.Entry
}

// Input is what a session is opened with.
type Input struct {
	Design *accesspatterns.Design
	// Fixtures are nil for an audit, which reads schemas alone.
	Fixtures *fixtures.Set
	// Environment fills {env} and {stage} in.
	Environment string
	// NamePrefix stands before every documented table name, on ephemeral
	// stacks.
	NamePrefix string
	// TableNames overrides documented names, by logical id, where the document
	// allows another name by configuration.
	TableNames map[string]string
	Deployment Deployment
	// Endpoint is the address of the wire; Ledger is what the wire records.
	Endpoint string
	Ledger   Ledger
	// FromContract says that the tables were made from the contract, so that what they
	// are proves nothing: claims about tables and indexes are then static.
	FromContract bool
	// Exclusive says that the engine belongs to this session alone, so that
	// every table that it lists must be one of the design's.
	Exclusive bool
	// Grade is the grade of an answer of the engine.
	Grade evidence.Grade
	// Documents is the folder of the design documents.
	Documents string
	// PinnedLines are the digests of the document's lines as it was transcribed,
	// which name the lines that changed. Empty where none are pinned.
	PinnedLines []string
	Bounds      Bounds
	// Lacks are the operations that the target declares not to have, such as
	// TransactWriteItems. What needs one of them is unsupported; any other operation
	// that the engine does not know leaves a claim indeterminate.
	Lacks []string
	// Deviates says by which known deviation of the engine a claim failed: it is
	// unsupported then. Empty where nothing but the deployment explains the failure. Nil
	// for engines of which no deviation is known.
	Deviates func(evidence.Result) string
	// NoRaces says why an engine cannot answer races between clients, which are
	// unsupported then. Empty for an engine that keeps concurrent writes apart.
	NoRaces string
	// Unexplored leaves exploration out, for a contract that a test or a mutant has
	// changed: what is explored is the contract as it stands.
	Unexplored bool
	// Seed decides the order of runs in races.
	Seed uint64
	// RacesOnly leaves the interruptions of invariants out, and the races of two
	// clients in every order, which take the same course with every seed.
	RacesOnly bool
	// Orders bounds how many orders of two racing clients' requests are tried for
	// one attempt; 0 means [MostOrders].
	Orders int
	// Interruptions bounds after how many of its requests one flow is interrupted for
	// one attempt; 0 means after each.
	Interruptions int
	// Transport takes the requests to Endpoint; nil opens connections.
	Transport http.RoundTripper
	// Connect reaches the service in place of Endpoint. Nil for engines on this
	// machine.
	Connect *dynamodb.Options
	// Existing is set where the tables may hold items of others: then the session
	// writes under conditions of its own, and to this journal before each write.
	Existing safewrite.Journal
	// Keep is told, before the first request to such tables, what a record may keep of
	// their answers.
	Keep func(wire.Keep)
	// RunTags are the tags that the run itself put on the tables, in addition to
	// the documented ones.
	RunTags map[string]string
	// Metrics are the service's own figures. Nil where it keeps none, and where
	// others use the tables too.
	Metrics Metrics
	// Keys tells who manages a table's key. Nil where nobody can be asked.
	Keys Keys
	// Policies are what is attached to roles, where no stack tells it; nil where nobody
	// can be asked.
	Policies Policies
	// MustEnforce demands attached policies where the document leaves them open.
	MustEnforce bool
	// Simulator is a second witness of what policies allow. Nil where there is none.
	Simulator Simulator
	// Trail is the trail that sees the tables. Nil where none is asked.
	Trail Trail
	// TrailSince is the moment from which the trail is asked; zero means the moment
	// in which the session is opened.
	TrailSince time.Time
	// Account is the account of the tables on AWS; empty where there is none.
	Account string
	// HeldTo is the contract that requests of patterns are held to, when it is another
	// than Design; it is for tests of the suite, which send what it does not document.
	HeldTo *accesspatterns.Design
	// AroundGuard changes the clients that trials send through the guard; it is
	// given the client that nothing holds back. Nil but where the suite itself is
	// tested.
	AroundGuard func(bare *dynamodb.Client) func(*dynamodb.Options)
	// Strict lets a deployment fail that chose otherwise than the project where the
	// document leaves the choice. Deployments of the run's own always do.
	Strict bool
	// ReadOnly makes the client refuse everything but Describe and List.
	ReadOnly bool
	// Progress is told what the session waits for, one line at a time. Nil means silence.
	Progress func(string)
	// T is handed to terratest's helpers. Nil where no test is running.
	T testing.TestingT
}

// Session is one design, deployed and loaded, under examination.
type Session struct {
	Input
	// Client is the SDK client whose requests are joined to claims.
	Client *dynamodb.Client
	// Source is the document, nil when the folder does not hold it.
	Source *coverage.Source
	// SourceProblem says why Source is nil.
	SourceProblem error

	recorder   *recorder
	protection *safewrite.Protection                 // nil unless the stack existed before the run
	guards     map[[2]string]func(*dynamodb.Options) // those of production code, by role and user
	opened     time.Time
	begin      int // length of the ledger when the session was opened
	loadErrs   map[string]error
	loaded     map[string]accesspatterns.Item // what was loaded, by table and key
	// identities tell the tables that the items were loaded into from others of the
	// same names.
	identities map[string]string
	// awaitedIn are the items that each index has to show before a claim rests on
	// what it shows, by their ids; unshown says which index did not.
	awaitedIn map[place]map[string]indexed
	unshown   map[place]string
	tables    map[string]*cached[*types.TableDescription]
	ttls      map[string]*cached[*types.TimeToLiveDescription]
	stored    map[string]storedItem
	decided   map[string]evidence.Result
	// attached is what was found attached, once for all claims; unsimulated says why the
	// simulator is asked no more.
	attached    *cached[attachment]
	unsimulated error
	// unloaded says why the items could not be loaded, or were not put back after a
	// claim: then nothing can be told of what rests on them.
	unloaded error
	mu       sync.Mutex
	// trailWaived counts the requests of others that waivers allow, by waiver.
	trailWaived map[string]int
}

// newSession returns a session that has sent nothing yet.
func newSession(input Input) *Session {
	return &Session{
		Input:      input,
		recorder:   &recorder{},
		opened:     time.Now(),
		begin:      input.Ledger.Len(),
		loadErrs:   map[string]error{},
		loaded:     map[string]accesspatterns.Item{},
		awaitedIn:  map[place]map[string]indexed{},
		unshown:    map[place]string{},
		identities: map[string]string{},
		tables:     map[string]*cached[*types.TableDescription]{},
		ttls:       map[string]*cached[*types.TimeToLiveDescription]{},
		decided:    map[string]evidence.Result{},
	}
}

// Open prepares a session: it reads the document, makes the client and loads the
// fixtures.
func Open(ctx context.Context, input Input) (*Session, error) {
	if input.Bounds == (Bounds{}) {
		input.Bounds = DefaultBounds()
	}
	if input.T == nil {
		input.T = outsideTest{}
	}
	s := newSession(input)
	if input.Existing != nil {
		s.protection = existingTables{s}.shielded(input.Existing)
		if input.Keep != nil {
			input.Keep(s.protection.Redacted)
		}
	}
	if err := s.misnamed(); err != nil {
		return nil, err
	}
	s.connect()
	s.Source, s.SourceProblem = coverage.Read(input.Documents, input.Design.Document)
	if s.SourceProblem != nil && !errors.Is(s.SourceProblem, coverage.ErrNoDocument) {
		return nil, s.SourceProblem
	}
	if input.Fixtures == nil || input.ReadOnly {
		return s, nil
	}
	if s.protection != nil {
		if err := (existingTables{s}).survey(withClaim(ctx, surveying)); err != nil {
			return nil, err
		}
	}
	loader{s}.identifyTables(ctx)
	if err := (loader{s}).load(withClaim(ctx, loading)); err != nil {
		if kind := classify(err); kind != denied && kind != unanswered && kind != unknownOperation {
			return nil, err
		}
		s.unloaded = err // the schema can be examined all the same
	}
	return s, nil
}

// connect makes the client: recorded, and held back where the session must not
// write, or only beside the items of others.
func (s *Session) connect() {
	attached := []func(*middleware.Stack) error{s.recorder.attach}
	if s.ReadOnly {
		attached = append(attached, safewrite.ReadOnly)
	}
	if s.protection != nil {
		attached = append(attached, s.protection.Attach)
	}
	s.Client = newClient(&s.Input, attached...)
}

// Again returns a session on the same deployment and the same loaded items that
// has sent nothing yet, for another reading of the contract: design and set may
// differ from this session's in anything but what is deployed and loaded.
func (s *Session) Again(design *accesspatterns.Design, set *fixtures.Set) *Session {
	again := newSession(s.Input)
	again.Design, again.Fixtures = design, set
	again.Source, again.SourceProblem, again.protection = s.Source, s.SourceProblem, s.protection
	again.loadErrs, again.loaded, again.unloaded, again.identities = s.loadErrs, s.loaded, s.unloaded, s.identities
	again.awaitedIn, again.unshown = maps.Clone(s.awaitedIn), maps.Clone(s.unshown)
	again.connect()
	return again
}

// waiting tells what is waited for, and how much of the bound is left.
func (s *Input) waiting(bounded context.Context, what string) {
	if ends, ok := bounded.Deadline(); ok && s.Progress != nil {
		s.Progress(fmt.Sprintf("%s: waiting for %s, for %s more at most", s.Design.Name, what, max(0, time.Until(ends)).Round(time.Second)))
	}
}

// TableName returns the deployed name of a table.
func (s *Input) TableName(id string) (string, error) {
	name, deployed := s.Deployment.Tables[id]
	if !deployed {
		return "", fmt.Errorf("table %s: the deployment has no such table", id)
	}
	return name, nil
}

// ExpectedName returns the documented name of a table in this environment.
func (s *Input) ExpectedName(table *accesspatterns.Table) string {
	if name, overridden := s.TableNames[table.ID]; overridden {
		return s.NamePrefix + name
	}
	return s.NamePrefix + table.Name.In(s.Environment)
}

// misnamed says that a stack exports a documented table under an id which the contract
// does not have: then it is the program that is wrong, and nothing can be told of the table.
func (s *Input) misnamed() error {
	for _, table := range s.Design.Tables {
		if _, named := s.Deployment.Tables[table.ID]; named {
			continue
		}
		for _, id := range slices.Sorted(maps.Keys(s.Deployment.Tables)) {
			if _, known := s.Design.Table(id); !known && s.Deployment.Tables[id] == s.ExpectedName(&table) {
				return fmt.Errorf("the stack's output tables: expected %s under the logical id %s of the contract (%s), found it under %s; export it as %s in the program, or correct the contract",
					s.Deployment.Tables[id], table.ID, s.Design.Document.Cite(table.Cite), id, table.ID)
			}
		}
	}
	return nil
}

// Placed returns the table that holds a fixture item, and the name under which it is deployed.
func (s *Input) Placed(item *fixtures.Item) (table *accesspatterns.Table, name string, err error) {
	if table, err = s.Fixtures.TableOf(s.Design, item); err == nil {
		name, err = s.TableName(table.ID)
	}
	return table, name, err
}

// fixtureItem returns an item by its name.
func (s *Input) fixtureItem(name string) (accesspatterns.Item, error) {
	item, known := s.Fixtures.Item(name)
	if !known {
		return nil, fmt.Errorf("the fixtures have no item %q", name)
	}
	return item.Item, nil
}

// fixture returns an item by its name, and the table that holds it.
func (s *Input) fixture(name string) (accesspatterns.Item, *accesspatterns.Table, error) {
	item, known := s.Fixtures.Item(name)
	if !known {
		return nil, nil, fmt.Errorf("the fixtures have no item %q", name)
	}
	table, err := s.Fixtures.TableOf(s.Design, item)
	return item.Item, table, err
}

// lookAt returns a fixture item, and what its table holds under its key; nil for nothing.
func (s *Session) lookAt(ctx context.Context, name string) (item, got accesspatterns.Item, err error) {
	item, table, err := s.fixture(name)
	if err == nil {
		got, err = loader{s}.get(ctx, table, table.KeyOf(item))
	}
	return item, got, err
}

// load puts every item that is not held. Items that the engine refuses one by
// one are remembered, not fatal: the claims that rest on them fail with the
// engine's own words.
func (s loader) load(ctx context.Context) error {
	byTable := map[string][]*fixtures.Item{}
	for i := range s.Fixtures.Items {
		item := &s.Fixtures.Items[i]
		if item.Held || s.loadErrs[item.Name] != nil { // or left out beside the items of others
			continue
		}
		table, err := s.Fixtures.TableOf(s.Design, item)
		if err != nil {
			return err
		}
		byTable[table.ID] = append(byTable[table.ID], item)
	}
	for _, id := range slices.Sorted(maps.Keys(byTable)) {
		name, err := s.TableName(id)
		if err != nil {
			for _, item := range byTable[id] {
				s.loadErrs[item.Name] = err
			}
			continue
		}
		for chunk := range slices.Chunk(byTable[id], batch.WriteSize) {
			if err := s.loadChunk(ctx, name, chunk); err != nil {
				return err
			}
			table, _ := s.Design.Table(id)
			for _, item := range chunk {
				if s.loadErrs[item.Name] != nil {
					continue // refused: nothing to put back later, which would be refused again, with the items beside it
				}
				s.loaded[table.ID+accesspatterns.ShowItem(table.KeyOf(accesspatterns.Item(item.Item)))] = accesspatterns.Item(item.Item)
				waitingReader(s).expectInIndexes(table, accesspatterns.Item(item.Item))
			}
		}
	}
	return nil
}

// loadChunk loads at most [batch.WriteSize] items into a table.
func (s loader) loadChunk(ctx context.Context, tableName string, chunk []*fixtures.Item) error {
	if s.protection == nil {
		var puts []types.WriteRequest
		for _, item := range chunk {
			puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: item.Item}})
		}
		if err := s.batchWrite(ctx, tableName, puts); err == nil {
			return nil
		} else if classify(err) != refused {
			return fmt.Errorf("loading %s: %w", tableName, err)
		}
	}
	// Beside the items of others no batch is sent; elsewhere one bad item refuses the whole batch: find out which.
	for _, item := range chunk {
		_, err := s.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(tableName), Item: item.Item})
		if err == nil {
			continue
		}
		switch classify(err) {
		case withheld:
			s.protection.Withhold(tableName, item.Item, err.Error())
		case refused:
		default:
			return fmt.Errorf("loading item %s: %w", item.Name, err)
		}
		s.loadErrs[item.Name] = err
	}
	return nil
}

// sender sends the session's batches.
func (s loader) sender() batch.Sender {
	return batch.Sender{Client: s.Client, Poll: s.Bounds.Poll}
}

// batchWrite writes at most [batch.WriteSize] requests.
func (s loader) batchWrite(ctx context.Context, tableName string, requests []types.WriteRequest) error {
	if s.protection != nil {
		return existingTables(s).oneByOne(ctx, tableName, requests)
	}
	return s.sender().Write(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{tableName: requests}})
}

// storedItem is a fixture item as the engine returned it.
type storedItem struct {
	item        accesspatterns.Item
	invocations []string
}

// readBack reads every loaded item once, for the specs that look at items as
// the engine stores them. Items that the engine refused or lost are absent.
func (s loader) readBack(ctx context.Context) (map[string]storedItem, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stored != nil {
		return s.stored, nil
	}
	stored := map[string]storedItem{}
	ctx = withClaim(ctx, readingBack)
	for i := range s.Fixtures.Items {
		item := &s.Fixtures.Items[i]
		if item.Held || s.loadErrs[item.Name] != nil {
			continue
		}
		table, err := s.Fixtures.TableOf(s.Design, item)
		if err != nil {
			return nil, err
		}
		before := s.recorder.len()
		got, err := s.get(ctx, table, table.KeyOf(accesspatterns.Item(item.Item)))
		if err != nil {
			return nil, fmt.Errorf("reading item %s back: %w", item.Name, err)
		}
		if got != nil {
			stored[item.Name] = storedItem{item: got, invocations: s.recorder.invocations(before)}
		}
	}
	s.stored = stored
	return stored, nil
}

// get reads one item with a consistent read; nil when there is none.
func (s loader) get(ctx context.Context, table *accesspatterns.Table, key accesspatterns.Item) (accesspatterns.Item, error) {
	name, err := s.TableName(table.ID)
	if err != nil {
		return nil, err
	}
	answer, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(name), Key: key, ConsistentRead: aws.Bool(true)})
	if err != nil {
		return nil, err
	}
	return answer.Item, nil
}

const (
	// restoreTime bounds how long items are put back.
	restoreTime = time.Minute
	// graceTime bounds it after the end of the context: an engine that no longer answers
	// would else be waited for claim by claim.
	graceTime = 10 * time.Second
)

// afterwards is a context for what has to be done when a claim was decided, also when
// its own context is over: it ends after [restoreTime], and [graceTime] after the other.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreTime)
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(graceTime, cancel) })
	return after, func() {
		stop()
		cancel()
	}
}

// restore puts the tables' items back as they were loaded, for every key that
// was written, after an interrupt too.
func (s loader) restore(ctx context.Context, touched []touchedKey) error {
	ctx, cancel := afterwards(withClaim(ctx, restoring))
	defer cancel()
	byTable := map[string][]types.WriteRequest{}
	seen := map[string]bool{}
	for _, touch := range touched {
		id := touch.table.ID + accesspatterns.ShowItem(touch.key)
		if seen[id] {
			continue // a batch must not name a key twice
		}
		seen[id] = true
		waitingReader(s).expectNoLonger(touch)
		request := types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: touch.key}}
		if item := s.loaded[id]; item != nil {
			request = types.WriteRequest{PutRequest: &types.PutRequest{Item: item}}
		}
		byTable[touch.table.ID] = append(byTable[touch.table.ID], request)
	}
	var problems []error
	defer func() {
		if slices.ContainsFunc(problems, func(err error) bool { return classify(err) != refused }) {
			s.unloaded = errors.Join(problems...)
		} // else the deployment refuses items, and the claims about it say so
	}()
	for _, id := range slices.Sorted(maps.Keys(byTable)) {
		name, err := s.TableName(id)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		for chunk := range slices.Chunk(byTable[id], batch.WriteSize) {
			put := s.batchWrite
			if s.protection != nil {
				put = existingTables(s).restoreBeside
			}
			if err := put(ctx, name, chunk); err != nil {
				problems = append(problems, fmt.Errorf("restoring %d items of %s: %w", len(chunk), id, err))
				continue
			}
			table, _ := s.Design.Table(id)
			for _, request := range chunk {
				if request.PutRequest != nil {
					waitingReader(s).expectInIndexes(table, request.PutRequest.Item)
				}
			}
		}
	}
	return errors.Join(problems...)
}

// touchedKey is a primary key that a spec wrote to.
type touchedKey struct {
	table *accesspatterns.Table
	key   accesspatterns.Item
}

// cached is an answer that several claims rest on.
type cached[T any] struct {
	value       T
	err         error
	invocations []string
}

// waitingReader is a session that reads, and waits for indexes.
type waitingReader struct{ *Session }

// Metrics is what the service itself counted: a witness that no client can
// influence, and that sees the requests of all clients.
type Metrics interface {
	// Successes returns how many requests of an operation on a table succeeded
	// between two moments. Figures come some minutes late, and are then too low.
	Successes(ctx context.Context, table, operation string, from, to time.Time) (int, error)
}

// Trail is what a trail of CloudTrail delivered: a witness that no client can
// influence, that sees the requests of all clients, and that names them.
type Trail interface {
	// Group names where the trail delivers.
	Group() string
	// Unkeyed returns the records, from a moment on, of requests that read without a
	// key, of all tables. What could be read is returned beside an error.
	Unkeyed(ctx context.Context, since time.Time) ([]trail.Record, error)
	// Keyed hands the records of operations by key on a table over, from a moment on,
	// until no more are wanted.
	Keyed(ctx context.Context, table string, operations []string, since time.Time, more func(trail.Record) bool) error
}

// descriptions is a session that asks what is deployed, once for all claims.
type descriptions struct{ *Session }
