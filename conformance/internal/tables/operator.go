package tables

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/target"
)

// Operator is somebody with credentials, who makes tables and changes them.
type Operator struct {
	Client *dynamodb.Client
}

// At is an operator at an endpoint.
func At(endpoint, region string) *Operator {
	return &Operator{target.NewClient(endpoint, region)}
}

// Change brings a deployed table into another shape, by deleting it and creating it anew.
func (o *Operator) Change(ctx context.Context, name string, change func(*Spec)) error {
	want, err := o.Read(ctx, name)
	if err != nil {
		return err
	}
	change(want)
	want.Settle()
	if want.Extra != "" {
		want.Name = want.Extra
		return o.create(ctx, want)
	}
	if err := o.delete(ctx, name); err != nil || want.Gone {
		return err
	}
	return o.Make(ctx, want)
}

// All reads all tables.
func (o *Operator) All(ctx context.Context) (all []*Spec, err error) {
	names, err := target.TableNames(ctx, o.Client)
	for _, name := range names {
		table, err := o.Read(ctx, name)
		if err != nil {
			return nil, err
		}
		all = append(all, table)
	}
	return all, err
}

// Restore brings all tables back to what they were, of which one was changed: it and those that were not there are deleted, and what is
// missing is made anew, without its items and its policy. It is for an engine that the caller has started: whoever made a table, it goes.
func (o *Operator) Restore(ctx context.Context, were []*Spec, changed string) error {
	there, err := target.TableNames(ctx, o.Client)
	if err != nil {
		return err
	}
	missing := slices.Clone(were)
	for _, name := range there {
		if at := slices.IndexFunc(missing, func(was *Spec) bool { return was.Name == name }); at >= 0 && name != changed {
			missing = slices.Delete(missing, at, at+1)
			continue
		}
		if err := o.delete(ctx, name); err != nil {
			return err
		}
	}
	for _, was := range missing {
		if err := o.Make(ctx, was); err != nil {
			return err
		}
	}
	return nil
}

// Make makes a table with all of its settings.
func (o *Operator) Make(ctx context.Context, want *Spec) error {
	if err := o.create(ctx, want); err != nil {
		return err
	}
	on := aws.Bool(true)
	if want.TTL != "" {
		by := &types.TimeToLiveSpecification{AttributeName: &want.TTL, Enabled: on}
		if _, err := o.Client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{TableName: &want.Name, TimeToLiveSpecification: by}); err != nil {
			return err
		}
	}
	if want.PITR {
		recovery := &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: on}
		_, err := o.Client.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{TableName: &want.Name, PointInTimeRecoverySpecification: recovery})
		return err
	}
	return nil
}

// MakeAll makes the tables of a design as its contract promises them, by the names of their logical ids.
func MakeAll(ctx context.Context, client *dynamodb.Client, design *accesspatterns.Design, environment string, names map[string]string) error {
	for table := range lists.Each(design.Tables) {
		if err := (&Operator{client}).Make(ctx, Promised(table, names[table.ID], environment)); err != nil {
			return fmt.Errorf("table %s: %w", table.ID, err)
		}
	}
	return nil
}

// Read reads a table.
func (o *Operator) Read(ctx context.Context, name string) (*Spec, error) {
	described, err := o.Client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil {
		return nil, err
	}
	table := described.Table
	s := &Spec{Name: name, Types: map[string]string{}, Tags: map[string]string{}, Billing: string(types.BillingModeProvisioned)}
	for _, definition := range table.AttributeDefinitions {
		s.Types[aws.ToString(definition.AttributeName)] = string(definition.AttributeType)
	}
	s.Key = keyed(table.KeySchema)
	add := func(name *string, key []types.KeySchemaElement, projection *types.Projection, local bool) {
		s.Indexes = append(s.Indexes, Index{aws.ToString(name), keyed(key), string(projection.ProjectionType), projection.NonKeyAttributes, local})
	}
	for _, i := range table.GlobalSecondaryIndexes {
		add(i.IndexName, i.KeySchema, i.Projection, false)
	}
	for _, i := range table.LocalSecondaryIndexes {
		add(i.IndexName, i.KeySchema, i.Projection, true)
	}
	s.Protected = aws.ToBool(table.DeletionProtectionEnabled)
	if stream := table.StreamSpecification; stream != nil && aws.ToBool(stream.StreamEnabled) {
		s.Stream = string(stream.StreamViewType)
	}
	if table.TableClassSummary != nil && table.TableClassSummary.TableClass != types.TableClassStandard {
		s.Class = string(table.TableClassSummary.TableClass)
	}
	if units := table.ProvisionedThroughput; units != nil {
		s.Read, s.Write = aws.ToInt64(units.ReadCapacityUnits), aws.ToInt64(units.WriteCapacityUnits)
	}
	if table.BillingModeSummary != nil {
		s.Billing = string(table.BillingModeSummary.BillingMode)
	}
	ttl, err := o.Client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &name})
	if err != nil {
		return nil, err
	}
	if ttl.TimeToLiveDescription.TimeToLiveStatus == types.TimeToLiveStatusEnabled {
		s.TTL = aws.ToString(ttl.TimeToLiveDescription.AttributeName)
	}
	backups, err := o.Client.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: &name})
	if err != nil {
		return nil, err
	}
	s.PITR = backups.ContinuousBackupsDescription.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus == types.PointInTimeRecoveryStatusEnabled
	s.Tags, err = target.TableTags(ctx, o.Client, aws.ToString(table.TableArn))
	return s, err
}

