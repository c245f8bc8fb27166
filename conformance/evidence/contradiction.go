package evidence

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/target"
)

// Contradiction is a place at which evidence cannot be as a run wrote it, because two of its parts exclude one another.
type Contradiction struct {
	// Where names the claim, the request or the member.
	Where string
	// Expected and Found say what the other part asks for, and what stands there.
	Expected, Found string
}

// Contradicted looks for evidence that contradicts itself, and returns the first contradiction, or nil.
func (r *Run) Contradicted() *Contradiction {
	against := func(where, expected, found string) *Contradiction { return &Contradiction{where, expected, found} }
	if r.Finished.Before(r.Started) {
		return against("finished", "a time not before "+r.Started.Format(time.RFC3339Nano), r.Finished.Format(time.RFC3339Nano))
	}
	if r.Target.Grade == string(AWS) && r.Target.Kind != target.KindAWS {
		return against("target", fmt.Sprintf("the grade engine of a target of kind %s", r.Target.Kind), "the grade aws")
	}
	if found := r.ledgerContradicted(); found != nil {
		return found
	}
	named, claimed := map[string]bool{}, map[string]bool{}
	for design := range lists.Each(r.Designs) {
		if named[design.Name] {
			return against("design "+design.Name, "it once", "it twice")
		}
		named[design.Name] = true
		if design.Claims != 0 && len(design.Results) > design.Claims {
			return against("design "+design.Name, fmt.Sprintf("at most the %d claims of its contract", design.Claims), strconv.Itoa(len(design.Results)))
		}
		for result := range lists.Each(design.Results) {
			if claimed[result.ID] {
				return against(result.ID, "one verdict", "two")
			}
			claimed[result.ID] = true
			if result.Design != design.Name || !strings.HasPrefix(result.ID, design.Name+"/") {
				return against(result.ID, "a claim of design "+design.Name, "one of "+result.Design)
			}
			if found := r.resultContradicted(design, result); found != nil {
				return found
			}
		}
		if found := r.waiversContradicted(design); found != nil {
			return found
		}
	}
	return nil
}

// shapes are the members that the body of a successful request must have one of, and must not have, by operation.
var shapes = map[string]struct{ one, none []string }{
	"Query":                 {[]string{"KeyConditionExpression", "KeyConditions"}, []string{"Key", "Item"}},
	"Scan":                  {[]string{"TableName"}, []string{"KeyConditionExpression", "KeyConditions", "Key", "Item"}},
	"GetItem":               {[]string{"Key"}, []string{"Item", "UpdateExpression", "AttributeUpdates", "ConditionExpression", "Expected", "KeyConditionExpression"}},
	"DeleteItem":            {[]string{"Key"}, []string{"Item", "UpdateExpression", "AttributeUpdates", "KeyConditionExpression"}},
	"UpdateItem":            {[]string{"Key"}, []string{"Item", "KeyConditionExpression"}},
	"PutItem":               {[]string{"Item"}, []string{"Key", "KeyConditionExpression"}},
	"BatchGetItem":          {[]string{"RequestItems"}, []string{"TransactItems", "Statement", "Statements"}},
	"BatchWriteItem":        {[]string{"RequestItems"}, []string{"TransactItems", "Statement", "Statements"}},
	"TransactGetItems":      {[]string{"TransactItems"}, []string{"RequestItems"}},
	"TransactWriteItems":    {[]string{"TransactItems"}, []string{"RequestItems"}},
	"ExecuteStatement":      {[]string{"Statement"}, nil},
	"BatchExecuteStatement": {[]string{"Statements"}, nil},
	"ExecuteTransaction":    {[]string{"TransactStatements"}, nil},
}

