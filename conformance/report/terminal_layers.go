package report

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/evidence"
)

// layers are the places of enforcement, in the order in which a request meets
// them. A layer that the evidence names beside these gets a column behind them.
var layers = []string{
	string(accesspatterns.LayerGuard), string(accesspatterns.LayerEngine), string(accesspatterns.LayerContract), string(accesspatterns.LayerDeployment),
}

// layerOf returns what enforces a guardrail or an invariant, and whether the
// result is of one.
func layerOf(result *evidence.Result) (string, bool) {
	switch {
	case result.Guardrail != nil:
		return result.Guardrail.Layer, true
	case result.Invariant != nil:
		return result.Invariant.Layer, true
	}
	return "", false
}

// guardrails counts, for each design, the guardrails and invariants that held by
// what enforces them: 5/6 says that one of six did not pass.
func (t *Terminal) guardrails(run *evidence.Run) {
	columns := slices.Clone(layers)
	for _, result := range run.Results() {
		if layer, is := layerOf(&result); is && !slices.Contains(columns, layer) {
			columns = append(columns, layer)
		}
	}
	var rows []string
	for i := range run.Designs {
		var held, tried [2]int
		heldBy, triedBy := map[string]int{}, map[string]int{}
		for j := range run.Designs[i].Results {
			result := &run.Designs[i].Results[j]
			layer, is := layerOf(result)
			if !is {
				continue
			}
			kind := 0
			if result.Invariant != nil {
				kind = 1
			}
			tried[kind]++
			triedBy[layer]++
			if result.Verdict == evidence.Pass {
				held[kind]++
				heldBy[layer]++
			}
		}
		if tried == [2]int{} {
			continue
		}
		cells := []string{run.Designs[i].Name, share(held[0], tried[0]), share(held[1], tried[1]), "|"}
		for _, layer := range columns {
			cells = append(cells, share(heldBy[layer], triedBy[layer]))
		}
		rows = append(rows, strings.Join(cells, "\t")+"\t")
	}
	if len(rows) == 0 {
		return
	}
	t.line("")
	table := tabwriter.NewWriter(t.Out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, strings.Join(append([]string{"design", "guardrails", "invariants", "|"}, columns...), "\t")+"\t")
	for _, row := range rows {
		fmt.Fprintln(table, row)
	}
	table.Flush()
	t.line("held of tried; to the right of the bar, by what enforces them")
}

func share(held, tried int) string {
	if tried == 0 {
		return "-"
	}
	if held == tried {
		return fmt.Sprint(held)
	}
	return fmt.Sprintf("%d/%d", held, tried)
}
