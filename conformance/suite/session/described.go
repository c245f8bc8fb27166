package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/suite/recorder"
	"dynaproof/conformance/target"
)

// Describer reads how a table is set up. Tests read it by a library that is not ours.
type Describer interface {
	Table(ctx context.Context, client *dynamodb.Client, name string) (*types.TableDescription, error)
	TimeToLive(ctx context.Context, client *dynamodb.Client, name string) (*types.TimeToLiveDescription, error)
}

// bySDK sends the requests, and takes their answers as they are.
type bySDK struct{}

func (bySDK) Table(ctx context.Context, client *dynamodb.Client, name string) (*types.TableDescription, error) {
	answer, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil {
		return nil, err
	}
	return answer.Table, nil
}

func (bySDK) TimeToLive(ctx context.Context, client *dynamodb.Client, name string) (*types.TimeToLiveDescription, error) {
	answer, err := client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &name})
	if err != nil {
		return nil, err
	}
	return answer.TimeToLiveDescription, nil
}

// cached is an answer that several claims rest on.
type cached[T any] struct {
	Value       T
	Err         error
	Invocations []string
	// Unknown is what the answer says that nobody here knows: see [target.Unknown].
	Unknown []string
}

// once asks for what several claims rest on, in the name of all of them, and keeps what came.
func once[T any](ctx context.Context, s *Session, claim, what string, ask func(context.Context) (T, error)) *cached[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer, asked := s.answers[what].(*cached[T])
	if !asked {
		before := s.Recorder.Len()
		answer = &cached[T]{}
		answer.Value, answer.Err = ask(target.Unknown(recorder.WithClaim(ctx, claim), &answer.Unknown))
		answer.Invocations = s.Recorder.Invocations(before)
		s.answers[what] = answer
	}
	return answer
}

// Describe describes a table once for all claims.
func (s *Session) Describe(ctx context.Context, id string) *cached[*types.TableDescription] {
	return once(ctx, s, recorder.Describing, "table "+id, ofTable(s, id, s.Describer.Table))
}

// DescribeTTL describes a table's time to live once for all claims.
func (s *Session) DescribeTTL(ctx context.Context, id string) *cached[*types.TimeToLiveDescription] {
	return once(ctx, s, recorder.Describing, "time to live of "+id, ofTable(s, id, s.Describer.TimeToLive))
}

// ofTable asks about the table of a logical id.
func ofTable[T any](s *Session, id string, ask func(context.Context, *dynamodb.Client, string) (T, error)) func(context.Context) (T, error) {
	return func(ctx context.Context) (found T, err error) {
		name, err := s.TableName(id)
		if err != nil {
			return found, err
		}
		return ask(ctx, s.Client, name)
	}
}

// Tags returns the tags of a table on all pages.
func (s *Session) Tags(ctx context.Context, id string) (map[string]string, error) {
	description := s.Describe(ctx, id)
	if description.Err != nil {
		return nil, description.Err
	}
	if aws.ToString(description.Value.TableArn) == "" {
		return nil, &target.StrangeAnswer{Operation: "DescribeTable", Expected: "a table with its ARN", Found: "none"}
	}
	found, err := target.TableTags(ctx, s.Client, *description.Value.TableArn)
	if err != nil {
		return nil, fmt.Errorf("tags of %s: %w", s.Deployment.Tables[id], err)
	}
	return found, nil
}

// PolicyOf returns the policy that is attached to a table, empty where none is.
func PolicyOf(ctx context.Context, client *dynamodb.Client, arn string) (string, error) {
	answer, err := client.GetResourcePolicy(ctx, &dynamodb.GetResourcePolicyInput{ResourceArn: aws.String(arn)})
	if _, none := errors.AsType[*types.PolicyNotFoundException](err); none {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return aws.ToString(answer.Policy), nil
}

// Destinations returns the Kinesis streams that follow a table, but for those that are switched off.
func (s *Session) Destinations(ctx context.Context, table string) (streams []string, err error) {
	answer, err := s.Client.DescribeKinesisStreamingDestination(ctx, &dynamodb.DescribeKinesisStreamingDestinationInput{TableName: &table})
	if err != nil {
		return nil, err
	}
	for _, destination := range answer.KinesisDataStreamDestinations {
		if destination.DestinationStatus != types.DestinationStatusDisabled {
			streams = append(streams, aws.ToString(destination.StreamArn))
		}
	}
	return streams, nil
}

const attached = "attached policies"

// AttachedPolicies reads the policies that are attached, once for all claims, and takes them for those of the deployment.
func (s *Session) AttachedPolicies(ctx context.Context) *cached[Deployment] {
	return once(ctx, s, recorder.Describing, attached, func(ctx context.Context) (Deployment, error) {
		err := readAttached(ctx, s)
		return s.Deployment, err
	})
}

// HasReadPolicies reports whether the policies were read where they are attached, and not told by a stack.
func (s *Session) HasReadPolicies() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answers[attached] != nil
}

