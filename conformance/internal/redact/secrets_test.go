package redact

import (
	"strings"
	"testing"
)

// The expressions that are anchored are tried where their words stand, and nowhere
// else.
func TestRedactWhereSecretsStand(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"nothing", "a table", "a table"},
		{"two in one line", "AUTHORIZATION: Basic abc, SecretAccessKey=def;", "AUTHORIZATION: [redacted], SecretAccessKey=[redacted]"},
		{"a name without a value", `"sessionToken"`, `"sessionToken"`},
		{"a name with a hyphen", "secret-access-key abc", "secret-access-key [redacted]"},
		{"half a name", "secret-accessory: abc", "secret-accessory: abc"},
		{"behind letters that lower case makes longer", "İİ Session_Token: x Session-Token: abc", "İİ Session_Token: x Session-Token: [redacted]"},
		{"a key", "AKIAIOSFODNN7EXAMPLE", "[access key]"},
		{"two keys", "AKIAIOSFODNN7EXAMPLE,ASIAIOSFODNN7EXAMPLE", "[access key],[access key]"},
		{"a key within a word", "xAKIAIOSFODNN7EXAMPLE", "xAKIAIOSFODNN7EXAMPLE"},
		{"a key behind a letter of two bytes", "éAKIAIOSFODNN7EXAMPLE", "é[access key]"},
		{"a word that begins like a key", "AKIA and ASIAN", "AKIA and ASIAN"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := Secrets(row.text); got != row.want {
				t.Errorf("expected %q, found %q", row.want, got)
			}
		})
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
