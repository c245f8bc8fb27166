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

	"dynaproof/conformance/cli"
	"dynaproof/conformance/evidence"
)

func TestHelp(t *testing.T) {
	for _, command := range []string{"", "verify", "audit", "serve", "deploy", "preview", "refresh", "destroy", "engine", "explain", "claims", "documents", "review", "report"} {
		args := []string{"-h"}
		words := []string{"Usage:", "dynaproof " + command, "-h, --help"}
		if command != "" {
			args = []string{command, "-h"}
		} else {
			words = append(words, "Prove a deployment:\n", "Your own design:\n", "Deploy on an engine on this machine, and clean up:\n", "Test the tests:\n", "Exit codes: 0 conforms; 1 does not conform; 2 wrong usage", "osem-ladders")
		}
		help := run(t, "", 0, args...)
		says(t, command+" -h", help.stdout.String(), words...)
		assert.Empty(t, help.stderr.String(), "%s -h: the error output", command)
	}
}

// Completion goes through the same hidden command for every shell.
func TestCompletion(t *testing.T) {
	for _, row := range []struct {
		args        []string
		words, none []string
	}{
		{[]string{"explain", "roll-model/pattern/list-own"}, []string{"roll-model/pattern/list-own-entries\t"}, []string{"get-"}},
		{[]string{"explain", "fus-main/finding/"}, []string{"fus-main/finding/"}, []string{"osem-ladders/"}},
		{[]string{"explain", "fus-main/pattern/get-site", ""}, nil, []string{"fus-main/"}},
		{[]string{"claims", "--kind", ""}, []string{"pattern\n", "guardrail\n"}, nil},
		{[]string{"claims", "--verdict", ""}, []string{"unsupported\n", "unchecked\n"}, nil},
		{[]string{"claims", "--sort", ""}, []string{"manifest\n", "grade\n"}, nil},
		{[]string{"report", "--format", ""}, []string{"sarif\n", "junit\n", "html\n"}, nil},
		{[]string{"report", ""}, []string{"json\n"}, nil},
	} {
		c := run(t, "", 0, append([]string{"__complete"}, row.args...)...)
		says(t, strings.Join(row.args, " "), c.stdout.String(), row.words...)
		lacks(t, strings.Join(row.args, " "), c.stdout.String(), row.none...)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		says(t, shell, run(t, "", 0, "completion", shell).stdout.String(), "__complete", "dynaproof")
	}
}

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
	deploy := func(args ...string) []string {
		return append([]string{"verify", "fus-main", "--deploy", "true"}, args...)
	}
	existing := func(args ...string) []string {
		return append([]string{"verify", "--existing", "--env", "dev", "--confirm", "dev"}, args...)
	}
	nothing := func(flag string) []string { return []string{"claims", flag, "nothing"} }
	for _, row := range []struct {
		name  string
		args  []string
		words []string
	}{
		{"unknown command", []string{"prove"}, []string{`unknown command "prove"`}},
		{"no document to review", []string{"review"}, []string{"expected FILE", "found 0"}},
		{"document that is not there", []string{"review", "nowhere.md"}, []string{"nowhere.md"}},
		{"folder to review", []string{"review", "/"}, []string{"expected a file, found a folder"}},
		{"program to review", []string{"review", "/bin/true"}, []string{"/bin/true", "expected text, found a zero byte"}},
		{"unknown flag", []string{"verify", "--fast"}, []string{"verify: unknown flag: --fast", "`dynaproof verify --help`"}},
		{"mistyped flag", []string{"verify", "--endpont", nobody}, []string{"did you mean --endpoint?"}},
		{"mistyped flag of all commands", []string{"claims", "--time-out", "1m"}, []string{"did you mean --timeout?"}},
		{"JSON and another format", []string{"report", "x.json", "--json", "--format", "html"}, []string{"--json or --format html", "leave one out"}},
		{"key for an author's document", []string{"report", "--author", "roll-model", "--key", "x"}, []string{"--key with --verify alone"}},
		{"JSON of a folder's check", []string{"report", "--verify", "x", "--json"}, []string{"leave it out with --verify"}},
		{"no run to render", []string{"report"}, []string{"expected one evidence.json.gz to render", "found 0"}},
		{"three runs to render", []string{"report", "a", "b", "c"}, []string{"found 3"}},
		{"run that is not there", []string{"report", "nothing.json"}, []string{"nothing.json"}},
		{"format that is none", []string{"report", older, "--format", "pdf"}, []string{`expected one of terminal, json, html, junit, sarif, markdown, found "pdf"`}},
		{"format of no comparison", []string{"report", older, older, "--format", "sarif"}, []string{"expected terminal, markdown, html or json for a comparison"}},
		{"folder for a comparison", []string{"report", older, older, "--out", "x"}, []string{"--out: expected one file"}},
		{"run of an author that is not there", []string{"report", "--author", "roll-model", "nothing.json"}, []string{"dynaproof verify roll-model writes it"}},
		{"unknown claim", []string{"explain", "fus-main/pattern/get-sight"}, []string{`"fus-main/pattern/get-sight"`, "fus-main/pattern/get-site,", "dynaproof claims"}},
		{"no claim", []string{"explain"}, []string{"expected one id of a claim, found 0"}},
		{"two claims", []string{"explain", "a", "b"}, []string{"found 2"}},
		{"unknown design", []string{"verify", "roll-models"}, []string{`unknown design "roll-models"`, "roll-model, commit-collect"}},
		{"unknown design to list", []string{"claims", "nothing"}, []string{`unknown design "nothing"`, "roll-model, commit-collect"}},
		{"unknown kind", nothing("--kind"), []string{"--kind: expected one of ", "guardrail", `found "nothing"`}},
		{"unknown verdict", nothing("--verdict"), []string{"--verdict: expected one of ", "unchecked", `found "nothing"`}},
		{"unknown grade", nothing("--grade"), []string{"--grade: expected one of ", "emulated", `found "nothing"`}},
		{"unknown basis", nothing("--basis"), []string{"--basis: expected one of ", "chosen", `found "nothing"`}},
		{"unknown severity", nothing("--severity"), []string{"--severity: expected one of ", "medium", `found "nothing"`}},
		{"unknown order", nothing("--sort"), []string{"--sort: expected one of ", "manifest", `found "nothing"`}},
		{"unknown design to serve", []string{"serve", "x"}, []string{`unknown design "x"`}},
		{"unknown design to deploy", []string{"deploy", "x", "--endpoint", nobody}, []string{`unknown design "x"`}},
		{"unknown design to audit", []string{"audit", "x", "--endpoint", nobody}, []string{`unknown design "x"`}},
		{"unknown design to break", []string{"mutants", "no-design"}, []string{"unknown design"}},
		{"design named twice", []string{"verify", "fus-main", "fus-main"}, []string{"named twice"}},
		{"design to break named twice", []string{"mutants", "roll-model", "roll-model"}, []string{"named twice"}},
		{"unknown mutant", []string{"mutants", "--only", "roll-model/nothing"}, []string{"no mutant of"}},
		{"unknown mutant of a contract", []string{"mutants", "--contract", "roll-model", "--only", "roll-model/gone"}, []string{"no mutant of"}},
		{"filter of mutants that is none", []string{"mutants", "--filter", "("}, []string{"regular expression"}},
		{"number of mutants that is none", []string{"mutants", "--sample", "-1"}, []string{"--sample"}},
		{"number of mutants of a contract", []string{"mutants", "--contract", "--sample", "3"}, []string{"choose by --filter"}},
		{"two designs to audit", []string{"audit", "fus-main", "roll-model"}, []string{"expected one design", "found 2"}},
		{"no design to deploy", []string{"deploy"}, []string{"expected one design", "found 0"}},
		{"no endpoint to audit", []string{"audit", "fus-main"}, []string{"expected --target aws, or --endpoint", "dynaproof serve"}},
		{"no endpoint to deploy", []string{"deploy", "fus-main"}, []string{"expected --endpoint"}},
		{"no endpoint to clean up", []string{"cleanup", "fus-main"}, []string{"expected --target aws, or --endpoint"}},
		{"dot in the environment", []string{"verify", "--env", "a.b"}, []string{"lower-case letters", `"a.b"`}},
		{"placeholder as environment", []string{"verify", "--env", "{env}"}, []string{`"{env}"`}},
		{"capitals in the environment", []string{"serve", "--env", "Dev"}, []string{`"Dev"`}},
		{"environment to deploy", []string{"deploy", "fus-main", "--endpoint", nobody, "--env", "DEV"}, []string{`"DEV"`}},
		{"environment to audit", []string{"audit", "fus-main", "--endpoint", nobody, "--env", "a_b"}, []string{`"a_b"`}},
		{"environment of an unset variable", []string{"verify", "--env", ""}, []string{"--env", "empty"}},
		{"endpoint of an unset variable", []string{"verify", "--endpoint", ""}, []string{"--endpoint", "empty"}},
		{"prefix that no table name can have", []string{"verify", "fus-main", "--prefix", "{env}-"}, []string{"--prefix", `"{env}-"`}},
		{"region that is none", []string{"verify", "fus-main", "--region", "EU West"}, []string{"region", `"EU West"`}},
		{"region against the document", []string{"verify", "commit-collect", "--region", "eu-west-1"}, []string{"commit-collect.md:", "eu-west-1"}},
		{"region against the document, deploy", []string{"deploy", "commit-collect", "--endpoint", nobody, "--region", "eu-west-1"}, []string{"commit-collect.md:", "eu-west-1"}},
		{"label filter that is none", []string{"verify", "--label-filter", "(("}, []string{"--label-filter", `"(("`, "could not find matching"}},
		{"label filter that selects nothing", []string{"verify", "--label-filter", "kind:nothing"}, []string{"--label-filter", "kind:nothing"}},
		{"label filter that selects nothing of the design", []string{"verify", "fus-main", "--label-filter", "design:roll-model"}, []string{"fus-main"}},
		{"orders below none", []string{"verify", "fus-main", "--orders", "-3"}, []string{"--orders: expected a number that is not below 0, found -3"}},
		{"billing mode against the document", []string{"deploy", "roll-model", "--endpoint", nobody, "--config", "dynaproof:billingMode=PROVISIONED"}, []string{"roll-model.md:6", "PAY_PER_REQUEST"}},
		{"table name against the document", []string{"preview", "roll-model", "--endpoint", nobody, "--config", "dynaproof:tableName=x"}, []string{"roll-model.md:4"}},
		{"setting of the provider", []string{"deploy", "roll-model", "--endpoint", nobody, "--config", "aws:region=eu-west-1"}, []string{"aws:region", "--region"}},
		{"setting that no program reads", []string{"deploy", "personal-os", "--endpoint", nobody, "--config", "dynaproof:billing=PROVISIONED"}, []string{"dynaproof:billing", "dynaproof:billingMode"}},
		{"setting without a value", []string{"deploy", "personal-os", "--endpoint", nobody, "--config", "x"}, []string{"--config", "key=value"}},
		{"endpoint without a scheme", []string{"verify", "--endpoint", "127.0.0.1:8000"}, []string{"http://127.0.0.1:8000"}},
		{"endpoint on another machine", []string{"verify", "--endpoint", "http://10.0.0.1:8000"}, []string{"not loopback"}},
		{"AWS as endpoint", []string{"audit", "fus-main", "--endpoint", "https://dynamodb.eu-west-1.amazonaws.com"}, []string{"not loopback"}},
		{"AWS as endpoint of deploy", []string{"deploy", "fus-main", "--endpoint", "https://dynamodb.eu-west-1.amazonaws.com"}, []string{"loopback"}},
		{"engine beside an endpoint", []string{"verify", "--engine", "dynalite", "--endpoint", nobody}, []string{"--engine: expected it without --endpoint and --target"}},
		{"kind of fault that is none", []string{"faults", "--fault", "x"}, []string{"--fault: expected one of", `found "x"`}},
		{"other name for no table", []string{"audit", "fus-main", "--endpoint", nobody, "--table", "x=y"}, []string{"--table x", "no such table"}},
		{"other name for a table of its own", []string{"verify", "fus-main", "--table", "fus-main=x"}, []string{"--table works only with --existing or --deploy"}},
		{"report folder that is none", []string{"verify", "roll-model", "--report", "/dev/null"}, []string{"--report", "/dev/null", "choose another"}},
		{"report folder that is a file", []string{"verify", "roll-model", "--report", older}, []string{"--report", older, "choose another"}},
		{"report folder in a file", []string{"verify", "--report", "/dev/null/report"}, []string{"--report", "choose another"}},
		{"report folder of an audit in a file", []string{"audit", "fus-main", "--endpoint", nobody, "--report", "/dev/null/report"}, []string{"--report"}},
		{"port that is none", []string{"serve", "fus-main", "--port", "70000"}, []string{"port"}},
		{"design's folder that is none", []string{"verify", "--design", ""}, []string{"--design: expected a folder with a contract (*.yaml)"}},
		{"other design than that of the folder", []string{"verify", "roll-model", "--design", example}, []string{`unknown design "roll-model"; expected one of tickets`}},
		{"population that is not there", []string{"scale", "--design", example}, []string{"population of tickets: expected population.json beside the contract, found no such file; write there what others have, to begin with: {", `"like":"printer"`}},
		// A command that deploys.
		{"command for all designs", []string{"verify", "--deploy", "true"}, []string{"--deploy: expected one design by name, found 5"}},
		{"command that would ask AWS", deploy("--deploy", "terraform apply"), []string{"--deploy: terraform would ask AWS: expected provider"}},
		{"command of CloudFormation", deploy("--destroy", "cdk destroy"), []string{"--destroy: cdk deploys by CloudFormation"}},
		{"command that removes alone", []string{"verify", "fus-main", "--destroy", "true"}, []string{"--destroy: expected --deploy with it"}},
		{"command on an endpoint", deploy("--endpoint", nobody), []string{"--deploy: expected the embedded engine, found"}},
		{"command without time", deploy("--deploy-timeout", "-1s"), []string{"--deploy-timeout: expected a time above 0, such as 24h"}},
		{"command of an unset variable", deploy("--deploy", ""), []string{"--deploy: expected a value, found an empty text"}},
		{"other name of no table of the command's", deploy("--table", "Nothing=x"), []string{"--table Nothing: fus-main has no such table"}},
		// A run on tables that are there.
		{"existing of no environment", []string{"verify", "fus-main", "--existing", "--endpoint", nobody}, []string{"expected --env"}},
		{"existing of no design", existing("--endpoint", nobody), []string{"expected one design by name"}},
		{"existing of two designs", existing("fus-main", "roll-model", "--endpoint", nobody), []string{"found 2"}},
		{"existing of no endpoint", existing("fus-main"), []string{"leave --existing out"}},
		{"confirmed without", []string{"verify", "osem-ladders", "--confirm", "dev"}, []string{"--confirm: expected it with --existing alone"}},
		// A trail where there is none.
		{"trail of an engine", []string{"verify", "fus-main", "--cloudtrail-logs", "g"}, []string{"--cloudtrail-logs", "expected --target aws"}},
		{"trail of an endpoint", []string{"audit", "fus-main", "--endpoint", nobody, "--cloudtrail-logs", "g"}, []string{"expected --target aws"}},
		{"trail of no group", []string{"audit", "fus-main", "--target", "aws", "--cloudtrail-logs", "a b"}, []string{"--cloudtrail-logs", "expected the name of a log group", `"a b"`}},
		{"span without a trail", []string{"audit", "fus-main", "--target", "aws", "--since", "3h"}, []string{"--since", "with --cloudtrail-logs alone"}},
		{"wait without a trail", []string{"verify", "fus-main", "--target", "aws", "--cloudtrail-wait", "3h"}, []string{"--cloudtrail-wait", "with --cloudtrail-logs alone"}},
		{"trail of no time", []string{"audit", "fus-main", "--target", "aws", "--cloudtrail-logs", "g", "--since", "0s"}, []string{"--since: expected a time above 0, such as 24h, found 0s"}},
		{"trail of no wait", []string{"verify", "fus-main", "--target", "aws", "--cloudtrail-logs", "g", "--cloudtrail-wait", "0"}, []string{"--cloudtrail-wait: expected a time above 0, such as 24h, found 0s"}},
		{"metrics of no wait", []string{"verify", "fus-main", "--target", "aws", "--metrics-wait", "0"}, []string{"--metrics-wait: expected a time above 0, such as 24h, found 0s"}},
		{"metrics of a wait below 0", []string{"verify", "fus-main", "--target", "aws", "--metrics-wait", "-10m"}, []string{"--metrics-wait: expected a time above 0, such as 24h, found -10m0s"}},
		{"policy of no group", []string{"audit", "fus-main", "--policy", "--cloudtrail-logs", "arn:aws:s3:::b"}, []string{"expected the name of a log group"}},
		{"policy of no account", []string{"audit", "fus-main", "--policy", "--account", "mine"}, []string{"12 digits"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := run(t, "", 2, row.args...)
			c.oneError(t, row.words...)
			assert.Empty(t, files(t, c.Dir), "the working folder")
		})
	}
}

