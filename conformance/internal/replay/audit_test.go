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
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/session"
	"dynaproof/conformance/target"
)

// An audit in whose ledger anything but Describe and List stands is refused, whoever
// sent it: here another client that uses the wire in the middle of the audit.
func TestAuditRefusesItsOwnWrites(t *testing.T) {
	engine, err := target.Embedded(t.Context(), target.EmbeddedOptions{})
	require.NoError(t, err)
	defer func() {
		assert.NoError(t, engine.Close(t.Context()))
	}()
	for operation, send := range map[string]func(*dynamodb.Client) error{
		"": func(*dynamodb.Client) error { return nil },
		"DeleteTable": func(client *dynamodb.Client) error {
			_, err := client.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("none")})
			return err
		},
		"GetItem": func(client *dynamodb.Client) error {
			_, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("none"), Key: map[string]types.AttributeValue{}})
			return err
		},
		"Scan": func(client *dynamodb.Client) error {
			_, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("none")})
			return err
		},
	} {
		t.Run("with "+operation, func(t *testing.T) {
			port := freePort(t)
			var sent error
			_, err := Audit(t.Context(), Options{Designs: []string{"fus-main"}, Endpoint: engine.URL(), Port: port, Progress: func(string) {
				sent = send(target.NewClient("http://127.0.0.1:"+strconv.Itoa(port), DefaultRegion))
			}})
			if operation == "" && err != nil {
				t.Errorf("expected an audit that only describes to pass, found %v", err)
			}
			if operation != "" && (sent == nil || err == nil || !strings.Contains(err.Error(), "found "+operation+" (request ")) {
				t.Errorf("expected the audit to find %s in its ledger, found %v (the request: %v)", operation, err, sent)
			}
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

// A claim of the manifest that the contract no longer has did not pass, whatever
// the others did.
func TestAForgottenClaimIsNoPass(t *testing.T) {
	run, err := Start(t.Context(), Options{Designs: []string{"roll-model"}, Documents: "none"})
	require.NoError(t, err)
	defer func() {
		assert.NoError(t, run.Close(t.Context()))
	}()
	design := run.Designs()[0]
	gone := design.Name + "/pattern/" + design.Patterns[0].ID
	design.Patterns = design.Patterns[1:]
	for _, claim := range manifest.Claims(design) {
		run.add(evidence.Result{ID: claim.ID, Design: design.Name, Verdict: evidence.Pass})
	}
	seen := run.Evidence(false)
	if code := seen.ExitCode(); code != evidence.Conforms {
		t.Fatalf("expected the claims that are left to conform, found exit code %d", code)
	}
	run.Undecided(func(manifest.Claim) bool { return true }, evidence.Error, "not examined")
	seen = run.Evidence(false)
	results := seen.Results()
	if last := results[len(results)-1]; last.ID != gone || last.Verdict != evidence.Error || !strings.Contains(last.Problems[0].Found, "the contract no longer does") {
		t.Errorf("expected an error of %s, found %+v", gone, last)
	}
	assert.Equal(t, evidence.CouldNotTell, seen.ExitCode(), "expected exit code 3")
}

// On AWS a run's tag and path are put on what it creates; what deploys puts them beside those of the program. Elsewhere nothing is.
func TestRunTagIsAskedFor(t *testing.T) {
	account := &target.Account{ID: "111122223333"}
	run := &Replay{places: map[string]*place{}, cloud: account, id: "0123", evidence: evidence.Run{}, options: Options{Environment: "dev", Region: "eu-west-1"}}
	run.target = account
	design := designs.All()[0]
	asked := run.stackOptions(design)
	if d := cmp.Diff(map[string]string{RunTag: run.runTag()}, asked.Tags); d != "" || asked.PolicyPath != "/dynaproof/run/0123/" {
		t.Errorf("expected the run's tag and path, found %v and %q", asked.Tags, asked.PolicyPath)
	}
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
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		state := states[min(asked, len(states)-1)]
		asked++
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		fmt.Fprintf(w, `{"Table":{"TableName":"Orders","TableArn":"arn:aws:dynamodb:eu-west-1:111122223333:table/Orders",%s}}`, state)
	}))
	defer server.Close()
	run := &Replay{options: Options{Bounds: session.Bounds{Poll: time.Nanosecond}}}
	arns, err := run.awaitActive(t.Context(), target.NewClient(server.URL, "eu-west-1"), []string{"Orders"})
	if err != nil || arns["Orders"] != "arn:aws:dynamodb:eu-west-1:111122223333:table/Orders" || asked != len(states) {
		t.Errorf("expected the table's ARN after %d questions, found %v, %v after %d", len(states), arns, err, asked)
	}
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
			if (err == nil) != (row.Refused == "") || err != nil && !strings.Contains(err.Error(), row.Refused) {
				t.Errorf("%s: expected a refusal with %q, found %v", row.Command, row.Refused, err)
			}
		})
	}
}

