package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"al.essio.dev/pkg/shellescape"

	"dynaproof/conformance/evidence"
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
	var figures []figure
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		figures = append(figures, figure{Label: name, Value: strconv.Itoa(counts[name]), JQ: "[.ledger[]|select((if (.operation//\"\")==\"\" then .path else .operation end)==" + jqText(name) + ")]|length"})
	}
	return figures
}

// sentInWords says in a line what an audit sent.
func sentInWords(run *evidence.Run) string {
	var parts []string
	for _, f := range sentOf(run) {
		parts = append(parts, f.Value+" "+f.Label)
	}
	return fmt.Sprintf("read-only: %s were sent (%s), and none that reads items or changes anything", Plural(len(run.Ledger), "request"), strings.Join(parts, ", "))
}
