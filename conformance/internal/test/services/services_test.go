package services

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/guard"
	"dynaproof/conformance/internal/test/tables"
	"dynaproof/conformance/target"
)

const (
	environment = "services"
	region      = "us-east-1"
)

// rolesOf are the contract's roles behind the words in which a document speaks
// of its callers.
var rolesOf = map[string]map[string][]string{
	"roll-model":     {"athlete": {"athlete"}, "coach": {"coach", "user"}},
	"commit-collect": {"user": {"user"}, "BFF": {"user"}, "ingestion": {"system"}, "operator": {"operator"}},
	"fus-main": {
		"everyone": {"everyone"}, "logged-in user": {"everyone", "user"}, "admin": {"everyone", "user", "admin"},
		"SuperAdmin":                  {"everyone", "user", "superadmin"},
		"user in the Squash group":    {"everyone", "user", "squash-member"},
		"manager in the Squash group": {"everyone", "user", "squash-member", "manager"},
		"manager":                     {"everyone", "user"},
	},
	"osem-ladders": {"admin": {"admin"}, "manager": {"manager"}, "team_member": {"team_member"}},
	"personal-os":  {"user": {"user"}},
}

// untold are the steps of which nothing in a request tells who may send it from somebody of
// the same role who may not: only an item that another request reads does. Each has the
// finding that shows it. The wrong role is refused all the same.
var untold = map[string]map[string]string{
	"roll-model": {
		"a coach lists the entries of a linked athlete, without their private sections": "link-check-is-the-clients",
		"a coach lists them newest first":                                               "link-check-is-the-clients",
		"a coach pages through them":                                                    "link-check-is-the-clients",
		"a coach pages back through them":                                               "link-check-is-the-clients",
		"a coach opens one entry of a linked athlete, without its private section":      "link-check-is-the-clients",
		"a coach lists the overrides of a linked athlete before changing one":           "link-check-is-the-clients",
	},
}

// TestServices sends all that the product behind each document needs to an
// engine. The guard must refuse nothing of it to who sends it, and all of it to
// the wrong role and on somebody else's data.
func TestServices(t *testing.T) {
	engine, err := target.Embedded(t.Context(), target.EmbeddedOptions{})
	if errors.Is(err, target.ErrNoEngine) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	for _, service := range []Service{RollModel(), CommitCollect(), FusMain(), OsemLadders(), PersonalOS()} {
		name := strings.TrimSuffix(service.Design, ".md")
		t.Run(name, func(t *testing.T) {
			design, err := designs.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			live(t, engine.URL(), design, service)
		})
	}
}

// live sends the steps of a service in order, and asks the guard about each
// request as its caller and as those who must not send it.
func live(t *testing.T, endpoint string, design *accesspatterns.Design, service Service) {
	tables.Create(t, endpoint, region, environment, design)
	sent := &recorder{}
	client := dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(endpoint), Region: region, Credentials: credentials.NewStaticCredentialsProvider("services", "services", ""),
		APIOptions: []func(*middleware.Stack) error{func(stack *middleware.Stack) error { return stack.Initialize.Add(sent, middleware.Before) }},
	})
	deployed := func(documented string) string {
		return strings.NewReplacer("{env}", environment, "{stage}", environment).Replace(documented)
	}
	guards := map[string]*guard.Guard{}
	asks := func(caller Caller) *guard.Guard {
		key := caller.Role + " " + caller.User
		if guards[key] == nil {
			guards[key] = guardFor(t, design, caller)
		}
		return guards[key]
	}
	steps := map[string]bool{}
	for _, step := range service.Days {
		steps[step.What] = true
		finding := untold[design.Name][step.What]
		sent.inputs = nil
		if err := step.Send(t.Context(), client, deployed); err != nil {
			t.Errorf("%s (%s): %v", step.What, step.Cite, err)
		}
		allowed := false
		for _, input := range sent.inputs {
			if _, err := asks(step.As).Check(t.Context(), firstPage(input)); err != nil {
				t.Errorf("%s (%s), refused to %s: %v", step.What, step.Cite, step.As.Role, err)
			}
			for _, other := range step.Not {
				if !apart(design, step.As, other) {
					continue
				}
				if _, err := asks(other).Check(t.Context(), firstPage(input)); err == nil {
					allowed = true
					if finding == "" || other.Role != step.As.Role {
						t.Errorf("%s (%s), allowed to %s %s: %T", step.What, step.Cite, other.Role, other.User, input)
					}
				}
			}
		}
		if finding != "" && !allowed {
			t.Errorf("%s (%s): expected, by finding %s, a request that tells nobody apart, found none; take the step out of the list", step.What, step.Cite, finding)
		}
	}
	for what, id := range untold[design.Name] {
		if !slices.ContainsFunc(design.Findings, func(f accesspatterns.Finding) bool { return f.ID == id && f.Static == "" }) {
			t.Errorf("%s: expected a finding %s that is shown by requests", what, id)
		}
		if !steps[what] {
			t.Errorf("no step %q; take it out of the list", what)
		}
	}
}

// apart says that the guard can tell two callers apart: one has a role that the
// other lacks, or both act for a user whom the contract binds them to.
func apart(design *accesspatterns.Design, one, other Caller) bool {
	roles := rolesOf[design.Name]
	return slices.ContainsFunc(roles[one.Role], func(role string) bool { return !slices.Contains(roles[other.Role], role) }) ||
		one.User != other.User && confined(design, other)
}

// confined says that the contract binds a role of the caller to a user, to whose
// partitions, or to whom as who acts, the guard then holds it.
func confined(design *accesspatterns.Design, caller Caller) bool {
	return caller.User != "" && slices.ContainsFunc(rolesOf[design.Name][caller.Role], func(id string) bool {
		role, known := design.Role(id)
		return known && (role.Confined != nil || role.Actor != "")
	})
}

func guardFor(t *testing.T, design *accesspatterns.Design, caller Caller) *guard.Guard {
	t.Helper()
	roles := rolesOf[design.Name][caller.Role]
	if len(roles) == 0 {
		t.Fatalf("%s: no role stands for %q", design.Name, caller.Role)
	}
	options := []guard.Option{guard.ForRole(roles...), guard.InEnvironment(environment)}
	if confined(design, caller) {
		options = append(options, guard.ForUser(caller.User))
	}
	g, err := guard.New(design, options...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// firstPage is the request for the first page of a list. The account that a logical
// read keeps of its further pages needs the answers, which nobody has here.
func firstPage(input any) any {
	if query, ok := input.(*dynamodb.QueryInput); ok && len(query.ExclusiveStartKey) > 0 {
		first := *query
		first.ExclusiveStartKey = nil
		return &first
	}
	return input
}

// recorder keeps the inputs that a client was given.
type recorder struct{ inputs []any }

// ID implements middleware.InitializeMiddleware.
func (r *recorder) ID() string { return "recorder" }

// HandleInitialize implements middleware.InitializeMiddleware.
func (r *recorder) HandleInitialize(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
	r.inputs = append(r.inputs, in.Parameters)
	return next.HandleInitialize(ctx, in)
}
