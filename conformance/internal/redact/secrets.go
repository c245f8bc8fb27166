package redact

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// secrets are what is replaced in every text. The evidence of all designs is some 15 MB long, and an expression takes seconds to search it: so
// one is asked only where one of its words stands, which of the folded ones are in lower case.
var secrets = []struct {
	words  []string
	folded bool
	found  *regexp.Regexp
	with   string
}{
	{words: []string{"AWS4-"}, found: regexp.MustCompile(`AWS4-[A-Z0-9-]+ Credential=[^"\\]*`), with: "[redacted]"},
	{ // A name of a secret, then its value, in a header, in JSON (also inside a JSON string), in an environment or on a command line.
		words: []string{
			"authorization", "x-amz-security-token", "aws_secret_access_key", "aws_session_token", "pulumi_config_passphrase",
			"secretaccess", "secret-access", "sessiontoken", "session-token",
		}, folded: true,
		found: regexp.MustCompile(`(?i)((?:x-amz-security-token|secret-?access-?key|session-?token|pulumi_config_passphrase)\\?["']?\s*[:= >]\s*\\?["']?|(?:authorization|aws_secret_access_key|aws_session_token)\\?["']?\s*[:=>]\s*\\?["']?)((?:(?:bearer|basic)\s+)?[^"'\\\s,}<]+)` +
			// A word behind a blank is one of prose, "authorization letters", but where it is long and has a figure.
			`|((?:authorization|aws_secret_access_key|aws_session_token)\\?["']?[ \t]+\\?["']?)((?:bearer|basic)\s+[^"'\\\s,}<]{8,}|[a-z/+=._~-]{0,60}[0-9][^"'\\\s,}<]{7,})`),
		with: "${1}${3}[redacted]",
	},
	{words: []string{"AKIA", "ASIA", "AROA", "AIDA", "AGPA", "ANPA"}, found: regexp.MustCompile(`\b(?:AKIA|ASIA|AROA|AIDA|AGPA|ANPA)[A-Z0-9]{12,24}\b(?::[A-Za-z0-9/+]{40,})?`), with: "[access key]"},
	// A user in a URL of any scheme, also one whose password holds what no URL may hold. What begins like a port is one.
	{words: []string{"@"}, found: regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)([^/@\s"':]+@|[^/@\s"':]*:(?:[0-9]*[^0-9/\s"'][^\s"']*|[0-9]+)@)`), with: "${1}[redacted]@"},
	{ // A variable of an environment whose name says that it is secret.
		words: []string{"PASS", "SECRET", "TOKEN", "_KEY="},
		found: regexp.MustCompile(`\b([A-Z0-9_]*(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_KEY|PRIVATE_KEY)[A-Z0-9_]*=)[^\s"'\\]+`), with: "${1}[redacted]",
	},
	{ // Tokens and keys that tell by themselves what they are: GitHub's, JSON Web Tokens, and keys in PEM, also without their beginning or their end. No
		// key goes on behind what ends the string in which it stands.
		words: []string{"ghp_", "gho_", "ghs_", "ghu_", "github_pat_", "eyJ", "PRIVATE KEY"},
		found: regexp.MustCompile(`\b(?:gh[opsu]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+)` +
			`|-----BEGIN [A-Z ]*PRIVATE KEY[A-Z ]*-----(?:[^"'<>{}]*?-----END [A-Z ]*PRIVATE KEY[A-Z ]*-----|(?:(?:\\+[nr]|\s)*[A-Za-z0-9+/=]{16,})*(?:\\+[nr]|\s)*[A-Za-z0-9+/]*={1,2}|(?:(?:\\+[nr]|\s)*[A-Za-z0-9+/=]{16,})*)` +
			`|(^|[^\\A-Za-z0-9+/=]|\\+[nr])(?:[A-Za-z0-9+/=]+(?:\\+[nr]|[\r\n])+)+-----END [A-Z ]*PRIVATE KEY[A-Z ]*-----`),
		with: "${1}[redacted]",
	},
}

// What commands print besides.
var (
	// What a name calls secret in whatever a command prints, in any notation, and tokens of other services.
	named = regexp.MustCompile(`(?i)((?:[a-z0-9_.-]*(?:password|passwd|passphrase|secret|token|credential|(?:api|private|access)[_-]?key)[a-z0-9_.-]*\\*["']?\s*(?:=>|[=:|])[\s\[]*|--[a-z0-9-]*(?:password|secret|token)[a-z0-9-]*[ \t]+))` +
		`(?:\\+"[^"\\]*\\+"|"(?:[^"\\]|\\.)*"|'[^'\n]*'|[^\s"',;}\]|]+)|(\b(?:bearer|basic)[ \t]+)[a-z0-9._~+/=-]{16,}|\b(?:pul-|glpat-|npm_|sk_live_|aiza|xox[a-z]-)[a-z0-9_-]{16,}`)
	// The line of an access key, and what in it is as long as a secret.
	keyLine = regexp.MustCompile(`.*\b(?:AKIA|ASIA)[A-Z0-9]{12,24}\b.*`)
	long    = regexp.MustCompile(`[A-Za-z0-9/+=]{40,}`)
	// What colours the words of a terminal, also within one.
	escape = regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]`)
)

// nobodysSecret is what a caller of an engine on this machine gives for one. It is copied from the terminal.
const nobodysSecret = "AWS_SECRET_ACCESS_KEY=dynaproof"

// Secrets replaces keys, signatures and other secrets.
func Secrets(text string) string {
	for _, secret := range secrets {
		in := text
		if secret.folded {
			in = strings.ToLower(text)
		}
		if slices.ContainsFunc(secret.words, func(word string) bool { return strings.Contains(in, word) }) {
			text = secret.found.ReplaceAllStringFunc(text, func(found string) string {
				if found == nobodysSecret {
					return found
				}
				return secret.found.ReplaceAllString(found, secret.with)
			})
		}
	}
	return text
}

// Output replaces secrets in what a command printed. It takes more for one than [Secrets], which must leave documents and items as they are:
// also the word behind "unexpected token: ", for nothing tells prose from the notation of some tool, and a word that is missing costs less
// than a token that is shown.
func Output(text string) string {
	text = keyLine.ReplaceAllStringFunc(Visible(escape.ReplaceAllString(text, "")), func(line string) string { return long.ReplaceAllString(line, "[redacted]") })
	return Secrets(named.ReplaceAllString(text, "${1}${2}[redacted]"))
}

// Visible drops the characters that a terminal, a page or a parser would obey instead of showing them: control characters
// other than line feed and tab, and those that change the direction of writing. A carriage return ends a line.
func Visible(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, text)
}
