package redact

import (
	"regexp"
	"slices"
	"strings"
)

var (
	accessKey = regexp.MustCompile(`^(?:AKIA|ASIA|AROA|AIDA|AGPA|ANPA)[A-Z0-9]{12,24}\b`)
	signature = regexp.MustCompile(`AWS4-[A-Z0-9-]+ Credential=[^"\\]*`)
	// A name of a secret, then its value, in a header, in JSON (also inside a
	// JSON string), in an environment or on a command line.
	secretValue = regexp.MustCompile(`(?i)^((?:authorization|x-amz-security-token|aws_secret_access_key|aws_session_token|secret-?access-?key|session-?token|pulumi_config_passphrase)\\?["']?\s*[:= >]\s*\\?["']?)((?:(?:bearer|basic)\s+)?[^"'\\\s,}<]+)`)
	// A user in a URL of any scheme, also one whose password holds what no URL may hold. What begins like a port is one.
	userInURL = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)([^/@\s"':]+@|[^/@\s"':]*:(?:[0-9]*[^0-9/\s"'][^\s"']*|[0-9]+)@)`)
	// A variable of an environment whose name says that it is secret.
	variable = regexp.MustCompile(`\b([A-Z0-9_]*(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_KEY|PRIVATE_KEY)[A-Z0-9_]*=)[^\s"'\\]+`)
	// Tokens and keys that tell by themselves what they are: GitHub's, JSON Web Tokens, and keys in PEM, also without their beginning.
	token = regexp.MustCompile(`\b(?:gh[opsu]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+)|-----BEGIN [A-Z ]*PRIVATE KEY[A-Z ]*-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY[A-Z ]*-----|$)|^[^-]*-----END [A-Z ]*PRIVATE KEY[A-Z ]*-----`)
	// What a name calls secret in whatever a command prints, in any notation, and tokens of other services.
	named = regexp.MustCompile(`(?i)((?:[a-z0-9_.-]*(?:password|passwd|passphrase|secret|token|credential|(?:api|private|access)[_-]?key)[a-z0-9_.-]*\\*["']?\s*(?:=>|[=:|])[\s\[]*|--[a-z0-9-]*(?:password|secret|token)[a-z0-9-]*[ \t]+))` +
		`(?:\\+"[^"\\]*\\+"|"(?:[^"\\]|\\.)*"|'[^'\n]*'|[^\s"',;}\]|]+)|(\b(?:bearer|basic)[ \t]+)[a-z0-9._~+/=-]{16,}|\b(?:pul-|glpat-|npm_|sk_live_|aiza|xox[a-z]-)[a-z0-9_-]{16,}`)
	// The line of an access key, and what in it is as long as a secret.
	keyLine = regexp.MustCompile(`.*\b(?:AKIA|ASIA)[A-Z0-9]{12,24}\b.*`)
	long    = regexp.MustCompile(`[A-Za-z0-9/+=]{40,}`)
	// What colours the words of a terminal, also within one.
	escape = regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]`)

	// What accessKey and secretValue begin with, the latter in lower case. The
	// evidence of all designs is some 15 MB long, and an expression without a
	// literal beginning takes seconds to search it.
	accessKeyStarts   = []string{"AKIA", "ASIA", "AROA", "AIDA", "AGPA", "ANPA"}
	secretValueStarts = []string{
		"authorization", "x-amz-security-token", "aws_secret_access_key", "aws_session_token", "pulumi_config_passphrase",
		"secretaccess", "secret-access", "sessiontoken", "session-token",
	}
)

// Secrets replaces keys, signatures and other secrets.
func Secrets(text string) string {
	if strings.Contains(text, "AWS4-") { // an expression copies a text also where it finds nothing
		text = signature.ReplaceAllString(text, "[redacted]")
	}
	text = replaceAt(text, starts(lower(text), secretValueStarts), secretValue, "${1}[redacted]")
	keys := slices.DeleteFunc(starts(text, accessKeyStarts), func(at int) bool { return at > 0 && isWord(text[at-1]) })
	text = replaceAt(text, keys, accessKey, "[access key]")
	if strings.Contains(text, "://") && strings.Contains(text, "@") {
		text = userInURL.ReplaceAllString(text, "${1}[redacted]@")
	}
	if slices.ContainsFunc([]string{"PASS", "SECRET", "TOKEN", "_KEY="}, func(word string) bool { return strings.Contains(text, word) }) {
		text = variable.ReplaceAllString(text, "${1}[redacted]")
	}
	if slices.ContainsFunc([]string{"ghp_", "gho_", "ghs_", "ghu_", "github_pat_", "eyJ", "PRIVATE KEY"}, func(word string) bool { return strings.Contains(text, word) }) {
		text = token.ReplaceAllString(text, "[redacted]")
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

// starts returns where any of the words stands in a text, sorted.
func starts(text string, words []string) []int {
	var found []int
	for _, word := range words {
		for at := 0; ; at += len(word) {
			next := strings.Index(text[at:], word)
			if next < 0 {
				break
			}
			at += next
			found = append(found, at)
		}
	}
	slices.Sort(found)
	return found
}

// replaceAt replaces what an anchored expression matches at the given places.
func replaceAt(text string, places []int, anchored *regexp.Regexp, template string) string {
	var replaced []byte
	done := 0
	for _, at := range places {
		if at < done {
			continue // within what was replaced
		}
		match := anchored.FindStringSubmatchIndex(text[at:])
		if match == nil {
			continue
		}
		replaced = append(replaced, text[done:at]...)
		replaced = anchored.ExpandString(replaced, template, text[at:], match)
		done = at + match[1]
	}
	if done == 0 {
		return text
	}
	return string(append(replaced, text[done:]...))
}

// lower puts the letters of ASCII in lower case and leaves every byte where it is.
func lower(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= 'A' && r <= 'Z' }) {
		return text
	}
	bytes := []byte(text)
	for i, b := range bytes {
		if b >= 'A' && b <= 'Z' {
			bytes[i] = b + 'a' - 'A'
		}
	}
	return string(bytes)
}

// isWord reports whether a byte is a letter, a digit or an underscore, which the
// expression \b takes for part of a word.
func isWord(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
