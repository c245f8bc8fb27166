package guard

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/sdk"
)

// table is a table of the design under its deployed name.
type table struct {
	design   *accesspatterns.Design
	contract *accesspatterns.Table
	name     string
	keys     accesspatterns.Keys
	indexes  map[string]accesspatterns.Keys
	entities []*entity
	spaces   map[spaceKey]space
}

// request is a read in normal form. Its strings and values are the input's own.
type request struct {
	// together is BatchGetItem or TransactGetItems for a part of one.
	together  dynamo.Operation
	operation dynamo.Operation
	tableName string
	table     *table
	index     string

	partitionAttribute string
	partition          types.AttributeValue
	sortAttribute      string
	sortOp             expression.Operator
	low, high          types.AttributeValue

	filter     expression.Conjunction
	source     expression.Source
	projection string
	// counts says that the request asks for the number of items alone.
	counts     bool
	descending bool
	limit      int32
	start      accesspatterns.Item
	segmented  bool
}

// requests holds those that are done with: one is larger than a kilobyte, and making it
// anew for each call would cost more than judging it.
var requests = sync.Pool{New: func() any { return new(request) }}

func newRequest() *request { return requests.Get().(*request) }

// free gives a request back, without what it held.
func (r *request) free() {
	*r = request{}
	requests.Put(r)
}

// breach says which rule a request breaks before it can be compared with
// documented reads.
type breach struct {
	rule            Rule
	expected, found string
}

func (b breach) broken() bool { return b.rule != "" }

var anotherTable = breach{RuleTable, "a table of the design by its deployed name", "another table"}

func legacy(parameter string) breach {
	return breach{RuleLegacy, "expressions", "the legacy parameter " + parameter}
}

// normalise writes a read in normal form, or says which rule it breaks.
func (g *Guard) normalise(r *request, l *sdk.Lookup) breach {
	r.operation, r.tableName, r.table = l.Operation, l.Table, g.tables[l.Table]
	if r.table == nil {
		return anotherTable
	}
	r.index, r.start, r.limit = aws.ToString(l.Index), l.Start, aws.ToInt32(l.Limit)
	r.source = expression.Source{Names: l.Names, Values: l.Values}
	r.descending, r.segmented = l.Descending, l.Segmented
	if l.Legacy != "" {
		return legacy(l.Legacy)
	}
	if l.Operation == dynamo.Query {
		if b := r.takeCondition(l); b.broken() {
			return b
		}
	}
	if b := r.project(l.Projection, l.Select); b.broken() {
		return b
	}
	if l.Operation == dynamo.GetItem {
		return r.takeKey(l.Key)
	}
	return r.takeFilter(l.Filter)
}

// takeKey reads the values of the whole primary key.
func (r *request) takeKey(key accesspatterns.Item) breach {
	keys := r.table.keys
	if len(key) != len(keys) {
		return breach{RuleKeyCondition, fmt.Sprintf("the %d attributes of the primary key", len(keys)), fmt.Sprintf("%d attributes", len(key))}
	}
	r.partitionAttribute, r.partition = keys[0].Attribute, key[keys[0].Attribute]
	if r.partition == nil {
		return breach{RuleKeyCondition, "a value of the partition key " + keys[0].Attribute, "none"}
	}
	if len(keys) > 1 {
		r.sortAttribute, r.sortOp, r.low = keys[1].Attribute, expression.Equal, key[keys[1].Attribute]
		if r.low == nil {
			return breach{RuleKeyCondition, "a value of the sort key " + keys[1].Attribute, "none"}
		}
	}
	return breach{}
}

// takeCondition reads the key condition of a Query, of the table or of an index.
func (r *request) takeCondition(l *sdk.Lookup) breach {
	keys := r.table.keys
	if r.index != "" {
		var known bool
		if keys, known = r.table.indexes[r.index]; !known {
			return breach{RuleIndex, "an index of the table", "an unknown index"}
		}
		if index, _ := r.table.contract.Index(r.index); l.Consistent && !index.Local {
			return breach{RuleIndex, "an eventually consistent read, because DynamoDB has no other of a global secondary index", "ConsistentRead"}
		}
	}
	if aws.ToString(l.KeyCondition) == "" {
		return breach{RuleKeyCondition, "a key condition expression", "none"}
	}
	// The filter's conjunction is free until the key condition is taken over.
	condition := &r.filter
	if err := expression.ParseKeyCondition(*l.KeyCondition, r.source, condition); err != nil {
		return malformed("key condition", err)
	}
	return r.takeKeys(keys, condition)
}

