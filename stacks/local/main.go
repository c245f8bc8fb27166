// Command dynaproof-local deploys the five designs, with Pulumi's engine in this process. dynaproof runs it; README.md beside the
// programs describes what it reads and prints.
//
//	dynaproof-local serve                      answers requests, one line of JSON each, until its input ends
//	dynaproof-local up|preview|refresh|destroy [REQUEST]
//	dynaproof-local inputs DESIGN [REQUEST]    prints what the design's program asks for, by Pulumi's mocks
//
// REQUEST is JSON; what it leaves out is taken from the variables that `dynaproof verify --deploy` sets.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"dynaproof"
	"dynaproof/accesspatterns/input"
	"dynaproof/stacks/deploy"
)

// Exit codes.
const (
	wrongUsage = 2
	didNotWork = 3
)

const usage = "expected serve, up, preview, refresh or destroy and a request, or inputs and a design"

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func run(args []string, in io.Reader, out, complaints io.Writer) int {
	os.Stdout = os.Stderr // the output is for answers alone, whatever Pulumi's engine prints
	fails := func(code int, err error) int {
		fmt.Fprintln(complaints, "dynaproof-local: "+err.Error())
		return code
	}
	if len(args) == 1 && args[0] == "serve" {
		// Who started it decides when it ends, also where a terminal sends a signal to both.
		signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		if err := deploy.Shipped().Serve(in, out); err != nil {
			return fails(wrongUsage, err)
		}
		return 0
	}
	if len(args) == 0 || !slices.Contains([]string{"up", "preview", "refresh", "destroy", "inputs"}, args[0]) {
		return fails(wrongUsage, errors.New(usage))
	}
	request := deploy.FromEnvironment(args[0])
	args = args[1:]
	if request.Do == "inputs" {
		if len(args) == 0 {
			return fails(wrongUsage, errors.New(usage))
		}
		request.Design, args = args[0], args[1:]
		request.Region = cmp.Or(request.Region, "us-east-1")
	}
	if len(args) > 1 {
		return fails(wrongUsage, errors.New(usage))
	}
	if len(args) == 1 {
		if err := input.Strictly([]byte(args[0]), &request); err != nil {
			return fails(wrongUsage, fmt.Errorf("expected a request such as %s, found %w", `{"design":"personal-os","endpoint":"http://127.0.0.1:8000","region":"eu-west-1"}`, err))
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	answer := deploy.Shipped().Do(ctx, request)
	if answer.Error != "" {
		code := didNotWork
		if answer.Kind == dynaproof.WrongRequest {
			code = wrongUsage
		}
		return fails(code, errors.New(answer.Error))
	}
	var printed any = answer
	if request.Do == "inputs" {
		printed = answer.Inputs
	}
	if err := json.NewEncoder(out).Encode(printed); err != nil {
		return fails(didNotWork, err)
	}
	return 0
}
