package suite

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/evidence"
)

// indexCheck holds when the index has exactly the documented key and projection
// and is active.
func indexCheck(claim accesspatterns.Claim) func(context.Context, *Session, *Observation) {
	return func(ctx context.Context, s *Session, o *Observation) {
		table, _ := s.Design.Table(claim.Subject)
		if table == nil {
			o.cannot(evidence.Error, "no table %s in the contract", claim.Subject)
			return
		}
		index, _ := table.Index(claim.Aspect)
		description, ok := o.described(ctx, table.ID)
		if !ok {
			return
		}
		where := "table " + table.ID + ", index " + index.Name
		at := slices.IndexFunc(description.GlobalSecondaryIndexes, func(found types.GlobalSecondaryIndexDescription) bool {
			return aws.ToString(found.IndexName) == index.Name
		})
		if at < 0 {
			o.saw()
			o.fail(where, "a global secondary index of that name", "no such index", repairDeployment)
			return
		}
		found := description.GlobalSecondaryIndexes[at]
		o.equal(where+", key", showKey(index.Keys()), showKeySchema(found.KeySchema, description), repairDeployment)
		projection, included := "none", []string(nil)
		if found.Projection != nil {
			projection, included = string(found.Projection.ProjectionType), found.Projection.NonKeyAttributes
		}
		o.equal(where+", projection", string(index.Projection), projection, repairDeployment)
		o.equal(where+", included attributes", showNames(slices.Sorted(slices.Values(index.NonKeyAttributes))),
			showNames(slices.Sorted(slices.Values(included))), repairDeployment)
		// Engines that create indexes at once report no status.
		if found.IndexStatus != "" {
			o.equal(where+", status", string(types.IndexStatusActive), string(found.IndexStatus), "wait until the index is active")
		}
	}
}
