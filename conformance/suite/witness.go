package suite

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/internal/wire"
)

// witnessed checks, on the wire, that the requests of a read were the documented
// ones: this operation, this table, this index, one partition. The wire sees
// what was really sent, whatever the client believes.
func (o requestCheck) witnessed(where string, read *accesspatterns.Read, invocations []string) {
	table, _ := o.session.Design.Table(read.Table)
	name, err := o.session.TableName(read.Table)
	if err != nil || table == nil {
		return // reported when the request was compiled
	}
	for _, id := range invocations {
		entries := o.session.Ledger.Find(id)
		if !o.must(len(entries) != 0, where, "the request in the wire's ledger", "no entry of invocation "+id, allOnTheWire) {
			continue
		}
		for _, entry := range entries {
			o.witnessedEntry(fmt.Sprintf("%s, request %d", where, entry.Seq), read, table, name, entry)
		}
	}
}

func (o requestCheck) witnessedEntry(where string, read *accesspatterns.Read, table *accesspatterns.Table, name string, entry wire.Entry) {
	do := compileAsText
	o.equal(where+", operation", string(read.Sends()), entry.Operation, do)
	o.equal(where+", tables", showNames([]string{name}), showNames(entry.Tables), do)
	o.equal(where+", index", cmp.Or(read.Index, "none"), cmp.Or(entry.Index, "none"), do)
	o.equal(where+", parameters from before expressions", "none", showNames(entry.LegacyParameters), do)
	if read.Operation != accesspatterns.OpQuery {
		return
	}
	keys, known := table.KeysOf(read.Index)
	if !known {
		return // reported when the request was compiled
	}
	o.equal(where+", partition key", keys[0].Attribute+" equal to one value", showPartition(entry, keys[0].Attribute), do)
	if len(read.Filter) == 0 {
		o.equal(where+", filter", "none", cmp.Or(entry.FilterExpression, "none"), declareFilter)
	}
	if len(read.Projection) > 0 && entry.ProjectionExpression == "" {
		o.fail(where+", projection", "a projection expression", "none", do)
	}
}

// showPartition says to how many values a Query's key condition binds the partition
// key, or why that is not known.
func showPartition(entry wire.Entry, partition string) string {
	if entry.KeyConditionExpression == "" {
		return "no value for " + partition
	}
	var request struct {
		ExpressionAttributeNames  map[string]string
		ExpressionAttributeValues json.RawMessage
	}
	if err := json.Unmarshal(entry.Request, &request); err != nil {
		return err.Error()
	}
	values, err := attributevalue.UnmarshalMapJSON(request.ExpressionAttributeValues)
	if err != nil {
		return err.Error()
	}
	bound, err := sdk.BoundKeys(&dynamodb.QueryInput{
		KeyConditionExpression: &entry.KeyConditionExpression, ExpressionAttributeNames: request.ExpressionAttributeNames, ExpressionAttributeValues: values,
	})
	switch {
	case err != nil:
		return err.Error()
	case bound[partition] == nil:
		return "no value for " + partition
	}
	return partition + " equal to one value"
}

// scans returns the requests of the ledger that read without a key: Scan and
// every PartiQL operation.
func scans(entries []wire.Entry) []wire.Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(entry wire.Entry) bool { return !wire.IsKeyless(entry.Operation) })
}
