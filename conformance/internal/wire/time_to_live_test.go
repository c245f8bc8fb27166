package wire

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTimeToLiveIsSwitchedAsOnAWS(t *testing.T) {
	answer := timeToLive().answer
	var setting any
	must := func(status, attribute string) {
		t.Helper()
		_, answered := answer("DescribeTimeToLive", nil, setting)
		if found := answered.(map[string]any)["TimeToLiveDescription"].(map[string]string); found["TimeToLiveStatus"] != status || found["AttributeName"] != attribute {
			t.Errorf("expected %s by %q, found %+v", status, attribute, found)
		}
	}
	must("DISABLED", "")
	for _, step := range []struct{ attribute, enabled, problem, status, by string }{
		{"expiresAt", "false", "already disabled", "DISABLED", ""},
		{"expiresAt", "true", "", "ENABLED", "expiresAt"},
		{"expiresAt", "true", "already enabled", "ENABLED", "expiresAt"},
		{"other", "true", "different AttributeName", "ENABLED", "expiresAt"},
		{"other", "false", "different AttributeName", "ENABLED", "expiresAt"},
		{"expiresAt", "false", "", "DISABLED", ""},
	} {
		var answered any
		setting, answered = answer("UpdateTimeToLive", []byte(`{"TimeToLiveSpecification":{"AttributeName":"`+step.attribute+`","Enabled":`+step.enabled+`}}`), setting)
		problem, refused := answered.(refusal)
		if refused != (step.problem != "") || !strings.Contains(problem.message, step.problem) {
			t.Errorf("%+v: found %q", step, answered)
		}
		must(step.status, step.by)
	}
}

func TestTimeToLiveRefusesIncompleteRequests(t *testing.T) {
	for body, word := range map[string]string{
		`{}`: "timeToLiveSpecification'",
		`{"TimeToLiveSpecification":{"Enabled":true}}`:                      "attributeName",
		`{"TimeToLiveSpecification":{"AttributeName":"","Enabled":true}}`:   "attributeName",
		`{"TimeToLiveSpecification":{"AttributeName":"a"}}`:                 "enabled",
		`{"TimeToLiveSpecification":{"AttributeName":"a","Enabled":"yes"}}`: "bool",
	} {
		_, answered := timeToLive().answer("UpdateTimeToLive", []byte(body), nil)
		if problem, _ := answered.(refusal); !strings.Contains(problem.message, word) {
			t.Errorf("%s: expected %q in the refusal, found %q", body, word, answered)
		}
	}
}

// An engine such as dynalite describes TTL and cannot switch it: once the overlay has switched it, the engine's word that
// it is off would be wrong.
func TestOverlayThatHasAnsweredGoesOnAnswering(t *testing.T) {
	proxy := startProxy(t, Options{Upstream: halfEngine(t)})
	ask := func(operation, body string) (string, bool) {
		t.Helper()
		text, err := io.ReadAll(post(t, proxy.URL(), operation, body).Body)
		require.NoError(t, err)
		return string(text), last(t, proxy.Ledger()).Emulated
	}
	must := func(emulated bool, word string) {
		t.Helper()
		if text, found := ask("DescribeTimeToLive", `{"TableName":"t"}`); found != emulated || !strings.Contains(text, word) {
			t.Errorf("expected %s, emulated %t, found %s, %t", word, emulated, text, found)
		}
	}
	ask("CreateTable", `{"TableName":"t"}`)
	must(false, "DISABLED")
	const enable = `{"TableName":"t","TimeToLiveSpecification":{"AttributeName":"ttl","Enabled":true}}`
	if text, emulated := ask("UpdateTimeToLive", enable); !emulated || !strings.Contains(text, `"AttributeName":"ttl"`) {
		t.Errorf("expected the overlay to answer, found %s", text)
	}
	must(true, `"ENABLED"`)
	ask("DeleteTable", `{"TableName":"t"}`)
	ask("CreateTable", `{"TableName":"t"}`)
	must(false, "DISABLED")
}
