package cloud

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/trail"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/remedy"
)

// scanGroup is what requests have in common that are told of together: a Scan of many
// pages is many requests.
type scanGroup struct {
	table, index, operation, principal, failure, waiver, unlike string
	byKey                                                       bool // PartiQL that names the partitions that it reads
}

// judgeTrail decides on every request that reads without a key and names a table of the
// design.
func (o trailCheck) judgeTrail(records []trail.Record, since time.Time) {
	s := o.Session
	known, unanswered := map[string]bool{}, map[string]int{}
	for _, entry := range s.Replayed() {
		if entry.RequestID != "" {
			known[entry.RequestID] = true
		} else if wire.IsKeyless(entry.Operation) {
			unanswered[entry.Operation]++
		}
	}
	own, seen, groups := 0, map[string]bool{}, map[scanGroup][]trail.Record{}
	var nameless []trail.Record
	for _, record := range records {
		if of := record.Tables[0]; of.Name == "" && o.here(of) && record.Error == "" && !known[record.Request] && !record.Time.Before(since) {
			nameless = append(nameless, record)
		}
		for _, id := range slices.Sorted(maps.Keys(s.Deployment.Tables)) {
			table := o.named(record, id)
			if table == nil || seen[record.ID+" "+id] { // a trail may deliver a record twice
				continue
			}
			seen[record.ID+" "+id] = true
			o.Saw()
			if known[record.Request] {
				own++ // the ledger holds it, and has judged it
				continue
			}
			if record.Time.Before(since) {
				continue
			}
			if record.Error == "" && unanswered[record.Operation] > 0 {
				unanswered[record.Operation]--
				o.Cannot(evidence.Indeterminate, "CloudTrail, table %s: %s is perhaps one of this run, whose answer was lost; run again", id, told(record))
				continue
			}
			one := scanGroup{table: id, index: table.Index, operation: record.Operation, principal: record.Principal, failure: record.Error}
			if record.Error == "" {
				one.byKey = o.byKey(&record, id)
				one.waiver, one.unlike = o.waived(record, id, table.Index)
			}
			groups[one] = append(groups[one], record)
		}
	}
	for range s.Deployment.Tables {
		o.Saw()
	}
	if len(nameless) > 0 {
		o.Cannot(evidence.Indeterminate, "CloudTrail, %s: %d records of requests without a key name no table, so that they may be of any: %s", s.Trail.Group(), len(nameless), told(nameless[0]))
	}
	if own > 0 {
		o.Note("CloudTrail, %s: %d requests without a key are in the ledger, which has judged them", s.Trail.Group(), own)
	}
	o.tell(groups)
}

// tell reports what was seen, in the order in which it began.
func (o trailCheck) tell(groups map[scanGroup][]trail.Record) {
	byTime := func(a, b trail.Record) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.ID, b.ID)) }
	order := slices.Collect(maps.Keys(groups))
	for _, one := range order {
		slices.SortFunc(groups[one], byTime)
	}
	slices.SortFunc(order, func(a, b scanGroup) int {
		return cmp.Or(byTime(groups[a][0], groups[b][0]), cmp.Compare(a.table, b.table))
	})
	for _, one := range order {
		requests := groups[one]
		where := "CloudTrail, table " + one.table
		if one.index != "" {
			where += ", index " + one.index
		}
		found := told(requests[0])
		if more := len(requests) - 1; more > 0 {
			found += fmt.Sprintf(", and %d more until %s", more, stamp(requests[more].Time))
		}
		switch {
		case one.failure != "":
			o.Note("%s: refused with %s, and nothing was read: %s", where, one.failure, found)
		case one.byKey:
			o.Note("%s: %d requests of PartiQL that name the partitions that they read, or read none: %s", where, len(requests), found)
		case one.waiver != "":
			o.Session.Waived[one.waiver] += len(requests)
			o.Note("%s: waiver %s: %d requests: %s", where, one.waiver, len(requests), found)
		default:
			o.Fail(where, "no Scan, no PartiQL statement that is not shown to name a partition, and no export of the table", found+one.unlike,
				remedy.TraceScan)
		}
	}
}

// byKey reports whether a request of PartiQL names the partitions of a table that it reads.
func (o trailCheck) byKey(record *trail.Record, id string) bool {
	table, known := o.Session.Design.Table(id)
	return known && record.ByKey(o.Session.Deployment.Tables[id], func(index string) string {
		if keys, known := table.KeysOf(index); known {
			return keys[0].Attribute
		}
		return ""
	})
}

func told(record trail.Record) string {
	return fmt.Sprintf("%s at %s by %s (event %s, request %s)", record.Operation, stamp(record.Time), record.Principal, record.ID, cmp.Or(record.Request, "none"))
}

// waived returns the waiver that allows somebody's request, or says what keeps the
// request from being the waived one. Tables that the run has made are its own: nobody
// else has a reason to scan them. The record does not tell the caller's role, which
// the principal's name must.
func (o trailCheck) waived(record trail.Record, table, index string) (waiver, unlike string) {
	if !o.Session.ReadOnly && o.Session.Existing == nil {
		return "", ""
	}
	pattern, documented := o.Session.Design.ScanOf(table)
	if !documented || record.Operation != "Scan" {
		return "", ""
	}
	switch limit := int(pattern.OnlyRead().PageSize); {
	case index != "":
		return "", fmt.Sprintf("; waiver %s allows none of an index", pattern.Waiver)
	case limit > 0 && record.Limit < 1:
		return "", fmt.Sprintf("; waiver %s allows pages of an explicit size, and its Limit is none", pattern.Waiver)
	}
	return pattern.Waiver, ""
}
