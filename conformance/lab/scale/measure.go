package scale

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/patterns"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// sizeMeasured is everything that was measured at one size.
type sizeMeasured struct {
	Items int            `json:"items"`
	Cases []caseMeasured `json:"cases"`
}

// caseMeasured is one replay of a case.
type caseMeasured struct {
	Pattern string         `json:"pattern"`
	Case    string         `json:"case"`
	Steps   []stepMeasured `json:"steps"`
}

// stepMeasured is what the wire saw of one step. A step that is repeated is
// several of them.
type stepMeasured struct {
	Step       string  `json:"step"`
	ReadUnits  float64 `json:"readUnits"`
	WriteUnits float64 `json:"writeUnits"`
	// TableWriteUnits is the part of WriteUnits that is not of indexes.
	TableWriteUnits float64 `json:"tableWriteUnits"`
	// MostUnits is the most that one request consumed on one table or index.
	MostUnits float64  `json:"mostUnits"`
	Scanned   int      `json:"scanned"`
	Count     int      `json:"count"`
	Pages     int      `json:"pages"`
	Missing   []string `json:"missing,omitempty"`
	Others    int      `json:"others,omitempty"`
}

// sameCost says whether two replays of a step cost the same.
func (s stepMeasured) sameCost(other stepMeasured) bool {
	return s.ReadUnits == other.ReadUnits && s.WriteUnits == other.WriteUnits && s.Scanned == other.Scanned && s.Pages == other.Pages
}

// point adds the steps of a case up.
func (c *caseMeasured) point(others int) Point {
	all := Point{Others: others}
	for _, step := range c.Steps {
		all.ReadUnits += step.ReadUnits
		all.WriteUnits += step.WriteUnits
		all.Scanned += step.Scanned
		all.Count += step.Count
		all.Pages += step.Pages
	}
	return all
}

// measureCase replays a case and returns what it cost.
func measureCase(ctx context.Context, session *session.Session, pattern *accesspatterns.Pattern, c fixtures.Case) (caseMeasured, error) {
	measured := caseMeasured{Pattern: pattern.ID, Case: c.Name}
	steps, err := patterns.Measure(ctx, session, pattern, c)
	if err != nil {
		return measured, fmt.Errorf("pattern %s, case %q: %w", pattern.ID, c.Name, err)
	}
	for _, step := range steps {
		measured.Steps = append(measured.Steps, measureStep(step))
	}
	return measured, nil
}

func measureStep(step patterns.StepCost) stepMeasured {
	measured := stepMeasured{Step: step.Step.Name, Missing: step.Missing, Others: step.Others}
	for _, entry := range step.Entries {
		measured.Pages++
		measured.Count += countOf(entry.Count, entry)
		measured.Scanned += countOf(entry.ScannedCount, entry)
		for _, capacity := range entry.Capacity {
			parts := []float64{aws.ToFloat64(capacity.TableUnits)}
			for _, units := range capacity.GlobalIndexes {
				parts = append(parts, units)
			}
			measured.MostUnits = max(measured.MostUnits, slices.Max(parts))
			if step.Step.Read != nil {
				measured.ReadUnits += capacity.Units
				continue
			}
			measured.WriteUnits += capacity.Units
			measured.TableWriteUnits += aws.ToFloat64(capacity.TableUnits)
		}
	}
	return measured
}

// countOf is a count of an entry. The answer to a GetItem has none: it looks at
// one item or at none, and either costs the same.
func countOf(count *int, entry wire.Entry) int {
	if entry.Operation == string(dynamo.GetItem) {
		return 0
	}
	return aws.ToInt(count)
}
