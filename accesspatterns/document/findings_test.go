package document_test

import (
	"slices"
	"testing"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/document/review"
	"dynaproof/accesspatterns/document/witness"
)

// sameProblem says which rule speaks of the same problem as a finding of high
// severity. It was written by hand, by reading both; findings that no rule
// speaks of are not in it.
var sameProblem = map[string]string{
	"roll-model/coach-sees-private-text":          "sensitive-attribute-read-whole",
	"roll-model/comment-link-race":                "check-then-write",
	"roll-model/messages-without-owner":           "partition-without-owner",
	"roll-model/thread-id-of-two-users":           "partition-without-owner",
	"roll-model/entry-id-of-two-athletes":         "partition-without-owner",
	"commit-collect/gsi1-key-unnamed":             "index-without-key",
	"commit-collect/attributes-missing":           "items-without-attributes",
	"commit-collect/milestone-prefix":             "key-is-prefix-of-another",
	"commit-collect/sessions-of-user-unreachable": "no-way-from-owner",
	"commit-collect/expires-at-utc-type":          "ttl-not-a-number",
	"commit-collect/expired-session-readable":     "expired-items-still-read",
	"fus-main/my-ratings-include-comments":        "key-is-prefix-of-another",
	"fus-main/date-range-on-partition-key":        "range-on-partition-key",
	"fus-main/participations-in-date-index":       "index-mixes-entities",
	"osem-ladders/config-is-active-type":          "key-of-wrong-type",
	"osem-ladders/two-active-configs-hidden":      "limit-hides-second",
	"personal-os/gsi1-mixes-users":                "index-partition-for-everybody",
	"personal-os/gsi2-mixes-users":                "index-partition-for-everybody",
	"personal-os/goals-lack-index-keys":           "pattern-lacks-index-keys",
	"personal-os/partitions-not-scoped-by-user":   "partition-without-owner",
	"personal-os/metric-log-same-second":          "key-by-time-alone",
	"personal-os/wallet-transaction-same-second":  "key-by-time-alone",
	"personal-os/date-bounds-lose-last-day":       "range-loses-last-day",
	"personal-os/first-page-only":                 "first-page-only",
	"personal-os/replace-corrupts-ids":            "replace-all-in-key",
	"personal-os/wallet-balance-unguarded":        "balance-without-condition",
}

// touches reports whether a hit stands on a line that a citation names.
func touches(c accesspatterns.Citation, hit review.Hit) bool {
	return cites(c, hit.Line, hit.Line) || slices.ContainsFunc(hit.Also, func(line int) bool { return cites(c, line, line) })
}

// TestHighFindings: a review, which knows the document alone, says at least half
// of the findings that the contracts hold as high, on their lines.
func TestHighFindings(t *testing.T) {
	high, said := 0, 0
	for _, design := range designs.All() {
		hits := review.Look(read(t, design))
		for _, finding := range design.Findings {
			if finding.Severity != accesspatterns.High {
				continue
			}
			high++
			rule := sameProblem[design.Name+"/"+finding.ID]
			if slices.ContainsFunc(hits, func(hit review.Hit) bool { return hit.ID == rule && touches(finding.Cite, hit) }) {
				said++
				t.Logf("found   %s/%s: %s", design.Name, finding.ID, rule)
			} else {
				t.Logf("missed  %s/%s (%s)", design.Name, finding.ID, finding.Title)
				if rule != "" {
					t.Errorf("%s/%s: expected a hit of %s on %s", design.Name, finding.ID, rule, finding.Cite)
				}
			}
		}
		for _, hit := range hits {
			if !slices.ContainsFunc(design.Findings, func(f accesspatterns.Finding) bool { return touches(f.Cite, hit) }) {
				t.Logf("further %s:%d %s: %s", design.Document.File, hit.Line, hit.ID, hit.Message)
			}
		}
	}
	t.Logf("%d of %d findings of high severity", said, high)
	if said*2 < high {
		t.Errorf("expected at least half of the findings of high severity, found %d of %d", said, high)
	}
}

// TestRulesOnFive: the reader has no open objection to the five contracts.
func TestRulesOnFive(t *testing.T) {
	for _, design := range designs.All() {
		document := read(t, design)
		all := witness.Object(design, document)
		for _, o := range witness.Open(all) {
			t.Errorf("%s:%d %s: %s", design.Document.File, o.Line, o.ID, o.Message)
		}
		for _, o := range all {
			if o.Answer != "" {
				t.Logf("%s:%d %s: %s (answered: %s)", design.Document.File, o.Line, o.ID, o.Message, o.Answer)
			}
		}
	}
}
