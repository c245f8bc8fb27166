package redact

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const jane = "arn:aws:sts::123456789012:assumed-role/ProdAdmin/jane.doe@corp.example"

func TestText(t *testing.T) {
	caller := Names{Account: "123456789012", Caller: jane}
	beside := Names{Account: "123456789012", Caller: jane, Tables: []string{"osem-prod-Users"}, Strangers: []string{"payroll"}}
	for _, row := range []struct {
		name       string
		names      Names
		text, want string
	}{
		{"a session", Names{}, "User: " + jane + " is not authorized", "User: arn:aws:sts::[account]:assumed-role/[role]/[session] is not authorized"},
		{"a session of GovCloud", Names{}, "arn:aws-us-gov:sts::123456789012:assumed-role/R/s", "arn:aws-us-gov:sts::[account]:assumed-role/[role]/[session]"},
		{"a user on a path", Names{}, `"arn:aws:iam::123456789012:user/team/jane"`, `"arn:aws:iam::[account]:user/[user]"`},
		{"a role", Names{}, "arn:aws:iam::123456789012:role/aws-service-role/x/Y;", "arn:aws:iam::[account]:role/[role];"},
		{"a role in a sentence", Names{}, "such as arn:aws:iam::123456789012:role/audit, or arn:aws:iam::123456789012:role/a,b.c. Next", "such as arn:aws:iam::[account]:role/[role], or arn:aws:iam::[account]:role/[role]. Next"},
		{"the root of an account", Names{}, "arn:aws:iam::123456789012:root", "arn:aws:iam::[account]:root"},
		{"a table", Names{}, "arn:aws:dynamodb:eu-west-1:123456789012:table/T", "arn:aws:dynamodb:eu-west-1:[account]:table/T"},
		{"an engine's own", Names{}, "arn:aws:iam::000000000000:role/admin arn:aws:dynamodb:x:000000000000:table/T", "arn:aws:iam::000000000000:role/admin arn:aws:dynamodb:x:000000000000:table/T"},
		{"an account that stands alone", caller, "aws-123456789012-eu-west-1 123456789012", "aws-[account]-eu-west-1 [account]"},
		{"a longer number", caller, "1234567890123", "1234567890123"},
		{"a role and a session that stand alone", caller, "ProdAdmin (jane.doe@corp.example), not ProdAdministrator", "[role] ([session]), not ProdAdministrator"},
		{"the same name twice", caller, "ProdAdmin ProdAdmin", "[role] [role]"},
		{"a plain word", Names{Caller: "arn:aws:iam::123456789012:user/admin"}, "the role admin", "the role admin"},
		{"a mail address", Names{}, "ask bob+x@corp.co.uk, or alice@example.com", "ask [mail address], or alice@example.com"},
		{"two mail addresses", Names{}, "a@b.cc,c@d.ee", "[mail address],[mail address]"},
		{"a module", Names{}, "npm @dynoxide/linux@1.2.1 x@v1.2.3", "npm @dynoxide/linux@1.2.1 x@v1.2.3"},
		{"a table of others", beside, "arn:aws:dynamodb:eu-west-1:123456789012:table/salaries/index/x", "arn:aws:dynamodb:eu-west-1:[account]:table/[table]/index/x"},
		{"an own table", beside, "arn:aws:dynamodb:eu-west-1:123456789012:table/osem-prod-Users", "arn:aws:dynamodb:eu-west-1:[account]:table/osem-prod-Users"},
		{"a list of tables", beside, `{"TableNames": ["osem-prod-Users", "payroll"]}`, `{"TableNames": ["osem-prod-Users", "[table]"]}`},
		{"a table of others in a sentence", beside, "found table payroll.", "found table [table]."},
		{"part of another word", beside, "payroll-2 mypayroll", "payroll-2 mypayroll"},
		{"a list of tables on an engine of the run's own", Names{}, `{"TableNames":["a"]}`, `{"TableNames":["a"]}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := New(row.names)
			got := r.Text(row.text)
			assert.Equal(t, row.want, got)
			if again := r.Text(got); again != got {
				t.Errorf("expected what is redacted to stay %q, found %q", got, again)
			}
			if r.Keep(); r.Text(row.text) != row.text {
				t.Errorf("expected every name when it is asked for, found %q", r.Text(row.text))
			}
		})
	}
}

func TestCopy(t *testing.T) {
	type inner struct{ Found string }
	type outer struct {
		ID     string
		At     time.Time
		Texts  []string
		ByName map[string]string
		Body   json.RawMessage
		Inside *inner
		Any    any
		hidden string
	}
	now := time.Now()
	before := &outer{"secret", now, []string{"secret"}, map[string]string{"secret": "secret"}, json.RawMessage(`{"a":"secret"}`), &inner{"secret"}, []any{"secret", 1.5}, "secret"}
	after := Copy(before, func(text string) string { return strings.ReplaceAll(text, "secret", "-") })
	want := &outer{"secret", now, []string{"-"}, map[string]string{"secret": "-"}, json.RawMessage(`{"a":"-"}`), &inner{"-"}, []any{"-", 1.5}, "secret"}
	assert.Empty(t, cmp.Diff(want, after, cmp.AllowUnexported(outer{})), "copy (-want +got)")
	if before.Inside.Found != "secret" || before.Texts[0] != "secret" || string(before.Body) != `{"a":"secret"}` {
		t.Errorf("expected the original to stay, found %+v", before)
	}
	broken := Copy(outer{Body: json.RawMessage(`{"secret"}`)}, func(text string) string { return strings.ReplaceAll(text, "secret", "-") })
	assert.Equal(t, `"[redacted]"`, string(broken.Body), "expected no half of a body")
}

func TestWriter(t *testing.T) {
	var out strings.Builder
	w := New(Names{}).Writer(&out)
	for _, part := range []string{"as arn:aws:sts::1234", "56789012:assumed-role/R/s\nand ", "arn:aws:iam::123456789012:user/x"} {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatalf("expected %d bytes to be taken, found %d, %v", len(part), n, err)
		}
	}
	require.NoError(t, w.Flush())
	assert.Equal(t, "as arn:aws:sts::[account]:assumed-role/[role]/[session]\nand arn:aws:iam::[account]:user/[user]", out.String())
}

// What a terminal would obey reaches none, but for a line that is written over.
func TestWriterShowsNoControlCharacters(t *testing.T) {
	var out strings.Builder
	w := New(Names{}).Writer(&out)
	for _, text := range []string{"a title\x1b[2J\u202e\x07\n", ClearLine + "deploying\x1b]0;x\x07", "a\x1b[1A"} {
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, w.Flush())
	}
	assert.Equal(t, "a title[2J\n"+ClearLine+"deploying]0;xa[1A", out.String())
}

func TestVisible(t *testing.T) {
	if got, want := Visible("a\x1b[31m\x07b\u202ec\u2066d\u0085e\tf\ng é"), "a[31mbcde\tf\ng é"; got != want {
		t.Errorf("expected %q, found %q", want, got)
	}
}
