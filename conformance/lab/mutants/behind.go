package mutants

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/target"
)

// operator is somebody with credentials who changes what Pulumi has deployed.
type operator struct {
	client *dynamodb.Client
}

func operatorAt(endpoint, region string) *operator {
	return &operator{target.NewClient(endpoint, region)}
}

// change brings a deployed table into another shape: with the operation that
// changes the setting, where DynamoDB has one, else by deleting the table and
// creating it anew.
func (o *operator) change(ctx context.Context, name string, change func(*shape)) error {
	have, err := o.read(ctx, name)
	if err != nil {
		return err
	}
	want := have.clone()
	change(want)
	want.settle()
	switch {
	case want.gone:
		return o.delete(ctx, have)
	case want.extra != "":
		extra := want.clone()
		extra.name = want.extra
		return o.create(ctx, extra)
	case have.keepsTable(want):
		return o.update(ctx, have, want)
	}
	if err := o.delete(ctx, have); err != nil {
		return err
	}
	return o.make(ctx, want)
}

// make makes a table with all of its settings.
func (o *operator) make(ctx context.Context, want *shape) error {
	if err := o.create(ctx, want); err != nil {
		return err
	}
	bare := want.clone()
	bare.ttl, bare.pitr, bare.tags = "", false, map[string]string{}
	return o.update(ctx, bare, want)
}

// tables makes the tables of a design as its contract promises them.
func tables(ctx context.Context, client *dynamodb.Client, design *accesspatterns.Design, names map[string]string) error {
	o := &operator{client}
	for i := range design.Tables {
		table := &design.Tables[i]
		if err := o.make(ctx, promised(table, names[table.ID], replay.DefaultEnvironment)); err != nil {
			return fmt.Errorf("table %s: %w", table.ID, err)
		}
	}
	return nil
}

func (s *shape) clone() *shape {
	copied := *s
	copied.types, copied.tags, copied.indexes = maps.Clone(s.types), maps.Clone(s.tags), slices.Clone(s.indexes)
	return &copied
}

// keepsTable reports whether DynamoDB can bring the table into the other shape
// without creating it anew.
func (s *shape) keepsTable(want *shape) bool {
	for _, of := range [][2]*shape{{s, want}, {want, s}} {
		for i := range of[0].indexes {
			was := &of[0].indexes[i]
			is := of[1].index(was.name)
			if whole := was.local || len(was.moreHash)+len(was.moreSort) > 0; whole && (is == nil || !of[0].same(was, of[1], is)) {
				return false // made with the table; engines create no index of several attributes behind it
			}
		}
	}
	if s.stream != "" && s.stream != want.stream || s.protected != want.protected || s.class != want.class || s.read != want.read || s.write != want.write {
		return false
	}
	return s.name == want.name && s.hash == want.hash && s.sort == want.sort && want.kms == "" && want.region == "" &&
		s.types[s.hash] == want.types[want.hash] && s.types[s.sort] == want.types[want.sort]
}

// read describes a table.
func (o *operator) read(ctx context.Context, name string) (*shape, error) {
	described, err := o.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil {
		return nil, err
	}
	table := described.Table
	s := &shape{name: name, types: map[string]string{}, tags: map[string]string{}, billing: string(types.BillingModeProvisioned)}
	for _, definition := range table.AttributeDefinitions {
		s.types[aws.ToString(definition.AttributeName)] = string(definition.AttributeType)
	}
	primary := keyed(table.KeySchema)
	s.hash, s.sort = primary.hash, primary.sort
	add := func(name *string, key []types.KeySchemaElement, projection *types.Projection, local bool) {
		found := keyed(key)
		found.name, found.projection, found.include, found.local = aws.ToString(name), string(projection.ProjectionType), projection.NonKeyAttributes, local
		s.indexes = append(s.indexes, found)
	}
	for _, i := range table.GlobalSecondaryIndexes {
		add(i.IndexName, i.KeySchema, i.Projection, false)
	}
	for _, i := range table.LocalSecondaryIndexes {
		add(i.IndexName, i.KeySchema, i.Projection, true)
	}
	s.protected = aws.ToBool(table.DeletionProtectionEnabled)
	if stream := table.StreamSpecification; stream != nil && aws.ToBool(stream.StreamEnabled) {
		s.stream = string(stream.StreamViewType)
	}
	if table.TableClassSummary != nil && table.TableClassSummary.TableClass != types.TableClassStandard {
		s.class = string(table.TableClassSummary.TableClass)
	}
	if units := table.ProvisionedThroughput; units != nil {
		s.read, s.write = aws.ToInt64(units.ReadCapacityUnits), aws.ToInt64(units.WriteCapacityUnits)
	}
	if table.BillingModeSummary != nil {
		s.billing = string(table.BillingModeSummary.BillingMode)
	}
	ttl, err := o.client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &name})
	if err != nil {
		return nil, err
	}
	if ttl.TimeToLiveDescription.TimeToLiveStatus == types.TimeToLiveStatusEnabled {
		s.ttl = aws.ToString(ttl.TimeToLiveDescription.AttributeName)
	}
	backups, err := o.client.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: &name})
	if err != nil {
		return nil, err
	}
	s.pitr = backups.ContinuousBackupsDescription.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus == types.PointInTimeRecoveryStatusEnabled
	s.tags, err = target.TableTags(ctx, o.client, aws.ToString(table.TableArn))
	return s, err
}

