package session

import (
	"context"
	"log/slog"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/guard"
	"dynaproof/fixtures"
)

// Enforced returns the guard for a request's role and user. It keeps nothing between two
// requests, so that one serves all trials.
func (s *Session) Enforced(request *fixtures.Request) func(*dynamodb.Options) {
	who := [2]string{request.Role, request.User}
	if made, known := s.guards[who]; known {
		return made
	}
	// A guard that cannot be made refuses everything, and a trial may be about
	// that.
	options := s.OptionsFor(request)
	made := guard.Enforce(s.Design, options...)
	if s.Existing != nil {
		made = judgedFirst(s.Design, options)
	}
	s.guards[who] = made
	return made
}

// judgedFirst is the guard of a client for an existing stack. The protection there adds conditions and the run's mark to what
// is sent, which no document knows. A guard at the serialiser, where [guard.Enforce] puts it, would see these and refuse every
// write, and a guard that lets something rewrite behind it would be none. So it judges what a client of the services would send,
// before the protection. The suite makes these clients itself, and nothing but the protection stands between the two.
func judgedFirst(design *accesspatterns.Design, options []guard.Option) func(*dynamodb.Options) {
	g, _ := guard.New(design, options...) // refuses every call where it fails
	judge := middleware.InitializeMiddlewareFunc("DynaproofJudgedFirst",
		func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (out middleware.InitializeOutput, metadata middleware.Metadata, failed error) {
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

// GuardOf makes a guard of a session that knows one pattern alone, for whoever may use it.
func GuardOf(s *Session, pattern *accesspatterns.Pattern) (*guard.Guard, error) {
	alone := *s.Design
	if s.HeldTo != nil {
		alone = *s.HeldTo
		if documented, known := alone.Pattern(pattern.ID); known {
			pattern = documented
		}
	}
	alone.Patterns = []accesspatterns.Pattern{*pattern}
	return guard.New(&alone, s.GuardOptions(guard.AnyRole())...)
}

// OptionsFor are those of the guard for a request's role and user.
func (s *Session) OptionsFor(request *fixtures.Request) []guard.Option {
	options := s.GuardOptions(guard.AnyRole())
	if request.Role != "" {
		options[0] = guard.ForRole(request.Role)
	}
	if request.User != "" {
		options = append(options, guard.ForUser(request.User))
	}
	return options
}

// GuardOptions are those of every guard of the session, and some of its own.
func (s *Session) GuardOptions(own ...guard.Option) []guard.Option {
	return append(own, guard.WithTables(s.Deployment.Tables), guard.InEnvironment(s.Environment), guard.WithLogger(slog.New(slog.DiscardHandler)))
}
