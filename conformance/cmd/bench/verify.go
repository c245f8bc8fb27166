//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/target"
	"dynaproof/conformance/wire"
	"dynaproof/fixtures"
)

// verifyRows compares verify with the same requests, sent in a tight loop by the
// bare SDK to an engine of its own. Starting the engine is in neither.
func verifyRows(ctx context.Context, dynaproof string) ([]row, error) {
	var whole, replayed sides
	requests := 0
	for range rounds {
		seen, err := verified(ctx, dynaproof)
		if err != nil {
			return nil, err
		}
		loop, err := onEngine(ctx, func(url string) error { return resend(ctx, newClient(url), seen.Ledger) })
		if err != nil {
			return nil, err
		}
		phases := map[string]float64{}
		for _, phase := range seen.Phases {
			phases[phase.Name] = float64(phase.Microseconds) / 1e6
		}
		requests = len(seen.Ledger)
		whole.ours = append(whole.ours, seen.Finished.Sub(seen.Started).Seconds()-phases["engine start"])
		whole.theirs = append(whole.theirs, loop)
		replayed.ours = append(replayed.ours, phases["load"]+phases["replay"])
		replayed.theirs = append(replayed.theirs, loop)
	}
	loop := fmt.Sprintf("bare SDK, %d requests", requests)
	return []row{
		whole.row("verify, all five designs", "with deploy and destroy", loop, 1.5),
		replayed.row("verify, load and replay alone", "", loop, 0),
	}, nil
}

func verified(ctx context.Context, dynaproof string) (*evidence.Run, error) {
	folder, err := os.MkdirTemp("", "dynaproof-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	if text, err := exec.CommandContext(ctx, dynaproof, "verify", "--report", folder).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("verify: %w\n%s", err, text)
	}
	return evidence.Read(filepath.Join(folder, "evidence.json"))
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
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(url), Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("bench", "bench", ""),
	})
}

// resend sends recorded requests again, one after the other. What the engine
// refuses it refused before; only an answer that does not come is an error.
func resend(ctx context.Context, client *dynamodb.Client, entries []wire.Entry) error {
	calls := reflect.ValueOf(client)
	for _, entry := range entries {
		if entry.Operation == "" || entry.Request == nil {
			continue
		}
		request := fixtures.Request{Operation: entry.Operation, Input: entry.Request}
		input, err := request.Decode(func(id string) (string, error) { return id, nil }, func(name string) (map[string]types.AttributeValue, error) {
			return nil, fmt.Errorf("expected a request as it was sent, found the name %q", name)
		})
		if err != nil {
			return fmt.Errorf("request %d: %w", entry.Seq, err)
		}
		answer := calls.MethodByName(entry.Operation).Call([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(input)})
		if failure, _ := answer[1].Interface().(error); failure != nil {
			var refused smithy.APIError
			if !errors.As(failure, &refused) {
				return fmt.Errorf("request %d, %s: %w", entry.Seq, entry.Operation, failure)
			}
		}
	}
	return nil
}
