package patterns

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/batch"
	"dynaproof/conformance/internal/flow"
	"dynaproof/conformance/suite/failures"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// ReplayTrials replays every trial of a claim and undoes what each has written.
func ReplayTrials(ctx context.Context, o *observe.Observation, claim string) {
	for i, trial := range o.Session.Fixtures.TrialsOf(claim) {
		where := fmt.Sprintf("trial %d (%s)", i+1, trial.Form)
		described := evidence.Trial{Form: string(trial.Form), Why: trial.Why}
		if trial.Bulk != nil {
			described.GeneratedItems = trial.Bulk.Count
		}
		o.Report.Trials = append(o.Report.Trials, described)
		touched := replayTrial(ctx, o, where, trial)
		if err := o.Session.Restore(ctx, touched); err != nil {
			o.Broken(where, err)
			return // the next trial would rest on what this one left
		}
	}
}

func replayTrial(ctx context.Context, o *observe.Observation, where string, trial fixtures.Trial) []session.TouchedKey {
	var touched []session.TouchedKey
	sent := false // a write, which was not refused
	if trial.Bulk != nil {
		keys, err := o.Session.Bulk(ctx, trial.Bulk)
		touched = append(touched, keys...)
		if err != nil {
			o.Request(where+", generated items", err)
			return touched
		}
	}
	undecided, problems, reads := o.Undecided, len(o.Problems), map[string]context.Context{} // logical reads, by the names that requests give them
	for i := range trial.Requests {
		if o.Undecided != undecided {
			return touched // a request was not answered, and what follows says nothing
		}
		request := &trial.Requests[i]
		here := fmt.Sprintf("%s, request %d, %s", where, i+1, request.Operation)
		input, err := request.Decode(o.Session.TableName, o.Session.FixtureItem)
		if err != nil {
			o.Broken(here, err)
			return touched
		}
		within := ctx
		if request.Read != "" {
			if reads[request.Read] == nil {
				reads[request.Read], _ = guard.NewRead(ctx)
			}
			within = reads[request.Read]
		}
		before := o.Session.Recorder.Len()
		withheld, wrote := exchangeRequest(within, o, here, request, input)
		recordExchange(o, request, before, withheld)
		if wrote {
			keys := o.Session.Touched(input)
			sent = sent || len(keys) > 0
			touched = append(touched, keys...)
		}
	}
	if trial.Pattern != "" {
		budgeted(ctx, o, where, trial)
	}
	if o.Undecided == undecided && len(o.Problems) == problems {
		keptInTrial(o, trial, sent)
	}
	return touched
}

// exchangeRequest sends one raw request with the client that the trial has for it, and
// compares the answer. It returns why the guard withheld it, if it was asked to, and whether the request may have
// written something.
func exchangeRequest(ctx context.Context, o *observe.Observation, where string, request *fixtures.Request, input any) (withheld string, wrote bool) {
	want := request.Expect
	do := remedy.RepairTrial
	expected, err := o.Session.Expect(want.Items)
	if err != nil {
		o.Broken(where, err)
		return "", false
	}
	client, err := clientOf(o.Session, request)
	if err != nil {
		o.Broken(where, err)
		return "", false
	}
	if want.Refused != "" {
		return refusedByGuard(ctx, o, where, client, input, &want, do)
	}
	before, awaited := o.Session.Recorder.Len(), ""
	query, ok := input.(*dynamodb.QueryInput)
	if ok && want.Error == "" && !want.OK {
		awaited = aws.ToString(query.IndexName)
	}
	reply, err := o.Session.Shown(ctx, awaited, expected, want.Count, func() (*session.Answer, error) { return send(ctx, client, input) })
	if err != nil || want.Error != "" {
		invocations := o.Session.Recorder.Invocations(before)
		judgeOutcome(o, where, err, want.Error, want.Reasons, invocations)
		return "", o.Session.MayHaveWritten(err, invocations)
	}
	o.Saw()
	if ok && query.IndexName != nil {
		o.Behind(aws.ToString(query.TableName), aws.ToString(query.IndexName))
	}
	if !want.OK && want.Count == nil {
		o.Judge(where, expected, reply.Items, want.Ordered, nil, do)
	}
	if want.Count != nil {
		o.Equal(where+", count", fmt.Sprint(*want.Count), fmt.Sprint(reply.Count), do)
	}
	if want.Scanned != nil {
		o.Equal(where+", scanned count", fmt.Sprint(*want.Scanned), fmt.Sprint(reply.Scanned), do)
	}
	return "", true
}

