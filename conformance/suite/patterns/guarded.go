package patterns

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns/guard"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// clientOf returns the client that sends a request of a trial: the session's
// own, or one that is guarded for the request's role as production code would be.
func clientOf(s *session.Session, request *fixtures.Request) (*dynamodb.Client, error) {
	switch request.Via {
	case "":
		return s.Client, nil
	case fixtures.ViaGuard:
	default:
		return nil, fmt.Errorf("expected %q or nothing in via, found %q", fixtures.ViaGuard, request.Via)
	}
	attached := []func(*dynamodb.Options){s.Enforced(request)}
	if s.AroundGuard != nil {
		attached = append(attached, s.AroundGuard(s.Client))
	}
	return dynamodb.New(s.Client.Options(), attached...), nil
}

// refusedByGuard sends a request through a guarded client, which must refuse it
// for the expected rule, and in the expected words if there are any, before
// anything leaves the process. It returns why the guard did not let it leave, and whether the
// request may have written something, because it was not refused.
func refusedByGuard(ctx context.Context, o *observe.Observation, where string, client *dynamodb.Client, input any, want *fixtures.Expectation, do remedy.Advice) (withheld string, wrote bool) {
	expected := "a refusal for " + want.Refused
	if want.Message != "" {
		expected += fmt.Sprintf(" with %q", want.Message)
	}
	before, withheld := o.Session.Recorder.Len(), "not refused"
	_, err := send(ctx, client, input)
	o.Saw()
	var refusal *guard.Refusal
	switch {
	case !errors.As(err, &refusal):
		found := "the request passed it"
		if err != nil {
			found = fmt.Sprintf("it passed the guard and came to %v", err)
		}
		o.Fail(where+", through the guard", expected, found, do)
	case string(refusal.Rule) != want.Refused, !strings.Contains(refusal.Error(), want.Message):
		o.Fail(where+", through the guard", expected, refusal.Error(), do)
	default:
		withheld = refusal.Error()
		o.Rested = append(o.Rested, evidence.Library) // no engine has seen the request
	}
	o.Equal(where+", requests that left the process", "0", fmt.Sprint(o.Session.Recorder.Len()-before), remedy.GuardFirst)
	return withheld, refusal == nil && o.Session.MayHaveWritten(err, o.Session.Recorder.Invocations(before))
}