// ledgerContradicted compares every entry of the ledger with its neighbours, with the time of the run and with its own body.
func (r *Run) ledgerContradicted() *Contradiction {
	for i := range r.Ledger {
		entry := &r.Ledger[i]
		where := fmt.Sprintf("request %d of the ledger", entry.Seq)
		against := func(expected, found string) *Contradiction { return &Contradiction{where, expected, found} }
		if i > 0 && entry.Seq != r.Ledger[i-1].Seq+1 {
			return &Contradiction{"ledger", fmt.Sprintf("request %d after request %d", r.Ledger[i-1].Seq+1, r.Ledger[i-1].Seq), fmt.Sprintf("request %d", entry.Seq)}
		}
		// A trail knows the time to the second.
		if !entry.Started.IsZero() && (entry.Started.Before(r.Started.Truncate(time.Second)) || entry.Started.After(r.Finished)) {
			return against("a time between the start of the run, "+r.Started.Format(time.RFC3339Nano)+", and its end, "+r.Finished.Format(time.RFC3339Nano), entry.Started.Format(time.RFC3339Nano))
		}
		var body map[string]json.RawMessage
		if err := input.Named(entry.Request, &body); err != nil {
			return against("a body of which all readers read the same", err.Error())
		}
		if entry.Truncated || json.Unmarshal(entry.Request, &body) != nil {
			continue // what was no JSON was refused, or is not kept
		}
		has := func(name string) bool { return body[name] != nil }
		if shape, known := shapes[entry.Operation]; known && entry.Status == 200 {
			if !slices.ContainsFunc(shape.one, has) {
				return against(entry.Operation+" with "+strings.Join(shape.one, " or "), "a body without")
			}
			if at := slices.IndexFunc(shape.none, has); at >= 0 {
				return against(entry.Operation+" without "+shape.none[at], "a body with it")
			}
		}
		for _, member := range []struct{ name, value string }{
			{"IndexName", entry.Index}, {"KeyConditionExpression", entry.KeyConditionExpression}, {"FilterExpression", entry.FilterExpression},
			{"ProjectionExpression", entry.ProjectionExpression}, {"ConditionExpression", entry.ConditionExpression}, {"UpdateExpression", entry.UpdateExpression},
		} {
			var text string
			if has(member.name) && input.Exactly(body[member.name], &text) == nil && text != member.value {
				return against(member.name+" "+strconv.Quote(text)+", as in its body", strconv.Quote(member.value))
			}
			if !has(member.name) && member.value != "" && entry.Operation != "" {
				return against("no "+member.name+", as in its body", strconv.Quote(member.value))
			}
		}
		var table string
		if has("TableName") && input.Exactly(body["TableName"], &table) == nil && len(entry.Tables) == 1 && !strings.HasSuffix(table, entry.Tables[0]) {
			return against("table "+table+", as in its body", entry.Tables[0])
		}
		var answer struct{ Count, ScannedCount *int }
		if len(entry.Response) > 0 && input.Exactly(entry.Response, &answer) == nil {
			for _, figure := range []struct {
				name            string
				answered, noted *int
			}{{"Count", answer.Count, entry.Count}, {"ScannedCount", answer.ScannedCount, entry.ScannedCount}} {
				if figure.answered != nil && figure.noted != nil && *figure.answered != *figure.noted {
					return against(fmt.Sprintf("%s %d, as in its answer", figure.name, *figure.answered), strconv.Itoa(*figure.noted))
				}
			}
		}
	}
	return nil
}

