// Package cloud compares what CloudTrail and CloudWatch saw of the tables with what the run sent.
package cloud

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/batch"
	"dynaproof/conformance/internal/trail"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/session"
)

// trailCheck is a check of what a trail, or the service's own figures, tell of the tables.
type trailCheck struct{ *observe.Observation }

// The operations that show that a trail sees a table. Both kinds must be shown: a trail
// of writes alone shows no Scan, and a trail of reads alone no PartiQL, which CloudTrail
// logs as a write whatever the statement.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/understanding-ddb-log-entries.html
var (
	shownReads  = []string{"GetItem", "Query"}
	shownWrites = []string{"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"}
)

const (
	howToLog = "log the data events of AWS::DynamoDB::Table, reads and writes (`aws cloudtrail get-event-selectors`)"
	nothing  = "so that an absence of scans says nothing"
)

// CheckTrail holds when the trail shows no Scan, no PartiQL statement without a partition and no export of
// the design's tables, other than what the ledger has judged already and what waivers
// allow. An absence of records says nothing: it counts only when the trail shows what
// it must show. For a replay these are its own requests, by the ids that DynamoDB gave
// them; for an audit, which sends none, it is a read of each table by anybody, and a
// write of any of the design's tables, since some are hardly ever written.
//
// A request that DynamoDB refused read nothing, and is noted.
func CheckTrail(ctx context.Context, s *session.Session, observation *observe.Observation) {
	o := trailCheck{observation}
	if s.Trail == nil {
		return
	}
	since := s.TrailSince
	if since.IsZero() {
		since = s.Opened
	}
	since = since.Truncate(time.Second) // as CloudTrail's own times
	if !s.ReadOnly {
		o.deliveredOwn(ctx, since)
	}
	bounded, cancel := context.WithTimeout(ctx, s.Bounds.Trail)
	defer cancel()
	s.Waiting(bounded, "the search of CloudTrail's records in "+s.Trail.Group())
	records, err := s.Trail.Unkeyed(bounded, since)
	o.judgeTrail(records, since)
	if s.ReadOnly && (err == nil || len(records) > 0) {
		o.Rested = append(o.Rested, s.Grade)
	}
	if err != nil {
		o.Cannot(evidence.Indeterminate, "CloudTrail, %s: %v", s.Trail.Group(), err)
		return
	}
	if s.ReadOnly {
		o.Note("CloudTrail, %s: from %s to %s; later events may still arrive, and this verdict covers those that had", s.Trail.Group(), stamp(since), stamp(s.Opened.Add(-session.TrailSettles)))
		o.readByAnybody(bounded, since, records)
		o.writtenByAnybody(bounded, since)
	}
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// owned is a request of this run that a trail must show.
type owned struct{ table, operation string }

// mustShow returns the run's own requests that a trail shows if it sees their table:
// those that succeeded, by DynamoDB's id. Scans are among them.
func (o trailCheck) mustShow() map[string]owned {
	must := map[string]owned{}
	for _, entry := range o.Session.Replayed() {
		counts := slices.Contains(shownReads, entry.Operation) || slices.Contains(shownWrites, entry.Operation) || entry.Operation == "Scan"
		if counts && entry.Status == 200 && entry.RequestID != "" && !entry.Injected && !entry.Emulated && len(entry.Tables) == 1 {
			must[entry.RequestID] = owned{entry.Tables[0], entry.Operation}
		}
	}
	return must
}

// deliveredOwn waits until the trail shows every request that it must show.
func (o trailCheck) deliveredOwn(ctx context.Context, since time.Time) {
	s := o.Session
	bounded, cancel := context.WithTimeout(ctx, s.Bounds.Trail)
	defer cancel()
	must, sent := o.mustShow(), map[string]map[string]int{}
	for _, request := range must {
		lists.Inner(sent, request.table)[request.operation]++
	}
	tables := slices.Sorted(maps.Keys(s.Deployment.Tables))
	for _, id := range tables {
		reads, writes := readsAndWrites(sent[s.Deployment.Tables[id]])
		if reads == 0 {
			o.Cannot(evidence.Indeterminate, "CloudTrail, table %s: no read of it with a request id stands in the ledger, and a trail that logs writes alone shows no Scan either, %s", id, nothing)
		}
		if writes == 0 {
			o.Cannot(evidence.Indeterminate, "CloudTrail, table %s: no write of it with a request id stands in the ledger, and a trail that logs reads alone shows no PartiQL either, %s", id, nothing)
		}
	}
	for {
		err := o.lookFor(bounded, must, since)
		if err != nil && bounded.Err() == nil {
			o.Cannot(evidence.Indeterminate, "CloudTrail, %s: %v", s.Trail.Group(), err)
			return
		}
		if len(must) == 0 {
			return
		}
		s.Waiting(bounded, fmt.Sprintf("CloudTrail's records of %d of this run's requests in %s", len(must), s.Trail.Group()))
		if batch.Pause(bounded, s.Bounds.TrailPoll, 0) != nil {
			o.late(tables, must, sent)
			return
		}
	}
}

// lookFor takes the requests that the trail shows off those that it must show.
func (o trailCheck) lookFor(ctx context.Context, must map[string]owned, since time.Time) error {
	waiting, scanned := map[string]bool{}, false
	for _, request := range must {
		if request.operation == "Scan" {
			scanned = true
		} else {
			waiting[request.table] = true
		}
	}
	for _, table := range slices.Sorted(maps.Keys(waiting)) {
		err := o.Session.Trail.Keyed(ctx, table, slices.Concat(shownReads, shownWrites), since, func(record trail.Record) bool {
			delete(must, record.Request)
			return true
		})
		if err != nil {
			return err
		}
	}
	if !scanned {
		return nil
	}
	records, err := o.Session.Trail.Unkeyed(ctx, since)
	for _, record := range records {
		delete(must, record.Request)
	}
	return err
}

// late says which requests the trail does not show, and what that may mean.
func (o trailCheck) late(tables []string, missing map[string]owned, sent map[string]map[string]int) {
	s := o.Session
	for _, id := range tables {
		table := s.Deployment.Tables[id]
		shown, late := maps.Clone(sent[table]), false
		for _, request := range missing {
			if request.table == table {
				shown[request.operation]--
				late = true
			}
		}
		if !late {
			continue
		}
		counts := lists.Map(slices.Sorted(maps.Keys(shown)), func(operation string) string {
			return fmt.Sprintf("%d of %d %s", shown[operation], sent[table][operation], operation)
		})
		why := "CloudTrail delivers late, or has lost some: look again later"
		switch reads, writes := readsAndWrites(shown); {
		case reads == 0 && writes == 0:
			why = "the trail does not see the table, or delivers later still: " + howToLog
		case reads == 0:
			why = "the trail logs writes alone: " + howToLog
		case writes == 0:
			why = "the trail logs reads alone: " + howToLog
		}
		o.Cannot(evidence.Indeterminate, "CloudTrail, table %s: after %s %s shows %s of this run, %s yet; %s", id, s.Bounds.Trail, s.Trail.Group(), strings.Join(counts, ", "), nothing, why)
	}
}

// readsAndWrites counts requests by what they show of a trail.
func readsAndWrites(of map[string]int) (reads, writes int) {
	for operation, count := range of {
		if slices.Contains(shownWrites, operation) {
			writes += count
		} else {
			reads += count
		}
	}
	return reads, writes
}

// readByAnybody looks for a read of each table from a moment on, as a sign that the
// trail sees its reads.
func (o trailCheck) readByAnybody(ctx context.Context, since time.Time, scanned []trail.Record) {
	s := o.Session
	for _, id := range slices.Sorted(maps.Keys(s.Deployment.Tables)) {
		var seen *trail.Record
		var err error
		for i := range scanned {
			if scanned[i].Operation == "Scan" && o.within(scanned[i], id, since) {
				seen = &scanned[i]
			}
		}
		if seen == nil {
			seen, err = o.anybody(ctx, id, shownReads, since)
		}
		switch {
		case seen != nil:
			o.Note("CloudTrail, table %s: a %s by %s at %s shows that its reads are logged", id, seen.Operation, seen.Principal, stamp(seen.Time))
		case err != nil:
			o.Cannot(evidence.Indeterminate, "CloudTrail, %s, table %s: %v", s.Trail.Group(), id, err)
		default:
			o.Cannot(evidence.Indeterminate, "CloudTrail, table %s: %s shows no read of it since %s, %s: nobody reads it, or the trail does not see it: %s, or widen the window",
				id, s.Trail.Group(), stamp(since), nothing, howToLog)
		}
	}
}

// writtenByAnybody looks for a write of any of the tables, as a sign that the trail
// sees writes, and PartiQL with them.
func (o trailCheck) writtenByAnybody(ctx context.Context, since time.Time) {
	s := o.Session
	for _, id := range slices.Sorted(maps.Keys(s.Deployment.Tables)) {
		seen, err := o.anybody(ctx, id, shownWrites, since)
		if err != nil {
			o.Cannot(evidence.Indeterminate, "CloudTrail, %s, table %s: %v", s.Trail.Group(), id, err)
			return
		}
		if seen != nil {
			o.Note("CloudTrail, table %s: a %s by %s at %s shows that writes are logged, and PartiQL with them", id, seen.Operation, seen.Principal, stamp(seen.Time))
			return
		}
	}
	o.Cannot(evidence.Indeterminate, "CloudTrail: %s shows no write of any table since %s, so that an absence of PartiQL, which is logged as a write, says nothing: nobody writes, or the trail logs reads alone: %s, or widen the window",
		s.Trail.Group(), stamp(since), howToLog)
}

// anybody returns the first record of operations on a table from a moment on, or nil.
func (o trailCheck) anybody(ctx context.Context, id string, operations []string, since time.Time) (seen *trail.Record, err error) {
	err = o.Session.Trail.Keyed(ctx, o.Session.Deployment.Tables[id], operations, since, func(record trail.Record) bool {
		if o.within(record, id, since) {
			seen = &record
		}
		return seen == nil
	})
	if seen != nil {
		return seen, nil
	}
	return nil, err
}

// within reports whether a record names a table, from a moment on.
func (o trailCheck) within(record trail.Record, id string, since time.Time) bool {
	return !record.Time.Before(since) && o.named(record, id) != nil
}

// named returns the table of the design that a record names, or nil. A trail may see
// several regions and accounts, with tables of the same name.
func (o trailCheck) named(record trail.Record, id string) *trail.Table {
	for table := range lists.Each(record.Tables) {
		if table.Name == o.Session.Deployment.Tables[id] && o.here(*table) {
			return table
		}
	}
	return nil
}

// here reports whether a table is in the region and account of the design's.
func (o trailCheck) here(table trail.Table) bool {
	s := o.Session
	return table.Region == s.Deployment.Region && (s.Account == "" || table.Account == s.Account)
}