// keyed is an index with a key alone.
func keyed(schema []types.KeySchemaElement) (i index) {
	for _, element := range schema {
		first, more := &i.hash, &i.moreHash
		if element.KeyType == types.KeyTypeRange {
			first, more = &i.sort, &i.moreSort
		}
		if name := aws.ToString(element.AttributeName); *first == "" {
			*first = name
		} else {
			*more = append(*more, name)
		}
	}
	return i
}

func (o *operator) delete(ctx context.Context, have *shape) error {
	name := have.name
	if have.protected {
		if _, err := o.client.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: &name, DeletionProtectionEnabled: aws.Bool(false)}); err != nil {
			return err
		}
	}
	_, err := o.client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name})
	return err
}

// create creates a table, without its time to live, recovery and tags.
func (o *operator) create(ctx context.Context, want *shape) error {
	input := &dynamodb.CreateTableInput{
		TableName: &want.name, BillingMode: types.BillingMode(want.billing), KeySchema: (&index{hash: want.hash, sort: want.sort}).schema(),
		AttributeDefinitions: want.definitions(), ProvisionedThroughput: want.throughput(),
	}
	for _, i := range want.indexes {
		if i.local {
			input.LocalSecondaryIndexes = append(input.LocalSecondaryIndexes, types.LocalSecondaryIndex{IndexName: aws.String(i.name), KeySchema: i.schema(), Projection: i.projects()})
			continue
		}
		input.GlobalSecondaryIndexes = append(input.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: aws.String(i.name), KeySchema: i.schema(), Projection: i.projects(), ProvisionedThroughput: want.throughput(),
		})
	}
	input.TableClass = types.TableClass(want.class)
	if want.protected {
		input.DeletionProtectionEnabled = aws.Bool(true)
	}
	if want.stream != "" {
		input.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewType(want.stream)}
	}
	if want.kms != "" {
		input.SSESpecification = &types.SSESpecification{Enabled: aws.Bool(true), SSEType: types.SSETypeKms, KMSMasterKeyId: &want.kms}
	}
	_, err := o.client.CreateTable(ctx, input, func(options *dynamodb.Options) {
		if want.region != "" {
			options.Region = want.region
		}
	})
	return err
}

func (s *shape) definitions() []types.AttributeDefinition {
	var definitions []types.AttributeDefinition
	for _, name := range slices.Sorted(maps.Keys(s.types)) {
		definitions = append(definitions, types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: types.ScalarAttributeType(s.types[name])})
	}
	return definitions
}

// throughput are the units where capacity is provisioned: where none are given two of
// each sort, because no document offers so many.
func (s *shape) throughput() *types.ProvisionedThroughput {
	if s.billing != string(types.BillingModeProvisioned) {
		return nil
	}
	return &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(cmp.Or(s.read, 2)), WriteCapacityUnits: aws.Int64(cmp.Or(s.write, 2))}
}

func (i *index) projects() *types.Projection {
	return &types.Projection{ProjectionType: types.ProjectionType(i.projection), NonKeyAttributes: i.include}
}

