package replay

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/kms"

	"dynaproof"
	"dynaproof/conformance/internal/access"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/trail"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/cloud"
	"dynaproof/conformance/suite/session"
	"dynaproof/conformance/target"
)

// RunTag is the tag that a run puts on every table that it creates on an endpoint or on AWS. Its
// value is the run's own, so that clean-up deletes no table of anybody else.
const RunTag = "dynaproof:run"

// DefaultMetricsWait is how long a run on AWS waits for CloudWatch's figures, which
// come some minutes late.
const DefaultMetricsWait = 10 * time.Minute

const (
	// DefaultTrailWait is how long a run waits for CloudTrail to deliver its requests.
	DefaultTrailWait = 20 * time.Minute
	// DefaultTrailSpan is how far an audit looks back in a trail.
	DefaultTrailSpan = 24 * time.Hour
	// trailLooks is how often, at most, a run looks whether its requests have come.
	trailLooks = 40
)

// witness is what keeps the ledger of a run.
type witness interface {
	Ledger() *wire.Ledger
	SetKeep(wire.Keep)
	Close(context.Context) error
}

// Place is where a run was: an engine's endpoint, or an AWS account.
type Place struct {
	Endpoint string
	Cloud    *target.Account
}

func (p Place) name() string {
	if p.Cloud != nil {
		return p.Cloud.StateName()
	}
	return p.Endpoint
}

const (
	// verifyState are the states of runs' own stacks. They are apart from those of `dynaproof deploy`: what a run finds there was left by
	// an interrupted run and may be deleted, and a deployment that somebody keeps may not.
	verifyState = "verify"
	// existingState are the journals of runs on existing stacks. They are apart from the states of runs' own stacks: what those list
	// may be deleted whole.
	existingState = "existing"
)

// state is the folder of a stack's state of one of these kinds, below the folder of all states.
func (p Place) state(folder, kind, stack string) string {
	return filepath.Join(EndpointState(folder, p.name()), kind, stack)
}

// client is a client that no ledger sees, for clean-up.
func (p Place) client(region string) *dynamodb.Client {
	if p.Cloud != nil {
		return dynamodb.New(p.Cloud.DynamoDB(region, nil))
	}
	return target.NewClient(p.Endpoint, region)
}

// Point sets where a stack is deployed.
func (p Place) Point(options *deploy.Options) {
	options.Endpoint = p.Endpoint
	if p.Cloud != nil {
		options.Endpoint, options.Cloud, options.Account = p.Cloud.Override(), p.Cloud.Override() == "", p.Cloud.ID
	}
}

// startCloud takes the account as the target. An ephemeral run gets a name of its
// own, which stands before every table name and in the run's tag.
func (r *Replay) startCloud() {
	r.cloud, r.target = r.options.Cloud, r.options.Cloud
	r.recorder = wire.NewRecorder(r.cloud.Config.HTTPClient.(*http.Client).Transport)
	r.wire = r.recorder
	if !r.options.Existing && !r.readOnly && r.options.NamePrefix == "" {
		r.options.NamePrefix = "dynaproof-" + r.id[:8] + "-"
	}
}

// reach tells a session how to reach AWS, and what is the run's own there.
func (r *Replay) reach(input *session.Input) {
	if r.cloud == nil {
		return
	}
	options := r.cloud.DynamoDB(input.Deployment.Region, r.recorder)
	input.Connect = &options
	stack := "/" + dynaproof.Project + "/" + input.Design.Name + "." + input.Environment + "/"
	own := r.cloud.Config.Copy()
	own.Region, own.HTTPClient = input.Deployment.Region, r.beside()
	r.follow(input, own)
	input.Keys = access.Keys{Client: kms.NewFromConfig(own)}.Manager
	policies := iam.NewFromConfig(own)
	if r.cloud.Override() == "" { // what stands in for AWS simulates no policy
		input.Simulator = access.Simulator{Client: policies, Caller: "arn:" + r.cloud.Partition + ":iam::" + r.cloud.ID + ":user/dynaproof"}.Simulate
	}
	if r.readOnly || r.options.Existing {
		input.Policies, input.MustEnforce = access.Policies{Client: policies, Path: stack, Design: input.Design.Name}, r.options.Guardrails == deploy.Enforce
		return
	}
	input.RunTags = map[string]string{RunTag: r.runTag()}
	input.Bounds.Metrics = cmp.Or(r.options.MetricsWait, DefaultMetricsWait)
	input.Metrics = cloud.Metrics{Client: cloudwatch.NewFromConfig(own)}.Successes
}

// follow tells a session which trail to ask, by the configuration of other services than DynamoDB.
func (r *Replay) follow(input *session.Input, own aws.Config) {
	group := r.options.TrailGroup
	if group == nil {
		return
	}
	input.Account = r.cloud.ID
	input.Bounds.Trail = cmp.Or(r.options.TrailWait, DefaultTrailWait)
	input.Bounds.TrailPoll = input.Bounds.Trail / trailLooks
	if r.readOnly {
		input.TrailSince = time.Now().Add(-session.TrailSettles - cmp.Or(r.options.TrailSpan, DefaultTrailSpan))
	}
	own.Region = cmp.Or(group.Region, own.Region)
	input.Trail = trail.New(cloudwatchlogs.NewFromConfig(own), *group)
}

// beside is how other services than DynamoDB are reached. The requests of an audit stand
// in its ledger, so that the ledger proves what it sent, but without answers, which tell of
// other tables and people.
func (r *Replay) beside() aws.HTTPClient {
	if !r.readOnly {
		return r.cloud.Config.HTTPClient
	}
	return target.HTTPClient(r.recorder.WithoutResponses())
}

