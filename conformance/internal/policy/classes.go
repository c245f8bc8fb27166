package policy

import (
	"maps"
	"slices"
	"strings"
)

// A policy document tells requests apart by what it mentions and by nothing else.
// So it decides all requests when it decides one of each class: for each condition
// key the absent one, each value that a statement mentions, and one that none
// mentions.

// Fresh is a value that no policy mentions.
const Fresh = "mentioned-nowhere"

// Allows lists the statements of a document that allow something.
func (d *Document) Allows() []string {
	var names []string
	for _, s := range d.statements {
		if !s.deny {
			names = append(names, s.sid)
		}
	}
	return names
}

// Resources lists the ARNs that a document's statements speak of, as they are
// written, each once.
func (d *Document) Resources() []string {
	var all []string
	for _, s := range d.statements {
		for _, resource := range s.resources {
			all = append(all, resource.text)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Actions lists the actions that a document's statements name in full, in lower
// case, each once.
func (d *Document) Actions() []string {
	var all []string
	for _, s := range d.statements {
		for _, action := range s.actions {
			if text, plain := action.plain(); plain {
				all = append(all, text)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// MayAllow reports whether a statement allows an action on a resource under
// conditions that some request may meet. Where none does, the request is denied
// whatever its context.
func (d *Document) MayAllow(action, resource string) bool {
	action, parts := strings.ToLower(action), strings.SplitN(resource, ":", arnSegments)
	return slices.ContainsFunc(d.statements, func(s statement) bool {
		return !s.deny && s.about(action, parts)
	})
}

// about reports whether a statement speaks of an action, in lower case, on a resource.
func (s statement) about(action string, resource []string) bool {
	return slices.ContainsFunc(s.actions, func(p pattern) bool { return p.match(action, nil) }) &&
		slices.ContainsFunc(s.resources, func(r resourcePattern) bool { return r.match(resource) })
}

// Tells reports whether a statement about an action and a resource tells requests apart
// by a condition key.
func (d *Document) Tells(key, action, resource string) bool {
	key, action = strings.ToLower(key), strings.ToLower(action)
	parts := strings.SplitN(resource, ":", arnSegments)
	return slices.ContainsFunc(d.statements, func(s statement) bool {
		return s.about(action, parts) && slices.ContainsFunc(s.conditions, func(c condition) bool { return c.key == key })
	})
}

// Values lists values of a condition key that the document's conditions match, one for
// each that they mention; those with variables of the principal are left out.
func (d *Document) Values(key string) []string {
	var all []string
	for _, s := range d.statements {
		for _, c := range s.conditions {
			if c.key == strings.ToLower(key) {
				all = append(all, c.instances()...)
			}
		}
	}
	return all
}

// Contexts returns one context of each class that the documents tell apart, in
// which the given values stand beside those that the documents mention. Keys that
// are left out are left absent. Names of keys are in lower case.
func Contexts(mentioned Context, leftOut []string, documents ...*Document) []Context {
	values := map[string][]string{}
	for key, given := range mentioned {
		values[strings.ToLower(key)] = slices.Clone(given)
	}
	for _, document := range documents {
		for _, s := range document.statements {
			for _, c := range s.conditions {
				values[c.key] = append(values[c.key], c.instances()...)
			}
		}
	}
	all := []Context{{}}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if slices.ContainsFunc(leftOut, func(name string) bool { return strings.EqualFold(name, key) }) {
			continue
		}
		known, _ := keyOf(key)
		choices := [][]string{nil} // of this key; the first is its absence
		if known.truth {
			choices = append(choices, []string{"true"}, []string{"false"})
		} else {
			mentioned := append(values[key], Fresh)
			slices.Sort(mentioned)
			for _, value := range slices.Compact(mentioned) {
				choices = append(choices, []string{value})
				if known.several && value != Fresh {
					choices = append(choices, []string{value, Fresh})
				}
			}
		}
		var next []Context
		for _, context := range all {
			for _, choice := range choices {
				if choice == nil {
					next = append(next, context)
					continue
				}
				extended := maps.Clone(context)
				extended[key] = choice
				next = append(next, extended)
			}
		}
		all = next
	}
	return all
}

// instances are values that the condition's values match, one for each; those with
// variables of the principal are left to the caller, who knows the principal.
func (c condition) instances() []string {
	var all []string
	for _, value := range c.values {
		if c.operator.truth {
			continue
		}
		text, variable := "", false
		for _, piece := range value.pieces {
			switch {
			case piece.variable != "":
				variable = true
			case piece.wildcard != 0:
				text += "x"
			default:
				text += piece.literal
			}
		}
		if !variable {
			all = append(all, text)
		}
	}
	return all
}

// plain is the text of a pattern without wildcards and variables.
func (p pattern) plain() (text string, plain bool) {
	for _, piece := range p.pieces {
		if piece.wildcard != 0 || piece.variable != "" {
			return "", false
		}
		text += piece.literal
	}
	return text, true
}

// actions on items and streams, and then all others.
var actions = strings.Fields(`
	BatchGetItem BatchWriteItem ConditionCheckItem DeleteItem GetItem GetRecords GetShardIterator PartiQLDelete PartiQLInsert PartiQLSelect
	PartiQLUpdate PutItem Query ReadDataForReplication Scan SearchVectors UpdateItem WriteDataForReplication

	CreateBackup CreateGlobalTable CreateTable CreateTableReplica DeleteBackup DeleteResourcePolicy DeleteTable DeleteTableReplica
	DescribeBackup DescribeContinuousBackups DescribeContributorInsights DescribeEndpoints DescribeExport DescribeGlobalTable
	DescribeGlobalTableSettings DescribeImport DescribeKinesisStreamingDestination DescribeLimits DescribeReservedCapacity
	DescribeReservedCapacityOfferings DescribeStream DescribeTable DescribeTableReplicaAutoScaling DescribeTimeToLive
	DisableKinesisStreamingDestination EnableKinesisStreamingDestination ExportTableToPointInTime GetAbacStatus GetResourcePolicy
	ImportTable ListBackups ListContributorInsights ListExports ListGlobalTables ListImports ListStreams ListTables ListTagsOfResource
	PurchaseReservedCapacityOfferings PutResourcePolicy ReplicateSettings RestoreTableFromAwsBackup RestoreTableFromBackup
	RestoreTableToPointInTime StartAwsBackupJob TagResource UntagResource UpdateAbacStatus UpdateContinuousBackups
	UpdateContributorInsights UpdateGlobalTable UpdateGlobalTableSettings UpdateGlobalTableVersion UpdateKinesisStreamingDestination
	UpdateTable UpdateTableReplicaAutoScaling UpdateTimeToLive`)

// ServiceActions are the actions that DynamoDB's service reference lists, each
// behind "dynamodb:".
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
func ServiceActions() []string {
	all := make([]string, len(actions))
	for i, name := range actions {
		all[i] = "dynamodb:" + name
	}
	return all
}
