package suite

import (
	"fmt"

	"github.com/gruntwork-io/terratest/modules/testing"
)

// bystander stands in for a test where none is running, as in an audit.
// Terratest's helpers that return errors never call it; if one did, the harness
// would be broken, and the panic says so.
type bystander struct{}

var _ testing.TestingT = bystander{}

func (bystander) Name() string                      { return "dynaproof" }
func (bystander) Helper()                           {}
func (bystander) Fail()                             { panic("terratest failed a test outside of a test") }
func (b bystander) FailNow()                        { b.Fail() }
func (bystander) Error(args ...any)                 { panic(fmt.Sprint(args...)) }
func (bystander) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (bystander) Fatal(args ...any)                 { panic(fmt.Sprint(args...)) }
func (bystander) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