// runPolicies is the path of the IAM policies of all runs.
const runPolicies = "/" + dynaproof.Project + "/run/"

// RemoveInterrupted removes what interrupted runs of a design left at a place, and
// says what that was, one line each.
func RemoveInterrupted(ctx context.Context, stateDir string, at Place, options deploy.Options) ([]string, error) {
	stack := options.Name()
	var said []string
	items, err := removeItemsLeft(ctx, stateDir, at, options.Region, stack)
	if items != nil {
		said = append(said, fmt.Sprintf("removed what an interrupted verify of %s wrote: %d items", stack, *items))
	}
	if err != nil {
		return said, err
	}
	tables, err := RemoveLeftovers(ctx, stateDir, at, options)
	if tables != nil && (err == nil || *tables != Leftovers{}) {
		said = append(said, fmt.Sprintf("removed what an interrupted verify of %s deployed: %s", stack, tables))
	}
	if err != nil {
		return said, err
	}
	if len(said) > 0 {
		return said, nil
	}
	place := EndpointState(stateDir, at.name())
	for _, kind := range []string{verifyState, existingState} {
		if _, err := os.Stat(at.state(stateDir, kind, stack) + ".lock"); err == nil {
			return []string{fmt.Sprintf("no interrupted verify of %s is known in %s: the last one ended in good order", stack, place)}, nil
		}
	}
	do := "give the --state, --env and --endpoint of the run whose tables or items are to be removed"
	if at.Cloud != nil {
		do = "give the --state and --env of the run; where its state is lost, cleanup --target aws --older-than 6h finds tables of runs by their tag"
	}
	return nil, fmt.Errorf("cleanup of %s: expected a run that is known in %s, found none, so that nobody can tell what was left; nothing was removed: %s", stack, place, do)
}

// runTag is the value of the run's tag.
func (r *Replay) runTag() string { return r.id + "@" + r.evidence.Started.UTC().Format(time.RFC3339) }

func newRunID() string {
	id := make([]byte, 8)
	_, _ = rand.Read(id) // it never fails
	return hex.EncodeToString(id)
}

// RemoveOlder deletes the tables that runs left in an account's region and the IAM
// policies that they left in the account, whose tag says that the run began so long
// ago. It needs no journal: the tag is the proof, and it is read again right before
// each deletion. It says what it did, one line for each.
//
// The tag's date is of the clock of a run, which may be wrong as the clock here may be. So what AWS made later than that
// by its own clock stays, and the earlier of AWS's time and the time here is now.
//
// A tag is easily copied with a definition of a table. So what was made long before or after the run of
// its tag began is somebody else's: it is left, and counted. What cannot be removed, because it is
// protected, say, does not keep the rest.
func RemoveOlder(ctx context.Context, account *target.Account, region string, age time.Duration) (said []string, err error) {
	client := Place{Cloud: account}.client(region)
	answer, err := client.ListTables(ctx, &dynamodb.ListTablesInput{Limit: aws.Int32(1)})
	if err != nil {
		return nil, err
	}
	before := time.Now()
	if there, said := awsmiddleware.GetServerTime(answer.ResultMetadata); said && there.Before(before) {
		before = there
	}
	before = before.Add(-age)
	names, err := target.TableNames(ctx, client)
	if err != nil {
		return nil, err
	}
	var problems []error
	copied := 0
	for _, name := range names {
		switch tag, is, err := removeOlder(ctx, client, name, before); {
		case err != nil:
			problems = append(problems, fmt.Errorf("table %q: %w", name, err))
		case is == lost:
			said = append(said, fmt.Sprintf("removed table %s of run %s", name, tag))
		case is == madeApart:
			copied++
		}
	}
	policies, err := access.Sweeper{Client: iam.NewFromConfig(account.Config), Path: runPolicies, Lost: func(key, value string, made time.Time) bool {
		return key == RunTag && ageOf(value, made, before) == lost
	}}.Remove(ctx)
	if said = append(said, policies...); copied > 0 {
		said = append(said, fmt.Sprintf("left %d tables with a run's tag that were made long before or after the run began: somebody copied the tag", copied))
	}
	return said, errors.Join(append(problems, err)...)
}

// age is what the tag of a run, and the moment in which something was made, say of it.
type age int

const (
	left      age = iota // no tag of a run, or of one that may go on
	lost                 // of a run that began so long ago that it has ended
	madeApart            // the run of the tag had ended before it was made, or had not begun
)

// longestRun bounds the time in which a run makes its tables and policies.
const longestRun = 24 * time.Hour

func ageOf(tag string, made, before time.Time) age {
	_, date, _ := strings.Cut(tag, "@")
	begun, err := time.Parse(time.RFC3339, date)
	switch {
	case err != nil || made.IsZero():
	case made.Sub(begun).Abs() > longestRun:
		return madeApart
	case begun.Before(before) && made.Before(before):
		return lost
	}
	return left
}

func removeOlder(ctx context.Context, client *dynamodb.Client, name string, before time.Time) (tag string, is age, err error) {
	sorted := func() (*types.TableDescription, error) {
		table, err := target.Described(ctx, client, name)
		if err != nil || table == nil {
			return nil, err
		}
		tags, err := target.TableTags(ctx, client, aws.ToString(table.TableArn))
		if err != nil {
			return nil, err
		}
		if now := ageOf(tags[RunTag], aws.ToTime(table.CreationDateTime), before); is != lost {
			tag, is = tags[RunTag], now
		} else if now != lost {
			return nil, nil // the run's is gone, and this is another
		}
		return table, nil
	}
	if _, err = sorted(); err == nil && is == lost {
		err = deleteTable(ctx, client, name, sorted)
	}
	return tag, is, err
}
