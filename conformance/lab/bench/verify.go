//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/target"
	"dynaproof/fixtures"
)

// verifyRows compares verify with the same requests, sent in a tight loop by the
// bare SDK to an engine of its own.
func verifyRows(ctx context.Context, dynaproof string) ([]row, error) {
	const mostMemory, mostEvidence = 250, 8 // MB
	var command, whole sides
	var peaks, sizes, texts []float64
	requests := 0
	for range rounds {
		err := inFolder(func(folder string) error {
			ran, err := measured(ctx, dynaproof, "verify", "--report", folder)
			if err != nil {
				return err
			}
			seen, size, text, err := evidenceIn(folder)
			if err != nil {
				return err
			}
			calls, err := prepare(seen.Ledger)
			if err != nil {
				return err
			}
			loop, err := onEngine(ctx, func(url string) error { return send(ctx, newClient(url), calls) })
			if err != nil {
				return err
			}
			requests = len(calls)
			command.ours, command.theirs = append(command.ours, ran.seconds), append(command.theirs, loop)
			whole.ours, whole.theirs = append(whole.ours, seen.Finished.Sub(seen.Started).Seconds()), append(whole.theirs, loop)
			peaks, sizes, texts = append(peaks, ran.peak), append(sizes, size), append(texts, text)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	loop := fmt.Sprintf("bare SDK, %d requests", requests)
	return []row{
		whole.row("verify, all designs", "with deploy and destroy", loop, 1.0),
		command.row("verify, the whole command", "with its reports", loop, 1.15),
		limited("verify, memory", fmt.Sprintf("%.0f MB at its peak", median(peaks)), fmt.Sprintf("%.0f MB of requests and answers", median(texts)),
			fmt.Sprintf("at most %d MB", mostMemory), median(peaks)/median(texts), median(peaks)/mostMemory),
		limited("verify, evidence", fmt.Sprintf("%.1f MB compressed", median(sizes)), fmt.Sprintf("%.0f MB of JSON", median(texts)),
			fmt.Sprintf("at most %d MB", mostEvidence), median(sizes)/median(texts), median(sizes)/mostEvidence),
	}, nil
}

// onEngine does something with an engine of its own and returns how long it
// took, in seconds.
func onEngine(ctx context.Context, do func(url string) error) (seconds float64, err error) {
	engine, err := target.Embedded(ctx, target.EmbeddedOptions{})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, engine.Close(context.WithoutCancel(ctx))) }()
	began := time.Now()
	err = do(engine.URL())
	return time.Since(began).Seconds(), err
}

func newClient(url string) *dynamodb.Client {
	return target.NewClient(url, "us-east-1")
}

// call is an operation of the client and its input.
type call struct {
	operation string
	input     any
	seq       int
}

// prepare makes recorded requests anew, so that nothing but sending them is measured.
// It leaves out what the wire answered in place of the engine.
func prepare(entries []wire.Entry) ([]call, error) {
	var calls []call
	for _, entry := range entries {
		if entry.Operation == "" || entry.Request == nil || entry.Emulated {
			continue
		}
		request := fixtures.Request{Operation: entry.Operation, Input: entry.Request}
		input, err := request.Decode(func(id string) (string, error) { return id, nil }, func(name string) (map[string]types.AttributeValue, error) {
			return nil, fmt.Errorf("expected a request as it was sent, found the name %q", name)
		})
		if err != nil {
			return nil, fmt.Errorf("request %d: %w", entry.Seq, err)
		}
		calls = append(calls, call{entry.Operation, input, entry.Seq})
	}
	return calls, nil
}

// send sends requests, one after the other. What the engine refuses it refused
// before; only an answer that does not come is an error.
func send(ctx context.Context, client *dynamodb.Client, calls []call) error {
	methods := reflect.ValueOf(client)
	for _, each := range calls {
		answer := methods.MethodByName(each.operation).Call([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(each.input)})
		if failure, _ := answer[1].Interface().(error); failure != nil {
			var refused smithy.APIError
			if !errors.As(failure, &refused) {
				return fmt.Errorf("request %d, %s: %w", each.seq, each.operation, failure)
			}
		}
	}
	return nil
}
