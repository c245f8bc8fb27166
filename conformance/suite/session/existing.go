package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/suite/failures"
	"dynaproof/conformance/suite/recorder"
	"dynaproof/conformance/target"
	"dynaproof/fixtures"
)

// existingTables is a session on tables that hold items of others.
type existingTables struct{ *Session }

// takenError says that an existing stack holds items under keys of the run, each behind its
// table's name. Nothing was written.
func takenError(keys []string) error {
	const shown = 5
	more := ""
	if len(keys) > shown {
		keys, more = keys[:shown], fmt.Sprintf(" and %d more", len(keys)-shown)
	}
	return fmt.Errorf("existing stack: expected the run's keys to be free, found items under %s%s; nothing was written: remove them if an earlier run left them (`dynaproof cleanup`), or verify on an ephemeral stack",
		strings.Join(keys, ", "), more)
}

// followed says by what readers would see what the run writes to a table: a stream, a Kinesis destination or a
// replica. None of them can be told to look away.
func (s existingTables) followed(ctx context.Context, table *types.TableDescription) (by []string, err error) {
	name := aws.ToString(table.TableName)
	if stream := table.StreamSpecification; stream != nil && aws.ToBool(stream.StreamEnabled) {
		by = append(by, name+" with a stream")
	}
	if len(table.Replicas) > 0 {
		by = append(by, name+" with replicas")
	}
	if s.Grade != evidence.AWS {
		return by, nil // engines on this machine send nothing to Kinesis
	}
	destinations, err := s.Destinations(ctx, name)
	if len(destinations) > 0 {
		by = append(by, name+" with a Kinesis destination")
	}
	return by, err
}

// bounded says that the capacity of a table or of one of its global indexes has a bound, provisioned or as the most of what is on demand: what the
// run takes of it others lack.
func bounded(table *types.TableDescription) bool {
	has := func(units *types.ProvisionedThroughputDescription, most *types.OnDemandThroughput) bool {
		return units != nil && aws.ToInt64(units.ReadCapacityUnits)+aws.ToInt64(units.WriteCapacityUnits) > 0 ||
			most != nil && max(aws.ToInt64(most.MaxReadRequestUnits), aws.ToInt64(most.MaxWriteRequestUnits)) > 0
	}
	return has(table.ProvisionedThroughput, table.OnDemandThroughput) || slices.ContainsFunc(table.GlobalSecondaryIndexes, func(index types.GlobalSecondaryIndexDescription) bool {
		return has(index.ProvisionedThroughput, index.OnDemandThroughput)
	})
}

// watched returns an error where somebody follows a table, or is slowed down by the run.
func (s existingTables) watched(ctx context.Context) error {
	var readers, slowed []string // the readers each behind its table's name
	for i := range s.Design.Tables {
		name, err := s.TableName(s.Design.Tables[i].ID)
		if err != nil {
			continue // the claims about the table report it
		}
		table, err := target.Described(ctx, s.Client, name)
		if err == nil && table != nil {
			var by []string
			by, err = s.followed(ctx, table)
			readers = append(readers, by...)
			if s.Grade == evidence.AWS && !s.ShareCapacity && bounded(table) {
				slowed = append(slowed, name)
			}
		}
		if err != nil {
			return fmt.Errorf("asking who follows table %s before the first write: %w", name, err)
		}
	}
	if len(readers) > 0 {
		return fmt.Errorf("existing stack: expected tables whose writes nobody follows, found %s, whose readers would see the items of the run; nothing was written: verify on an ephemeral stack, or compare the tables by `dynaproof audit`",
			strings.Join(readers, ", "))
	}
	if len(slowed) > 0 {
		return fmt.Errorf("existing stack: expected tables whose capacity has no bound, found %s, where requests of others may be throttled for those of the run; nothing was written: verify on an ephemeral stack, compare the tables by `dynaproof audit`, or accept it by --share-capacity",
			strings.Join(slowed, ", "))
	}
	return nil
}