// An endpoint that went silent is found out by the first claim that could not be told,
// so that no further one waits for it; one that answers is left alone.
func TestAClaimThatCannotBeToldAsksTheEndpoint(t *testing.T) {
	asked := 0
	answering := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		_, _ = w.Write([]byte(`{"TableNames":[]}`))
	}))
	defer answering.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	proxy, err := wire.Start(wire.Options{Upstream: answering.URL})
	require.NoError(t, err)
	defer func() {
		assert.NoError(t, proxy.Close(context.Background()))
	}()
	for verdict, asks := range map[evidence.Verdict]bool{evidence.Pass: false, evidence.Fail: false, evidence.Error: true, evidence.Indeterminate: true} {
		before := asked
		if err := (&Replay{site: site{wire: proxy, proxy: proxy}, options: Options{Endpoint: answering.URL}}).lostWith(verdict); err != nil || (asked > before) != asks {
			t.Errorf("%s: expected the endpoint to be asked %v and to be there, found %d requests and %v", verdict, asks, asked-before, err)
		}
		err := (&Replay{site: site{wire: proxy, proxy: proxy}, options: Options{Endpoint: gone.URL}}).lostWith(verdict)
		var unavailable *target.UnavailableError
		if errors.As(err, &unavailable) != asks {
			t.Errorf("%s: expected an endpoint that is gone to be noticed %v, found %v", verdict, asks, err)
		}
	}
}

// A claim may have hundreds of requests left when an endpoint goes away. The first that is not answered, or of which a
// warden could not learn whose table it changes, is the last one that waits.
func TestOneUnansweredRequestIsEnough(t *testing.T) {
	for name, warden := range map[string]wire.Warden{"no answer": nil, "nothing learnt": refuses{"InternalServerError"}, "somebody else's": refuses{"ValidationException"}} {
		engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"TableNames":[]}`)) }))
		r := &Replay{options: Options{Endpoint: engine.URL}}
		var err error
		if r.site, err = r.startSite(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		r.proxy.SetWarden(warden)
		engine.Close()
		for range 3 {
			answer, err := http.Post(r.endpoint(), "application/x-amz-json-1.0", strings.NewReader("{}"))
			require.NoError(t, err)
			_ = answer.Body.Close()
		}
		var unavailable *target.UnavailableError
		if lost := errors.As(r.Lost(), &unavailable); lost != (name != "somebody else's") {
			t.Errorf("%s: expected a refusal of somebody else's table alone to say nothing of the endpoint, found %v", name, r.Lost())
		}
		for i, entry := range r.wire.Ledger().Entries(0) {
			if told := strings.Contains(entry.ErrorMessage, "expected an engine that listens there"); told != (i > 0 && r.Lost() != nil) {
				t.Errorf("%s, request %d: found %q", name, i, entry.ErrorMessage)
			}
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
	there := true
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !there {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		_, _ = w.Write([]byte(`{"Table":{"TableName":"orders","TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/orders","TableId":"theirs","TableStatus":"ACTIVE","CreationDateTime":1,"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}]}}`))
	}))
	defer engine.Close()
	j := newJournal(t.TempDir(), target.NewClient(engine.URL, "us-east-1"))
	for _, want := range []string{"ValidationException", wire.Unanswered} {
		_, refusal := j.Admit(wire.Entry{Operation: "PutItem", Tables: []string{"orders"}}, nil)
		if refusal == nil || refusal.ErrorType != want {
			t.Errorf("expected a refusal of type %s, found %+v", want, refusal)
		}
		there = false
	}
}
