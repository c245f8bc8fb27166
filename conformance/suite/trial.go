package suite

import (
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
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/batch"
	"dynaproof/conformance/internal/flow"
	"dynaproof/conformance/internal/wire"
	"dynaproof/fixtures"
)

// trialCheck is a check that sends the requests of trials.
type trialCheck struct{ *Observation }

// trials replays every trial of a claim and undoes what each has written.
func (o trialCheck) trials(ctx context.Context, claim string) {
	for i, trial := range o.session.Fixtures.TrialsOf(claim) {
		where := fmt.Sprintf("trial %d (%s)", i+1, trial.Form)
		o.trialled = append(o.trialled, describeTrial(trial))
		touched := o.trial(ctx, where, trial)
		if err := (loader{o.session}).restore(ctx, touched); err != nil {
			o.broken(where, err)
			return // the next trial would rest on what this one left
		}
	}
}

func (o trialCheck) trial(ctx context.Context, where string, trial fixtures.Trial) []touchedKey {
	var touched []touchedKey
	sent := false // a write, which was not refused
	if trial.Bulk != nil {
		keys, err := loader{o.session}.bulk(ctx, trial.Bulk)
		touched = append(touched, keys...)
		if err != nil {
			o.request(where+", generated items", err)
			return touched
		}
	}
	undecided, problems, shared := o.undecided, len(o.problems), o.session.guarded()
	for i := range trial.Requests {
		if o.undecided != undecided {
			return touched // a request was not answered, and what follows says nothing
		}
		request := &trial.Requests[i]
		here := fmt.Sprintf("%s, request %d, %s", where, i+1, request.Operation)
		input, err := request.Decode(o.session.TableName, o.session.fixtureItem)
		if err != nil {
			o.broken(here, err)
			return touched
		}
		before := o.session.recorder.len()
		wrote := o.exchange(shared.within(ctx, request), shared, here, request, input)
		o.recordExchange(request, before)
		if wrote {
			keys := o.session.touched(input)
			sent = sent || len(keys) > 0
			touched = append(touched, keys...)
		}
	}
	if trial.Pattern != "" {
		o.budgeted(ctx, where, trial)
	}
	if o.undecided == undecided && len(o.problems) == problems {
		layerCheck(o).keptInTrial(trial, sent)
	}
	return touched
}

// exchange sends one raw request with the client that the trial has for it, and
// compares the answer. It reports whether the request may have written something.
func (o trialCheck) exchange(ctx context.Context, shared *guarded, where string, request *fixtures.Request, input any) bool {
	want := request.Expect
	do := repairTrial
	expected, err := o.session.expect(want.Items)
	if err != nil {
		o.broken(where, err)
		return false
	}
	client, err := shared.clientOf(request)
	if err != nil {
		o.broken(where, err)
		return false
	}
	if want.Refused != "" {
		return o.refusedByGuard(ctx, where, client, input, &want, do)
	}
	var reply *reply
	before := o.session.recorder.len()
	ask := func() (*answer, error) {
		reply, err = send(ctx, client, input)
		if err != nil {
			return nil, err
		}
		return &answer{Answer: flow.Answer{Items: reply.items}}, nil
	}
	query, ok := input.(*dynamodb.QueryInput)
	switch {
	case !ok || query.IndexName == nil || want.Error != "" || want.OK:
		_, err = ask()
	case want.Count != nil:
		_, err = waitingReader{o.session}.awaitedUntil(ctx, looksOnEnd, ask, func(*answer) bool { return int(reply.count) == *want.Count })
	default:
		_, err = waitingReader{o.session}.awaited(ctx, expected, ask)
	}
	if err != nil || want.Error != "" {
		invocations := o.session.recorder.invocations(before)
		o.outcome(where, err, want.Error, want.Reasons, invocations)
		return o.session.mayHaveWritten(err, invocations)
	}
	o.saw()
	if ok && query.IndexName != nil {
		o.behind(aws.ToString(query.TableName), aws.ToString(query.IndexName))
	}
	if !want.OK && want.Count == nil {
		o.judge(where, expected, reply.items, want.Ordered, nil, do)
	}
	if want.Count != nil {
		o.equal(where+", count", fmt.Sprint(*want.Count), fmt.Sprint(reply.count), do)
	}
	if want.Scanned != nil {
		o.equal(where+", scanned count", fmt.Sprint(*want.Scanned), fmt.Sprint(reply.scanned), do)
	}
	return true
}

