package replay

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/test/tables"
	"dynaproof/conformance/internal/trail"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/session"
	"dynaproof/conformance/target"
)

// An audit in whose ledger anything but Describe and List stands is refused, whoever
// sent it: here another client that uses the wire in the middle of the audit.
func TestAuditRefusesItsOwnWrites(t *testing.T) {
	engine := tables.Engine(t)
	for operation, input := range map[string]any{
		"": nil, "DeleteTable": &dynamodb.DeleteTableInput{TableName: aws.String("none")}, "Scan": &dynamodb.ScanInput{TableName: aws.String("none")},
		"GetItem": &dynamodb.GetItemInput{TableName: aws.String("none"), Key: map[string]types.AttributeValue{}},
	} {
		t.Run("with "+operation, func(t *testing.T) {
			port := freePort(t)
			var sent error
			_, err := Audit(t.Context(), Options{Designs: []string{"fus-main"}, Endpoint: engine, Port: port, Progress: func(string) {
				if input != nil {
					_, sent = designtest.Send(t.Context(), target.NewClient("http://127.0.0.1:"+strconv.Itoa(port), DefaultRegion), input)
				}
			}})
			if input == nil {
				require.NoError(t, err, "expected an audit that only describes to pass")
				return
			}
			assert.Error(t, sent, "expected the engine to have no such table")
			assert.ErrorContains(t, err, "found "+operation+" (request ", "expected the audit to find it in its ledger")
		})
	}
}

// A search of the trail's log group may stand in the ledger of an audit that was told
// of a trail, and nothing else of that service; of IAM and KMS what changes nothing.
func TestAuditMaySearchTheTrail(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Path, Operation, Found string
		Trail                  bool
	}](t, "audited.yaml") {
		err := onlyDescribes([]wire.Entry{{Seq: 1, Path: row.Path, Operation: row.Operation}}, row.Trail)
		if row.Found == "" {
			assert.NoError(t, err, row.Path)
		} else {
			assert.ErrorContains(t, err, row.Found)
		}
	}
}

// freePort is a port below those that the system hands out, so that nobody is given it meanwhile.
func freePort(t *testing.T) int {
	t.Helper()
	for range 1000 {
		port := 20_000 + rand.N(10_000)
		if listener, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			_ = listener.Close()
			return port
		}
	}
	t.Fatal("found no free port between 20000 and 29999")
	return 0
}

// A policy allows nothing where its ARNs are of another partition than the tables.
func TestAuditPolicyNamesThePartition(t *testing.T) {
	for region, partition := range map[string]string{"": "aws", "eu-west-1": "aws", "cn-north-1": "aws-cn", "us-gov-west-1": "aws-us-gov"} {
		group := tabletest.Must(trail.ParseGroup("a-trail"))(t)
		policy := tabletest.Must(AuditPolicy(Options{Designs: []string{"osem-ladders"}, Region: region, Environment: "dev", TrailGroup: &group}, ""))(t)
		for _, statement := range policy.Statement {
			for _, resource := range statement.Resource {
				assert.True(t, resource == "*" || strings.HasPrefix(resource, "arn:"+partition+":"), "%s: expected partition %s, found %s", region, partition, resource)
			}
		}
	}
}

// A claim of the manifest that the contract no longer has did not pass, whatever
// the others did.
func TestAForgottenClaimIsNoPass(t *testing.T) {
	run, err := Start(t.Context(), Options{Designs: []string{"roll-model"}, Documents: "none"})
	require.NoError(t, err)
	defer func() { assert.NoError(t, run.Close(t.Context())) }()
	design := run.Designs()[0]
	gone := design.Name + "/pattern/" + design.Patterns[0].ID
	design.Patterns = design.Patterns[1:]
	for _, claim := range manifest.Claims(design) {
		run.add(evidence.Result{ID: claim.ID, Design: design.Name, Verdict: evidence.Pass})
	}
	seen := run.Evidence(false)
	require.Equal(t, evidence.Conforms, seen.ExitCode(), "expected the claims that are left to conform")
	run.Undecided(func(manifest.Claim) bool { return true }, evidence.Error, "not examined")
	seen = run.Evidence(false)
	results := seen.Results()
	last := results[len(results)-1]
	assert.Equal(t, []any{gone, evidence.Error}, []any{last.ID, last.Verdict})
	assert.Contains(t, last.Problems[0].Found, "the contract no longer does")
	assert.Equal(t, evidence.CouldNotTell, seen.ExitCode(), "expected exit code 3")
}

