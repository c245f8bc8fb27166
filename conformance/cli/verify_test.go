//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/test/processes"
	"dynaproof/conformance/target"
)

// reminders are what a run of more than a minute says of itself.
var reminders = regexp.MustCompile(`(?m)^dynaproof: \S+ so far; .*\n`)

// A filter runs its claims alone, and the summary says how many it left out.
func TestLabelFilter(t *testing.T) {
	t.Parallel()
	c := run(t, "", 0, "verify", "fus-main", "roll-model", "--label-filter", "kind:schema && design:fus-main")
	want := claims(t, func(claim manifest.Claim) bool {
		return claim.Design == "fus-main" && claim.Kind == manifest.KindSchema
	})
	seen := read(t, c)
	onceEach(t, seen, want)
	for _, entry := range seen.Ledger {
		assert.False(t, slices.ContainsFunc(entry.Tables, func(name string) bool { return name != "fus-main" }), "expected requests to the table of fus-main alone, found %s on %v", entry.Operation, entry.Tables)
	}
	all := len(claims(t, of("fus-main", "roll-model")))
	says(t, "summary", c.stdout.String(), strconv.Itoa(all-len(want))+" claims of the manifest were not run")
	assert.Equal(t, map[evidence.Verdict]int{evidence.Pass: len(want)}, evidence.Count(seen.Results()))
}

// engines lists the engines of a run: the processes that its watchdogs started.
func engines(c *child) (found []int) {
	for _, watchdog := range processes.Children(c.Process.Pid) {
		found = append(found, slices.DeleteFunc(processes.Children(watchdog), func(pid int) bool { return processes.Name(pid) != "dynoxide" })...)
	}
	return found
}

// needsProc skips a test that looks at processes where the kernel does not show
// them.
func needsProc(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("the kernel shows no processes under /proc")
	}
}

func gone(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }

// An engine that dies decides nothing: no claim passes because of it, the reason
// is told once, and the run ends soon. So it is with the engine of a design that is
// replayed beside another.
func TestEngineCrashes(t *testing.T) {
	t.Parallel()
	needsProc(t)
	needsDocuments(t)
	all := []string{"fus-main", "roll-model"}
	for _, which := range []struct {
		name   string
		loaded int // engines, one on each processor
	}{{"that of one design", 1}, {"that of one of two designs", 2}} {
		t.Run(which.name, func(t *testing.T) {
			c := prepare(t, []string{"GOMAXPROCS=" + strconv.Itoa(which.loaded)}, append([]string{"verify", "--label-filter", long}, all...)...)
			c.starts(t)
			killed := 0
			c.catch(t, "as many loaded engines as designs are replayed at once", func() bool {
				loaded := slices.DeleteFunc(engines(c), func(pid int) bool { return !replaying(t, pid) })
				if len(loaded) != which.loaded {
					return false
				}
				killed = loaded[0]
				return true
			}, func() error { return syscall.Kill(killed, syscall.SIGKILL) })
			c.lost(t, "ended by signal 9", all...)
		})
	}
}

// lost waits for the end of a long run that has lost its engine: each claim has a verdict, none fails, and the reason is told once.
func (c *child) lost(t *testing.T, reason string, designs ...string) {
	t.Helper()
	c.endsWith(t, 3)
	seen := read(t, c)
	onceEach(t, seen, claims(t, func(claim manifest.Claim) bool { return of(designs...)(claim) && !explored(claim) }))
	counts := evidence.Count(seen.Results())
	assert.True(t, counts[evidence.Fail] == 0 && counts[evidence.Error] != 0, "expected errors and no failures, found %v", counts)
	c.prints(t, "ERROR", "could not tell")
	assert.Equal(t, 1, strings.Count(c.stdout.String(), reason), "times that %q is told in\n%s", reason, c.stdout.String())
}

// An interrupt while two designs are replayed or deployed ends both, and their engines.
func TestInterruptOfDesignsApart(t *testing.T) {
	t.Parallel()
	needsProc(t)
	c := prepare(t, []string{"GOMAXPROCS=2"}, "verify", "fus-main", "osem-ladders", "roll-model", "--label-filter", long)
	c.starts(t)
	var running []int
	c.signalled(t, syscall.SIGINT, "two engines", func() bool { running = engines(c); return len(running) == 2 })
	c.interrupted(t)
	for _, pid := range running {
		eventually(t, "the end of the engine", func() bool { return gone(pid) })
	}
	assert.Empty(t, reminders.ReplaceAllString(c.stderr.String(), ""), "expected that everything was removed")
}