func keyed(schema []types.KeySchemaElement) (k Key) {
	for _, element := range schema {
		names := &k.Hash
		if element.KeyType == types.KeyTypeRange {
			names = &k.Sort
		}
		*names = append(*names, aws.ToString(element.AttributeName))
	}
	return k
}

// delete deletes a table, protected or not.
func (o *Operator) delete(ctx context.Context, name string) error {
	described, err := o.Client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil {
		return err
	}
	if aws.ToBool(described.Table.DeletionProtectionEnabled) {
		if _, err := o.Client.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: &name, DeletionProtectionEnabled: aws.Bool(false)}); err != nil {
			return err
		}
	}
	_, err = o.Client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name})
	return err
}

// create creates a table, without its time to live and recovery.
func (o *Operator) create(ctx context.Context, want *Spec) error {
	input := &dynamodb.CreateTableInput{
		TableName: &want.Name, BillingMode: types.BillingMode(want.Billing), KeySchema: want.schema(),
		AttributeDefinitions: want.definitions(), ProvisionedThroughput: want.throughput(),
	}
	for _, i := range want.Indexes {
		if i.Local {
			input.LocalSecondaryIndexes = append(input.LocalSecondaryIndexes, types.LocalSecondaryIndex{IndexName: aws.String(i.Name), KeySchema: i.schema(), Projection: i.projects()})
			continue
		}
		input.GlobalSecondaryIndexes = append(input.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: aws.String(i.Name), KeySchema: i.schema(), Projection: i.projects(), ProvisionedThroughput: want.throughput(),
		})
	}
	input.TableClass = types.TableClass(want.Class)
	if want.Protected {
		input.DeletionProtectionEnabled = aws.Bool(true)
	}
	if want.Stream != "" {
		input.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewType(want.Stream)}
	}
	if want.KMS != "" {
		input.SSESpecification = &types.SSESpecification{Enabled: aws.Bool(true), SSEType: types.SSETypeKms, KMSMasterKeyId: &want.KMS}
	}
	for _, key := range slices.Sorted(maps.Keys(want.Tags)) { // at once, so that a table never is without
		input.Tags = append(input.Tags, types.Tag{Key: aws.String(key), Value: aws.String(want.Tags[key])})
	}
	made, err := o.Client.CreateTable(ctx, input, func(options *dynamodb.Options) {
		if want.Region != "" {
			options.Region = want.Region
		}
	})
	if err != nil || made.TableDescription.TableStatus == types.TableStatusActive {
		return err
	}
	waiter := dynamodb.NewTableExistsWaiter(o.Client, func(options *dynamodb.TableExistsWaiterOptions) {
		options.MinDelay, options.MaxDelay = 10*time.Millisecond, 5*time.Second
	})
	return waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: &want.Name}, longestCreation)
}

// longestCreation bounds the wait for a table to be ACTIVE.
const longestCreation = 10 * time.Minute

func (s *Spec) definitions() []types.AttributeDefinition {
	return lists.Map(slices.Sorted(maps.Keys(s.Types)), func(name string) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: types.ScalarAttributeType(s.Types[name])}
	})
}

// throughput are the units where capacity is provisioned: where none are given two of
// each sort, because no document offers so many.
func (s *Spec) throughput() *types.ProvisionedThroughput {
	if s.Billing != string(types.BillingModeProvisioned) {
		return nil
	}
	return &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(cmp.Or(s.Read, 2)), WriteCapacityUnits: aws.Int64(cmp.Or(s.Write, 2))}
}

func (i *Index) projects() *types.Projection {
	return &types.Projection{ProjectionType: types.ProjectionType(i.Projection), NonKeyAttributes: i.Include}
}