// budgeted replays a read that has an inspection budget over more items than
// the budget allows.
func budgeted(ctx context.Context, o *observe.Observation, where string, trial fixtures.Trial) {
	pattern, known := o.Session.Design.Pattern(trial.Pattern)
	if !known || pattern.OnlyRead() == nil {
		o.Broken(where, fmt.Errorf("no pattern %s with one read", trial.Pattern))
		return
	}
	read := pattern.OnlyRead()
	// Once by pages as large as the budget allows, and once by several.
	for _, size := range []int32{0, max(1, read.InspectBudget/3)} {
		at := where
		if size > 0 {
			at = fmt.Sprintf("%s, by pages of %d", where, size)
		}
		got, err := o.Session.Read(ctx, read, []accesspatterns.Params{trial.Params}, size)
		recordBudget(o, read, trial, got)
		if err != nil {
			o.Request(at+", pattern "+pattern.ID, err)
			return
		}
		do := remedy.StopAtBudget
		o.Equal(at+", items inspected over all pages", fmt.Sprint(trial.Inspected), fmt.Sprint(got.Scanned), do)
		o.Equal(at+", items returned", fmt.Sprint(trial.Inspected), fmt.Sprint(len(got.Items)), do)
		o.Equal(at+", said to be cut", fmt.Sprint(trial.Cut), fmt.Sprint(got.Cut), do)
		// The wire's count does not depend on the client's.
		total := 0
		for _, id := range got.Invocations {
			for _, entry := range o.Session.Ledger.Find(id) {
				total += aws.ToInt(entry.ScannedCount)
			}
		}
		o.Equal(at+", items inspected as the wire counted", fmt.Sprint(trial.Inspected), fmt.Sprint(total), do)
	}
}

// judgeOutcome compares the error of a request with the expected one.
//
// The code and the status decide, and not the engine's words, which no document of AWS fixes.
func judgeOutcome(o *observe.Observation, where string, err error, code string, reasons, invocations []string) {
	if err == nil {
		o.Equal(where, cmp.Or(code, Success), Success, remedy.MustBeRefused)
		return
	}
	found, text := failures.CodeOf(err)
	if failures.Classify(err) != failures.Refused && (found != code || failures.StatusOf(err) != http.StatusBadRequest) { // what is expected by name decides, where DynamoDB says it as a refusal
		o.Request(where, err)
		return
	}
	if found != code && o.Session.Uncertain(invocations) {
		o.Cannot(evidence.Indeterminate, "%s: an attempt had no answer, so the refusal of the next (%s) may be its own work", where, found)
		return
	}
	if !o.Must(found == code, where, cmp.Or(code, Success), found+": "+text,
		remedy.RepairPattern) {
		return
	}
	var cancelled *types.TransactionCanceledException
	if len(reasons) > 0 && !errors.As(err, &cancelled) {
		o.Fail(where+", cancellation reasons", strings.Join(reasons, ", "), "none: "+found, remedy.EachCondition)
	} else if len(reasons) > 0 {
		var codes []string
		for _, reason := range cancelled.CancellationReasons {
			code := aws.ToString(reason.Code)
			codes = append(codes, code)
			if code != "None" && code != "" && !slices.Contains(failures.DecisiveReasons, code) {
				o.Cannot(evidence.Indeterminate, "%s: an action of the transaction was not judged (%s)", where, code)
				return
			}
		}
		o.Equal(where+", cancellation reasons", strings.Join(reasons, ", "), strings.Join(codes, ", "), remedy.EachCondition)
	}
}

// send sends a decoded request with a client.
func send(ctx context.Context, client *dynamodb.Client, input any) (*session.Answer, error) {
	output, err := sdk.Send(ctx, client, input)
	if err != nil {
		return nil, err
	}
	left := 0
	switch output := output.(type) {
	case *dynamodb.BatchGetItemOutput:
		left = len(output.UnprocessedKeys)
	case *dynamodb.BatchWriteItemOutput:
		left = len(output.UnprocessedItems)
	}
	if left > 0 {
		return nil, fmt.Errorf("%s of %d tables %w: what is missing is not absent", sdk.Operation(input), left, batch.ErrUnprocessed)
	}
	return &session.Answer{Answer: flow.AnswerOf(output)}, nil
}
