package schema

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
)

// CheckIndex holds when the index is active and has exactly the documented key, or
// for the claim about it, the documented projection.
func CheckIndex(ctx context.Context, s *session.Session, o *observe.Observation) {
	table, _ := s.Design.Table(o.Claim.Subject)
	if table == nil {
		o.Cannot(evidence.Error, "no table %s in the contract", o.Claim.Subject)
		return
	}
	name, aspect, _ := strings.Cut(o.Claim.Aspect, "/")
	index, known := table.Index(name)
	if !known {
		o.Cannot(evidence.Error, "no index %s of %s in the contract", name, table.ID)
		return
	}
	check := &tableCheck{Observation: o, table: table}
	if !check.describe(ctx) {
		return
	}
	deployed, kind, what := check.deployed.GlobalSecondaryIndexes, "global", "index "+index.Name
	if index.Local {
		kind = "local"
		deployed = lists.Map(check.deployed.LocalSecondaryIndexes, func(local types.LocalSecondaryIndexDescription) types.GlobalSecondaryIndexDescription {
			return types.GlobalSecondaryIndexDescription{IndexName: local.IndexName, KeySchema: local.KeySchema, Projection: local.Projection}
		})
	}
	at := slices.IndexFunc(deployed, func(found types.GlobalSecondaryIndexDescription) bool {
		return aws.ToString(found.IndexName) == index.Name
	})
	if at < 0 {
		o.Refute(check.at(what), "a "+kind+" secondary index of that name", "no such index", remedy.RepairDeployment)
		return
	}
	found := deployed[at]
	if aspect == manifest.AspectProjection {
		check.projection(what, index, found.Projection)
		return
	}
	compare := check.same
	if namedOtherwise(s.Design, index, found.KeySchema, check.deployed) {
		compare = check.chosen
	}
	compare(what+", key", index.ShowKey(), showKeySchema(found.KeySchema, check.deployed))
	// Engines that create indexes at once report no status, and a local index has none.
	if found.IndexStatus != "" {
		status := string(found.IndexStatus)
		if aws.ToBool(found.Backfilling) {
			status += ", and being filled"
		}
		check.active(what+", status", status)
	}
}

// projection compares what an index carries beside its keys.
func (o *tableCheck) projection(what string, index *accesspatterns.Index, found *types.Projection) {
	kind, included := "none", []string(nil)
	if found != nil {
		kind, included = string(found.ProjectionType), found.NonKeyAttributes
	}
	o.chosen(what+", projection", string(index.Projection), kind)
	o.chosen(what+", included attributes", observe.ShowSet(index.NonKeyAttributes), observe.ShowSet(included))
}

// namedOtherwise reports whether a deployed index key is the contract's but for the names of its attributes, which are names
// that the document uses for nothing else. Where the contract chose the names of an index key, that is all that it chose.
func namedOtherwise(design *accesspatterns.Design, index *accesspatterns.Index, schema []types.KeySchemaElement, table *types.TableDescription) bool {
	keys := index.Keys()
	if index.Composite() || len(schema) != len(keys) {
		return false
	}
	for i, element := range schema {
		name, kind := aws.ToString(element.AttributeName), types.KeyTypeRange
		if i == 0 {
			kind = types.KeyTypeHash
		}
		typed := slices.ContainsFunc(table.AttributeDefinitions, func(d types.AttributeDefinition) bool {
			return aws.ToString(d.AttributeName) == name && string(d.AttributeType) == string(keys[i].Type)
		})
		if element.KeyType != kind || !typed || name != keys[i].Attribute && means(design, name, false) {
			return false
		}
	}
	return true
}

// mayBeAKeyName reports whether an attribute may be defined, or not be defined, because a table has an index whose key's names
// are the contract's choice.
func mayBeAKeyName(design *accesspatterns.Design, table *accesspatterns.Table, name string) bool {
	return slices.ContainsFunc(table.Indexes, func(index accesspatterns.Index) bool {
		chose := index.Keys().Has(name)
		return index.Cite.Basis.Kind == accesspatterns.Chosen && (chose || !means(design, name, false))
	})
}

// means reports whether the contract knows an attribute as a key that the text names, or as one of an entity. Where expiry is
// asked for, an attribute by which items of a table expire is none of these.
func means(design *accesspatterns.Design, name string, expiry bool) bool {
	for table := range lists.Each(design.Tables) {
		if expiry && table.TTL != nil && table.TTL.Attribute == name {
			return false
		}
		keys := table.Keys()
		for k := range table.Indexes {
			if expiry || table.Indexes[k].Cite.Basis.Kind != accesspatterns.Chosen {
				keys = append(keys, slices.Concat(table.Indexes[k].AllKeys())...)
			}
		}
		if keys.Has(name) {
			return true
		}
	}
	return slices.ContainsFunc(design.Entities, func(entity accesspatterns.Entity) bool {
		return slices.ContainsFunc(entity.Attributes, func(attribute accesspatterns.Attribute) bool {
			first, _, _ := strings.Cut(attribute.Name, ".")
			return strings.TrimSuffix(first, "[]") == name
		})
	})
}