// shielded returns what protects the items of others from a session on an existing stack.
func (s existingTables) shielded(journal safewrite.Journal) *safewrite.Protection {
	var tables []safewrite.Table
	for table := range lists.Each(s.Design.Tables) {
		name, err := s.TableName(table.ID)
		if err != nil {
			continue // no request can name it
		}
		shielded := safewrite.Table{Name: name, Keys: table.Keys().Names(), Shared: func(index string, value types.AttributeValue) string {
			return sharedPartition(s.Design, table, index, value)
		}}
		shielded.Indexes = lists.Index(table.Indexes, func(index accesspatterns.Index) (string, []string) { return index.Name, index.Keys().Names() })
		tables = append(tables, shielded)
	}
	return safewrite.New(safewrite.Options{
		Tables: tables, Journal: journal,
		Read: func(ctx context.Context, table string, key accesspatterns.Item) (accesspatterns.Item, error) {
			answer, err := s.Client.GetItem(recorder.WithClaim(ctx, recorder.Protecting), &dynamodb.GetItemInput{TableName: aws.String(table), Key: key, ConsistentRead: aws.Bool(true)})
			if err != nil {
				return nil, err
			}
			return answer.Item, nil
		},
		Look: func(ctx context.Context, table, index string, value types.AttributeValue, known func(accesspatterns.Item) bool) (bool, error) {
			return s.lookAgain(recorder.WithClaim(ctx, recorder.Protecting), table, index, value, known)
		},
	})
}

// sharedPartition says why a partition is one that readers share, whatever it holds: the
// document's form of its key has no id, so that it is a constant or names a category.
// Who lists tasks of an area or asks for the active configuration reads everybody's. It is
// empty where the key names one user, team or item. The partitions of a table itself are shared
// where their key is a constant.
func sharedPartition(design *accesspatterns.Design, table *accesspatterns.Table, index string, value types.AttributeValue) string {
	keys, known := table.KeysOf(index)
	if !known {
		return "is of an index that the document does not name"
	}
	forms := FormsOf(design, table, index, dynamo.ScalarText(value))
	for _, form := range forms {
		if parameters := form.Parameters(); !slices.ContainsFunc(parameters, isID) && (index != "" || len(parameters) == 0) {
			return fmt.Sprintf("readers share by its form, %s = %s", keys[0].Attribute, form)
		}
	}
	if len(forms) == 0 && index != "" {
		return "has none of the documented forms"
	}
	return ""
}

// FormsOf returns the forms that a partition key of a table or of an index has, one of each entity whose form it has.
func FormsOf(design *accesspatterns.Design, table *accesspatterns.Table, index, text string) (forms []accesspatterns.KeyTemplate) {
	keys, known := table.KeysOf(index)
	for entity := range lists.Each(design.Entities) {
		if !known || entity.Table != table.ID {
			continue
		}
		if key, has := entity.Key(keys[0].Attribute); has {
			if _, err := key.Template.Parse(text); err == nil {
				forms = append(forms, key.Template)
			}
		}
	}
	return forms
}

// isID reports whether a parameter of a key template names one thing: its last word is
// id.
func isID(parameter string) bool {
	return parameter == "id" || strings.HasSuffix(parameter, "Id") || strings.HasSuffix(parameter, "ID") || strings.HasSuffix(parameter, "_id")
}

// lookAgain reports whether a partition holds items under other keys than the known ones.
// It asks for key attributes alone.
func (s existingTables) lookAgain(ctx context.Context, name, index string, value types.AttributeValue, known func(accesspatterns.Item) bool) (others bool, err error) {
	table, ours := s.Deployed(name)
	if !ours {
		return false, nil
	}
	keys, documented := table.KeysOf(index)
	if !documented {
		return false, nil
	}
	query := partition{name, index, keys[0].Attribute, value}.query()
	query.ProjectionExpression = onlyKeys(table.Keys(), query.ExpressionAttributeNames)
	err = Pages(ctx, s.Client, query, func(items []accesspatterns.Item) bool {
		others = slices.ContainsFunc(items, func(item accesspatterns.Item) bool { return !known(item) })
		return !others
	})
	return others, err
}

// onlyKeys projects the attributes of a key, which it names.
func onlyKeys(keys []accesspatterns.Key, names map[string]string) *string {
	var projected []string
	for i, key := range keys {
		names[fmt.Sprintf("#key%d", i)] = key.Attribute
		projected = append(projected, fmt.Sprintf("#key%d", i))
	}
	return aws.String(strings.Join(projected, ", "))
}

// planned is an item that the run may write, with its table and the name of that.
type planned struct {
	name  string
	table *accesspatterns.Table
	item  accesspatterns.Item
}

