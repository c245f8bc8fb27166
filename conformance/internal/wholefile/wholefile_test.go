package wholefile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/conformance/internal/wholefile"
)

// contents returns what the files of a folder hold, by name.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	held := map[string]string{}
	for _, entry := range entries {
		if entry.IsDir() {
			held[entry.Name()] = "a folder"
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		require.NoError(t, err)
		held[entry.Name()] = string(text)
	}
	return held
}

func TestWrite(t *testing.T) {
	for name, row := range map[string]struct{ mode, folder os.FileMode }{"a report": {wholefile.Report, 0o755}, "a journal": {wholefile.Private, 0o700}} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "new")
			path := filepath.Join(folder, "file.json")
			for _, text := range []string{"## dynaproof: a first and longer text", "## dynaproof: a second"} {
				require.NoError(t, wholefile.Write(path, []byte(text), row.mode))
				assert.Empty(t, cmp.Diff(map[string]string{"file.json": text}, contents(t, folder)), "folder (-want +got)")
			}
			for place, most := range map[string]os.FileMode{path: row.mode, folder: row.folder} {
				info, err := os.Stat(place)
				require.NoError(t, err)
				// The umask of whoever runs the test may take more away, but never from the owner.
				mode := info.Mode().Perm()
				assert.True(t, mode&^most == 0 && mode&0o700 == most&0o700, "%s: expected at most mode %o, and the owner's, found %o", place, most, mode)
			}
		})
	}
}

func TestWriteWhereItCannot(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "file"), []byte("old"), 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "taken", "inside"), 0o700))
	for name, path := range map[string]string{
		"below a file":        filepath.Join(folder, "file", "report.html"),
		"in place of folders": filepath.Join(folder, "taken"),
	} {
		t.Run(name, func(t *testing.T) {
			err := wholefile.Write(path, []byte("new"), wholefile.Report)
			assert.ErrorContains(t, err, "writing "+path+": ", "expected an error that names the file and says what it leaves")
			assert.ErrorContains(t, err, "what was there before is unchanged")
			assert.Empty(t, cmp.Diff(map[string]string{"file": "old", "taken": "a folder"}, contents(t, folder)), "folder (-want +got)")
		})
	}
}

// What cannot be rendered must not touch the file either.
func TestRender(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "page.html")
	require.NoError(t, wholefile.Render(path, wholefile.Report, func(w io.Writer) error { _, err := io.WriteString(w, "## dynaproof: "); return err }))
	broken := errors.New("no such template")
	err := wholefile.Render(path, wholefile.Report, func(w io.Writer) error {
		_, err := io.WriteString(w, "half of a p")
		return errors.Join(err, broken)
	})
	assert.ErrorIs(t, err, broken)
	assert.Empty(t, cmp.Diff(map[string]string{"page.html": "## dynaproof: "}, contents(t, folder)), "folder (-want +got)")
}

// Two processes may write the same file: each write succeeds, and what stays is one of the texts.
func TestWriteAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.json")
	texts := map[string]bool{}
	failures := make(chan error)
	const writers = 16
	for n := range writers {
		text := "## dynaproof: " + strings.Repeat(string(rune('a'+n)), 200_000-n)
		texts[text] = true
		go func() { failures <- wholefile.Write(path, []byte(text), wholefile.Report) }()
	}
	for range writers {
		assert.NoError(t, <-failures)
	}
	held := contents(t, filepath.Dir(path))
	assert.True(t, len(held) == 1 && texts[held["evidence.json"]], "expected one whole file, found %d files and %d bytes", len(held), len(held["evidence.json"]))
}

// A file that this program did not write stays, whatever it is written for, and so do what is no file and what a link leads to.
func TestWriteReplacesNobodysFile(t *testing.T) {
	page := []byte("<html><title>dynaproof report</title></html>")
	for name, there := range map[string]string{"an author's document": "# Orders\n", "a page": "<title>Home</title>", "another form": `{"version": "dynaproof/evidence/v2"}`, "what is broken": "\x1f\x8b\x08"} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(folder, "a"), []byte(there), 0o600))
			assert.ErrorContains(t, wholefile.Write(filepath.Join(folder, "a"), page, wholefile.Report), "a file that dynaproof wrote")
			assert.Empty(t, cmp.Diff(map[string]string{"a": there}, contents(t, folder)), "folder (-want +got)")
		})
	}
	own := filepath.Join(t.TempDir(), "own")
	for _, text := range []string{"# Mill\n\n## dynaproof: what we verify\n", "# Mill\n\nOf the audit: findings\n\n"} {
		require.NoError(t, os.WriteFile(own, []byte(text), 0o600))
		assert.ErrorContains(t, wholefile.Replaces(own, nil), "a file that dynaproof wrote", text)
	}
	for _, text := range []string{"## dynaproof engines: PASS\n", `{"version": "dynaproof/evidence/v2", "item": {"payload": "tea"}}`, "{\n  \"payloadType\": \"t\",\n  \"payload\": \"eyJ1cm46ZHluYXByb29mOnJ1bjp2MSI6MX0=\"}"} {
		assert.NoError(t, errors.Join(os.WriteFile(own, []byte(text), 0o600), wholefile.Write(own, []byte(text), wholefile.Report)))
	}
	folder := t.TempDir()
	victim, link := filepath.Join(folder, "victim"), filepath.Join(folder, "link")
	require.NoError(t, errors.Join(os.WriteFile(victim, page, 0o600), os.Symlink(victim, link)))
	for _, path := range []string{link, os.DevNull} {
		assert.ErrorContains(t, wholefile.Replaces(path, page), "a file that dynaproof wrote", path)
	}
	require.NoError(t, errors.Join(os.WriteFile(victim, nil, 0o600), wholefile.Write(victim, page, wholefile.Report)), "a file that somebody made for it")
}
