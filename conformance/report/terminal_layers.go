package report

import (
	"fmt"
	"slices"

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

// guardrailRows count, for each design, the guardrails and invariants that held, and how many by what enforces them; nil where none was
// tried.
func guardrailRows(run *evidence.Run) [][]string {
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
		return nil
	}
	return slices.Insert(rows, 0, append([]string{"design", "guardrails", "invariants", "|"}, named...))
}
