package rollmodel

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
)

// Who uses the patterns: the athlete who owns the data, a linked coach, any user who
// chats, and the AI side of the service. The document names the first three.
const (
	athlete = "athlete"
	coach   = "coach"
	user    = "user"
	system  = "system"
)

func patterns() []ap.Pattern {
	var all []ap.Pattern
	all = append(all, entryPatterns()...)
	all = append(all, coachPatterns()...)
	all = append(all, chatPatterns()...)
	all = append(all, keywordPatterns()...)
	return append(all, gapPatterns()...)
}

// allEntries is the documented query for an athlete's entries.
func allEntries() *ap.Read {
	return &ap.Read{
		Operation: ap.OpQuery, Table: table,
		Partition: ap.Equals("PK", "USER#{athleteId}"),
		Sort:      ap.BeginsWith("SK", "ENTRY#"),
		Versions:  entryVersions(),
	}
}

// entryVersions brings the entries of every read to version 1 and leaves the
// stored items as they are. One entry of a later version fails the whole read.
func entryVersions() *ap.Versions {
	return &ap.Versions{
		Attribute: "schemaVersion", Current: 1,
		Backfill: []ap.Backfill{
			{Attribute: "rawTechniqueMentions", Value: &types.AttributeValueMemberL{Value: []types.AttributeValue{}}, Elements: ap.String},
		},
		Cite: ap.Lines(89, 95, "current: `1`", "legacy v0", "rawTechniqueMentions: []", "fail closed"),
	}
}

func commentsOfEntry() *ap.Read {
	return &ap.Read{
		Operation: ap.OpQuery, Table: table,
		Partition: ap.Equals("PK", "ENTRY#{entryId}"),
		Sort:      ap.BeginsWith("SK", "COMMENT#"),
	}
}

func oneEntry() *ap.Read {
	read := ap.Get(table, ap.Equals("PK", "USER#{athleteId}"), ap.Is("SK", "ENTRY#{ISODate}#{entryId}"))
	read.Versions = entryVersions()
	return read
}

func oneMeta() *ap.Read {
	return ap.Get(table, ap.Equals("PK", "ENTRY#{entryId}"), ap.Is("SK", "META"))
}

func oneLink() *ap.Read {
	return ap.Get(table, ap.Equals("PK", "USER#{athleteId}"), ap.Is("SK", "COACH#{coachId}"))
}

// key is the primary key of a write.
func key(partition, sort ap.KeyTemplate) []ap.Equality {
	return []ap.Equality{*ap.Equals("PK", partition), *ap.Equals("SK", sort)}
}

// with lists what the items of a flow share: the parameters of its keys.
func with(attributesAndTemplates ...ap.KeyTemplate) []ap.Equality {
	var all []ap.Equality
	for pair := range slices.Chunk(attributesAndTemplates, 2) {
		all = append(all, *ap.Equals(string(pair[0]), pair[1]))
	}
	return all
}

// metaStands is the condition check that keeps a coach's write from an entry that is
// gone.
func metaStands() ap.Action {
	return ap.Action{Kind: ap.ConditionCheck, Table: table, Key: key("ENTRY#{entryId}", "META"), Condition: ap.IfPresent("PK")}
}

// linkStands is the condition check that keeps a coach's write from slipping
// past a link that was removed in the meantime.
func linkStands() ap.Action {
	return ap.Action{Kind: ap.ConditionCheck, Table: table, Key: key("USER#{athleteId}", "COACH#{coachId}"), Condition: ap.IfPresent("PK")}
}
