package report

import (
	"fmt"
	"slices"

	"dynaproof/accesspatterns"
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
func layerOf(result *evidence.Result) (string, bool) {
	switch {
	case result.Guardrail != nil:
		return result.Guardrail.Layer, true
	case result.Invariant != nil:
		return result.Invariant.Layer, true
	}
	return "", false
}

// tally counts rules that were tried.
type tally struct{ held, waived, tried int }

func (c *tally) add(verdict evidence.Verdict) {
	c.tried++
	switch verdict {
	case evidence.Pass:
		c.held++
	case evidence.Waived:
		c.waived++
	}
}

// String writes "6" where all of six held, "5+1w" where one of them is waived, and "5/6" where one did not hold.
func (c *tally) String() string {
	if c.tried == 0 {
		return "-"
	}
	text := fmt.Sprint(c.held)
	if c.waived > 0 {
		text += fmt.Sprintf("+%dw", c.waived)
	}
	if c.held+c.waived < c.tried {
		text += fmt.Sprintf("/%d", c.tried)
	}
	return text
}

// guardrails counts, for each design, the guardrails and invariants that held, and how many by what enforces them.
func (t *Terminal) guardrails(run *evidence.Run) {
	named := slices.Clone(layers)
	for _, result := range run.Results() {
		if layer, is := layerOf(&result); is && !slices.Contains(named, layer) {
			named = append(named, layer)
		}
	}
	var rows [][]string
	for i := range run.Designs {
		var guardrails, invariants tally
		layered := map[string]*tally{}
		for _, layer := range named {
			layered[layer] = &tally{}
		}
		for j := range run.Designs[i].Results {
			result := &run.Designs[i].Results[j]
			layer, is := layerOf(result)
			if !is || result.Verdict == evidence.Unsupported {
				continue // nothing was tried
			}
			if result.Invariant != nil {
				invariants.add(result.Verdict)
			} else {
				guardrails.add(result.Verdict)
			}
			layered[layer].add(result.Verdict)
		}
		if guardrails.tried+invariants.tried == 0 {
			continue
		}
		cells := []string{run.Designs[i].Name, guardrails.String(), invariants.String(), "|"}
		for _, layer := range named {
			cells = append(cells, layered[layer].String())
		}
		rows = append(rows, cells)
	}
	if len(rows) == 0 {
		return
	}
	t.line("")
	table := columns.Right(t.Out)
	table.Row(append([]string{"design", "guardrails", "invariants", "|"}, named...)...)
	for _, row := range rows {
		table.Row(row...)
	}
	table.Flush()
	t.line("how many held; 5+1w: one more holds by a waiver; 5/6: one of six did not hold")
	t.line("right of the bar: what enforces them, which is this project's client, the engine, the contract's requests, the tables' configuration or an IAM policy")
}
