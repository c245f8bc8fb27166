package redact

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
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
		{"a key in PEM without its beginning", "MIIEow+/=\nabc\n-----END RSA PRIVATE KEY-----\nb", "[redacted]\nb"},
		{"a key of PGP", "-----BEGIN PGP PRIVATE KEY BLOCK-----\nabc\n-----END PGP PRIVATE KEY BLOCK-----", "[redacted]"},
		{"a word that begins like a key", "AKIA and ASIAN", "AKIA and ASIAN"},
	} {
		t.Run(row.name, func(t *testing.T) {
			assert.Equal(t, row.want, Secrets(row.text))
		})
	}
}

// What a command prints names its secrets in notations of its own.
func TestOutputOfCommands(t *testing.T) {
	const secret, token = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "IQoJb3JpZ2luX2VjEMv//////////wEaCXVzLWVhc3QtMSJHMEUC"
	for text, want := range map[string]string{
		"CREDENTIALS\tASIAIOSFODNN7EXAMPLE\t2026-01-01\t" + secret + "\t" + token:            "CREDENTIALS\t[access key]\t2026-01-01\t[redacted]\t[redacted]",
		"Access key ID,Secret access key\nAKIAIOSFODNN7EXAMPLE," + secret:                    "Access key ID,Secret access key\n[access key],[redacted]",
		"|  SecretAccessKey|  " + secret + "  |":                                             "|  SecretAccessKey|  [redacted]  |",
		`"secret_access_key" => "a b"`:                                                       `"secret_access_key" => [redacted]`,
		`{\"SecretAccessKey\":\"a\"}`:                                                        `{\"SecretAccessKey\":[redacted]}`,
		`{"db_password":"a\"b","x":1}`:                                                       `{"db_password":[redacted],"x":1}`,
		"db_password = 'a b'; password: c":                                                   "db_password = [redacted]; password: [redacted]",
		"tool --db-password a --x":                                                           "tool --db-password [redacted] --x",
		`{"Authorization": ["Bearer 0123456789abcdef0123"]}`:                                 `{"Authorization": [redacted]"Bearer [redacted]"]}`,
		"Bearer 0123456789abcdef0123 basic dXNlcjpwYXNzd29yZA==":                             "Bearer [redacted] basic [redacted]",
		"pul-0123456789abcdef0123456789abcdef01234567 glpat-abcdefghijklmnopqrst":            "[redacted] [redacted]",
		"\x1b[31mAWS_SECRET_ACCESS_KEY\x1b[0m=\x1b[1mabc\x1b[0m AKIA\x1b[0mIOSFODNN7EXAMPLE": "AWS_SECRET_ACCESS_KEY=[redacted] [access key]",
		"line 3: unexpected token: identifier, expected ')'":                                 "line 3: unexpected token: [redacted], expected ')'",
		"AWS_SECRET_ACCESS_KEY=abc":                                                          "AWS_SECRET_ACCESS_KEY=[redacted]",
		"Error: creating DynamoDB Table (tokens): basic validation failed, 2 of 3":           "Error: creating DynamoDB Table (tokens): basic validation failed, 2 of 3",
		"sha256:be909b7910d3fb552e85db10ef3c8ebae4bd35fee0f26dffdb6dfa5cc656426e":            "sha256:be909b7910d3fb552e85db10ef3c8ebae4bd35fee0f26dffdb6dfa5cc656426e",
	} {
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
