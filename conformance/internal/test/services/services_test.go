package services

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
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

var update = flag.Bool("update", false, "write testdata/open.json anew, and print why each step of it is there")

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

// open are the steps, by what they do, in which the contract and the client of
// the same document do not agree yet.
type open struct {
	// Refused are the steps of which the guard refuses a request to whom the
	// document lets send it.
	Refused []string `json:"refused"`
	// Allowed are the steps of which the guard lets somebody send a request whom
	// the document does not let.
	Allowed []string `json:"allowed"`
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
	known := readOpen(t)
	for _, service := range []Service{RollModel(), CommitCollect(), FusMain(), OsemLadders(), PersonalOS()} {
		name := strings.TrimSuffix(service.Design, ".md")
		t.Run(name, func(t *testing.T) {
			design, err := designs.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			found := live(t, engine.URL(), design, service)
			if *update {
				known[name] = found
				return
			}
			compare(t, "refused to who may send it", known[name].Refused, found.Refused)
			compare(t, "allowed to who must not send it", known[name].Allowed, found.Allowed)
		})
	}
	if *update {
		writeOpen(t, known)
	}
}

// live sends the steps of a service in order, and asks the guard about each
// request as its caller and as those who must not send it.
func live(t *testing.T, endpoint string, design *accesspatterns.Design, service Service) open {
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
	var found open
	for _, step := range service.Days {
		sent.inputs = nil
		if err := step.Send(t.Context(), client, deployed); err != nil {
			t.Errorf("%s (%s): %v", step.What, step.Cite, err)
		}
		refused, allowed := false, false
		for _, input := range sent.inputs {
			if _, err := asks(step.As).Check(t.Context(), firstPage(input)); err != nil {
				refused = true
				explain(t, "refused to "+step.As.Role, step, err.Error())
			}
			for _, other := range step.Not {
				if apart(design, step.As, other) {
					if _, err := asks(other).Check(t.Context(), firstPage(input)); err == nil {
						allowed = true
						explain(t, "allowed to "+other.Role+" "+other.User, step, fmt.Sprintf("%T", input))
					}
				}
			}
		}
		if refused {
			found.Refused = append(found.Refused, step.What)
		}
		if allowed {
			found.Allowed = append(found.Allowed, step.What)
		}
	}
	return found
}

// apart says that the guard can tell two callers apart: one has a role that the
// other lacks, or both act for a user whom the contract confines to partitions.
func apart(design *accesspatterns.Design, one, other Caller) bool {
	roles := rolesOf[design.Name]
	return slices.ContainsFunc(roles[one.Role], func(role string) bool { return !slices.Contains(roles[other.Role], role) }) ||
		one.User != other.User && confined(design, other)
}

// confined says that the contract confines a role of the caller to a user, whose
// partitions the guard then holds it to.
func confined(design *accesspatterns.Design, caller Caller) bool {
	return caller.User != "" && slices.ContainsFunc(rolesOf[design.Name][caller.Role], func(id string) bool {
		role, known := design.Role(id)
		return known && role.Confined != nil
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

func explain(t *testing.T, what string, step Step, why string) {
	t.Helper()
	if *update || testing.Verbose() {
		t.Logf("%s: %s (%s): %s", what, step.What, step.Cite, why)
	}
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

// compare holds the steps that do not agree against those that are known not to:
// a further one fails, and so does one that agrees by now.
func compare(t *testing.T, what string, known, found []string) {
	t.Helper()
	for _, step := range found {
		if !slices.Contains(known, step) {
			t.Errorf("%s: %s; run the test with -v to see the requests", what, step)
		}
	}
	for _, step := range known {
		if !slices.Contains(found, step) {
			t.Errorf("no longer %s: %s; run the test with -update", what, step)
		}
	}
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

const openFile = "testdata/open.json"

func readOpen(t *testing.T) map[string]open {
	t.Helper()
	known := map[string]open{}
	text, err := os.ReadFile(openFile)
	if errors.Is(err, os.ErrNotExist) {
		return known
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &known); err != nil {
		t.Fatal(err)
	}
	return known
}

func writeOpen(t *testing.T, known map[string]open) {
	t.Helper()
	maps.DeleteFunc(known, func(_ string, o open) bool { return len(o.Refused)+len(o.Allowed) == 0 })
	text, err := json.MarshalIndent(known, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(openFile, append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}
