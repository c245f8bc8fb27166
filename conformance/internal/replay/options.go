package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/own"
	"dynaproof/conformance/internal/trail"
	"dynaproof/conformance/suite/session"
	"dynaproof/conformance/target"
	"dynaproof/fixtures"
)

// DefaultEnvironment is the environment in the names of tables where the caller names
// none.
const DefaultEnvironment = "dev"

// DefaultRegion is the region that requests are signed for where neither the
// document nor the caller names one.
const DefaultRegion = "us-east-1"

// DefaultOrders bounds the orders of two racing clients in a replay. Nearly every
// flow has fewer; `make races` goes on to [dynaproof/conformance/suite/races.MostOrders].
const DefaultOrders = 100

// cloudOrders is the same on AWS, where each request costs time and money.
const cloudOrders = 10

// orders is the bound that holds.
func (o *Options) orders() int {
	switch {
	case o.Orders > 0:
		return o.Orders
	case o.Cloud != nil:
		return cloudOrders
	}
	return DefaultOrders
}

// Options say what is replayed, and where.
type Options struct {
	// Designs are names; empty means all.
	Designs []string
	// Environment names the stacks: <design>.<environment>.
	Environment string
	// Endpoint is the URL of an engine on loopback. Empty means the embedded
	// engine.
	Endpoint string
	// Lacks are the operations that the engine at Endpoint is known not to have, such
	// as TransactWriteItems. See [session.Input].
	Lacks []string
	// Engine is another engine that the run starts, in place of the embedded one.
	Engine *Engine
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
	// names, beside the items of others. The run writes under conditions of its own, and deletes
	// exactly what it wrote. Designs must name one where several are here, and StateDir must be set.
	Existing bool
	// ShareCapacity lets it take from tables on AWS whose capacity has a bound.
	ShareCapacity bool
	// Tool deploys the one design, in place of its Pulumi program. Nil for the program.
	Tool *Tool
	// Strict lets a deployment fail that chose otherwise than the project where the
	// document leaves the choice.
	Strict bool
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
	// Seed decides the order of racing clients' requests.
	Seed uint64
	// Orders bounds how many orders of two racing clients' requests are tried for
	// one attempt on an invariant; 0 means [DefaultOrders], and fewer on AWS.
	Orders int
	// Interruptions bounds after how many of its requests one flow is interrupted for
	// one attempt on an invariant; 0 means after each.
	Interruptions int
	// Accepted are the open points that somebody has accepted; they go into the evidence and decide nothing.
	Accepted []evidence.Acceptance
	// Command is what reproduces the run.
	Command string
	// Progress is told what the run is doing, one line at a time.
	Progress func(string)
	// Apart gives each design an embedded engine of its own, so that several can be replayed at once. On an endpoint and on AWS,
	// where others may see what the run does, it does nothing.
	Apart bool
	// Bounds are the longest waits; the zero value means what suits the target.
	Bounds session.Bounds
	// Describer reads how tables are set up; nil means as [session.Input] says.
	Describer session.Describer
	// Wrong changes what a program asks for on purpose, in tests. That is then made without Pulumi.
	Wrong func(*deploy.Inputs)
	// Amend changes a contract or fixtures on purpose, in tests.
	Amend func(*accesspatterns.Design, *fixtures.Set)
}

// Engine is an engine that a run starts and ends, or what stands in for AWS.
type Engine struct {
	Start func(context.Context, func(line string)) (target.Target, error)
	// Lacks are the operations that it does not have, Deviates says which failure is its
	// own, and NoRaces why it cannot answer races. See [session.Input].
	Lacks    []string
	Deviates func(evidence.Result) string
	NoRaces  string
}

// ConfigError is a mistake in the options: exit code 2.
type ConfigError struct{ Err error }

func (e ConfigError) Error() string { return e.Err.Error() }

// Unwrap returns the mistake.
func (e ConfigError) Unwrap() error { return e.Err }

// bounds are the longest waits, where the options name none, by the target.
func (o *Options) bounds() session.Bounds {
	switch {
	case o.Bounds != (session.Bounds{}):
		return o.Bounds
	case o.Cloud != nil: // a service over a network
		return session.Bounds{IndexRead: time.Minute, Poll: 500 * time.Millisecond}
	case o.Endpoint == "":
		// The embedded engine writes an index with its table: there a wait only puts
		// the failure off.
		return session.Bounds{IndexRead: 500 * time.Millisecond, Poll: 10 * time.Millisecond}
	}
	return session.DefaultBounds()
}

