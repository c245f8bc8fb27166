package redact

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
)

func TestText(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name       string
		Names      Names
		Text, Want string
	}](t, "names.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			r := New(row.Names)
			got := r.Text(row.Text)
			assert.Equal(t, row.Want, got)
			assert.Equal(t, got, r.Text(got), "expected what is redacted to stay %q", got)
			r.Keep()
			assert.Equal(t, Secrets(row.Text), r.Text(row.Text), "expected every name when it is asked for")
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
	replaced := func(text string) string { return strings.ReplaceAll(text, "secret", "-") }
	after := Copy(before, replaced)
	want := &outer{"secret", now, []string{"-"}, map[string]string{"secret": "-"}, json.RawMessage(`{"a":"-"}`), &inner{"-"}, []any{"-", 1.5}, "secret"}
	assert.Empty(t, cmp.Diff(want, after, cmp.AllowUnexported(outer{})), "copy (-want +got)")
	assert.Equal(t, []string{"secret", "secret", `{"a":"secret"}`}, []string{before.Inside.Found, before.Texts[0], string(before.Body)}, "expected the original to stay")
	broken := Copy(outer{Body: json.RawMessage(`{"secret"}`)}, replaced)
	assert.Equal(t, `"[redacted]"`, string(broken.Body), "expected no half of a body")
}

func TestWriter(t *testing.T) {
	var out strings.Builder
	w := New(Names{}).Writer(&out)
	for _, part := range []string{"as arn:aws:sts::1234", "56789012:assumed-role/R/s\nand ", "arn:aws:iam::123456789012:user/x"} {
		n, err := w.Write([]byte(part))
		require.NoError(t, err)
		require.Len(t, part, n)
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
	assert.Equal(t, "a[31mbcde\tf\ng é", Visible("a\x1b[31m\x07b\u202ec\u2066d\u0085e\tf\ng é"))
}

// The expressions that are anchored are tried where their words stand, and nowhere
// else. A secret in a string of JSON takes nothing with it that stands behind the string.
func TestRedactWhereSecretsStand(t *testing.T) {
	for _, row := range tabletest.Read[[]struct{ Name, Text, Want string }](t, "secrets.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			assert.Equal(t, row.Want, Secrets(row.Text))
			text, err := json.Marshal([]string{"ahead", row.Text, "behind"})
			require.NoError(t, err)
			var all []string
			redacted := Secrets(string(text))
			require.NoError(t, json.Unmarshal([]byte(redacted), &all), redacted)
			assert.Equal(t, []string{"ahead", "behind"}, []string{all[0], all[len(all)-1]}, redacted)
		})
	}
}

// What a command prints names its secrets in notations of its own.
func TestOutputOfCommands(t *testing.T) {
	for text, want := range tabletest.Read[map[string]string](t, "outputs.yaml") {
		got := Output(text)
		assert.Equal(t, want, got, "%q", text)
		assert.Equal(t, got, Secrets(got), "expected what is redacted to stay %q", got)
	}
}

// The text of a run is some 15 MB long.
func BenchmarkRedact(b *testing.B) {
	text := strings.Repeat(`{"operation":"Query","request":{"TableName":"T","Key":{"PK":{"S":"USER#1"}}},"arn":"arn:aws:dynamodb:eu-west-1:000000000000:table/T"}`, 10_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		New(Names{}).Text(Secrets(text))
	}
}
