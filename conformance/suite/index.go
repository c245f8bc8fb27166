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

// checkIndex holds when the index is active and has exactly the documented key, or
// for the claim about it, the documented projection.
func checkIndex(ctx context.Context, s *Session, o *Observation) {
	table, _ := s.Design.Table(o.claim.Subject)
	if table == nil {
		o.cannot(evidence.Error, "no table %s in the contract", o.claim.Subject)
		return
	}
	name, aspect, _ := strings.Cut(o.claim.Aspect, "/")
	index, known := table.Index(name)
	if !known {
		o.cannot(evidence.Error, "no index %s of %s in the contract", name, table.ID)
		return
	}
	description, ok := o.described(ctx, table.ID)
	if !ok {
		return
	}
	deployed, kind := description.GlobalSecondaryIndexes, "global"
	if index.Local {
		deployed, kind = nil, "local"
		for _, local := range description.LocalSecondaryIndexes {
			deployed = append(deployed, types.GlobalSecondaryIndexDescription{IndexName: local.IndexName, KeySchema: local.KeySchema, Projection: local.Projection})
		}
	}
	where := "table " + table.ID + ", index " + index.Name
	at := slices.IndexFunc(deployed, func(found types.GlobalSecondaryIndexDescription) bool {
		return aws.ToString(found.IndexName) == index.Name
	})
	if at < 0 {
		o.saw()
		o.fail(where, "a "+kind+" secondary index of that name", "no such index", repairDeployment)
		return
	}
	found := deployed[at]
	if aspect == manifest.AspectProjection {
		o.projection(where, index, found.Projection)
		return
	}
	o.equal(where+", key", index.ShowKey(), showKeySchema(found.KeySchema, description), repairDeployment)
	// Engines that create indexes at once report no status, and a local index has none.
	if found.IndexStatus != "" {
		o.equal(where+", status", string(types.IndexStatusActive), string(found.IndexStatus), "wait until the index is active")
	}
}

// projection compares what an index carries beside its keys.
func (o *Observation) projection(where string, index *accesspatterns.Index, found *types.Projection) {
	kind, included := "none", []string(nil)
	if found != nil {
		kind, included = string(found.ProjectionType), found.NonKeyAttributes
	}
	o.equal(where+", projection", string(index.Projection), kind, repairDeployment)
	o.equal(where+", included attributes", showSet(index.NonKeyAttributes), showSet(included), repairDeployment)
}
