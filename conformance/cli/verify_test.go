//go:build unix

package cli_test

import (
	"encoding/xml"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
)

// read reads the evidence that a run left in its working folder.
func read(t *testing.T, c *child) *evidence.Run {
	t.Helper()
	seen, err := evidence.Read(filepath.Join(c.Dir, "build", "report", "evidence.json.gz"))
	require.NoError(t, err, "%s%s", c.stdout.String(), c.stderr.String())
	return seen
}

// claims returns the manifest's ids that a filter keeps.
func claims(t *testing.T, keep func(manifest.Claim) bool) []string {
	t.Helper()
	committed, err := designs.Manifest()
	require.NoError(t, err)
	var ids []string
	for _, claim := range committed {
		if keep(claim) {
			ids = append(ids, claim.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

func of(names ...string) func(manifest.Claim) bool {
	return func(claim manifest.Claim) bool { return slices.Contains(names, claim.Design) }
}

// onceEach checks that evidence holds exactly these claims, each once.
func onceEach(t *testing.T, seen *evidence.Run, want []string) {
	t.Helper()
	var got []string
	for _, result := range seen.Results() {
		got = append(got, result.ID)
	}
	slices.Sort(got)
	assert.Empty(t, cmp.Diff(want, got), "claims with a verdict (-want +got)")
}

// reminders are what a run of more than a minute says of itself.
var reminders = regexp.MustCompile(`(?m)^dynaproof: \S+ so far; .*\n`)

func TestVerify(t *testing.T) {
	t.Parallel()
	needsDocuments(t)
	c := run(t, "", 0, "verify", "roll-model", "osem-ladders", "--label-filter", everyClaim)
	onceEach(t, read(t, c), claims(t, of("roll-model", "osem-ladders")))
	says(t, "summary", c.stdout.String(), "PASS", "an emulator of DynamoDB in memory", "waivers", "osem-ladders/scan-users", "requests", "evidence from AWS", "evidence.json.gz")
	// Neither colours nor progress belong into a pipe.
	lacks(t, "summary", c.stdout.String(), "\x1b", "\r", "were not run", "were not read")
	assert.Equal(t, "", reminders.ReplaceAllString(c.stderr.String(), ""), "expected nothing on the error output")
	text, err := os.ReadFile(filepath.Join(c.Dir, "build", "report", "junit.xml"))
	require.NoError(t, err)
	var junit struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
	}
	if err := xml.Unmarshal(text, &junit); err != nil || junit.Tests == 0 || junit.Failures != 0 {
		t.Errorf("junit.xml: expected tests and no failures, found %+v, %v", junit, err)
	}
}

// A filter runs its claims alone, and the summary says how many it left out.
func TestLabelFilter(t *testing.T) {
	t.Parallel()
	c := run(t, "", 0, "verify", "fus-main", "roll-model", "--label-filter", "kind:schema && design:fus-main")
	want := claims(t, func(claim manifest.Claim) bool {
		return claim.Design == "fus-main" && claim.Kind == manifest.KindSchema
	})
	onceEach(t, read(t, c), want)
	for _, entry := range read(t, c).Ledger {
		if slices.ContainsFunc(entry.Tables, func(name string) bool { return name != "fus-main" }) {
			t.Errorf("expected requests to the table of fus-main alone, found %s on %v", entry.Operation, entry.Tables)
		}
	}
	all := len(claims(t, of("fus-main", "roll-model")))
	says(t, "summary", c.stdout.String(), strconv.Itoa(all-len(want))+" claims of the manifest were not run")
	if counts := evidence.Count(read(t, c).Results()); counts[evidence.Pass] != len(want) {
		t.Errorf("expected %d passes, found %v", len(want), counts)
	}
}

func TestDocumentsMissing(t *testing.T) {
	t.Parallel()
	c := prepare(t, []string{"DYNAPROOF_DOCUMENTS=" + t.TempDir()}, "verify", "roll-model", "--label-filter", everyClaim)
	c.expect(t, 0)
	seen := read(t, c)
	for _, result := range seen.Results() {
		switch {
		case result.Verdict == evidence.Unsupported && strings.Contains(result.Problems[0].Found, "document not found"):
		case !result.Verdict.Held() || result.ID == "roll-model/document":
			t.Errorf("%s: expected a pass, or unsupported for want of the document, found %s: %+v", result.ID, result.Verdict, result.Problems)
		}
	}
	says(t, "summary", c.stdout.String(), "the documents of 1 design were not read, so that 29 claims about their text could not be asked; set DYNAPROOF_DOCUMENTS to their folder\n")
	assert.NotContains(t, c.stdout.String(), "UNSUPPORTED")
	c = prepare(t, []string{"DYNAPROOF_DOCUMENTS=" + t.TempDir()}, "explain", "roll-model/pattern/list-own-entries")
	c.expect(t, 0)
	says(t, "the explanation", c.stdout.String(), "\n  199 says: ", "ENTRY#", "the words are the contract's: ")
}

func TestDocumentChanged(t *testing.T) {
	t.Parallel()
	needsDocuments(t)
	folder := t.TempDir()
	text, err := os.ReadFile(filepath.Join(documents, "roll-model.md"))
	require.NoError(t, err)
	edited := strings.Replace(string(text), "PAY_PER_REQUEST", "PROVISIONED", 1)
	if edited == string(text) {
		t.Fatal("expected the document to name PAY_PER_REQUEST")
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "roll-model.md"), []byte(edited), 0o600))
	c := prepare(t, []string{"DYNAPROOF_DOCUMENTS=" + folder}, "verify", "roll-model")
	c.expect(t, 1)
	says(t, "summary", c.stdout.String(), "FAIL  roll-model/document", "SHA-256", "roll-model.md:6", "PAY_PER_REQUEST", "does not conform")
	for _, result := range read(t, c).Results() {
		if result.Verdict == evidence.Fail && result.ID != "roll-model/document" {
			t.Errorf("expected the changed document to fail alone, found %s: %+v", result.ID, result.Problems)
		}
	}
}

// engines lists the engines of a run: the processes that its watchdogs started.
func engines(t *testing.T, c *child) []int {
	t.Helper()
	var found []int
	for _, watchdog := range childrenOf(t, c.Process.Pid) {
		for _, pid := range childrenOf(t, watchdog) {
			name, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
			if err == nil && strings.TrimSpace(string(name)) == "dynoxide" {
				found = append(found, pid)
			}
		}
	}
	return found
}

// childrenOf reads a process's children from the kernel.
func childrenOf(t *testing.T, pid int) []int {
	t.Helper()
	threads, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	require.NoError(t, err)
	var found []int
	for _, path := range threads {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // the thread has ended
		}
		for _, word := range strings.Fields(string(text)) {
			if number, err := strconv.Atoi(word); err == nil {
				found = append(found, number)
			}
		}
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
	all := []string{"commit-collect", "fus-main", "osem-ladders", "roll-model"} // personal-os is explored for as long as all others together
	for _, which := range []struct {
		name   string
		loaded int // engines, one on each processor
	}{{"that of one design", 1}, {"that of one of two designs", 2}} {
		t.Run(which.name, func(t *testing.T) {
			c := prepare(t, []string{"GOMAXPROCS=" + strconv.Itoa(which.loaded)}, append([]string{"verify", "--label-filter", everyClaim}, all...)...)
			c.starts(t)
			killed := 0
			c.catch(t, "as many loaded engines as designs are replayed at once", func() bool {
				loaded := slices.DeleteFunc(engines(t, c), func(pid int) bool { return !replaying(t, pid) })
				if len(loaded) != which.loaded {
					return false
				}
				killed = loaded[0]
				return true
			}, func() error { return syscall.Kill(killed, syscall.SIGKILL) })
			if code := c.ends(t); code != 3 {
				t.Fatalf("expected exit code 3, found %d\n%s%s", code, c.stdout.String(), c.stderr.String())
			}
			seen := read(t, c)
			onceEach(t, seen, claims(t, of(all...)))
			counts := evidence.Count(seen.Results())
			if counts[evidence.Error] == 0 || counts[evidence.Fail] > 0 {
				t.Errorf("expected errors and no failures, found %v", counts)
			}
			summary := c.stdout.String()
			says(t, "summary", summary, "ERROR", "ended by signal 9", "could not tell")
			if told := strings.Count(summary, "ended by signal 9"); told != 1 {
				t.Errorf("expected the reason once, found it %d times in\n%s", told, summary)
			}
		})
	}
}

// An interrupt while two designs are replayed or deployed ends both, and their engines.
func TestInterruptOfDesignsApart(t *testing.T) {
	t.Parallel()
	needsProc(t)
	c := prepare(t, []string{"GOMAXPROCS=2"}, "verify")
	c.starts(t)
	var running []int
	c.signalled(t, syscall.SIGINT, "two engines", func() bool { running = engines(t, c); return len(running) == 2 })
	c.interrupted(t)
	for _, pid := range running {
		eventually(t, "the end of the engine", func() bool { return gone(pid) })
	}
	if said := reminders.ReplaceAllString(c.stderr.String(), ""); said != "" {
		t.Errorf("expected that everything was removed, found %q", said)
	}
}

// interrupted waits for the end of a run that was interrupted, which says so.
func (c *child) interrupted(t *testing.T) {
	t.Helper()
	if code := c.ends(t); code != 3 {
		t.Fatalf("expected exit code 3, found %d\n%s%s", code, c.stdout.String(), c.stderr.String())
	}
	if seen := read(t, c); !seen.Interrupted {
		t.Error("expected the evidence to say that the run was interrupted")
	}
	says(t, "summary", c.stdout.String(), "the run was interrupted")
}

// A second interrupt, while tables are removed, ends the run in good order: what it left it names, and cleanup finds it.
func TestInterruptedAgain(t *testing.T) {
	t.Parallel()
	engineURL := engine(t).URL()
	url, removing, let := stall(t, engineURL, "DeleteTable")
	c := prepare(t, nil, "verify", "commit-collect", "--endpoint", url)
	c.starts(t)
	c.signalled(t, syscall.SIGINT, "an item", func() bool { return holdsItem(t, engineURL, "CommitCollect") })
	arrives(t, removing)
	require.NoError(t, c.Process.Signal(os.Interrupt))
	let()
	c.interrupted(t)
	if left := tables(t, engineURL); len(left) > 0 {
		says(t, "standard error", c.stderr.String(), "removing commit-collect", "dynaproof cleanup commit-collect")
		run(t, c.Dir, 0, "cleanup", "commit-collect", "--endpoint", url)
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
	return known && loaded(t, url)
}

// loaded reports whether the engine at an address holds an item.
func loaded(t *testing.T, url string) bool {
	t.Helper()
	api := client(url)
	names, err := api.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	if err != nil {
		return false // it does not listen yet
	}
	for _, name := range names.TableNames {
		page, err := api.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(name), Limit: aws.Int32(1)})
		if err == nil && page.Count > 0 {
			return true
		}
	}
	return false
}