// update changes a table that stays.
func (o *operator) update(ctx context.Context, have, want *shape) error {
	if err := o.updateIndexes(ctx, have, want); err != nil {
		return err
	}
	if err := o.updateSettings(ctx, have, want); err != nil {
		return err
	}
	if have.ttl != "" && have.ttl != want.ttl {
		if err := o.expire(ctx, want.name, have.ttl, false); err != nil {
			return err
		}
	}
	if want.ttl != "" && have.ttl != want.ttl {
		if err := o.expire(ctx, want.name, want.ttl, true); err != nil {
			return err
		}
	}
	if have.pitr != want.pitr {
		_, err := o.client.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{
			TableName: &want.name, PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: &want.pitr},
		})
		if err != nil {
			return err
		}
	}
	return o.tag(ctx, have, want)
}

func (o *operator) expire(ctx context.Context, name, attribute string, on bool) error {
	_, err := o.client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName: &name, TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &attribute, Enabled: &on},
	})
	return err
}

func (o *operator) updateSettings(ctx context.Context, have, want *shape) error {
	input := &dynamodb.UpdateTableInput{TableName: &want.name}
	switch {
	case have.billing != want.billing:
		input.BillingMode, input.ProvisionedThroughput = types.BillingMode(want.billing), want.throughput()
		for _, i := range want.indexes {
			if throughput := want.throughput(); throughput != nil {
				input.GlobalSecondaryIndexUpdates = append(input.GlobalSecondaryIndexUpdates, types.GlobalSecondaryIndexUpdate{
					Update: &types.UpdateGlobalSecondaryIndexAction{IndexName: aws.String(i.name), ProvisionedThroughput: throughput},
				})
			}
		}
	case have.stream != want.stream:
		input.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewType(want.stream)}
	default:
		return nil
	}
	_, err := o.client.UpdateTable(ctx, input)
	return err
}

// updateIndexes deletes the indexes that are not wanted as they are, and creates
// those that are missing, one by one.
func (o *operator) updateIndexes(ctx context.Context, have, want *shape) error {
	for i := range have.indexes {
		was := &have.indexes[i]
		if was.local {
			continue // made with the table
		}
		if wanted := want.index(was.name); wanted != nil && have.same(was, want, wanted) {
			continue
		}
		err := o.updateIndex(ctx, have, types.GlobalSecondaryIndexUpdate{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: &was.name}})
		if err != nil {
			return fmt.Errorf("deleting index %s: %w", was.name, err)
		}
	}
	for i := range want.indexes {
		wanted := &want.indexes[i]
		if wanted.local {
			continue
		}
		if was := have.index(wanted.name); was != nil && have.same(was, want, wanted) {
			continue
		}
		err := o.updateIndex(ctx, want, types.GlobalSecondaryIndexUpdate{Create: &types.CreateGlobalSecondaryIndexAction{
			IndexName: &wanted.name, KeySchema: wanted.schema(), Projection: wanted.projects(), ProvisionedThroughput: want.throughput(),
		}})
		if err != nil {
			return fmt.Errorf("creating index %s: %w", wanted.name, err)
		}
	}
	return nil
}

// same reports whether an index is the same in two shapes, its types included.
func (s *shape) same(was *index, want *shape, wanted *index) bool {
	return reflect.DeepEqual(was, wanted) && !slices.ContainsFunc(was.schema(), func(e types.KeySchemaElement) bool { return s.types[*e.AttributeName] != want.types[*e.AttributeName] })
}

func (o *operator) updateIndex(ctx context.Context, s *shape, update types.GlobalSecondaryIndexUpdate) error {
	input := &dynamodb.UpdateTableInput{TableName: &s.name, GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{update}}
	if update.Create != nil {
		input.AttributeDefinitions = s.definitions()
	}
	_, err := o.client.UpdateTable(ctx, input)
	return err
}

func (o *operator) tag(ctx context.Context, have, want *shape) error {
	if maps.Equal(have.tags, want.tags) {
		return nil
	}
	described, err := o.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &want.name})
	if err != nil {
		return err
	}
	if had := slices.Sorted(maps.Keys(have.tags)); len(had) > 0 {
		if _, err := o.client.UntagResource(ctx, &dynamodb.UntagResourceInput{ResourceArn: described.Table.TableArn, TagKeys: had}); err != nil {
			return err
		}
	}
	var tags []types.Tag
	for _, key := range slices.Sorted(maps.Keys(want.tags)) {
		tags = append(tags, types.Tag{Key: aws.String(key), Value: aws.String(want.tags[key])})
	}
	if len(tags) == 0 {
		return nil
	}
	_, err = o.client.TagResource(ctx, &dynamodb.TagResourceInput{ResourceArn: described.Table.TableArn, Tags: tags})
	return err
}
