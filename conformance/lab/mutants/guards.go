package mutants

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"

	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/fixtures"
)

// guards switches off each rule of the guard that a guardrail of the design
// rests on: where a trial expects a refusal for a rule, the guardrail's claim must
// notice that the guard lets such requests through.
func (g *generator) guards() {
	for _, guardrail := range g.design.Guardrails {
		for _, rule := range g.refusedFor(guardrail.ID) {
			g.add(Mutant{
				Kind: Guardrails, Operator: "rule of the guard switched off",
				What:    fmt.Sprintf("guardrail %s: the guard lets through what it would refuse for %s", guardrail.ID, rule),
				lenient: rule,
			}, "guard/"+guardrail.ID+"/"+string(rule), "guardrail/"+guardrail.ID)
		}
	}
}

// refusedFor lists the rules for which trials of a guardrail expect the guard to refuse.
func (g *generator) refusedFor(guardrail string) []guard.Rule {
	requests := slices.Concat(lists.Map(g.set.TrialsOf("guardrail/"+guardrail), func(trial fixtures.Trial) []fixtures.Request { return trial.Requests })...)
	return lists.Where(guard.Rules(), func(rule guard.Rule) bool {
		return slices.ContainsFunc(requests, func(request fixtures.Request) bool { return request.Expect.Refused == string(rule) })
	})
}

// lacking returns what makes a guarded client lack a rule: what the guard refuses for
// the rule is sent all the same, with the bare client.
func lacking(rule guard.Rule) func(*dynamodb.Client) func(*dynamodb.Options) {
	return func(bare *dynamodb.Client) func(*dynamodb.Options) {
		lenient := middleware.InitializeMiddlewareFunc("GuardWithoutRule",
			func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
				out, metadata, err := next.HandleInitialize(ctx, in)
				var refusal *guard.Refusal
				if errors.As(err, &refusal) && refusal.Rule == rule {
					out.Result, err = sdk.Send(middleware.ClearStackValues(ctx), bare, in.Parameters)
				}
				return out, metadata, err
			})
		return func(options *dynamodb.Options) {
			options.APIOptions = append(options.APIOptions, func(stack *middleware.Stack) error { return stack.Initialize.Add(lenient, middleware.Before) })
		}
	}
}
