package report

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"al.essio.dev/pkg/shellescape"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
)

// reproduce is the line that does a run again: its command, behind the variables of the environment that changed what it did.
func reproduce(run *evidence.Run) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(run.Environment)) {
		if name != evidence.SignKeyVariable { // of which only its being there is known
			words = append(words, name+"="+shellescape.Quote(run.Environment[name]))
		}
	}
	return strings.Join(append(words, run.Command), " ")
}

// sentOf counts the requests of the ledger by operation: what an audit sent, and so what it did not.
func sentOf(run *evidence.Run) []figure {
	counts := map[string]int{}
	for i := range run.Ledger {
		counts[cmp.Or(run.Ledger[i].Operation, run.Ledger[i].Path)]++ // a request of another protocol is named by its path
	}
	return lists.Map(slices.Sorted(maps.Keys(counts)), func(name string) figure {
		return figure{Label: name, Value: strconv.Itoa(counts[name]), JQ: "[.ledger[]|select((if (.operation//\"\")==\"\" then .path else .operation end)==" + jqText(name) + ")]|length"}
	})
}

// The classes of the Scans and PartiQL statements in a ledger.
const (
	scanWaived  = "waived"
	scanControl = "negative control"
	scanHazard  = "hazard shown"
	scanOther   = "not accounted for"
)

// scanClass says why a claim may scan: a waiver of its pattern, or a finding whose documented form it replays.
func scanClass(result evidence.Result) string {
	switch {
	case result.Waiver != "":
		return scanWaived
	case result.Finding != nil && result.Finding.Kind == string(accesspatterns.Hazard):
		return scanHazard
	case result.Finding != nil:
		return scanControl
	}
	return scanOther
}

type scanRow struct {
	figure
	Class, Claim, Requests string
}

// scanRows accounts for every Scan and PartiQL statement in the ledger, by class and claim.
func scanRows(run *evidence.Run) []scanRow {
	results := lists.Index(run.Results(), func(r evidence.Result) (string, evidence.Result) { return r.ID, r })
	requests := map[string][]int{}
	for entry := range lists.Each(run.Ledger) {
		if wire.IsKeyless(entry.Operation) {
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
	return lists.Where(results, func(r evidence.Result) bool { return len(r.Departs) > 0 && r.Verdict == evidence.Pass })
}
