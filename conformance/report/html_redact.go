package report

import (
	"encoding/json"
	"regexp"

	"dynaproof/conformance/evidence"
)

// The engine's own account id names nobody.
const nobodysAccount = "000000000000"

var (
	accountInARN = regexp.MustCompile(`(arn:aws[a-z-]*:[^:"\s]*:[^:"\s]*:)(\d{12})\b`)
	accessKey    = regexp.MustCompile(`\b(?:AKIA|ASIA|AROA|AIDA|AGPA|ANPA)[A-Z0-9]{12,24}\b`)
	signature    = regexp.MustCompile(`AWS4-[A-Z0-9-]+ Credential=[^"\\]*`)
	// A name of a secret, then its value, in a header, in JSON (also inside a
	// JSON string), in an environment or on a command line.
	secretValue = regexp.MustCompile(`(?i)((?:authorization|x-amz-security-token|aws_secret_access_key|aws_session_token|secret-?access-?key|session-?token|pulumi_config_passphrase)\\?["']?\s*[:= ]\s*\\?["']?)((?:(?:bearer|basic)\s+)?[^"'\\\s,}]+)`)
	userInURL   = regexp.MustCompile(`(https?://)[^/@\s"]+@`)
)

// redact replaces account ids and secrets.
func redact(text string) string {
	text = accountInARN.ReplaceAllStringFunc(text, func(arn string) string {
		parts := accountInARN.FindStringSubmatch(arn)
		if parts[2] == nobodysAccount {
			return arn
		}
		return parts[1] + "[account]"
	})
	text = signature.ReplaceAllString(text, "[redacted]")
	text = secretValue.ReplaceAllString(text, "${1}[redacted]")
	text = accessKey.ReplaceAllString(text, "[access key]")
	return userInURL.ReplaceAllString(text, "${1}[redacted]@")
}

// redacted returns a copy of the evidence without account ids and secrets.
func redacted(run *evidence.Run) (*evidence.Run, error) {
	text, err := json.Marshal(run)
	if err != nil {
		return nil, err
	}
	var clean evidence.Run
	if err := json.Unmarshal([]byte(redact(string(text))), &clean); err != nil {
		return nil, err
	}
	return &clean, nil
}
