package report

import (
	"fmt"
	"slices"
	"strconv"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/columns"
)

// layers are the places of enforcement, in the order in which a request meets
// them. A layer that the evidence names beside these gets a column behind them.
var layers = []string{
	string(accesspatterns.LayerGuard), string(accesspatterns.LayerEngine), string(accesspatterns.LayerContract), string(accesspatterns.LayerDeployment),
}

// layerOf returns what enforces a guardrail or an invariant, and whether the
// result is of one.
func layerOf(result evidence.Result) (string, bool) {
	switch {
	case result.Guardrail != nil:
		return result.Guardrail.Layer, true
	case result.Invariant != nil:
		return result.Invariant.Layer, true
	}
	return "", false
}

// tallied writes "6" where all of six rules held, "5+1w" where one of them is waived, and "5/6" where one did not hold.
func tallied(results []evidence.Result) string {
	if len(results) == 0 {
		return "-"
	}
	counts := evidence.Count(results)
	held, waived := counts[evidence.Pass], counts[evidence.Waived]
	text := fmt.Sprint(held)
	if waived > 0 {
		text += fmt.Sprintf("+%dw", waived)
	}
	if held+waived < len(results) {
		text += fmt.Sprintf("/%d", len(results))
	}
	return text
}

// guardrailRows count, for each design, the guardrails and invariants that held, and how many by what enforces them; nil where none was
// tried.
func guardrailRows(run *evidence.Run) (rows [][]string) {
	named := slices.Clone(layers)
	for _, result := range run.Results() {
		if layer, is := layerOf(result); is {
			named = lists.With(named, layer)
		}
	}
	for design := range lists.Each(run.Designs) {
		tried := lists.Where(design.Results, func(r evidence.Result) bool {
			_, is := layerOf(r)
			return is && r.Verdict != evidence.Unsupported
		})
		if len(tried) == 0 {
			continue
		}
		tally := func(is func(evidence.Result) bool) string { return tallied(lists.Where(tried, is)) }
		cells := []string{
			design.Name,
			tally(func(r evidence.Result) bool { return r.Guardrail != nil }), tally(func(r evidence.Result) bool { return r.Invariant != nil }), "|",
		}
		for _, layer := range named {
			cells = append(cells, tally(func(r evidence.Result) bool {
				by, _ := layerOf(r)
				return by == layer
			}))
		}
		rows = append(rows, cells)
	}
	if rows == nil {
		return nil
	}
	return append([][]string{append([]string{"design", "guardrails", "invariants", "|"}, named...)}, rows...)
}

// subjectRows are what the claims of the run are about.
func subjectRows(run *evidence.Run) (rows [][]string) {
	return lists.Map(bySubject(run.Results()), func(group about) []string { return []string{"about " + string(group.Name), group.Figures()} })
}

// verdictRows are the table of verdicts and grades, with a row for each design.
func verdictRows(run *evidence.Run) [][]string {
	header := slices.Concat([]string{"design", "claims"}, lists.Texts(evidence.Verdicts()), []string{"not run", "|"}, lists.Texts(evidence.Grades()))
	rows, missing := [][]string{header}, notRun(run)
	for i, part := range partsOf(run) {
		left := notRunOf(run)
		if i < len(run.Designs) {
			left = missing[part.name]
		}
		cells := []string{part.name, strconv.Itoa(len(part.results) + left)}
		counts := evidence.Count(part.results)
		cells = append(cells, lists.Map(evidence.Verdicts(), func(verdict evidence.Verdict) string { return columns.Count(counts[verdict]) })...)
		cells = append(cells, columns.Count(left), "|")
		for _, grade := range evidence.Grades() {
			cells = append(cells, columns.Count(passedBy(part.results, grade)))
		}
		rows = append(rows, cells)
	}
	return rows
}

// meaningRows say what the words of a summary mean: those of the verdicts and grades that occur in it.
func meaningRows(run *evidence.Run) (rows [][]string) {
	counts := evidence.Count(run.Results())
	for _, verdict := range evidence.Verdicts() {
		if counts[verdict] > 0 {
			rows = append(rows, []string{string(verdict), meanings[string(verdict)]})
		}
	}
	for _, grade := range evidence.Grades() {
		if passedBy(run.Results(), grade) > 0 {
			rows = append(rows, []string{string(grade), "of what passed: " + meanings[string(grade)]})
		}
	}
	return rows
}