// readAttached reads the policy of each table, and those of the roles.
func readAttached(ctx context.Context, s *Session) (err error) {
	arns, found := map[string]string{}, &s.Deployment
	found.RolePolicies, found.TablePolicies = nil, map[string]string{}
	if found.TableARNs == nil {
		found.TableARNs = arns
	}
	for table := range lists.Each(s.Design.Tables) {
		name, err := s.TableName(table.ID)
		if err != nil {
			return err
		}
		described, err := target.Described(ctx, s.Client, name)
		if err != nil {
			return err
		}
		if described == nil {
			continue // its own claim says so
		}
		arns[table.ID] = aws.ToString(described.TableArn)
		document, err := PolicyOf(ctx, s.Client, arns[table.ID])
		if err != nil {
			return err
		}
		if document != "" {
			found.TablePolicies[table.ID] = document
		}
	}
	if len(s.Design.Policies.Roles) > 0 {
		found.RolePolicies, found.Unattached, err = s.Policies.Roles(ctx)
	}
	return err
}

// tableIdentity is what tells a table from another one of the same name: DynamoDB's id,
// or where an engine gives none, the moment in which it was made. It is empty where there is no such table.
// Beside the items of others it is told too who follows the table by now.
func tableIdentity(ctx context.Context, s *Session, name string) (identity string, followers []string, err error) {
	ctx = recorder.WithClaim(ctx, recorder.Describing)
	table, err := target.Described(ctx, s.Client, name)
	if err != nil || table == nil {
		return "", nil, err
	}
	if s.Protection != nil {
		followers, err = existingTables{s}.followed(ctx, table)
	}
	return cmp.Or(aws.ToString(table.TableId), aws.ToTime(table.CreationDateTime).String()), followers, err
}

// identifyTables notes which tables the session has loaded its items into.
func identifyTables(ctx context.Context, s *Session) {
	for _, id := range slices.Sorted(maps.Keys(s.Deployment.Tables)) {
		name := s.Deployment.Tables[id]
		s.identities[name], _, _ = tableIdentity(ctx, s, name) // the claims about the table report an error
	}
}

// Exchanged returns an error when a table that a claim has asked is not the one that
// the items were loaded into: an engine was started anew, or somebody made the
// table again; and beside the items of others, when somebody follows it by now. What it answered says nothing about the deployment then. The other
// error says why that is unknown.
func Exchanged(ctx context.Context, s *Session, invocations []string) (exchanged, unknown error) {
	asked := map[string]bool{}
	for _, id := range invocations {
		for _, entry := range s.Ledger.Find(id) {
			for _, table := range entry.Tables {
				if s.identities[table] != "" {
					asked[table] = true
				}
			}
		}
	}
	for _, table := range slices.Sorted(maps.Keys(asked)) {
		now, followers, err := tableIdentity(ctx, s, table)
		switch {
		case err != nil:
			unknown = fmt.Errorf("table %s: %w", table, err)
		case now == "":
			return fmt.Errorf("table %s is gone, which held the run's items: the engine was exchanged, or somebody deleted the table", table), nil
		case now != s.identities[table]:
			return fmt.Errorf("table %s is not the one that the run's items were loaded into: the engine was exchanged, or somebody made the table again", table), nil
		case len(followers) > 0:
			return fmt.Errorf("somebody follows table %s since the run has looked, whose readers see the items of the run: no more are written", strings.Join(followers, ", ")), nil
		}
	}
	return nil, unknown
}
