package scale

import (
	"fmt"
	"maps"
	"slices"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/fixtures"
)

// deviations collects, by rule, where the engine counts otherwise than AWS
// documents.
type deviations struct {
	compared int
	byRule   map[string]*Deviation
}

// The rules that figures are compared by.
const (
	ruleReadUnits = "a read consumes one unit for each 4 KB of the items that it looks at, half of it when it is eventually consistent"
	ruleScanned   = "the scanned count is the number of items that fulfil the key condition"
	rulePages     = "a page ends at its limit or at 1 MB"
)

func (d *deviations) compare(rule, where string, expected, found float64) {
	d.compared++
	if expected == found {
		return
	}
	if d.byRule == nil {
		d.byRule = map[string]*Deviation{}
	}
	if d.byRule[rule] == nil {
		d.byRule[rule] = &Deviation{Rule: rule, Example: fmt.Sprintf("%s: expected %g, found %g", where, expected, found)}
	}
	d.byRule[rule].Times++
}

func (d *deviations) read(pattern *accesspatterns.Pattern, c fixtures.Case, measured, foreseen Figures) {
	where := fmt.Sprintf("pattern %s, case %q", pattern.ID, c.Name)
	d.compare(ruleReadUnits, where, foreseen.ReadUnits, measured.ReadUnits)
	if pattern.OnlyRead().Operation != dynamo.GetItem {
		d.compare(ruleScanned, where, float64(foreseen.Scanned), float64(measured.Scanned))
		d.compare(rulePages, where, float64(foreseen.Pages), float64(measured.Pages))
	}
}

func (d *deviations) list() []Deviation {
	var all []Deviation
	for _, rule := range slices.Sorted(maps.Keys(d.byRule)) {
		all = append(all, *d.byRule[rule])
	}
	return all
}