func TestEngineCannotBeHad(t *testing.T) {
	for _, row := range []struct {
		name, variable string
		words          []string
	}{
		{"no npm", "PATH=/nowhere", []string{"npm", "--endpoint", "DYNAPROOF_ENGINE"}},
		{"engine that is not there", "DYNAPROOF_ENGINE=/nowhere/dynoxide", []string{"DYNAPROOF_ENGINE", "/nowhere/dynoxide"}},
		{"engine that is a folder", "DYNAPROOF_ENGINE=/", []string{"DYNAPROOF_ENGINE"}},
		{"engine that is another program", "DYNAPROOF_ENGINE=/bin/true", []string{"version"}},
		{"cache that takes no folder", "XDG_CACHE_HOME=/dev/null", []string{"cache"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := prepare(t, []string{"XDG_CACHE_HOME=" + t.TempDir(), row.variable}, "verify", "fus-main")
			c.expect(t, 2)
			c.oneError(t, row.words...)
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

// A binary that `go install` has put somewhere works without the checkout: everything that it needs is embedded.
func TestInstalledBinaryWorksOutsideTheRepository(t *testing.T) {
	t.Parallel()
	require.False(t, strings.HasPrefix(binary, checkout+string(filepath.Separator)), "expected the command outside of the checkout, found %s", binary)
	installed := func(args ...string) string {
		c := prepare(t, nil, args...)
		c.apart(t, 0)
		return c.stdout.String()
	}
	text := installed("--version")
	if !strings.HasPrefix(text, "dynaproof version "+linkedVersion+" ") || !strings.Contains(text, "go1.") {
		t.Errorf("expected the version of the linker and that of Go, found %q", text)
	}
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