// plan lists everything that the run may write: the fixtures, what flows make of
// them, generated items, and the keys that trials write to. Left out is what is of a table that is not deployed, as its own claims report,
// and what has no whole key: only a trial of a refusal has none, and the guard does not let it through.
func (s *Input) plan() (all []planned, err error) {
	add := func(_ accesspatterns.ActionKind, table *accesspatterns.Table, item accesspatterns.Item) {
		if name, err := s.TableName(table.ID); err == nil && table.Keys().In(item) {
			all = append(all, planned{name, table, item})
		}
	}
	for item := range lists.Each(s.Fixtures.Items) {
		table, err := s.Fixtures.TableOf(s.Design, item)
		if err != nil {
			return nil, err
		}
		add(accesspatterns.Put, table, item.Item)
	}
	for i := range s.Fixtures.Trials {
		run, _ := planner{s}.trialRun("", &s.Fixtures.Trials[i]) // what cannot be sent the claim reports
		for _, step := range run.Steps {
			for _, input := range slices.Concat(step.Beside, step.Requests) {
				s.Addressed(input, add)
			}
		}
	}
	return all, nil
}

// survey looks, before the first write, whether any key of the run is taken, and
// which of the partitions that the run reads hold items of others.
func (s existingTables) survey(ctx context.Context) error {
	if err := s.watched(ctx); err != nil {
		return err
	}
	all, err := s.plan()
	if err != nil {
		return err
	}
	keys := map[string]map[string]accesspatterns.Item{} // by deployed table and text
	partitions := map[string]partition{}
	for _, each := range all {
		key := each.table.KeyOf(each.item)
		lists.Inner(keys, each.name)[dynamo.KeyID(key)] = key
		for _, at := range each.partitions() {
			partitions[at.id()] = at
		}
	}
	var taken []string
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		found, err := s.lookUp(ctx, name, keys[name])
		if err != nil {
			return err
		}
		taken = append(taken, found...)
	}
	if len(taken) > 0 {
		return takenError(taken)
	}
	for _, id := range slices.Sorted(maps.Keys(partitions)) {
		at := partitions[id]
		first := at.query()
		first.Limit, first.Select = aws.Int32(1), types.SelectCount
		answer, err := s.Client.Query(ctx, first)
		if err != nil {
			if failures.Classify(err) == failures.Refused {
				continue // the table or the index is not as documented; the claims about it report that
			}
			return fmt.Errorf("looking at partition %s before the first write: %w", id, err)
		}
		s.Protection.Partition(at.table, at.index, at.value, answer.ScannedCount > 0)
	}
	s.leaveOut()
	s.Protection.Begin()
	return nil
}

// leaveOut notes which items are not loaded, because others would see them.
func (s existingTables) leaveOut() {
	for item := range lists.Each(s.Fixtures.Items) {
		_, name, err := s.Placed(item)
		if err != nil || item.Held {
			continue // the load reports it
		}
		if reason := s.Protection.Visible(name, item.Item); reason != "" {
			s.Protection.Withhold(name, item.Item, reason)
			s.LoadErrs[item.Name] = &safewrite.Refusal{Operation: "PutItem", Reason: reason}
		}
	}
}

// partition is one partition of a table or of an index.
type partition struct {
	table, index, attribute string
	value                   types.AttributeValue
}

func (p partition) id() string {
	return strings.TrimSpace(p.table+" "+p.index) + " " + dynamo.KeyText(p.value)
}

// query reads the partition.
func (p partition) query() *dynamodb.QueryInput {
	input := &dynamodb.QueryInput{
		TableName:                 aws.String(p.table),
		KeyConditionExpression:    aws.String("#partition = :partition"),
		ExpressionAttributeNames:  map[string]string{"#partition": p.attribute},
		ExpressionAttributeValues: map[string]types.AttributeValue{":partition": p.value},
	}
	if p.index == "" {
		input.ConsistentRead = aws.Bool(true)
	} else {
		input.IndexName = aws.String(p.index)
	}
	return input
}

// partitions are those in which an item stands.
func (each planned) partitions() []partition {
	found := []partition{{each.name, "", each.table.PartitionKey.Attribute, each.item[each.table.PartitionKey.Attribute]}}
	for index := range lists.Each(each.table.Indexes) {
		if index.Keys()[:1].In(each.item) {
			found = append(found, partition{each.name, index.Name, index.PartitionKey.Attribute, each.item[index.PartitionKey.Attribute]})
		}
	}
	return found
}

