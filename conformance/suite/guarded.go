package suite

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns/guard"
	"dynaproof/fixtures"
)

// clientOf returns the client that sends a request of a trial: the session's own,
// or one that is guarded for the request's role as production code would be.
func (s *Session) clientOf(request *fixtures.Request) (*dynamodb.Client, error) {
	switch request.Via {
	case "":
		return s.Client, nil
	case fixtures.ViaGuard:
	default:
		return nil, fmt.Errorf("expected %q or nothing in via, found %q", fixtures.ViaGuard, request.Via)
	}
	role := guard.AnyRole()
	if request.Role != "" {
		role = guard.ForRole(request.Role)
	}
	g, err := guard.New(s.Design, role, guard.WithTables(s.Deployment.Tables), guard.InEnvironment(s.Environment))
	if err != nil {
		return nil, err
	}
	attached := []func(*dynamodb.Options){g.Attach}
	if s.AroundGuard != nil {
		attached = append(attached, s.AroundGuard(s.Client))
	}
	return dynamodb.New(s.Client.Options(), attached...), nil
}

// refusedByGuard sends a request through a guarded client, which must refuse it
// for the given rule before anything leaves the process. It reports whether the
// request may have written something, because it was not refused.
func (o *Observation) refusedByGuard(ctx context.Context, where string, client *dynamodb.Client, input any, rule, do string) bool {
	before := o.session.recorder.len()
	o.withheld = "not refused"
	_, err := send(ctx, client, input)
	o.saw()
	var refusal *guard.Refusal
	switch {
	case !errors.As(err, &refusal):
		found := "the request passed it"
		if err != nil {
			found = fmt.Sprintf("it passed the guard and came to %v", err)
		}
		o.fail(where+", through the guard", "a refusal for "+rule, found, do)
	case string(refusal.Rule) != rule:
		o.fail(where+", through the guard", "a refusal for "+rule, refusal.Error(), do)
	default:
		o.withheld = refusal.Error()
	}
	o.equal(where+", requests that left the process", "0", fmt.Sprint(o.session.recorder.len()-before), "the guard must refuse before a request is sent")
	return refusal == nil && o.session.mayHaveWritten(err, o.session.recorder.invocations(before))
}
