package session

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/failures"
	"dynaproof/conformance/suite/recorder"
	"dynaproof/fixtures"
)

// Uncertain reports whether a request of these invocations was sent again after an
// attempt that had no answer, or none that says whether the engine acted. A
// refusal of the later attempt may then be the work of the earlier one.
func (s *Input) Uncertain(invocations []string) bool {
	for _, id := range invocations {
		attempts := s.Ledger.Find(id)
		for _, attempt := range attempts[:max(len(attempts)-1, 0)] {
			if attempt.Status == 0 || attempt.Status >= 500 {
				return true
			}
		}
	}
	return false
}

// MayHaveWritten reports whether a write with this outcome can have had an
// effect: only a refusal says that it had none, unless an attempt before it had
// no answer, or did a part of a batch, and so does a request that was not sent.
func (s *Input) MayHaveWritten(err error, invocations []string) bool {
	if err == nil {
		return true
	}
	switch failures.Classify(err) {
	case failures.Withheld, failures.Refused, failures.Denied, failures.UnknownOperation, failures.Unanswered:
		return s.Uncertain(invocations) || slices.ContainsFunc(invocations, func(id string) bool { // or did a part
			return slices.ContainsFunc(s.Ledger.Find(id), func(attempt wire.Entry) bool { return attempt.Status == http.StatusOK })
		})
	}
	return true
}

// GradeOf is the grade of one answer.
func (s *Input) GradeOf(entry wire.Entry) evidence.Grade {
	if entry.Emulated {
		return evidence.Emulated
	}
	return s.Grade
}

// Created returns the request that created a table in this run, or nil.
func (s *Input) Created(id string) *wire.Entry {
	name, err := s.TableName(id)
	if err != nil {
		return nil
	}
	for _, entry := range slices.Backward(s.Ledger.Entries(0)) {
		if entry.Operation == "CreateTable" && slices.Contains(entry.Tables, name) && entry.Status == 200 {
			return &entry
		}
	}
	return nil
}

// Compiled returns the SDK's requests of a step, where the roles are played by the named items.
func (s *Input) Compiled(step *accesspatterns.Step, items fixtures.Roles, repetitions []accesspatterns.Params) ([]any, error) {
	if step.Read == nil {
		return sdk.StepWrites(step, sdk.Names{Table: s.TableName, Items: s.Fixtures.Playing(items)}, repetitions)
	}
	table, known := s.Design.Table(step.Read.Table)
	if !known {
		return nil, fmt.Errorf("no table %s", step.Read.Table)
	}
	name, err := s.TableName(table.ID)
	if err != nil {
		return nil, err
	}
	return sdk.Reads(step.Read, table, name, repetitions)
}

// Touched returns the primary keys that a write request writes to.
func (s *Input) Touched(input any) []TouchedKey {
	var keys []TouchedKey
	s.Written(input, func(table *accesspatterns.Table, item accesspatterns.Item) {
		keys = append(keys, TouchedKey{table, table.KeyOf(item)})
	})
	return keys
}

// Written calls each for every item that a write request writes: the whole item of
// a put, the key of any other write.
func (s *Input) Written(input any, each func(*accesspatterns.Table, accesspatterns.Item)) {
	s.Addressed(input, func(kind accesspatterns.ActionKind, table *accesspatterns.Table, item accesspatterns.Item) {
		if kind != accesspatterns.ConditionCheck {
			each(table, item)
		}
	})
}

// Addressed is written for the keys too that a transaction looks at with a condition check.
func (s *Input) Addressed(input any, each func(accesspatterns.ActionKind, *accesspatterns.Table, accesspatterns.Item)) {
	writes, err := sdk.Writes(input)
	if err != nil {
		return // no engine takes it
	}
	for i := range writes {
		if table, known := s.Deployed(writes[i].Table); known {
			each(writes[i].Kind, table, writes[i].Place())
		}
	}
}

// Recorded decodes a request as the wire recorded it.
func Recorded(operation string, request []byte) (any, error) {
	return (&fixtures.Request{Operation: operation, Input: request}).Decode(nil, nil)
}

// TouchedKey is a primary key that a spec wrote to.
type TouchedKey struct {
	Table *accesspatterns.Table
	Key   accesspatterns.Item
}

// SentRequest is a request of a pattern on the wire.
type SentRequest struct {
	Claim, Waiver string
	Read          *accesspatterns.Read
	Entry         wire.Entry
}

// PatternRequests returns the read requests of all patterns so far, in the order
// in which they were sent. A read is found by its operation, table and index within
// its pattern.
func (s *Session) PatternRequests() []SentRequest {
	var sent []SentRequest
	for _, c := range s.Recorder.Since(0) {
		pattern, known := s.PatternOf(c.Claim)
		if !known {
			continue
		}
		for _, entry := range s.Ledger.Find(c.Invocation) {
			for _, step := range pattern.Steps {
				if step.Read == nil || string(step.Read.Sends()) != entry.Operation || step.Read.Index != entry.Index {
					continue
				}
				if name, err := s.TableName(step.Read.Table); err == nil && slices.Contains(entry.Tables, name) {
					sent = append(sent, SentRequest{c.Claim, pattern.Waiver, step.Read, entry})
					break
				}
			}
		}
	}
	return sent
}

// PatternOf returns the access pattern that a claim is about, if it is about one.
func (s *Session) PatternOf(claim string) (*accesspatterns.Pattern, bool) {
	id, isPattern := strings.CutPrefix(claim, s.Design.Name+"/pattern/")
	if !isPattern {
		return nil, false
	}
	return s.Design.Pattern(id)
}

// Replayed returns the ledger since the session was opened.
func (s *Session) Replayed() []wire.Entry { return s.Ledger.Entries(s.begin) }

// ClaimsOfRequests maps invocation ids to the claims that sent them.
func (s *Session) ClaimsOfRequests() map[string]string {
	return lists.Index(s.Recorder.Since(0), func(c recorder.Call) (string, string) { return c.Invocation, c.Claim })
}

// WaivedRequests counts the requests that were made under each waiver, by the session
// and, where a trail shows them, by others.
func (s *Session) WaivedRequests() map[string]int {
	claims := s.ClaimsOfRequests()
	waived := maps.Clone(s.Waived)
	for _, entry := range s.Replayed() {
		if pattern, known := s.PatternOf(claims[entry.InvocationID]); known && pattern.Waiver != "" && wire.IsKeyless(entry.Operation) {
			waived[pattern.Waiver]++
		}
	}
	return waived
}