// lookUp returns the keys under which a table holds items, and tells the protection of
// the free ones.
func (s existingTables) lookUp(ctx context.Context, name string, keys map[string]accesspatterns.Item) (taken []string, err error) {
	table, _ := s.Deployed(name)
	for chunk := range slices.Chunk(slices.Sorted(maps.Keys(keys)), sdk.MaxTogether) {
		// Whose item it is shows in nothing but its key, and no more is asked for.
		open := types.KeysAndAttributes{ConsistentRead: aws.Bool(true), ExpressionAttributeNames: map[string]string{}}
		open.Keys = lists.Map(chunk, func(id string) accesspatterns.Item { return keys[id] })
		open.ProjectionExpression = onlyKeys(table.Keys(), open.ExpressionAttributeNames)
		found, err := batchSender(s.Session).Get(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{name: open}})
		_, missing := errors.AsType[*types.ResourceNotFoundException](err)
		if missing { // no such table: the engine refuses every write to it, and its claims report it
			open.Keys = slices.Collect(maps.Values(keys))
		} else if err != nil {
			return nil, fmt.Errorf("looking for the run's keys in %s before the first write: %w", name, err)
		}
		for _, item := range found[name] {
			taken = append(taken, name+" "+dynamo.ShowItem(table.KeyOf(item)))
		}
		for _, key := range open.Keys {
			s.Protection.Free(name, key) // nothing is written when one is taken
		}
		if missing {
			break
		}
	}
	return taken, nil
}

// oneByOne sends writes that would be a batch one by one, which take the protection's condition.
func (s existingTables) oneByOne(ctx context.Context, writes []sdk.Write) error {
	for write := range lists.Each(writes) {
		if _, err := sdk.Send(ctx, s.Client, write.Input()); err != nil {
			return err
		}
	}
	return nil
}

// restoreBeside puts keys back as they were loaded. Where somebody else's items have come in
// between, the run's is taken away, and what rests on the key cannot be told from then on.
func (s existingTables) restoreBeside(ctx context.Context, tableName string, writes []sdk.Write) error {
	for i, write := range writes {
		err := s.oneByOne(ctx, writes[i:i+1])
		var refusal *safewrite.Refusal
		if !errors.As(err, &refusal) {
			if err != nil {
				return err
			}
			continue
		}
		item := write.Place()
		if write.Kind == accesspatterns.Put {
			s.leftOut(tableName, item, refusal)
			deletion := sdk.Write{Kind: accesspatterns.Delete, Table: tableName, Key: s.Protection.KeyOf(tableName, item)}
			if err := s.oneByOne(ctx, []sdk.Write{deletion}); err != nil && !errors.As(err, &refusal) {
				return err
			}
		}
		s.Protection.Withhold(tableName, item, refusal.Reason)
	}
	return nil
}

// leftOut remembers that a loaded item is not there any more.
func (s existingTables) leftOut(tableName string, item accesspatterns.Item, refusal *safewrite.Refusal) {
	for fixture := range lists.Each(s.Fixtures.Items) {
		if _, name, err := s.Placed(fixture); err == nil && !fixture.Held && name == tableName && dynamo.EqualItems(item, fixture.Item) {
			s.LoadErrs[fixture.Name] = refusal
		}
	}
}

// Foreseen returns a session on existing tables that has sent nothing and knows of no items of others, and
// what the tables hold when it has loaded its own.
func Foreseen(design *accesspatterns.Design, set *fixtures.Set, tables map[string]string) (*Session, *safewrite.Forecast, error) {
	s := &Session{Input: Input{Design: design, Fixtures: set, Deployment: Deployment{Tables: tables}}, LoadErrs: map[string]error{}}
	s.Protection = existingTables{s}.shielded(nil)
	all, err := s.plan()
	if err != nil {
		return nil, nil, err
	}
	for _, each := range all {
		s.Protection.Free(each.name, each.table.KeyOf(each.item))
	}
	existingTables{s}.leaveOut()
	loaded := map[string][]accesspatterns.Item{}
	for item := range lists.Each(set.Items) {
		if _, name, err := s.Placed(item); err == nil && !item.Held && s.LoadErrs[item.Name] == nil {
			loaded[name] = append(loaded[name], item.Item)
		}
	}
	return s, s.Protection.Forecast(loaded), nil
}
