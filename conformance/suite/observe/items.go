package observe

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
)

// Judge reports every difference between expected and returned items. decoys
// maps the names of decoys to the wrong request that would return them.
func (o *Observation) Judge(where string, expected []session.ExpectedItem, got []accesspatterns.Item, ordered bool, decoys map[string]string, do remedy.Advice) {
	o.Saw()
	names := lists.Map(expected, func(e session.ExpectedItem) string { return e.Name })
	c := session.Compare(expected, got, ordered)
	for _, item := range c.Unexpected {
		found := "also " + o.Session.Identify(item, c.Missing)
		if name := o.Session.NameOf(item); decoys[name] != "" {
			found = "decoy " + name + ": " + decoys[name]
		}
		o.Fail(where, "items "+ShowNames(names), found, do)
	}
	if len(c.Missing) > 0 {
		o.Fail(where, "items "+ShowNames(names), "without "+strings.Join(c.Missing, ", "), do)
	}
	if c.Disordered {
		o.Fail(where, "items in the order "+ShowNames(names), "in the order "+ShowNames(c.Returned), do)
	}
}

// LookAt returns a fixture item, and what its table holds under its key. It reports a request that was not answered.
func (o *Observation) LookAt(ctx context.Context, where, name string) (item, got accesspatterns.Item, ok bool) {
	item, got, err := o.Session.LookAt(ctx, name)
	if err != nil {
		o.Request(where+", item "+name, err)
	}
	return item, got, err == nil
}

// There returns which of the items are there with exactly the fixtures' content, and which are not, where that is known.
func (o *Observation) There(ctx context.Context, where string, names []string) (there, missing []string, ok bool) {
	for _, name := range names {
		switch item, got, ok := o.LookAt(ctx, where, name); {
		case !ok:
			return nil, nil, false
		case got != nil && dynamo.EqualItems(item, got):
			there = append(there, name)
		default: // another state of it is not what is written here
			missing = append(missing, name)
		}
	}
	return there, missing, true
}

// LeftBehind looks for items that must be there, and that must not, and reports whether all was answered.
func (o *Observation) LeftBehind(ctx context.Context, where string, present, absent []string, whole, nothing remedy.Advice) bool {
	for _, name := range present {
		item, got, ok := o.LookAt(ctx, where, name)
		if !ok {
			return false
		}
		if !o.Must(got != nil, where, "item "+name, "no such item", whole) {
			continue
		}
		for _, difference := range dynamo.Differences(item, got) {
			o.Fail(where, "item "+name+" as written", difference, whole)
		}
	}
	for _, name := range absent {
		_, got, ok := o.LookAt(ctx, where, name)
		if !ok {
			return false
		}
		o.Must(got == nil, where, "no item "+name, dynamo.ShowItem(got), nothing)
	}
	return true
}

// Behind reports that an index of a deployed table has not shown all that it has to
// show, so that what it did not return may still come.
func (o *Observation) Behind(table, index string) {
	if why := o.Session.Unshown[session.Place{Table: table, Index: index}]; why != "" {
		o.Cannot(evidence.Indeterminate, "%s", why)
	}
}

// ReadBehind is Behind for a documented read.
func (o *Observation) ReadBehind(read *accesspatterns.Read) {
	if name, err := o.Session.TableName(read.Table); err == nil {
		o.Behind(name, read.Index)
	}
}

// Missing reports a table that could not be described.
func (o *Observation) Missing(where, id string, err error) {
	var notFound *types.ResourceNotFoundException
	name, unknown := o.Session.TableName(id)
	switch {
	case unknown != nil:
		o.Refute(where, "a deployed table", "the deployment names none", remedy.RepairDeployment)
	case errors.As(err, &notFound):
		o.Refute(where, "table "+name, "no such table", remedy.RepairDeployment)
	default:
		o.Request(where, err)
	}
}

// Claims holds when every named claim passed in this run.
func (o *Observation) Claims(ids []string) {
	for _, id := range ids {
		result, decided := o.Session.ResultOf(o.Session.Design.Name + "/" + id)
		if decided {
			o.Rested = append(o.Rested, result.Grade)
		}
		switch {
		case !decided:
			o.Cannot(evidence.Indeterminate, "claim %s was not checked in this run", id)
		case result.Verdict.Held():
			o.Saw()
		case result.Verdict == evidence.Fail:
			o.Refute("claim "+id, string(evidence.Pass), string(result.Verdict), remedy.SeeOtherClaim)
		case result.Verdict == evidence.Unsupported:
			o.Unsupported(result.Declared, "claim %s is %s, and this one rests on it", id, result.Verdict)
		default:
			o.Cannot(result.Verdict, "claim %s is %s, and this one rests on it", id, result.Verdict)
		}
	}
}
