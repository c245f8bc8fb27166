package wire

import (
	"io"
	"strings"
	"testing"
)

// switchTTL asks the overlay to change the setting of a table and returns its refusal, or "".
func switchTTL(l *timeToLive, table tableKey, attribute, enabled string) string {
	_, problem := l.update(table, []byte(`{"TimeToLiveSpecification":{"AttributeName":"`+attribute+`","Enabled":`+enabled+`}}`))
	return problem
}

func TestTimeToLiveIsSwitchedAsOnAWS(t *testing.T) {
	ttl, table := &timeToLive{}, tableKey{testRegion, "t"}
	must := func(status, attribute string) {
		t.Helper()
		found := ttl.describe(table).TimeToLiveDescription
		if found.TimeToLiveStatus != status || found.AttributeName != attribute {
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
		problem := switchTTL(ttl, table, step.attribute, step.enabled)
		if (problem == "") != (step.problem == "") || !strings.Contains(problem, step.problem) {
			t.Errorf("%+v: found %q", step, problem)
		}
		must(step.status, step.by)
	}
	switchTTL(ttl, table, "expiresAt", "true")
	ttl.forget(table)
	must("DISABLED", "")
}

func TestTimeToLiveRefusesIncompleteRequests(t *testing.T) {
	for body, word := range map[string]string{
		`{}`: "timeToLiveSpecification'",
		`{"TimeToLiveSpecification":{"Enabled":true}}`:                      "attributeName",
		`{"TimeToLiveSpecification":{"AttributeName":"","Enabled":true}}`:   "attributeName",
		`{"TimeToLiveSpecification":{"AttributeName":"a"}}`:                 "enabled",
		`{"TimeToLiveSpecification":{"AttributeName":"a","Enabled":"yes"}}`: "bool",
	} {
		if _, problem := new(timeToLive).update(tableKey{}, []byte(body)); !strings.Contains(problem, word) {
			t.Errorf("%s: expected %q in the refusal, found %q", body, word, problem)
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
		if err != nil {
			t.Fatal(err)
		}
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
