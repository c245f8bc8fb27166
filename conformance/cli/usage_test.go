//go:build unix

package cli_test

import (
	"errors"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/cli"
	"dynaproof/conformance/evidence"
)

// full is an output that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// What a command printed and nobody got decides nothing: the exit code is 3 of every command, also of those that the framework answers itself.
func TestAFullOutputIsNoUsage(t *testing.T) {
	for _, line := range []string{"--version", "--help", "check --help", "completion bash", "schema", "claims fus-main"} {
		var problems strings.Builder
		if code := cli.Run(full{}, &problems, strings.Fields(line)...); code != int(evidence.CouldNotTell) || !strings.Contains(problems.String(), "no space left") {
			t.Errorf("%s: expected exit code 3 and the reason, found %d and %q", line, code, problems.String())
		}
	}
}

// nobody is an address that answers nothing. Where it is never reached, the mistake is found before.
const nobody = "http://127.0.0.1:1"

// Wrong usage is one line that says what to do, exit code 2, and nothing done.
func TestWrongUsage(t *testing.T) {
	for _, entry := range awsEnvironment(nobody, "us-east-1") { // an account of whoever runs the tests is no part of them
		name, value, _ := strings.Cut(entry, "=")
		t.Setenv(name, value)
	}
	older := filepath.Join(olderEvidence(t), "evidence.json.gz")
	given := strings.NewReplacer("<run>", older, "<nobody>", nobody, "<example>", example)
	for _, row := range tabletest.Read[[]struct {
		Name        string
		Args, Words []string
	}](t, "usage.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			for _, texts := range [][]string{row.Args, row.Words} {
				for i, text := range texts {
					texts[i] = given.Replace(text)
				}
			}
			c := run(t, "", 2, row.Args...)
			c.oneError(t, row.Words...)
			assert.Empty(t, files(t, c.Dir), "the working folder")
		})
	}
}

func TestPortTaken(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	port := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	run(t, "", 2, "serve", "fus-main", "--port", port).oneError(t, "port "+port, "another program", "choose another port")
}

func TestEndpointIsNone(t *testing.T) {
	saying := func(status int, body string) string {
		return front(t, nobody, func(*asked) *httptest.ResponseRecorder { return answering(status, body) })
	}
	for _, row := range []struct {
		name, url string
		words     []string
	}{
		{"nobody listens", nobody, []string{"connection refused", "start the engine"}},
		{"a web page", saying(200, "<html>hello</html>"), []string{"as DynamoDB does", "check that the port"}},
		{"a web server that knows no such page", saying(404, "not found"), []string{"as DynamoDB does"}},
	} {
		for _, command := range []string{"verify", "audit", "deploy"} {
			t.Run(row.name+", "+command, func(t *testing.T) {
				words := []string{row.url}
				if command != "deploy" {
					words = append(words, row.words...)
				}
				run(t, "", 3, command, "fus-main", "--endpoint", row.url).oneError(t, words...)
			})
		}
	}
}

// `make build` notes the commit also where the user's own settings of Go turn that off.
func TestMakeNotesTheCommit(t *testing.T) {
	text, err := exec.Command("make", "-n", "-C", checkout, "build").CombinedOutput()
	require.NoError(t, err, "%s", text)
	assert.Contains(t, string(text), "go build -buildvcs=auto ")
}

// A binary that stands somewhere works without the checkout: everything that it needs is embedded.
func TestInstalledBinaryWorksOutsideTheRepository(t *testing.T) {
	t.Parallel()
	require.False(t, strings.HasPrefix(binary, checkout+string(filepath.Separator)), "expected the command outside of the checkout, found %s", binary)
	installed := func(args ...string) string {
		c := prepare(t, nil, args...)
		c.apart(t, 0)
		return c.stdout.String()
	}
	text := installed("--version")
	assert.True(t, strings.HasPrefix(text, "dynaproof version "), "expected the version of the source and that of Go, found %q", text)
	assert.Contains(t, text, " go1.")
	says(t, "summary", installed("verify", "roll-model", "--label-filter", "id:roll-model.pattern.list-own-entries"), "PASS")
}

// A password in an address is never printed, wherever the address comes from and whatever is wrong with it.
func TestPasswordsInAddressesAreNotPrinted(t *testing.T) {
	const password = "hunter2"
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_REGION": "eu-west-1"} {
		t.Setenv(name, value)
	}
	for _, address := range []string{
		"http://user:" + password + "@127.0.0.1:8000", "ftp://user:" + password + "@127.0.0.1", "user:" + password + "@127.0.0.1:8000",
		"http://user:" + password + "@[::1", "http://user:a/" + password + "@127.0.0.1:8000", "http://user:a " + password + "@127.0.0.1", "//user:" + password + "@127.0.0.1",
		"http://127.0.0.1:8000/?token=" + password, "http://127.0.0.1:8000#" + password, "http://127.0.0.1:8000;token=" + password,
	} {
		list := filepath.Join(t.TempDir(), "list.yaml")
		require.NoError(t, os.WriteFile(list, []byte("environments:\n  - {stack: roll-model.dev, endpoint: '"+address+"'}\n"), 0o600))
		t.Setenv("AWS_ENDPOINT_URL_DYNAMODB", address)
		for _, args := range [][]string{
			{"verify", "roll-model", "--endpoint", address}, {"audit", "roll-model", "--endpoint", address, "--unredacted"}, {"deploy", "roll-model", "--endpoint", address},
			{"cleanup", "roll-model", "--endpoint", address}, {"audit", "--environments", list}, {"audit", "roll-model", "--target", "aws"},
		} {
			c := run(t, "", 2, args...)
			lacks(t, strings.Join(args, " "), c.stdout.String()+c.stderr.String(), password)
			says(t, strings.Join(args, " "), c.stderr.String(), "user name in it")
		}
	}
}

// What help shows is taken as it is shown.
func TestTheExampleOfAListIsTaken(t *testing.T) {
	help := run(t, "", 0, "audit", "-h").stdout.String()
	says(t, "the help", help, "role: 'arn:aws:iam::000000000000:role/audit'")
	lacks(t, "the help", help, "[account]", "[role]")
	_, list, _ := strings.Cut(help, "\n  environments:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	path := filepath.Join(t.TempDir(), "list.yaml")
	require.NoError(t, os.WriteFile(path, []byte("environments:\n"+list+"\n"), 0o600))
	c := prepare(t, []string{"AWS_EC2_METADATA_DISABLED=true", "AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null"}, "audit", "--environments", path)
	c.code(t) // without credentials nothing is audited
	lacks(t, "the audit", c.stdout.String()+c.stderr.String(), "mistake", "expected the ARN")
	require.NoError(t, os.WriteFile(path, []byte("environments:\n  - {stack: roll-model.dev, region: eu-west-1, role: audit-role}\n"), 0o600))
	run(t, "", 2, "audit", "--environments", path).complains(t, "the list has 1 mistake", `such as arn:aws:iam::000000000000:role/audit, found "audit-role"`)
}
