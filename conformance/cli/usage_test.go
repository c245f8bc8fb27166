package cli_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHelp(t *testing.T) {
	t.Parallel()
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
		if help.stderr.Len() > 0 {
			t.Errorf("%s -h: expected nothing on the error output, found %q", command, help.stderr.String())
		}
	}
}

// Wrong usage is one line that says what to do, exit code 2, and nothing done.
func TestWrongUsage(t *testing.T) {
	t.Parallel()
	const nobody = "http://127.0.0.1:1" // never reached: the mistake is found before
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
		{"unknown design", []string{"verify", "roll-models"}, []string{`unknown design "roll-models"`, "roll-model, commit-collect"}},
		{"unknown design to serve", []string{"serve", "x"}, []string{`unknown design "x"`}},
		{"unknown design to deploy", []string{"deploy", "x", "--endpoint", nobody}, []string{`unknown design "x"`}},
		{"unknown design to audit", []string{"audit", "x", "--endpoint", nobody}, []string{`unknown design "x"`}},
		{"design named twice", []string{"verify", "fus-main", "fus-main"}, []string{"named twice"}},
		{"two designs to audit", []string{"audit", "fus-main", "roll-model"}, []string{"expected one design", "found 2"}},
		{"no design to deploy", []string{"deploy"}, []string{"expected one design", "found 0"}},
		{"no endpoint to audit", []string{"audit", "fus-main"}, []string{"expected --target aws, or --endpoint", "dynaproof serve"}},
		{"no endpoint to deploy", []string{"deploy", "fus-main"}, []string{"expected --endpoint"}},
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
		{"billing mode against the document", []string{"deploy", "roll-model", "--endpoint", nobody, "--config", "dynaproof:billingMode=PROVISIONED"}, []string{"roll-model.md:6", "PAY_PER_REQUEST"}},
		{"table name against the document", []string{"preview", "roll-model", "--endpoint", nobody, "--config", "dynaproof:tableName=x"}, []string{"roll-model.md:4"}},
		{"setting of the provider", []string{"deploy", "roll-model", "--endpoint", nobody, "--config", "aws:region=eu-west-1"}, []string{"aws:region", "--region"}},
		{"setting that no program reads", []string{"deploy", "personal-os", "--endpoint", nobody, "--config", "dynaproof:billing=PROVISIONED"}, []string{"dynaproof:billing", "dynaproof:billingMode"}},
		{"setting without a value", []string{"deploy", "personal-os", "--endpoint", nobody, "--config", "x"}, []string{"--config", "key=value"}},
		{"endpoint without a scheme", []string{"verify", "--endpoint", "127.0.0.1:8000"}, []string{"http://127.0.0.1:8000"}},
		{"endpoint on another machine", []string{"verify", "--endpoint", "http://10.0.0.1:8000"}, []string{"not loopback"}},
		{"AWS as endpoint", []string{"audit", "fus-main", "--endpoint", "https://dynamodb.eu-west-1.amazonaws.com"}, []string{"not loopback"}},
		{"AWS as endpoint of deploy", []string{"deploy", "fus-main", "--endpoint", "https://dynamodb.eu-west-1.amazonaws.com"}, []string{"loopback"}},
		{"kind of fault that is none", []string{"faults", "--fault", "x"}, []string{"--fault: expected one of", `found "x"`}},
		{"other name for no table", []string{"audit", "fus-main", "--endpoint", nobody, "--table", "x=y"}, []string{"--table x", "no such table"}},
		{"report folder in a file", []string{"verify", "--report", "/dev/null/report"}, []string{"--report", "choose another"}},
		{"report folder of an audit in a file", []string{"audit", "fus-main", "--endpoint", nobody, "--report", "/dev/null/report"}, []string{"--report"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := run(t, "", 2, row.args...)
			c.oneError(t, row.words...)
			if left := files(t, c.Dir); len(left) > 0 {
				t.Errorf("expected nothing in the working folder, found %v", left)
			}
		})
	}
}

// A folder that takes no files is noticed before the run, not after it.
func TestUnwritableReportFolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "report"), nil, 0o600))
	c := run(t, folder, 2, "verify", "roll-model", "--report", "report")
	c.oneError(t, "--report", "report", "choose another")
}

func TestEngineCannotBeHad(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name        string
		environment []string
		code        int
		words       []string
	}{
		{"no npm", []string{"PATH=/nowhere"}, 2, []string{"npm", "--endpoint", "DYNAPROOF_ENGINE"}},
		{"engine that is not there", []string{"DYNAPROOF_ENGINE=/nowhere/dynoxide"}, 2, []string{"DYNAPROOF_ENGINE", "/nowhere/dynoxide"}},
		{"engine that is a folder", []string{"DYNAPROOF_ENGINE=/"}, 2, []string{"DYNAPROOF_ENGINE"}},
		{"engine that is another program", []string{"DYNAPROOF_ENGINE=/bin/true"}, 2, []string{"version"}},
		{"cache that takes no folder", []string{"XDG_CACHE_HOME=/dev/null"}, 2, []string{"cache"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := prepare(t, append([]string{"XDG_CACHE_HOME=" + t.TempDir()}, row.environment...), "verify", "fus-main")
			c.expect(t, row.code)
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
	run(t, "", 2, "serve", "fus-main", "--port", "70000").oneError(t, "port")
}

func TestEndpointIsNone(t *testing.T) {
	t.Parallel()
	answering := func(status int, body string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body)) // the client has gone if this fails
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	for _, row := range []struct {
		name, url string
		words     []string
	}{
		{"nobody listens", "http://127.0.0.1:1", []string{"connection refused", "start the engine"}},
		{"a web page", answering(200, "<html>hello</html>"), []string{"as DynamoDB does", "check that the port"}},
		{"a web server that knows no such page", answering(404, "not found"), []string{"as DynamoDB does"}},
	} {
		for _, command := range []string{"verify", "audit"} {
			t.Run(row.name+", "+command, func(t *testing.T) {
				run(t, "", 3, command, "fus-main", "--endpoint", row.url).oneError(t, append(row.words, row.url)...)
			})
		}
		t.Run(row.name+", deploy", func(t *testing.T) {
			run(t, "", 3, "deploy", "fus-main", "--endpoint", row.url).oneError(t, row.url)
		})
	}
}
