//go:build unix

package cli_test

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/input"
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
			shown = strings.TrimSpace(shown)
			assert.Contains(t, files, shown, "expected the example to have %q", shown)
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
			folder := changedFrom(t, cmp.Or(map[string]string{"parcels": parcels, "depots": depots}[row.Of], example), [3]string{row.In, row.From, row.To})
			flags := []string{"check"}
			if strings.Contains(row.Found, "no case is refused") || strings.Contains(row.Found, "every case that succeeds leaves") {
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
	given := strings.NewReplacer("<elsewhere>", elsewhere, "<doubled a>", doubled("a"), "<doubled b>", doubled("b"))
	for name, row := range tabletest.Read[map[string]struct {
		Does     string // in the folder, by a shell
		From, To string // of the contract
		Says     string
	}](t, "elsewhere.yaml") {
		t.Run(name, func(t *testing.T) {
			folder := changed(t, [3]string{"contract.yaml", row.From, given.Replace(row.To)})
			write(t, folder, ".git/config", secret)
			does := exec.CommandContext(t.Context(), "sh", "-ec", given.Replace(row.Does))
			does.Dir = folder
			require.NoError(t, does.Run())
			for _, command := range []string{"check", "verify"} {
				c := run(t, "", 2, command, "--design", folder)
				c.complains(t, row.Says)
				text := c.stdout.String() + c.stderr.String()
				lacks(t, command, text, secret, "root:")
				assert.LessOrEqual(t, strings.Count(text, "\n"), 60, command)
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
		given := strings.NewReplacer("<device>", device, "<folder>", folder, "<verified>", verified)
		for _, line := range tabletest.Read[[]string](t, "devices.yaml") {
			c := run(t, "", 2, strings.Fields(given.Replace(line))...)
			assert.Equal(t, 1, strings.Count(c.stderr.String(), "\n"), "%s: expected one line", line)
		}
	}
}

// doubled is a value of CEL whose parts are 2^40, made in 40 steps.
func doubled(variable string) string {
	return "[[1]]" + strings.Repeat(".map("+variable+", ["+variable+", "+variable+"])", 40)
}

// What an import writes, check takes: of whatever kind the source is, whatever it is called, and also where an export wrote it of a design
// of ours or of one that was imported.
func TestCheckTakesWhatAnImportWrites(t *testing.T) {
	testdata := filepath.Join(filepath.Dir(example), "contract", "importer", "testdata")
	sources := map[string][]string{}
	put := func(name, file, text, usage string) {
		at := []string{filepath.Join(t.TempDir(), file)}
		require.NoError(t, os.WriteFile(at[0], []byte(text), 0o600))
		if usage != "" {
			at = append(at, filepath.Join(t.TempDir(), "usage_data.json"))
			require.NoError(t, os.WriteFile(at[1], []byte(usage), 0o600))
		}
		sources[name] = at
	}
	for _, pattern := range []string{"*.json", "orders/*", "../../../../../shared/models/*.json"} {
		for _, path := range tabletest.Must(filepath.Glob(filepath.Join(testdata, pattern)))(t) {
			usage := strings.Replace(path, "schema", "usage_data", 1)
			if _, none := os.Stat(usage); none == nil && usage != path {
				sources[path] = []string{path, usage}
			} else if !strings.Contains(path, "usage_data") {
				sources[path] = []string{path}
			}
		}
	}
	for _, table := range []string{"templates.yaml", "untold.yaml"} {
		for name, row := range tabletest.Read[map[string]map[string]any](t, "../../../accesspatterns/contract/importer/testdata/"+table) {
			usage, _ := row["usage"].(string)
			put(table+": "+name, row["file"].(string), row["text"].(string), usage)
		}
	}
	described := string(tabletest.Must(os.ReadFile(testdata + "/orders/describe.json"))(t))
	for _, name := range []string{"items.json", "case.json", "ITEMS.json", "a.b.cases.json", ".hidden.json", ".contract.yaml"} {
		put("called "+name, name, described, "")
	}
	put("larger than a contract", "large.json", strings.Repeat(" ", input.Text)+described, "")
	takes := func(t *testing.T, files ...string) (out string) {
		out = filepath.Join(t.TempDir(), "imported")
		run(t, "", 0, append([]string{"import", "--out", out}, files...)...)
		run(t, "", 0, "check", "--design", out)
		return out
	}
	takesBack := func(t *testing.T, design string, entities bool) {
		out := t.TempDir()
		for _, format := range []string{"data-model", "workbench"} {
			model := filepath.Join(out, format+".json")
			require.NoError(t, os.WriteFile(model, run(t, "", 0, "export", design, "--format", format).stdout.Bytes(), 0o600))
			takes(t, model)
		}
		if !entities {
			run(t, "", 2, "export", design, "--format", "schema", "--out", out)
			return
		}
		run(t, "", 0, "export", design, "--format", "schema", "--out", out)
		takes(t, filepath.Join(out, "schema.json"), filepath.Join(out, "usage_data.json"))
	}
	for _, design := range append(designs.Names(), "--design="+example) {
		t.Run(design, func(t *testing.T) { takesBack(t, design, true) })
	}
	for name, files := range sources {
		t.Run(name, func(t *testing.T) {
			out := takes(t, files...)
			_, none := os.Stat(filepath.Join(out, "items.json"))
			takesBack(t, "--design="+out, none == nil)
		})
	}
}