// An interrupt before the engine answers is told as one.
func TestInterruptOfAnEngineThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	engine := write(t, folder, "engine", "#!/bin/sh\ntouch "+folder+"/begun\nexec sleep 600\n")
	require.NoError(t, os.Chmod(engine, 0o700))
	c := prepare(t, []string{"DYNAPROOF_ENGINE=" + engine}, "verify", "fus-main")
	c.starts(t)
	eventually(t, "the engine to begin", func() bool {
		_, err := os.Stat(filepath.Join(folder, "begun"))
		return err == nil
	})
	require.NoError(t, c.Process.Signal(syscall.SIGINT))
	c.endsWith(t, 3)
	c.oneError(t, "dynaproof: interrupted: ")
}

// interrupted waits for the end of a run that was interrupted, which says so.
func (c *child) interrupted(t *testing.T) {
	t.Helper()
	c.endsWith(t, 3)
	assert.True(t, read(t, c).Interrupted, "expected the evidence to say that the run was interrupted")
	says(t, "summary", c.stdout.String(), "the run was interrupted")
}

// A second interrupt, while tables are removed, ends the run in good order: what it left it names, and cleanup finds it.
func TestInterruptedAgain(t *testing.T) {
	t.Parallel()
	engineURL := engine(t).URL()
	stalled, removing, let := stall(t, engineURL, "DeleteTable")
	g := newStage(t, stalled)
	c := prepare(t, nil, "verify", "commit-collect", "--endpoint", g.url)
	g.signals(c, syscall.SIGINT, moment{"BatchWriteItem", 1, false})
	c.starts(t)
	arrives(t, removing)
	require.NoError(t, c.Process.Signal(os.Interrupt))
	let()
	c.interrupted(t)
	if left := tables(t, engineURL); len(left) > 0 {
		says(t, "standard error", c.stderr.String(), "removing commit-collect", "dynaproof cleanup commit-collect")
		run(t, c.Dir, 0, "cleanup", "commit-collect", "--endpoint", g.url)
	}
	assert.Empty(t, tables(t, engineURL))
}

// urlOf reads the address of an engine off its command line. A process that was not
// begun yet, or has ended, has none.
func urlOf(pid int) (url string, known bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return "", false
	}
	words := strings.Split(string(text), "\x00")
	host, port := slices.Index(words, "--host"), slices.Index(words, "--port")
	if host < 0 || port < 0 || max(host, port)+1 >= len(words) {
		return "", false
	}
	return "http://" + net.JoinHostPort(words[host+1], words[port+1]), true
}

// replaying reports whether an engine holds an item: the replay is under way.
func replaying(t *testing.T, pid int) bool {
	t.Helper()
	url, known := urlOf(pid)
	if !known {
		return false
	}
	names, err := client(url).ListTables(t.Context(), &dynamodb.ListTablesInput{}) // an error where it does not listen yet
	return err == nil && slices.ContainsFunc(names.TableNames, func(name string) bool { return holdsItem(t, url, name) })
}

// What the second engine cannot answer is unsupported, with the reason: no pass, and no
// failure of the design. A design that is wrong fails on it as well.
func TestVerifyOnDynalite(t *testing.T) {
	engine, err := starting(t, target.Dynalite)
	var config *target.ConfigError
	if errors.As(err, &config) {
		t.Skip(err) // there is no Node.js
	}
	require.NoError(t, err)
	require.NoError(t, engine.Close(t.Context()))
	c := run(t, "", 0, "verify", "--design", example, "--engine", "dynalite")
	first, _, _ := strings.Cut(c.stdout.String(), "\n")
	says(t, "the first line", first, "engine: dynalite "+target.DynaliteVersion+", no transactions")
	says(t, "the summary", c.stdout.String(), "PASS", "unsupported on dynalite "+target.DynaliteVersion+": 0 of 27 claims\n")
	wrong := changed(t, [3]string{"cases.json", `"expect": ["of-another", "printer"]`, `"expect": ["printer", "of-another"]`})
	run(t, "", 1, "verify", "--design", wrong, "--engine", "dynalite", "--label-filter", "kind:pattern").prints(t, "FAIL  tickets/pattern/list-open")

	c = run(t, "", 0, "verify", "commit-collect", "--engine", "dynalite", "--label-filter", "kind:schema || kind:pattern")
	decided := verdicts(read(t, c))
	says(t, "the summary", c.stdout.String(), "PASS", "known deviations of the engine: 4, operation TransactWriteItems: 15)")
	for id, reason := range map[string]string{
		"table/CommitCollect/region": "dynalite-knows-one-region", "pattern/mint-award": "the engine does not know the operation TransactWriteItems",
	} {
		decides(t, decided["commit-collect/"+id], evidence.Unsupported, reason)
	}
	run(t, c.Dir, 0, "report", "--verify", "build/report")
}

