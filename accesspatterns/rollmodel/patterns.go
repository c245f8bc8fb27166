package rollmodel

import ap "dynaproof/accesspatterns"

// Who uses the patterns: the athlete who owns the data, a linked coach, and the
// AI side of the service. The document names the first two.
const (
	athlete = "athlete"
	coach   = "coach"
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
	return ap.Get(table, ap.Equals("PK", "USER#{athleteId}"), ap.Is("SK", "ENTRY#{ISODate}#{entryId}"))
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

// linkStands is the condition check that keeps a coach's write from slipping
// past a link that was removed in the meantime.
func linkStands() ap.Action {
	return ap.Action{Kind: ap.ConditionCheck, Table: table, Key: key("USER#{athleteId}", "COACH#{coachId}"), Condition: ap.IfPresent("PK")}
}
