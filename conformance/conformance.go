// Package conformance proves a design under `go test`, in any module:
//
//	//go:embed design
//	var files embed.FS
//
//	func TestDesign(t *testing.T) {
//		folder, _ := fs.Sub(files, "design")
//		conformance.Test(t, conformance.Design{Folder: folder, Program: deploy.Program(program)})
//	}
//
// The folder holds the contract (*.yaml), the document and the fixtures; deploy is dynaproof/stacks/deploy, where a Pulumi
// program deploys the design. Each claim is a
// subtest. It is the replay that `dynaproof verify` runs, on the embedded engine.
package conformance

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/own"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/suite"
)

// Design is a design: its folder, and the Pulumi program that deploys it.
type Design = own.Design

// Command deploys with another tool, in place of a Pulumi program: commands for /bin/sh
// that find the engine in AWS_ENDPOINT_URL. Destroy may be empty.
type Command struct{ Deploy, Destroy string }

// one lets one test at a time put its design in place.
var one sync.Mutex

// closeTime bounds the clean-up of a test that was interrupted.
const closeTime = 30 * time.Second

// Test deploys a design on the embedded engine, by its program or by the one command
// that is given, and decides every claim as a subtest. A claim that this target declares
// not to answer is skipped. Tests of several designs run one after the other.
func Test(t *testing.T, design Design, commands ...Command) {
	t.Helper()
	one.Lock()
	defer one.Unlock()
	documents, restore, err := own.Bring(design)
	if err != nil {
		t.Fatalf("the design has mistakes:\n%v", err)
	}
	defer restore()
	options := replay.Options{Documents: documents}
	for _, command := range commands {
		options.Tool = &replay.Tool{Deploy: command.Deploy, Destroy: command.Destroy}
	}
	run, err := replay.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	plan := run.Plan(nil)
	contract := plan.Designs[0]
	session, err := plan.Open(t.Context(), contract)
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), closeTime)
		defer cancel()
		if err := errors.Join(plan.Close(closing, contract, session), run.Close(closing)); err != nil {
			t.Error(err)
		}
	}()
	if tool, ok := errors.AsType[*replay.ToolError](err); ok && tool.Output != "" {
		t.Log(tool.Output)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, claim := range manifest.InOrder(contract) {
		t.Run(strings.TrimPrefix(claim.ID, contract.Name+"/"), func(t *testing.T) {
			result := suite.Decide(t.Context(), claim, session, nil)
			plan.Record(result)
			switch {
			case result.Verdict.Held():
			case result.Verdict == evidence.Unsupported:
				t.Skip(suite.Message(result))
			default:
				t.Errorf("%s: %s", result.Verdict, suite.Message(result))
			}
		})
	}
}
