package patterns

import (
	"cmp"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
)

// witnessed checks, on the wire, that the requests of a read were the documented
// ones: this operation, this table, this index, one partition. The wire sees
// what was really sent, whatever the client believes.
func witnessed(o *observe.Observation, where string, read *accesspatterns.Read, invocations []string) {
	table, _ := o.Session.Design.Table(read.Table)
	name, err := o.Session.TableName(read.Table)
	if err != nil || table == nil {
		return // reported when the request was compiled
	}
	for _, id := range invocations {
		entries := o.Session.Ledger.Find(id)
		if !o.Must(len(entries) != 0, where, "the request in the wire's ledger", "no entry of invocation "+id, remedy.AllOnTheWire) {
			continue
		}
		for _, entry := range entries {
			witnessedEntry(o, fmt.Sprintf("%s, request %d", where, entry.Seq), read, table, name, entry)
		}
	}
}

func witnessedEntry(o *observe.Observation, where string, read *accesspatterns.Read, table *accesspatterns.Table, name string, entry wire.Entry) {
	do := remedy.CompileAsText
	o.Equal(where+", operation", string(read.Sends()), entry.Operation, do)
	o.Equal(where+", tables", observe.ShowNames([]string{name}), observe.ShowNames(entry.Tables), do)
	o.Equal(where+", index", cmp.Or(read.Index, "none"), cmp.Or(entry.Index, "none"), do)
	o.Equal(where+", parameters from before expressions", "none", observe.ShowNames(entry.LegacyParameters), do)
	if read.Operation != dynamo.Query {
		return
	}
	keys, known := table.KeysOf(read.Index)
	if !known {
		return // reported when the request was compiled
	}
	o.Equal(where+", partition key", keys[0].Attribute+" equal to one value", ShowPartition(entry, keys[0].Attribute), do)
	if len(read.Filter) == 0 {
		o.Equal(where+", filter", "none", cmp.Or(entry.FilterExpression, "none"), remedy.DeclareFilter)
	}
	if len(read.Projection) > 0 && entry.ProjectionExpression == "" {
		o.Fail(where+", projection", "a projection expression", "none", do)
	}
}

// ShowPartition says to how many values a Query's key condition binds the partition
// key, or why that is not known.
func ShowPartition(entry wire.Entry, partition string) string {
	if entry.KeyConditionExpression == "" {
		return "no value for " + partition
	}
	input, err := session.Recorded("Query", entry.Request)
	if err != nil {
		return err.Error()
	}
	bound, err := sdk.BoundKeys(input.(*dynamodb.QueryInput))
	switch {
	case err != nil:
		return err.Error()
	case bound[partition] == nil:
		return "no value for " + partition
	}
	return partition + " equal to one value"
}
