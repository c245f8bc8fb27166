package main

import (
	"os"
	"testing"

	"dynaproof/conformance"
)

// TestMain makes the test's binary the command where OWNMODULE is set, so that one build
// serves both.
func TestMain(m *testing.M) {
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