// resultContradicted compares a claim with its own parts, with the target and with the requests that it rests on.
func (r *Run) resultContradicted(design *Design, result *Result) *Contradiction {
	against := func(expected, found string) *Contradiction { return &Contradiction{result.ID, expected, found} }
	switch {
	case result.Grade == AWS && r.Target.Grade != string(AWS):
		return against(fmt.Sprintf("a grade that a target of kind %s and grade %s can give", r.Target.Kind, r.Target.Grade), "the grade aws")
	case result.Kind == "finding" && (result.Verdict == Pass || result.Verdict == Waived):
		return against("shown or told, because a finding of the document is no pass", string(result.Verdict))
	case result.Kind != "finding" && result.Verdict.Found():
		return against("a verdict on what the document promises", string(result.Verdict)+", which is one on a finding")
	case (result.Verdict == Pass || result.Verdict.Found()) && result.Observations <= 0:
		return against("observations of a claim that passed", "none")
	case (result.Verdict == Pass || result.Verdict.Found()) && len(result.Problems) > 0:
		return against("no problem of a claim that passed", fmt.Sprintf("%d: expected %s, found %s", len(result.Problems), result.Problems[0].Expected, result.Problems[0].Found))
	case result.Verdict == Fail && len(result.Problems) == 0:
		return against("a problem of a claim that failed", "none")
	case result.Verdict == Waived && result.Waiver == "" && result.Basis != "chosen":
		return against("the waiver that a waived claim rests on", "none")
	case result.Declared != "" && result.Verdict != Unsupported:
		return against("the verdict unsupported, because the target declared that it lacks "+result.Declared, string(result.Verdict))
	}
	if result.Verdict == Waived && result.Waiver != "" && !slices.ContainsFunc(design.Waivers, func(w Waiver) bool { return w.ID == result.Waiver }) {
		return against("the waiver "+result.Waiver+" among those of "+design.Name, "none of this id")
	}
	for _, seq := range result.Requests {
		switch entry := r.Request(seq); {
		case entry == nil:
			return against(fmt.Sprintf("request %d, on which it rests, in the ledger", seq), "no such request")
		case entry.Emulated && result.Verdict == Pass && (result.Grade == AWS || result.Grade == Engine):
			return against(fmt.Sprintf("the grade emulated or a weaker one, because no engine answered request %d", seq), "the grade "+string(result.Grade))
		}
	}
	sent := func(what string, seq int, operation string) *Contradiction {
		if seq == 0 {
			return nil
		}
		entry := r.Request(seq)
		switch {
		case entry == nil:
			return against(fmt.Sprintf("request %d, which %s names, in the ledger", seq, what), "no such request")
		case entry.Operation != operation:
			return against(fmt.Sprintf("%s as request %d, which %s names", operation, seq, what), entry.Operation)
		}
		return nil
	}
	for _, trial := range result.Trials {
		for _, exchange := range trial.Exchanges {
			if found := sent("a trial ("+trial.Form+")", exchange.Request, exchange.Operation); found != nil {
				return found
			}
		}
	}
	if result.Pattern == nil {
		return nil
	}
	for _, c := range result.Pattern.Cases {
		for _, step := range c.Steps {
			where := "step " + step.Name + " of case " + strconv.Quote(c.Name)
			if found := sent(where, step.Request, step.Operation); found != nil {
				return found
			}
			expected, returned := step.Expected, step.Returned
			if !step.Ordered {
				expected, returned = slices.Sorted(slices.Values(expected)), slices.Sorted(slices.Values(returned))
			}
			if result.Verdict == Pass && !slices.Equal(expected, returned) {
				return against(fmt.Sprintf("%s to have returned %v, because the claim passed", where, expected), fmt.Sprint(returned))
			}
			if result.Verdict == Pass && step.ExpectedOutcome != "" && step.Outcome != step.ExpectedOutcome {
				return against(where+" to have come to "+step.ExpectedOutcome+", because the claim passed", step.Outcome)
			}
		}
	}
	return nil
}

// waiversContradicted compares the use of each waiver with the scans of its patterns in the ledger, and those of patterns without a waiver
// with the claim that there are none. On AWS a trail may show more scans than those of the run.
func (r *Run) waiversContradicted(design *Design) *Contradiction {
	noScan := design.Name + "/ledger/" + manifest.LedgerNoScan
	held := slices.ContainsFunc(design.Results, func(result Result) bool { return result.ID == noScan && result.Verdict == Pass })
	unwaived := lists.Set(lists.Where(design.Results, func(result Result) bool { return held && result.Kind == "pattern" && result.Waiver == "" }), func(result Result) string { return result.ID })
	for entry := range lists.Each(r.Ledger) {
		if wire.IsKeyless(entry.Operation) && unwaived[entry.Claim] {
			return &Contradiction{noScan, "no Scan and no PartiQL of " + entry.Claim + ", which no waiver names, because the claim passed", fmt.Sprintf("request %d of the ledger, %s", entry.Seq, entry.Operation)}
		}
	}
	for _, waiver := range design.Waivers {
		claims := map[string]bool{}
		for _, result := range design.Results {
			if result.Kind == "pattern" && result.Waiver == waiver.ID {
				claims[result.ID] = true
			}
		}
		scans := lists.Count(r.Ledger, func(entry wire.Entry) bool { return wire.IsKeyless(entry.Operation) && claims[entry.Claim] })
		witnessed := slices.ContainsFunc(r.Ledger, func(entry wire.Entry) bool { return entry.Claim != "" })
		if len(claims) == 0 || !witnessed {
			continue // a part of the claims was run, or an earlier release did not note whose a request is
		}
		if scans > waiver.Requests || scans < waiver.Requests && r.Target.Kind != target.KindAWS {
			return &Contradiction{"waiver " + design.Name + "/" + waiver.ID, fmt.Sprintf("%d requests, as in the ledger", scans), strconv.Itoa(waiver.Requests)}
		}
	}
	return nil
}