// resolve checks the options before anything is started.
func (o *Options) resolve() ([]*accesspatterns.Design, error) {
	o.Environment = cmp.Or(o.Environment, DefaultEnvironment)
	for _, check := range []func() error{o.checkExisting, o.checkTool, o.checkLacks} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	chosen, err := designs.Chosen(o.Designs)
	if err != nil {
		return nil, err
	}
	for _, design := range chosen {
		region := o.Region
		if len(o.Designs) == 0 && own.FixedRegion(design) != "" {
			region = "" // of all designs, the region is for those whose document names none
		}
		if err := CheckConfiguration(design, o.Environment, region, o.NamePrefix); err != nil {
			return nil, err
		}
		named := map[string]string{}
		for _, id := range slices.Sorted(maps.Keys(o.TableNames)) {
			name := o.TableNames[id]
			if _, known := design.Table(id); !known {
				return nil, fmt.Errorf("--table %s: %s has no such table", id, design.Name)
			}
			if !TableForm.MatchString(name) {
				return nil, fmt.Errorf("--table %s: expected the name of a table, of 3 to 255 letters, digits, hyphens, underscores and dots, found %q", id, name)
			}
			if other := named[name]; other != "" {
				return nil, fmt.Errorf("--table %s: expected another name than that of %s, found %s for both", id, other, name)
			}
			named[name] = id
		}
	}
	o.Region = cmp.Or(o.Region, DefaultRegion)
	return chosen, nil
}

// CloudRegion returns the region in which an account is opened for designs, all of them where none is named: the one that the
// caller names, else the one that their documents fix. It is empty where the environment has to name it. A region other than the
// one that a document fixes is a [ConfigError].
func CloudRegion(names []string, region string) (string, error) {
	chosen, err := designs.Chosen(names)
	if err != nil {
		return "", ConfigError{err}
	}
	for _, design := range chosen[:min(len(names), len(chosen))] { // of all designs, the region is for those whose document names none
		if err := CheckConfiguration(design, DefaultEnvironment, region, ""); err != nil {
			return "", ConfigError{err}
		}
	}
	fixed := own.FixedRegion(chosen[0])
	for _, design := range chosen[1:] {
		if own.FixedRegion(design) != fixed {
			fixed = ""
		}
	}
	return cmp.Or(region, fixed), nil
}

// deployable returns an error where a run has to deploy a design, and nothing deploys it.
func (o *Options) deployable(chosen []*accesspatterns.Design, readOnly bool) error {
	if readOnly || o.Existing || o.Tool != nil {
		return nil
	}
	if o.StateDir == "" && (o.Endpoint != "" || o.Cloud != nil) {
		return errors.New("--state: expected the folder of the state of a run on an engine that others may use, found none; name one")
	}
	for _, design := range chosen {
		if deploy.FromContract(design.Name) {
			continue
		}
		if err := deploy.Ready(design.Name); err != nil {
			return err
		}
	}
	return nil
}

// checkLacks refuses declarations about an engine whose operations are known, and
// of operations that DynamoDB does not have.
func (o *Options) checkLacks() error {
	if o.Engine != nil && (o.Endpoint != "" || o.Cloud != nil && o.Cloud.Override() == "") {
		return errors.New("--engine: expected it without --endpoint and --target, which name what answers; leave it out")
	}
	if o.Engine != nil && len(o.Lacks) == 0 {
		o.Lacks = o.Engine.Lacks
	} else if len(o.Lacks) > 0 && o.Endpoint == "" {
		return errors.New("--unsupported: expected --endpoint, whose engine may lack operations, found none; the embedded engine and AWS have all that the suite asks for")
	}
	for _, name := range o.Lacks {
		if _, known := reflect.TypeFor[*dynamodb.Client]().MethodByName(name); !known {
			return fmt.Errorf("--unsupported: expected operations of DynamoDB such as TransactWriteItems, found %q", name)
		}
	}
	return nil
}

// regionForm is the form of region names: those of AWS, and words of local
// engines.
var regionForm = regexp.MustCompile(`^[a-z0-9-]*$`)

// TableForm is the form of a table's name. An ARN, which may name a table of another account, has another.
var TableForm = regexp.MustCompile(`^[A-Za-z0-9._-]{3,255}$`)

// environmentForm and prefixForm are what may stand in the names of tables.
var (
	environmentForm = regexp.MustCompile(`^[a-z0-9-]{1,20}$`)
	prefixForm      = regexp.MustCompile(`^[a-zA-Z0-9_.-]{0,200}$`)
)

// CheckConfiguration refuses an environment, a region or a prefix that no deployment of a design can have, before anything is
// started. An empty region leaves the choice open.
func CheckConfiguration(design *accesspatterns.Design, environment, region, prefix string) error {
	fixed, at := own.FixedRegion(design), ""
	for _, table := range design.Tables {
		if table.Region != nil {
			at = design.Document.Cite(table.Region.Cite)
		}
	}
	switch {
	case !regionForm.MatchString(region):
		return fmt.Errorf("region: expected a name such as eu-west-1, found %q", region)
	case !environmentForm.MatchString(environment):
		return fmt.Errorf("--env: expected an environment of 1 to 20 lower-case letters, digits and hyphens, found %q; name it like dev", environment)
	case !prefixForm.MatchString(prefix):
		return fmt.Errorf("--prefix: expected at most 200 letters, digits, hyphens, underscores and dots, found %q", prefix)
	case fixed != "" && region != "" && region != fixed:
		return fmt.Errorf("region of %s: expected %s, which %s fixes, found %q; leave --region out", design.Name, fixed, at, region)
	}
	return nil
}
