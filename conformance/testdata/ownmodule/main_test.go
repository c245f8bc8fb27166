package main

import (
	"os"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/conformance"
	"dynaproof/conformance/cli"
	"dynaproof/stacks/deploy"
)

// TestMain makes the test's binary the command where OWNMODULE is set, so that one build
// serves both. OWNMODULE_ID is another logical id than the contract's, as by a slip.
func TestMain(m *testing.M) {
	if id := os.Getenv("OWNMODULE_ID"); id != "" {
		wrong := design()
		wrong.Program = deploy.Program(func(ctx *pulumi.Context) error { return orders(ctx, id) })
		os.Exit(cli.Main(cli.With(wrong)))
	}
	if os.Getenv("OWNMODULE") != "" {
		main()
	}
	os.Exit(m.Run())
}

// TestOrders proves the design as its program deploys it, or the command in OWNMODULE_DEPLOY.
func TestOrders(t *testing.T) {
	var commands []conformance.Command
	if deploy := os.Getenv("OWNMODULE_DEPLOY"); deploy != "" {
		commands = append(commands, conformance.Command{Deploy: deploy})
	}
	conformance.Test(t, design(), commands...)
}
