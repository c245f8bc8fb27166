package redact

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns/tabletest"
)

// The expressions that are anchored are tried where their words stand, and nowhere
// else.
func TestRedactWhereSecretsStand(t *testing.T) {
	for _, row := range tabletest.Read[[]struct{ Name, Text, Want string }](t, "secrets.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			assert.Equal(t, row.Want, Secrets(row.Text))
		})
	}
}

// What a command prints names its secrets in notations of its own.
func TestOutputOfCommands(t *testing.T) {
	for text, want := range tabletest.Read[map[string]string](t, "outputs.yaml") {
		got := Output(text)
		assert.Equal(t, want, got, "%q", text)
		if again := Secrets(got); again != got {
			t.Errorf("expected what is redacted to stay %q, found %q", got, again)
		}
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