func TestServe(t *testing.T) {
	needsProc(t)
	c := prepare(t, nil, "serve", "fus-main", "--env", "test")
	c.Stdout = nil
	pipe, err := c.StdoutPipe()
	require.NoError(t, err)
	c.starts(t)
	lines := bufio.NewScanner(pipe)
	require.True(t, lines.Scan(), "expected a line to export, found none: %s", c.stderr.String())
	exported, ok := strings.CutPrefix(lines.Text(), "export ")
	require.True(t, ok, "expected a line to export, found %q", lines.Text())
	// What a shell would make of the line is all that a client gets.
	for _, word := range strings.Fields(exported) {
		name, value, _ := strings.Cut(word, "=")
		t.Setenv(name, value)
	}
	t.Setenv("AWS_CONFIG_FILE", os.DevNull)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", os.DevNull)
	settings, err := config.LoadDefaultConfig(t.Context())
	require.NoError(t, err)
	page, err := dynamodb.NewFromConfig(settings).Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("fus-main")})
	require.NoError(t, err)
	assert.NotZero(t, page.Count)
	running := engines(c)
	require.Len(t, running, 1, "engines")
	require.NoError(t, c.Process.Signal(os.Interrupt))
	c.endsWith(t, 0)
	assert.True(t, gone(running[0]), "expected the engine to be gone")
	assert.False(t, bytes.ContainsRune(c.stderr.Bytes(), '\x1b'), "expected no colours, found %q", c.stderr.String())
}

// An engine that dies under serve ends it, with a word.
func TestServeWithoutItsEngine(t *testing.T) {
	t.Parallel()
	needsProc(t)
	c := prepare(t, nil, "serve", "fus-main")
	c.starts(t)
	var running []int
	eventually(t, "an engine with a loaded table", func() bool { // an engine whose port is taken is started again
		running = engines(c)
		return len(running) == 1 && replaying(t, running[0])
	})
	require.NoError(t, syscall.Kill(running[0], syscall.SIGKILL))
	c.endsWith(t, 3)
	says(t, "error output", c.stderr.String(), "ended by")
}

// dripping is an engine whose answers to an operation never come whole.
func dripping(t *testing.T, operation string) (url string) {
	t.Helper()
	pass, ended := inFrontOf(t, engine(t).URL()), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.Header.Get("X-Amz-Target"), "."+operation) {
			pass.ServeHTTP(w, r)
			return
		}
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write([]byte("{")) // and no more
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
		case <-ended:
		}
	}))
	t.Cleanup(func() {
		close(ended)
		server.Close()
	})
	return server.URL
}

// A run on an engine whose answers never end is over when its time is, and fails no
// claim.
func TestTimeoutEndsTheRun(t *testing.T) {
	t.Parallel()
	url := dripping(t, "Query")
	var c *child
	for timeout := 3 * time.Second; ; timeout *= 4 { // a machine that is busy deploys slowly
		c = prepare(t, nil, "verify", "roll-model", "--endpoint", url, "--timeout", timeout.String(), "--label-filter", "kind:pattern")
		c.apart(t, 3)
		says(t, "errors", c.stderr.String(), timeout.String()+" are over (--timeout)")
		if strings.Contains(c.stdout.String(), "not examined: ") || timeout > patience {
			break
		}
	}
	says(t, "summary", c.stdout.String(), "not examined: the time of --timeout was over before", "INDETERMINATE")
	results := read(t, c).Results()
	require.NotEmpty(t, results, "expected a verdict on every claim")
	assert.Zero(t, evidence.Count(results)[evidence.Fail], "expected no claim to fail")
}