// mayHaveWritten reports whether a write with this outcome can have had an
// effect: only a refusal says that it had none, unless an attempt before it had
// no answer, or did a part of a batch, and so does a request that was not sent.
func (s *Input) mayHaveWritten(err error, invocations []string) bool {
	if err == nil {
		return true
	}
	switch classify(err) {
	case withheld, refused, denied, unknownOperation, unanswered:
		return s.uncertain(invocations) || s.acted(invocations)
	}
	return true
}

// acted reports whether a request of these invocations succeeded: a batch of which a
// part was left unprocessed is sent again, and that may be refused.
func (s *Input) acted(invocations []string) bool {
	return slices.ContainsFunc(invocations, func(id string) bool {
		return slices.ContainsFunc(s.Ledger.Find(id), func(attempt wire.Entry) bool { return attempt.Status == http.StatusOK })
	})
}

// reply is the part of an answer that expectations speak of.
type reply struct {
	items          []accesspatterns.Item
	count, scanned int32
}

// send sends a decoded request with a client.
func send(ctx context.Context, client *dynamodb.Client, input any) (*reply, error) {
	output, err := sdk.Send(ctx, client, input)
	if err != nil {
		return nil, err
	}
	return replyOf(output)
}

// replyOf reads an answer. That of a write without a returned item says nothing more than that it succeeded.
func replyOf(output any) (*reply, error) {
	all := &reply{}
	switch output := output.(type) {
	case *dynamodb.GetItemOutput:
		return one(output.Item), nil
	case *dynamodb.PutItemOutput:
		return one(output.Attributes), nil
	case *dynamodb.UpdateItemOutput:
		return one(output.Attributes), nil
	case *dynamodb.DeleteItemOutput:
		return one(output.Attributes), nil
	case *dynamodb.QueryOutput:
		return &reply{output.Items, output.Count, output.ScannedCount}, nil
	case *dynamodb.ScanOutput:
		return &reply{output.Items, output.Count, output.ScannedCount}, nil
	case *dynamodb.ExecuteStatementOutput:
		all.items = output.Items
	case *dynamodb.TransactGetItemsOutput:
		for _, response := range output.Responses {
			if response.Item != nil {
				all.items = append(all.items, response.Item)
			}
		}
	case *dynamodb.BatchGetItemOutput:
		if left := len(output.UnprocessedKeys); left > 0 {
			return nil, fmt.Errorf("BatchGetItem of %d tables: %w", left, errUnprocessed)
		}
		for _, items := range output.Responses {
			all.items = append(all.items, items...)
		}
	case *dynamodb.BatchWriteItemOutput:
		if left := len(output.UnprocessedItems); left > 0 {
			return nil, fmt.Errorf("BatchWriteItem to %d tables: %w", left, errUnprocessed)
		}
	}
	return all, nil
}

func one(item accesspatterns.Item) *reply {
	if item == nil {
		return &reply{}
	}
	return &reply{items: []accesspatterns.Item{item}, count: 1, scanned: 1}
}

