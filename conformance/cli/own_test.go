//go:build unix

package cli_test

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/tabletest"
)

// changed copies the example and replaces text in its files: name, old and new text.
func changed(t *testing.T, edits ...[3]string) string {
	t.Helper()
	return changedFrom(t, example, edits...)
}

func changedFrom(t *testing.T, from string, edits ...[3]string) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.CopyFS(folder, os.DirFS(from)))
	for _, edit := range edits {
		text := content(t, folder, edit[0])
		require.Contains(t, text, edit[1], edit[0])
		write(t, folder, edit[0], strings.Replace(text, edit[1], edit[2], 1))
	}
	return folder
}

func TestSchema(t *testing.T) {
	assert.Equal(t, string(contract.Schema()), run(t, "", 0, "schema").stdout.String())
}

// The README shows the example as it is.
func TestReadmeShowsTheExample(t *testing.T) {
	files := content(t, example, "contract.yaml") + content(t, example, "cases.json")
	_, section, _ := strings.Cut(content(t, example, "../README.md"), "\n## The smallest one with reads and writes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := strings.Split(section, "```")
	require.Len(t, blocks, 5, "expected two blocks of the example")
	for _, block := range []string{blocks[1], blocks[3]} {
		for _, line := range strings.Split(block, "\n")[1:] {
			shown, _, _ := strings.Cut(line, "  #")
			if shown = strings.TrimSpace(shown); !strings.Contains(files, shown) {
				t.Errorf("expected the example to have %q, found no such line", shown)
			}
		}
	}
}

// Each mistake that an author can make in a contract's cases, or in a contract beside its cases and its document, is named by
// check, with file and line, and ends it: none waits for an engine. Those in one file alone stand in the tables of its package.
func TestCheckNamesMistakes(t *testing.T) {
	for name, row := range tabletest.Read[map[string]struct {
		Of, In, From, To string // of the example, where nothing else is said
		Code             int
		Found            string
	}](t, "check.yaml") {
		t.Run(name, func(t *testing.T) {
			folder := changedFrom(t, cmp.Or(map[string]string{"parcels": parcels}[row.Of], example), [3]string{row.In, row.From, row.To})
			flags := []string{"check"}
			if strings.Contains(row.Found, "no case is refused") {
				run(t, "", 0, "check", "--design", folder)
				flags = append(flags, "--strict") // it warns without
			}
			c := run(t, "", row.Code, append(flags, "--design", folder)...)
			says(t, "the check", c.stdout.String()+c.stderr.String(), row.Found)
			lacks(t, "the check", c.stdout.String(), "PASS", " fit each other")
		})
	}
}

// What no line of a document and no case can tell is not named by check, and verify passes it too: the contract alone says it. A
// person has to read it beside the document.
func TestWhatCheckCannotName(t *testing.T) {
	for why, edit := range tabletest.Read[map[string]struct{ In, From, To string }](t, "unnamed.yaml") {
		t.Run(why, func(t *testing.T) {
			folder := changed(t, [3]string{edit.In, edit.From, edit.To})
			says(t, "the check", run(t, "", 0, "check", "--design", folder).stdout.String(), "PASS")
			run(t, "", 0, "verify", "--design", folder)
		})
	}
}

// What a folder of a design leads to outside of it is not read, and what has no end is refused: in a line, with exit code 2, and
// without a word of what stands there.
func TestFoldersThatLeadElsewhere(t *testing.T) {
	const secret = "hunter2-of-somebody"
	elsewhere := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(elsewhere, []byte(secret+"\n"), 0o600))
	replaced := func(file string, by func(path string) error) func(t *testing.T, folder string) {
		return func(t *testing.T, folder string) {
			path := filepath.Join(folder, file)
			if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			require.NoError(t, by(path))
		}
	}
	to := func(target string) func(string) error {
		return func(path string) error { return os.Symlink(target, path) }
	}
	fifo := func(path string) error { return syscall.Mkfifo(path, 0o600) }
	for name, row := range map[string]struct {
		change func(t *testing.T, folder string)
		edits  [][3]string
		says   string
	}{
		"a document that is a link":      {replaced("tickets.md", to(elsewhere)), nil, "leads out of it"},
		"a document above the folder":    {func(*testing.T, string) {}, [][3]string{{"contract.yaml", "file: tickets.md", "file: ../../../../etc/passwd"}}, "leads out of it"},
		"a document by its whole name":   {func(*testing.T, string) {}, [][3]string{{"contract.yaml", "file: tickets.md", "file: " + elsewhere}}, "leads out of it"},
		"a document of a tool":           {func(*testing.T, string) {}, [][3]string{{"contract.yaml", "file: tickets.md", "file: .git/config"}}, "not hidden"},
		"a contract file that is one":    {replaced("more.yaml", to(elsewhere)), nil, "leads out of it"},
		"a fixture that is one":          {replaced("items.json", to(elsewhere)), nil, "leads out of it"},
		"a link that goes nowhere":       {replaced("items.json", to("/nowhere/at/all")), nil, "leads out of it"},
		"a contract file without end":    {replaced("more.yaml", to("/dev/zero")), nil, "leads out of it"},
		"a document that is a pipe":      {replaced("tickets.md", fifo), nil, "a pipe"},
		"a contract file that is a pipe": {replaced("more.yaml", fifo), nil, "a pipe"},
		"a fixture that is a pipe":       {replaced("cases.json", fifo), nil, "a pipe"},
		"a contract of 100 MB": {replaced("more.yaml", func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 100<<20))
		}), nil, "at most 8 MB"},
		"mistakes without number": {replaced("more.yaml", func(path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("a: 1\n", 100_000)), 0o600)
		}), nil, "and 99950 more"},
		"a comparison without an end": {func(*testing.T, string) {}, [][3]string{{"contract.yaml", "\npatterns:\n",
			"    rules:\n      doubled: {says: nothing, attribute: status, cel: '" + doubled("a") + " == " + doubled("b") + "', cite: {12: status}}\n\npatterns:\n"}}, "expected an expression that ends after 200000 steps"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := changed(t, row.edits...)
			require.NoError(t, os.MkdirAll(filepath.Join(folder, ".git"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(folder, ".git", "config"), []byte(secret), 0o600))
			row.change(t, folder)
			for _, command := range []string{"check", "verify"} {
				c := run(t, "", 2, command, "--design", folder)
				says(t, "the refusal", c.stderr.String(), row.says)
				if text := c.stdout.String() + c.stderr.String(); strings.Contains(text, secret) || strings.Contains(text, "root:") || strings.Count(text, "\n") > 60 {
					t.Errorf("%s: expected a line and nothing of what stands elsewhere, found %s", command, text[:min(len(text), 2000)])
				}
			}
		})
	}
}

// So are files that commands are given by name.
func TestFilesThatAreNone(t *testing.T) {
	folder := t.TempDir()
	pipe := filepath.Join(folder, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	verified := filepath.Join(folder, "report")
	require.NoError(t, os.Mkdir(verified, 0o700))
	for _, device := range []string{"/dev/zero", pipe} {
		_ = os.Remove(filepath.Join(verified, "evidence.json.gz"))
		require.NoError(t, os.Symlink(device, filepath.Join(verified, "evidence.json.gz")))
		for _, args := range [][]string{
			{"review", device},
			{"init", "new", "--document", device, "--out", filepath.Join(folder, "new")},
			{"import", device, "--out", filepath.Join(folder, "imported")},
			{"report", device},
			{"report", "--verify", verified},
			{"report", "--author", "roll-model", device},
			{"audit", "--environments", device},
			{"verify", "roll-model", "--sign-key", device},
			{"check", "--design", device},
			{"claims", "--report", verified},
			{"verify", "roll-model", "--status", device},
			{"report", "--verify", folder, "--key", device},
		} {
			c := run(t, "", 2, args...)
			if text := c.stderr.String(); strings.Count(text, "\n") != 1 {
				t.Errorf("%s: expected one line, found %q", strings.Join(args, " "), text)
			}
		}
	}
}

// doubled is a value of CEL whose parts are 2^40, made in 40 steps.
func doubled(variable string) string {
	return "[[1]]" + strings.Repeat(".map("+variable+", ["+variable+", "+variable+"])", 40)
}
