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
		{"users in URLs", "ftp://user:pw@h/x http://u@h https://:pw@h http://user:p/w@127.0.0.1:8000 http://user:12@h", "ftp://[redacted]@h/x http://[redacted]@h https://[redacted]@h http://[redacted]@127.0.0.1:8000 http://[redacted]@h"},
		{"no users in URLs", "http://127.0.0.1:8000/a@b https://h/x@v1 http://h:80 a@b", "http://127.0.0.1:8000/a@b https://h/x@v1 http://h:80 a@b"},
		{"variables", "DB_PASSWORD=x GITHUB_TOKEN=y export API_KEY=z TOKENS = 3 SET token = :t", "DB_PASSWORD=[redacted] GITHUB_TOKEN=[redacted] export API_KEY=[redacted] TOKENS = 3 SET token = :t"},
		{"XML", "<SecretAccessKey>abc/d+e</SecretAccessKey>", "<SecretAccessKey>[redacted]</SecretAccessKey>"},
		{"tokens", "ghp_0123456789abcdefghij eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM.c2ln eyJrIjoxfQ", "[redacted] [redacted] eyJrIjoxfQ"},
		{"a key in PEM", "a -----BEGIN EC PRIVATE KEY-----\nabc\n-----END EC PRIVATE KEY----- b", "a [redacted] b"},
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
