package mutants

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
)

// permissions takes the permission for one operation away. What rests on it cannot be
// told; no claim may fail.
func (g *generator) permissions() {
	uses := map[string][]string{}
	use := func(operation, claim string) {
		uses[operation] = lists.With(uses[operation], claim)
	}
	for pattern := range lists.Each(g.design.Patterns) {
		for _, step := range pattern.Steps {
			if step.Read != nil {
				use(string(step.Read.Sends()), "pattern/"+pattern.ID)
			}
		}
		if pattern.Steps[0].Read != nil {
			continue // later steps may not be reached
		}
		if operations := pattern.Steps[0].WriteOperations(); len(operations) == 1 { // else a case may be content with one of them
			use(string(operations[0]), "pattern/"+pattern.ID)
		}
	}
	for _, of := range g.design.Tables {
		table := "table/" + of.ID
		for _, told := range []struct{ aspect, by string }{
			{manifest.AspectKey, "DescribeTable"}, {manifest.AspectBilling, "DescribeTable"}, {manifest.AspectIndexes, "DescribeTable"},
			{manifest.AspectTTL, "DescribeTimeToLive"}, {manifest.AspectTags, "ListTagsOfResource"}, {manifest.AspectPITR, "DescribeContinuousBackups"},
		} {
			if g.claims[g.design.Name+"/"+table+"/"+told.aspect] {
				use(told.by, table+"/"+told.aspect)
			}
		}
	}
	for _, operation := range slices.Sorted(maps.Keys(uses)) {
		g.add(Mutant{
			Kind: Guardrails, Operator: "permission taken away", What: fmt.Sprintf("the caller may not %s", operation),
			denied: operation, verdict: evidence.Indeterminate,
			touches: func(claim manifest.Claim) bool { // those that look at what a write left, too
				return operation == string(dynamo.GetItem) && claim.Kind == manifest.KindPattern
			},
		}, "permission/"+operation, uses[operation]...)
	}
}

// denying denies an operation in every request of a claim, and in what describes the
// tables for several; what loads items and puts them back is let through.
func denying(design, operation string) wire.Fault {
	return func(entry wire.Entry) *wire.FaultResponse {
		if entry.Operation != operation || !strings.HasPrefix(entry.Claim, design+"/") && entry.Claim != "describe" {
			return nil
		}
		return wire.Denied(operation)
	}
}

// concludeDenied decides the fate of a mutant that takes a permission away: killed when
// every expected claim is indeterminate for want of the permission, none has failed, and
// the run ends with exit code 3.
func (m *Mutant) concludeDenied(record *evidence.Mutant, results []evidence.Result) {
	record.Examined, record.Fate = len(results), evidence.Survived
	if at := slices.IndexFunc(results, func(result evidence.Result) bool { return result.Verdict == evidence.Fail }); at >= 0 {
		record.Failed = append(record.Failed, results[at].ID)
		record.Reason = "failed although nothing contradicts it: " + firstProblem(results[at])
		return
	}
	expected := lists.Where(results, func(result evidence.Result) bool { return slices.Contains(m.Expect, result.ID) })
	for _, result := range expected {
		if result.Verdict != evidence.Indeterminate || !strings.Contains(firstProblem(result), "the permission dynamodb:"+m.denied) {
			record.Reason = fmt.Sprintf("%s is %s without the permission: %s", result.ID, result.Verdict, firstProblem(result))
			return
		}
	}
	run := &evidence.Run{Designs: []evidence.Design{{Name: m.Design, Results: results}}}
	if code := run.ExitCode(); code != evidence.CouldNotTell {
		record.Reason = fmt.Sprintf("expected exit code 3, found %d", code)
		return
	}
	if len(expected) == 0 {
		record.Reason = "no expected claim was examined"
		return
	}
	record.Fate, record.Killer, record.Message = evidence.Killed, expected[0].ID, firstProblem(expected[0])
}
