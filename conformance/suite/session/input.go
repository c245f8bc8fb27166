package session

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/iam/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/access"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/internal/trail"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/failures"
	"dynaproof/fixtures"
)

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
	// Unattached are the roles whose policy is attached to nobody, where that was read.
	Unattached []string
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
	// Endpoint is the address of the wire; Ledger is what the wire records, the witness of all requests.
	Endpoint string
	Ledger   *wire.Ledger
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
	// one attempt; 0 means [dynaproof/conformance/suite/races.MostOrders].
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
	// ShareCapacity lets it take from tables on AWS whose capacity has a bound.
	ShareCapacity bool
	// Keep is told, before the first request to such tables, what a record may keep of
	// their answers.
	Keep func(wire.Keep)
	// RunTags are the tags that the run itself put on the tables, in addition to
	// the documented ones.
	RunTags map[string]string
	// Metrics returns how many requests of an operation on a table the service itself counted as successes between two moments: a witness
	// that no client can influence, and that sees the requests of all clients. Figures come some minutes late, and are then too low. Nil
	// where it keeps none, and where others use the tables too.
	Metrics func(ctx context.Context, table, operation string, from, to time.Time) (int, error)
	// Keys tells whether AWS or CUSTOMER manages a key of KMS, by the ARN of a key or an alias. Nil where nobody can be asked.
	Keys func(ctx context.Context, arn string) (string, error)
	// Policies are what is attached to roles, where no stack tells it; nil where nobody
	// can be asked.
	Policies Policies
	// MustEnforce demands attached policies where the document leaves them open.
	MustEnforce bool
	// Simulator is IAM's own policy simulator, which returns how IAM decides each action on each resource: a second witness of what
	// policies allow. Nil where there is none.
	Simulator func(ctx context.Context, asked access.Simulation) (map[[2]string]types.PolicyEvaluationDecisionType, error)
	// Trail is what a trail of CloudTrail delivered: a witness that no client can influence, that sees the requests of all clients, and that
	// names them. Nil where none is asked.
	Trail *trail.Logs
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
	// Describer reads how tables are set up. Nil means by the requests of the SDK.
	Describer Describer
}

// Policies reads the policies that are attached for the roles of a design.
type Policies interface {
	// Roles returns the documents, by role, and the roles whose policy is attached to nobody.
	Roles(ctx context.Context) (documents map[string]string, unattached []string, err error)
	// Where says where they are looked for.
	Where() string
}

// TrailSettles is how long before an audit its window ends. CloudTrail delivers to a
// log group within about 5 minutes on average, which AWS does not guarantee.
// https://docs.aws.amazon.com/awscloudtrail/latest/userguide/send-cloudtrail-events-to-cloudwatch-logs.html
const TrailSettles = 15 * time.Minute

// InEnvironment is the input of a design whose tables have the documented names of an environment, for what sends nothing.
func InEnvironment(design *accesspatterns.Design, set *fixtures.Set, environment string) Input {
	names := lists.Index(design.Tables, func(table accesspatterns.Table) (string, string) { return table.ID, table.Name.In(environment) })
	return Input{Design: design, Fixtures: set, Environment: environment, Deployment: Deployment{Tables: names}}
}

// Waiting tells what is waited for, and how much of the bound is left.
func (s *Input) Waiting(bounded context.Context, what string) {
	if ends, ok := bounded.Deadline(); ok && s.Progress != nil {
		s.Progress(fmt.Sprintf("%s: waiting for %s, for %s more at most", s.Design.Name, what, max(0, time.Until(ends)).Round(time.Second)))
	}
}

// TableName returns the deployed name of a table.
func (s *Input) TableName(id string) (string, error) {
	name, deployed := s.Deployment.Tables[id]
	if !deployed {
		return "", &LacksError{id}
	}
	return name, nil
}

// LacksError says that the deployment has no table of this id.
type LacksError struct{ Table string }

func (e *LacksError) Error() string {
	return fmt.Sprintf("table %s: the deployment has no such table", e.Table)
}

// Deployed returns the table with a deployed name.
func (s *Input) Deployed(name string) (*accesspatterns.Table, bool) {
	for table := range lists.Each(s.Design.Tables) {
		if deployed, is := s.Deployment.Tables[table.ID]; is && deployed == name {
			return table, true
		}
	}
	return nil, false
}

// ExpectedName returns the documented name of a table in this environment.
func (s *Input) ExpectedName(table *accesspatterns.Table) string {
	return NameIn(s.Environment, s.NamePrefix, s.TableNames, table)
}

// NameIn is the name of a table in an environment behind a prefix: the documented one, unless another is given for its logical id.
func NameIn(environment, prefix string, given map[string]string, table *accesspatterns.Table) string {
	if name, is := given[table.ID]; is {
		return prefix + name
	}
	return prefix + table.Name.In(environment)
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

// FixtureItem returns an item by its name.
func (s *Input) FixtureItem(name string) (accesspatterns.Item, error) {
	item, _, err := s.Fixture(name)
	return item, err
}

// Fixture returns an item by its name, and the table that holds it.
func (s *Input) Fixture(name string) (accesspatterns.Item, *accesspatterns.Table, error) {
	item, known := s.Fixtures.Item(name)
	if !known {
		return nil, nil, fmt.Errorf("the fixtures have no item %q", name)
	}
	table, err := s.Fixtures.TableOf(s.Design, item)
	return item.Item, table, err
}

// ClaimIDs completes ids that a contract writes without the design's name.
func (s *Input) ClaimIDs(ids []string) []string {
	return lists.Map(ids, func(id string) string { return s.Design.Name + "/" + id })
}

// DeclaresLacking returns the declaration by which the target lacks the operation
// that an error is about; empty when the target declares nothing of the kind.
func (s *Input) DeclaresLacking(err error) string {
	if operation := failures.OperationOf(err); slices.Contains(s.Lacks, operation) {
		return "operation " + operation
	}
	return ""
}
