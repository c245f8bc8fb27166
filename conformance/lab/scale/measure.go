package scale

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/suite/patterns"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// caseMeasured is one replay of a case, by its steps. A step that is repeated is several of them.
type caseMeasured []stepMeasured

// all adds the steps of a case up.
func (c caseMeasured) all() (all Figures) {
	for _, step := range c {
		all.ReadUnits += step.ReadUnits
		all.WriteUnits += step.WriteUnits
		all.Scanned += step.Scanned
		all.Count += step.Count
		all.Pages += step.Pages
	}
	return all
}

// stepMeasured is what the wire saw of one step.
type stepMeasured struct {
	Figures
	step string
	// tableWriteUnits is the part of WriteUnits that is not of indexes.
	tableWriteUnits float64
	// mostUnits is the most that one request consumed on one table or index.
	mostUnits float64
	missing   []string
	others    int
}

// measureCase replays a case and returns what it cost.
func measureCase(ctx context.Context, session *session.Session, pattern *accesspatterns.Pattern, c fixtures.Case) (measured caseMeasured, err error) {
	steps, err := patterns.Measure(ctx, session, pattern, c)
	if err != nil {
		return nil, fmt.Errorf("pattern %s, case %q: %w", pattern.ID, c.Name, err)
	}
	return lists.Map(steps, measureStep), nil
}

func measureStep(step patterns.StepCost) stepMeasured {
	measured := stepMeasured{step: step.Step.Name, missing: step.Missing, others: step.Others}
	for _, entry := range step.Entries {
		measured.Pages++
		if entry.Operation != string(dynamo.GetItem) { // which looks at one item or at none, and either costs the same
			measured.Count += aws.ToInt(entry.Count)
			measured.Scanned += aws.ToInt(entry.ScannedCount)
		}
		for _, capacity := range entry.Capacity {
			parts := []float64{aws.ToFloat64(capacity.TableUnits)}
			for _, units := range capacity.GlobalIndexes {
				parts = append(parts, units)
			}
			measured.mostUnits = max(measured.mostUnits, slices.Max(parts))
			if step.Step.Read != nil {
				measured.ReadUnits += capacity.Units
				continue
			}
			measured.WriteUnits += capacity.Units
			measured.tableWriteUnits += aws.ToFloat64(capacity.TableUnits)
		}
	}
	return measured
}
