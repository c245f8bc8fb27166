package replay

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
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
	search := wire.Entry{Seq: 1, Path: "POST / Logs_20140328.FilterLogEvents"}
	put := wire.Entry{Seq: 1, Path: "POST / Logs_20140328.PutLogEvents"}
	for _, row := range []struct {
		entry wire.Entry
		trail bool
		found string
	}{
		{search, true, ""}, {wire.Entry{Seq: 1, Path: "POST / ListPolicies"}, false, ""}, {wire.Entry{Seq: 1, Path: "POST / TrentService.DescribeKey"}, false, ""},
		{wire.Entry{Seq: 1, Path: "POST / DeletePolicy"}, true, "DeletePolicy"}, {wire.Entry{Seq: 1, Path: "POST / TrentService.ScheduleKeyDeletion"}, true, "ScheduleKeyDeletion"}, {wire.Entry{Seq: 1, Path: "POST /"}, true, "POST /"},
		{search, false, "FilterLogEvents"}, {put, true, "PutLogEvents"}, {wire.Entry{Seq: 1, Operation: "Scan"}, true, "Scan"},
	} {
		err := onlyDescribes([]wire.Entry{row.entry}, row.trail)
		if row.found == "" && err != nil || row.found != "" && (err == nil || !strings.Contains(err.Error(), row.found)) {
			t.Errorf("%+v, trail %t: expected %q to be found, found %v", row.entry, row.trail, row.found, err)
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