// On AWS a run's tag and path are put on what it creates; what deploys puts them beside those of the program. Elsewhere nothing is.
func TestRunTagIsAskedFor(t *testing.T) {
	account := &target.Account{ID: "111122223333"}
	run := &Replay{places: map[string]*place{}, cloud: account, id: "0123", evidence: evidence.Run{}, options: Options{Environment: "dev", Region: "eu-west-1"}}
	run.target = account
	design := designs.All()[0]
	asked := run.stackOptions(design)
	assert.Empty(t, cmp.Diff(map[string]string{RunTag: run.runTag()}, asked.Tags), "expected the run's tag and path")
	assert.Equal(t, "/dynaproof/run/0123/", asked.PolicyPath)
}

func TestCloudRegion(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Names       []string
		Given, Want string
		Refused     bool
	}](t, "regions.yaml") {
		region, err := CloudRegion(row.Names, row.Given)
		assert.Equal(t, row.Want, region, "%v, given %q", row.Names, row.Given)
		assert.Equal(t, row.Refused, errors.As(err, new(ConfigError)), "%v, given %q: %v", row.Names, row.Given, err)
	}
}

// saying is an engine that answers every request with a text, and has nothing where the text is empty.
func saying(t *testing.T, text func() string) *httptest.Server {
	t.Helper()
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answer := text()
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.WriteHeader(map[bool]int{true: http.StatusNotFound, false: http.StatusOK}[answer == ""])
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(engine.Close)
	return engine
}

// A table is not ready before its indexes are: reads of an index that is being filled
// would lack items.
func TestAwaitsIndexes(t *testing.T) {
	states := []string{
		`"TableStatus":"CREATING","KeySchema":[{}]`,
		`"TableStatus":"ACTIVE","KeySchema":[{}],"GlobalSecondaryIndexes":[{"IndexName":"byDay","IndexStatus":"CREATING"}]`,
		`"TableStatus":"ACTIVE","KeySchema":[{}],"GlobalSecondaryIndexes":[{"IndexName":"byDay","IndexStatus":"ACTIVE","Backfilling":true}]`,
		`"TableStatus":"ACTIVE","KeySchema":[{}],"GlobalSecondaryIndexes":[{"IndexName":"byDay","IndexStatus":"ACTIVE"}]`,
	}
	asked := 0
	server := saying(t, func() string {
		asked++
		return `{"Table":{"TableName":"Orders","TableArn":"arn:aws:dynamodb:eu-west-1:111122223333:table/Orders",` + states[min(asked, len(states))-1] + `}}`
	})
	run := &Replay{options: Options{Bounds: session.Bounds{Poll: time.Nanosecond}}}
	arns, err := run.awaitActive(t.Context(), target.NewClient(server.URL, "eu-west-1"), []string{"Orders"})
	require.NoError(t, err)
	assert.Equal(t, "arn:aws:dynamodb:eu-west-1:111122223333:table/Orders", arns["Orders"])
	assert.Len(t, states, asked, "questions")
}

// A tool that --deploy names is started where something keeps it on the engine, and nowhere else.
func TestToolsStayHere(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name, File, Text, Command, Refused string
	}](t, "tools.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if row.File != "" {
				require.NoError(t, os.MkdirAll(filepath.Dir(row.File), 0o700))
				require.NoError(t, os.WriteFile(row.File, []byte(row.Text), 0o600))
			}
			t.Setenv("PULUMI_DEBUG_PROVIDERS", "")
			err := staysHere(row.Command)
			if row.Refused == "" {
				assert.NoError(t, err, row.Command)
			} else {
				assert.ErrorContains(t, err, row.Refused, row.Command)
			}
		})
	}
}

