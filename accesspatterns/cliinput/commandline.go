package cliinput

import (
	"regexp"
	"strings"

	"al.essio.dev/pkg/shellescape"
)

var capital = regexp.MustCompile(`([a-z])([A-Z])`)

// CommandLine is a line of the AWS CLI for a POSIX shell: an operation of DynamoDB's with further words, quoted where a shell needs it. Endpoint
// and credentials come from the environment, and the region too where none is given.
func CommandLine(operation, region string, words ...string) string {
	line := []string{"aws", "dynamodb", CLIName(operation)}
	if region != "" {
		line = append(line, "--region", region)
	}
	return shellescape.QuoteCommand(append(line, words...))
}

// CLIName is the AWS CLI's name of an operation or of a member of its input: "transact-write-items".
func CLIName(name string) string {
	return strings.ToLower(capital.ReplaceAllString(name, "$1-$2"))
}
