//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A password in an address is never printed, wherever the address comes from and whatever is wrong with it.
func TestPasswordsInAddressesAreNotPrinted(t *testing.T) {
	t.Parallel()
	const password = "hunter2"
	for _, address := range []string{
		"http://user:" + password + "@127.0.0.1:8000", "ftp://user:" + password + "@127.0.0.1", "user:" + password + "@127.0.0.1:8000",
		"http://user:" + password + "@[::1", "http://user:a/" + password + "@127.0.0.1:8000", "http://user:a " + password + "@127.0.0.1", "//user:" + password + "@127.0.0.1",
		"http://127.0.0.1:8000/?token=" + password, "http://127.0.0.1:8000#" + password, "http://127.0.0.1:8000;token=" + password,
	} {
		list := filepath.Join(t.TempDir(), "list.yaml")
		require.NoError(t, os.WriteFile(list, []byte("environments:\n  - {stack: roll-model.dev, endpoint: '"+address+"'}\n"), 0o600))
		variable := "AWS_ENDPOINT_URL_DYNAMODB=" + address
		for _, c := range []*child{
			prepare(t, nil, "verify", "roll-model", "--endpoint", address),
			prepare(t, nil, "audit", "roll-model", "--endpoint", address, "--unredacted"),
			prepare(t, nil, "deploy", "roll-model", "--endpoint", address),
			prepare(t, nil, "cleanup", "roll-model", "--endpoint", address),
			prepare(t, nil, "audit", "--environments", list),
			prepare(t, []string{variable, "AWS_ACCESS_KEY_ID=x", "AWS_SECRET_ACCESS_KEY=x", "AWS_REGION=eu-west-1"}, "audit", "roll-model", "--target", "aws"),
		} {
			c.starts(t)
			code := c.ends(t)
			if text := c.stdout.String() + c.stderr.String(); code != 2 || strings.Contains(text, password) || !strings.Contains(text, "user name in it") {
				t.Errorf("%s: expected exit code 2 and no password, found %d and %s", strings.Join(c.Args[1:], " "), code, text)
			}
		}
	}
}

// What help shows is taken as it is shown.
func TestTheExampleOfAListIsTaken(t *testing.T) {
	t.Parallel()
	help := run(t, "", 0, "audit", "-h").stdout.String()
	says(t, "the help", help, "role: 'arn:aws:iam::000000000000:role/audit'")
	lacks(t, "the help", help, "[account]", "[role]")
	_, list, _ := strings.Cut(help, "\n  environments:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	path := filepath.Join(t.TempDir(), "list.yaml")
	require.NoError(t, os.WriteFile(path, []byte("environments:\n"+list+"\n"), 0o600))
	c := prepare(t, []string{"AWS_EC2_METADATA_DISABLED=true", "AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null"}, "audit", "--environments", path)
	c.starts(t)
	c.ends(t) // without credentials nothing is audited
	lacks(t, "the audit", c.stdout.String()+c.stderr.String(), "mistake", "expected the ARN")
	require.NoError(t, os.WriteFile(path, []byte("environments:\n  - {stack: roll-model.dev, region: eu-west-1, role: audit-role}\n"), 0o600))
	c = run(t, "", 2, "audit", "--environments", path)
	says(t, "the refusal", c.stderr.String(), "the list has 1 mistake", `such as arn:aws:iam::000000000000:role/audit, found "audit-role"`)
}