// An endpoint that went silent is found out by the first claim that could not be told,
// so that no further one waits for it; one that answers is left alone.
func TestAClaimThatCannotBeToldAsksTheEndpoint(t *testing.T) {
	asked := 0
	there := saying(t, func() string { asked++; return `{"TableNames":[]}` })
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	proxy, err := wire.Start(wire.Options{Upstream: there.URL})
	require.NoError(t, err)
	defer func() { assert.NoError(t, proxy.Close(context.Background())) }()
	for verdict, asks := range map[evidence.Verdict]bool{evidence.Pass: false, evidence.Fail: false, evidence.Error: true, evidence.Indeterminate: true} {
		before := asked
		assert.NoError(t, (&Replay{site: site{wire: proxy, proxy: proxy}, options: Options{Endpoint: there.URL}}).lostWith(verdict), verdict)
		assert.Equal(t, asks, asked > before, "%s: expected the endpoint to be asked", verdict)
		err := (&Replay{site: site{wire: proxy, proxy: proxy}, options: Options{Endpoint: gone.URL}}).lostWith(verdict)
		var unavailable *target.UnavailableError
		assert.Equal(t, asks, errors.As(err, &unavailable), "%s: expected an endpoint that is gone to be noticed, found %v", verdict, err)
	}
}

// A claim may have hundreds of requests left when an endpoint goes away. The first that is not answered, or of which a
// warden could not learn whose table it changes, is the last one that waits.
func TestOneUnansweredRequestIsEnough(t *testing.T) {
	for name, warden := range map[string]wire.Warden{"no answer": nil, "nothing learnt": refuses{"InternalServerError"}, "somebody else's": refuses{"ValidationException"}} {
		engine := saying(t, func() string { return `{"TableNames":[]}` })
		r := &Replay{options: Options{Endpoint: engine.URL}}
		var err error
		r.site, err = r.startSite(t.Context(), 0)
		require.NoError(t, err)
		r.proxy.SetWarden(warden)
		engine.Close()
		for range 3 {
			answer, err := http.Post(r.endpoint(), "application/x-amz-json-1.0", strings.NewReader("{}"))
			require.NoError(t, err)
			_ = answer.Body.Close()
		}
		var unavailable *target.UnavailableError
		assert.Equal(t, name != "somebody else's", errors.As(r.Lost(), &unavailable), "%s: found %v", name, r.Lost())
		for i, entry := range r.wire.Ledger().Entries(0) {
			told := strings.Contains(entry.ErrorMessage, "expected an engine that listens there")
			assert.Equal(t, i > 0 && r.Lost() != nil, told, "%s, request %d: found %q", name, i, entry.ErrorMessage)
		}
		assert.NoError(t, r.close(context.Background()))
	}
}

// refuses is a warden that admits nothing, by an error of a type.
type refuses struct{ of string }

func (r refuses) Admit(wire.Entry, []byte) ([]byte, *wire.FaultResponse) {
	return nil, &wire.FaultResponse{Status: http.StatusBadRequest, ErrorType: r.of, Message: "refused"}
}

func (refuses) Answered(_ wire.Entry, body []byte) ([]byte, *wire.FaultResponse) { return body, nil }

// The journal itself tells a table that is somebody else's from one of which it could learn nothing.
func TestNothingLearntIsNoRefusal(t *testing.T) {
	answer := `{"Table":{"TableName":"orders","TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/orders","TableId":"theirs","TableStatus":"ACTIVE","CreationDateTime":1,"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}]}}`
	engine := saying(t, func() string { return answer })
	j := newJournal(t.TempDir(), target.NewClient(engine.URL, "us-east-1"))
	for _, want := range []string{"ValidationException", wire.Unanswered} {
		_, refusal := j.Admit(wire.Entry{Operation: "PutItem", Tables: []string{"orders"}}, nil)
		require.NotNil(t, refusal, "expected a refusal of type %s", want)
		assert.Equal(t, want, refusal.ErrorType)
		answer = ""
	}
}