// follows refuses a further page that starts elsewhere than behind an item of what is read, as DynamoDB does.
func (r *request) follows() breach {
	if len(r.start) == 0 {
		return breach{}
	}
	attributes := map[string]bool{}
	for _, key := range slices.Concat(r.table.keys, r.table.indexes[r.index]) {
		value := r.start[key.Attribute]
		attributes[key.Attribute] = true
		if value == nil || dynamo.TypeOf(value) != key.Type || key.Attribute == r.partitionAttribute && !dynamo.Equal(value, r.partition) {
			return breach{RuleKeyCondition, "an ExclusiveStartKey that a page of the same partition ended with", "another " + key.Attribute}
		}
	}
	if len(r.start) > len(attributes) {
		return breach{RuleKeyCondition, "an ExclusiveStartKey of the key's attributes alone", "others beside them"}
	}
	return breach{}
}

// isWholeKey reports whether a Query names one item by its primary key, with nothing beside it.
func (r *request) isWholeKey() bool {
	return r.operation == dynamo.Query && r.index == "" && r.filter.N == 0 && len(r.start) == 0 && !r.counts &&
		(r.sortOp == expression.Equal || len(r.table.keys) == 1)
}

func malformed(what string, err error) breach {
	expected, _ := strings.CutPrefix(err.Error(), "expected ")
	found := "another " + what
	switch {
	case errors.Is(err, expression.ErrAlias):
		found = "a " + what + " with an unknown #name"
	case errors.Is(err, expression.ErrUnbound):
		found = "a " + what + " with an unknown :value"
	}
	return breach{RuleExpression, expected, found}
}

// takeKeys reads the equality on the partition key and the condition on the
// sort key, if any, in either order.
func (r *request) takeKeys(keys []accesspatterns.Key, condition *expression.Conjunction) breach {
	partition := -1
	for i := range condition.N {
		if t := &condition.Terms[i]; t.Op == expression.Equal && r.source.IsAttribute(t.Path, keys[0].Attribute) {
			partition = i
			break
		}
	}
	if partition < 0 {
		return breach{RuleKeyCondition, "an equality on the partition key " + keys[0].Attribute, "none"}
	}
	r.partitionAttribute, r.partition = keys[0].Attribute, condition.Terms[partition].Low.Value
	switch {
	case condition.N == 1:
		return breach{}
	case condition.N > 2:
		return breach{RuleKeyCondition, "at most one condition on each key attribute", fmt.Sprintf("%d conditions", condition.N)}
	case len(keys) == 1:
		return breach{RuleKeyCondition, "no condition beyond the partition key, because there is no sort key", "one"}
	}
	t := &condition.Terms[1-partition]
	if !r.source.IsAttribute(t.Path, keys[1].Attribute) || t.Op == expression.Exists || t.Op == expression.NotExists {
		return breach{RuleKeyCondition, "a condition on the sort key " + keys[1].Attribute, "another one"}
	}
	r.sortAttribute, r.sortOp, r.low, r.high = keys[1].Attribute, t.Op, t.Low.Value, t.High.Value
	return breach{}
}

func (r *request) takeFilter(filter *string) breach {
	r.filter.N, r.filter.Groups = 0, 0
	if filter == nil {
		return breach{}
	}
	if err := expression.ParseCondition(*filter, r.source, &r.filter); err != nil {
		return malformed("filter", err)
	}
	return breach{}
}

func (r *request) project(projection *string, what types.Select) breach {
	if projection != nil {
		r.projection = *projection
		for rest, more := r.projection, true; more; {
			var path string
			path, rest, more = expression.NextPath(rest)
			if err := r.source.CheckPath(path); err != nil {
				return malformed("projection", err)
			}
		}
	}
	switch what {
	case "", types.SelectSpecificAttributes:
	case types.SelectAllAttributes, types.SelectAllProjectedAttributes:
		if r.projection != "" {
			return breach{RuleProjection, "no Select beside a projection", "Select " + string(what)}
		}
	default:
		r.counts = true
	}
	return breach{}
}

// reservedWord returns the first reserved word that stands as it is in an expression of a call, and the table of that expression;
// both are empty where there is none.
func reservedWord(input any, lookups []sdk.Lookup) (word, table string) {
	in := func(of string, expressions ...*string) {
		for _, text := range expressions {
			if found := expression.ReservedWord(aws.ToString(text)); word == "" && found != "" {
				word, table = found, of
			}
		}
	}
	for i := range lookups {
		in(lookups[i].Table, lookups[i].KeyCondition, lookups[i].Filter, lookups[i].Projection)
	}
	writes, _ := sdk.Writes(input) // what is no write is refused whatever it says
	for i := range writes {
		in(writes[i].Table, writes[i].Update, writes[i].Condition)
	}
	return word, table
}
