package suite

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"

	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/evidence"
	"dynaproof/fixtures"
)

// guarded are what the requests of one trial share: a guarded client for each
// role and user, as production code has one, and the logical reads, by the names that the
// requests give them.
type guarded struct {
	session *Session
	clients map[string]*dynamodb.Client
	reads   map[string]context.Context
}

func (s *Session) guarded() *guarded {
	return &guarded{session: s, clients: map[string]*dynamodb.Client{}, reads: map[string]context.Context{}}
}

// within returns the context of a request: that of its logical read, when it
// names one.
func (g *guarded) within(ctx context.Context, request *fixtures.Request) context.Context {
	if request.Read == "" {
		return ctx
	}
	if _, begun := g.reads[request.Read]; !begun {
		g.reads[request.Read], _ = guard.NewRead(ctx)
	}
	return g.reads[request.Read]
}

// clientOf returns the client that sends a request of the trial: the session's
// own, or one that is guarded for the request's role as production code would be.
func (g *guarded) clientOf(request *fixtures.Request) (*dynamodb.Client, error) {
	s := g.session
	switch request.Via {
	case "":
		return s.Client, nil
	case fixtures.ViaGuard:
	default:
		return nil, fmt.Errorf("expected %q or nothing in via, found %q", fixtures.ViaGuard, request.Via)
	}
	who := request.Role + "\n" + request.User
	if client, made := g.clients[who]; made {
		return client, nil
	}
	attached := []func(*dynamodb.Options){s.enforced(request)}
	if s.AroundGuard != nil {
		attached = append(attached, s.AroundGuard(s.Client))
	}
	g.clients[who] = dynamodb.New(s.Client.Options(), attached...)
	return g.clients[who], nil
}

// enforced returns the guard for a request's role and user. It keeps nothing between two
// requests, so that one serves all trials.
func (s *Session) enforced(request *fixtures.Request) func(*dynamodb.Options) {
	who := [2]string{request.Role, request.User}
	if made, known := s.guards[who]; known {
		return made
	}
	options := s.guardOptions(guard.AnyRole())
	if request.Role != "" {
		options = s.guardOptions(guard.ForRole(request.Role))
	}
	if request.User != "" {
		options = append(options, guard.ForUser(request.User))
	}
	// A guard that cannot be made refuses everything, and a trial may be about
	// that.
	made := guard.Enforce(s.Design, options...)
	if s.Existing != nil {
		made = s.judgedFirst(options)
	}
	if s.guards == nil {
		s.guards = map[[2]string]func(*dynamodb.Options){}
	}
	s.guards[who] = made
	return made
}

// judgedFirst is the guard of a client for an existing stack. The protection there adds conditions and the run's mark to what
// is sent, which no document knows. A guard at the serialiser, where [guard.Enforce] puts it, would see these and refuse every
// write, and a guard that lets something rewrite behind it would be none. So it judges what a client of the services would send,
// before the protection. The suite makes these clients itself, and nothing but the protection stands between the two.
func (s *Session) judgedFirst(options []guard.Option) func(*dynamodb.Options) {
	g, err := guard.New(s.Design, options...)
	judge := middleware.InitializeMiddlewareFunc("DynaproofJudgedFirst",
		func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (out middleware.InitializeOutput, metadata middleware.Metadata, failed error) {
			if err != nil {
				return out, metadata, &guard.Refusal{
					Design: s.Design.Name, Operation: sdk.Operation(in.Parameters), Rule: guard.RuleConfiguration,
					Expected: "options that fit the design", Found: err.Error(), Cite: s.Design.Document.Cite(s.Design.AccessPatterns),
				}
			}
			_, failed = g.Do(ctx, in.Parameters, func() (any, error) {
				var err error
				out, metadata, err = next.HandleInitialize(ctx, in)
				return out.Result, err
			})
			return out, metadata, failed
		})
	return func(client *dynamodb.Options) {
		client.APIOptions = append(client.APIOptions, func(stack *middleware.Stack) error { return stack.Initialize.Add(judge, middleware.After) })
	}
}

// guardOptions are those of every guard of the session, and some of its own.
func (s *Session) guardOptions(own ...guard.Option) []guard.Option {
	return append(own, guard.WithTables(s.Deployment.Tables), guard.InEnvironment(s.Environment), guard.WithLogger(slog.New(slog.DiscardHandler)))
}

// refusedByGuard sends a request through a guarded client, which must refuse it
// for the expected rule, and in the expected words if there are any, before
// anything leaves the process. It reports whether the request may have written
// something, because it was not refused.
func (o trialCheck) refusedByGuard(ctx context.Context, where string, client *dynamodb.Client, input any, want *fixtures.Expectation, do remedy) bool {
	expected := "a refusal for " + want.Refused
	if want.Message != "" {
		expected += fmt.Sprintf(" with %q", want.Message)
	}
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
		o.fail(where+", through the guard", expected, found, do)
	case string(refusal.Rule) != want.Refused, !strings.Contains(refusal.Error(), want.Message):
		o.fail(where+", through the guard", expected, refusal.Error(), do)
	default:
		o.withheld = refusal.Error()
		o.rested = append(o.rested, evidence.Library) // no engine has seen the request
	}
	o.equal(where+", requests that left the process", "0", fmt.Sprint(o.session.recorder.len()-before), guardFirst)
	return refusal == nil && o.session.mayHaveWritten(err, o.session.recorder.invocations(before))
}
