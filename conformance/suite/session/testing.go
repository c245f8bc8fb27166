package session

import (
	"fmt"

	"github.com/gruntwork-io/terratest/modules/testing"
)

// outsideTest stands in for a test where none is running, as in an audit.
// Terratest's helpers that return errors never call it; if one did, the harness
// would be broken, and the panic says so.
type outsideTest struct{}

var _ testing.TestingT = outsideTest{}

func (outsideTest) Name() string                      { return "dynaproof" }
func (outsideTest) Helper()                           {}
func (outsideTest) Fail()                             { panic("terratest failed a test outside of a test") }
func (b outsideTest) FailNow()                        { b.Fail() }
func (outsideTest) Error(args ...any)                 { panic(fmt.Sprint(args...)) }
func (outsideTest) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (outsideTest) Fatal(args ...any)                 { panic(fmt.Sprint(args...)) }
func (outsideTest) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