// bulk loads generated items.
func (s loader) bulk(ctx context.Context, bulk *fixtures.Bulk) ([]touchedKey, error) {
	table, known := s.Design.Table(bulk.Table)
	if !known {
		return nil, fmt.Errorf("no table %s in the contract", bulk.Table)
	}
	name, err := s.TableName(table.ID)
	if err != nil {
		return nil, err
	}
	var touched []touchedKey
	var puts []types.WriteRequest
	for n := 1; n <= bulk.Count; n++ {
		item := fixtures.Numbered(bulk.Item, n)
		touched = append(touched, touchedKey{table, table.KeyOf(item)})
		puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
		if len(puts) == batch.WriteSize || n == bulk.Count {
			if err := s.batchWrite(ctx, name, puts); err != nil {
				return touched, err
			}
			puts = nil
		}
	}
	return touched, nil
}

// budgeted replays a read that has an inspection budget over more items than
// the budget allows.
func (o trialCheck) budgeted(ctx context.Context, where string, trial fixtures.Trial) {
	pattern, known := o.session.Design.Pattern(trial.Pattern)
	if !known || pattern.OnlyRead() == nil {
		o.broken(where, fmt.Errorf("no pattern %s with one read", trial.Pattern))
		return
	}
	read := pattern.OnlyRead()
	// Once by pages as large as the budget allows, and once by several.
	for _, size := range []int32{0, max(1, read.InspectBudget/3)} {
		at := where
		if size > 0 {
			at = fmt.Sprintf("%s, by pages of %d", where, size)
		}
		got, err := waitingReader{o.session}.read(ctx, read, []accesspatterns.Params{trial.Params}, size)
		o.recordBudget(read, trial, got)
		if err != nil {
			o.request(at+", pattern "+pattern.ID, err)
			return
		}
		do := stopAtBudget
		o.equal(at+", items inspected over all pages", fmt.Sprint(trial.Inspected), fmt.Sprint(got.Scanned), do)
		o.equal(at+", items returned", fmt.Sprint(trial.Inspected), fmt.Sprint(len(got.Items)), do)
		o.equal(at+", said to be cut", fmt.Sprint(trial.Cut), fmt.Sprint(got.Cut), do)
		// The wire's count does not depend on the client's.
		total := 0
		for _, id := range got.invocations {
			for _, entry := range o.session.Ledger.Find(id) {
				total += aws.ToInt(entry.ScannedCount)
			}
		}
		o.equal(at+", items inspected as the wire counted", fmt.Sprint(trial.Inspected), fmt.Sprint(total), do)
	}
}

// outcome compares the error of a request with the expected one.
//
// The code and the status decide, and not the engine's words, which no document of AWS fixes.
func (o *Observation) outcome(where string, err error, code string, reasons, invocations []string) {
	if err == nil {
		o.equal(where, orSuccess(code), "success", mustBeRefused)
		return
	}
	found, text := codeOf(err)
	if classify(err) != refused && (found != code || statusOf(err) != http.StatusBadRequest) { // what is expected by name decides, where DynamoDB says it as a refusal
		o.request(where, err)
		return
	}
	if found != code && o.session.uncertain(invocations) {
		o.cannot(evidence.Indeterminate, "%s: an attempt had no answer, so the refusal of the next (%s) may be its own work", where, found)
		return
	}
	if !o.must(found == code, where, orSuccess(code), found+": "+text,
		repairPattern) {
		return
	}
	var cancelled *types.TransactionCanceledException
	if len(reasons) > 0 && !errors.As(err, &cancelled) {
		o.fail(where+", cancellation reasons", strings.Join(reasons, ", "), "none: "+found, eachCondition)
	} else if len(reasons) > 0 {
		var codes []string
		for _, reason := range cancelled.CancellationReasons {
			code := aws.ToString(reason.Code)
			codes = append(codes, code)
			if code != "None" && code != "" && !slices.Contains(decisiveReasons, code) {
				o.cannot(evidence.Indeterminate, "%s: an action of the transaction was not judged (%s)", where, code)
				return
			}
		}
		o.equal(where+", cancellation reasons", strings.Join(reasons, ", "), strings.Join(codes, ", "), eachCondition)
	}
}
