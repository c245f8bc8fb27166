package suite

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
)

// indexCheck holds when the index is active and has exactly the documented key, or
// for the claim about it, the documented projection.
func indexCheck(claim manifest.Claim) func(context.Context, *Session, *Observation) {
	return func(ctx context.Context, s *Session, o *Observation) {
		table, _ := s.Design.Table(claim.Subject)
		if table == nil {
			o.cannot(evidence.Error, "no table %s in the contract", claim.Subject)
			return
		}
		name, aspect, _ := strings.Cut(claim.Aspect, "/")
		index, _ := table.Index(name)
		description, ok := o.described(ctx, table.ID)
		if !ok {
			return
		}
		where := "table " + table.ID + ", index " + index.Name
		if index.Local {
			o.local(where, index, aspect, description)
			return
		}
		at := slices.IndexFunc(description.GlobalSecondaryIndexes, func(found types.GlobalSecondaryIndexDescription) bool {
			return aws.ToString(found.IndexName) == index.Name
		})
		if at < 0 {
			o.saw()
			o.fail(where, "a global secondary index of that name", "no such index", repairDeployment)
			return
		}
		found := description.GlobalSecondaryIndexes[at]
		if aspect == manifest.AspectProjection {
			o.projection(where, index, found.Projection)
			return
		}
		o.equal(where+", key", index.ShowKey(), showKeySchema(found.KeySchema, description), repairDeployment)
		// Engines that create indexes at once report no status.
		if found.IndexStatus != "" {
			o.equal(where+", status", string(types.IndexStatusActive), string(found.IndexStatus), "wait until the index is active")
		}
	}
}

// local compares a local secondary index.
func (o *Observation) local(where string, index *accesspatterns.Index, aspect string, table *types.TableDescription) {
	for _, found := range table.LocalSecondaryIndexes {
		switch {
		case aws.ToString(found.IndexName) != index.Name:
			continue
		case aspect == manifest.AspectProjection:
			o.projection(where, index, found.Projection)
		default:
			o.equal(where+", key", index.ShowKey(), showKeySchema(found.KeySchema, table), repairDeployment)
		}
		return
	}
	o.saw()
	o.fail(where, "a local secondary index of that name", "no such index", repairDeployment)
}

// projection compares what an index carries beside its keys.
func (o *Observation) projection(where string, index *accesspatterns.Index, found *types.Projection) {
	kind, included := "none", []string(nil)
	if found != nil {
		kind, included = string(found.ProjectionType), found.NonKeyAttributes
	}
	o.equal(where+", projection", string(index.Projection), kind, repairDeployment)
	o.equal(where+", included attributes", showNames(slices.Sorted(slices.Values(index.NonKeyAttributes))),
		showNames(slices.Sorted(slices.Values(included))), repairDeployment)
}
