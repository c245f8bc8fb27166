package report

import (
	"cmp"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
)

// The classes of the Scans and PartiQL statements in a ledger.
const (
	scanWaived  = "waived"
	scanControl = "negative control"
	scanHazard  = "hazard shown"
	scanOther   = "not accounted for"
)

// scanClass says why a claim may scan: a waiver of its pattern, or a finding whose documented form it replays.
func scanClass(result *evidence.Result) string {
	switch {
	case result == nil:
		return scanOther
	case result.Waiver != "":
		return scanWaived
	case result.Finding != nil && result.Finding.Kind == string(accesspatterns.Hazard):
		return scanHazard
	case result.Finding != nil:
		return scanControl
	}
	return scanOther
}

// scanRow is the Scans of one claim.
type scanRow struct {
	figure
	Class, Claim, Requests string
}

// scanRows accounts for every Scan and PartiQL statement in the ledger, by class and claim.
func scanRows(run *evidence.Run) []scanRow {
	results := map[string]*evidence.Result{}
	for i := range run.Designs {
		for j := range run.Designs[i].Results {
			results[run.Designs[i].Results[j].ID] = &run.Designs[i].Results[j]
		}
	}
	requests := map[string][]int{}
	for i := range run.Ledger {
		if entry := &run.Ledger[i]; wire.IsKeyless(entry.Operation) {
			requests[entry.Claim] = append(requests[entry.Claim], entry.Seq)
		}
	}
	var rows []scanRow
	for claim, seqs := range requests {
		rows = append(rows, scanRow{figure{
			Label: "Scans and PartiQL statements of " + cmp.Or(claim, "none"), Value: thousands(len(seqs)),
			JQ:   "[.ledger[]|select((.operation|" + jqKeyless() + ") and (.claim//\"\")==" + jqText(claim) + ")]|length",
			Href: claimHref(claim),
		}, scanClass(results[claim]), claim, evidence.Ranges(seqs)})
	}
	classes := []string{scanOther, scanWaived, scanControl, scanHazard}
	slices.SortFunc(rows, func(a, b scanRow) int {
		return cmp.Or(slices.Index(classes, a.Class)-slices.Index(classes, b.Class), strings.Compare(a.Claim, b.Claim))
	})
	return rows
}

// departed lists the claims that passed and asked for something else than their lines say.
func departed(results []evidence.Result) []evidence.Result {
	return slices.DeleteFunc(slices.Clone(results), func(r evidence.Result) bool { return len(r.Departs) == 0 || r.Verdict != evidence.Pass })
}

// answersFor says who answers for a waiver, and from when to when.
func answersFor(waiver evidence.Waiver) string {
	var words []string
	if waiver.Owner != "" {
		words = append(words, "owner: "+waiver.Owner)
	}
	if waiver.Since != "" {
		words = append(words, "since "+waiver.Since)
	}
	switch {
	case waiver.Until != "":
		words = append(words, "until "+waiver.Until)
	case waiver.Owner != "":
		words = append(words, "without an end")
	}
	return strings.Join(words, ", ")
}
