//go:build unix

package input_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/tabletest"
)

func put(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	require.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)))
	return path
}

func link(t *testing.T, to, folder, name string) {
	t.Helper()
	require.NoError(t, os.Symlink(to, filepath.Join(folder, name)))
}

// What has no end, waits for somebody, or is too large is refused before it is opened. What is a file is read.
func TestFile(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, "small", "1234")
	put(t, folder, "large", "12345")
	link(t, "small", folder, "link")
	link(t, "/dev/zero", folder, "zero")
	require.NoError(t, syscall.Mkfifo(filepath.Join(folder, "fifo"), 0o600))
	for _, row := range []struct{ path, says string }{
		{filepath.Join(folder, "small"), ""},
		{filepath.Join(folder, "link"), ""},
		{filepath.Join(folder, "large"), "expected at most"},
		{filepath.Join(folder, "zero"), "found a device"},
		{filepath.Join(folder, "fifo"), "found a device, a pipe or a socket"},
		{"/dev/zero", "found a device"},
		{folder, "found a folder"},
		{filepath.Join(folder, "none"), "expected a file that can be read: no such file"},
	} {
		text, err := input.File(row.path, 4)
		assert.True(t, (err == nil) == (row.says == "") && (err == nil || strings.Contains(err.Error(), row.says)) && (err != nil || string(text) == "1234"),
			"%s: expected an error with %q, found %q, %v", row.path, row.says, text, err)
	}
}

// A file that grows while it is read has a bound, too: /proc has files that say that they are empty.
func TestFileThatSaysItIsEmpty(t *testing.T) {
	const path = "/proc/self/status"
	if _, err := os.Stat(path); err != nil {
		t.Skip("no /proc here")
	}
	_, err := input.File(path, 4)
	assert.ErrorContains(t, err, "expected at most", "expected that it is too large")
}

// What somebody puts in a file's place between the look at it and its opening is refused, and not waited for.
func TestExchangedBeforeItIsOpened(t *testing.T) {
	folder := t.TempDir()
	path := put(t, folder, "small", "1234")
	require.NoError(t, syscall.Mkfifo(filepath.Join(folder, "fifo"), 0o600))
	for name, says := range map[string]string{filepath.Join(folder, "fifo"): "a pipe", "/dev/zero": "a device", folder: "a folder", put(t, folder, "large", "12345"): "at most"} {
		_, err := input.OpenAs(path, 4, os.Stat, func(string, int, fs.FileMode) (*os.File, error) {
			return os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		})
		assert.ErrorContains(t, err, says, "%s: expected it to be refused as %s", name, says)
	}
}

// A design's files, and the list of them, are read once.
func TestDesign(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, "a.yaml", "first")
	files := input.Design(folder)
	read := func(name string) string {
		text, err := fs.ReadFile(files, name)
		require.True(t, err == nil || errors.Is(err, fs.ErrNotExist), "%v", err)
		for i := range text {
			text[i]++ // it is the caller's
		}
		return string(text)
	}
	list := func() string {
		return strings.Join(tabletest.Must(fs.Glob(files, "*.yaml"))(t), " ")
	}
	before := read("a.yaml") + read("b.yaml") + list()
	put(t, folder, "a.yaml", "second")
	put(t, folder, "b.yaml", "second")
	files = input.Design(folder)
	assert.Equal(t, before, read("a.yaml")+read("b.yaml")+list(), "expected %q again", before)
}

// Of a folder, the files that are in it are read, by links of the folder as well, and nothing else is.
func TestFolder(t *testing.T) {
	around := t.TempDir()
	put(t, around, "secret", "secret")
	folder := filepath.Join(around, "design")
	put(t, folder, "own", "own")
	put(t, folder, "deep/own", "own")
	put(t, folder, ".git/config", "secret")
	put(t, folder, "..data/own", "own") // as Kubernetes mounts files
	link(t, "own", folder, "link")
	link(t, "../design/own", folder, "out-and-in")
	link(t, "deep", folder, "folder")
	link(t, "..data/own", folder, "mounted")
	link(t, "../secret", folder, "out")
	link(t, filepath.Join(around, "secret"), folder, "whole")
	link(t, "..", folder, "above")
	link(t, ".git/config", folder, "tools")
	link(t, ".git", folder, "git")
	link(t, "/nowhere/at/all", folder, "dangling")
	link(t, "/dev/zero", folder, "zero")
	put(t, folder, "large", strings.Repeat("x", input.Text+1))
	require.NoError(t, syscall.Mkfifo(filepath.Join(folder, "fifo"), 0o600))
	files := input.Folder(folder, input.Text)
	for _, row := range []struct{ name, says string }{
		{"own", ""}, {"deep/own", ""}, {"link", ""}, {"folder/own", ""}, {"mounted", ""},
		{"out", "leads out"}, {"whole", "leads out"}, {"above/secret", "leads out"}, {"../secret", "leads out"}, {"dangling", "leads out"},
		{"zero", "leads out"}, {"out-and-in", "leads out"}, {"/etc/passwd", "leads out"},
		{".git/config", "hidden"}, {"tools", "hidden"}, {"git/config", "hidden"},
		{"fifo", "found a device, a pipe or a socket"}, {"large", "expected at most 8 MB"},
	} {
		for name, read := range map[string]func() ([]byte, error){
			"ReadFile": func() ([]byte, error) { return fs.ReadFile(files, row.name) },
			"Open": func() ([]byte, error) {
				file, err := files.Open(row.name)
				if err != nil {
					return nil, err
				}
				defer file.Close()
				return []byte("own"), nil
			},
		} {
			text, err := read()
			assert.True(t, (err == nil) == (row.says == "") && (err == nil || strings.Contains(err.Error(), row.says)) && (err != nil || string(text) == "own"),
				"%s(%s): expected an error with %q, found %q, %v", name, row.name, row.says, text, err)
		}
	}
	_, err := fs.ReadFile(files, "none")
	assert.ErrorIs(t, err, fs.ErrNotExist, "expected that the file is not there")
	assert.Len(t, tabletest.Must(fs.Glob(files, "o*"))(t), 3, "expected own, out and out-and-in")
}

func TestTwice(t *testing.T) {
	for text, name := range map[string]string{
		`{"a": 1, "b": {"a": 1}, "c": [{"a": 1}, {"a": 2}]}`: "",
		`{"a": "b", "c": "a"}`:                               "",
		`["a", "a"]`:                                         "",
		`{"a": 1, "a" : 2}`:                                  "a",
		`{"a": [{"b": {"c": 1, "d": 2, "c": 3}}]}`:           "c",
		`{"a\"": 1, "\u0061\"": 2}`:                          `a"`,
		`{"{": 1, "}": 2, "[": 3, "{":4}`:                    "{",
	} {
		assert.Equal(t, name, input.Twice([]byte(text)), text)
	}
}

func TestExactly(t *testing.T) {
	type inner struct {
		Deep map[string]*struct{ Last string }
	}
	type value struct {
		Tagged string `json:"kind"`
		inner
		Raw  json.RawMessage
		Time time.Time
	}
	for text, says := range map[string]string{
		`{"kind": "a", "Deep": {"A": {"Last": "b"}, "a": {}}, "Raw": {"a": 1, "a": 2}, "other": {"KIND": 1}}`: "",
		`{"Kind": "a"}`:                     `expected the member "kind", found "Kind"`,
		`{"\u212aind": "a"}`:                `expected the member "kind", found "Kind"`,
		`{"deep": {}}`:                      `expected the member "Deep", found "deep"`,
		`{"Deep": {"a": {"last": 1}}}`:      `expected the member "Last", found "last"`,
		`{"kind": 1, "Kind": 1}`:            `expected the member "kind", found "Kind"`,
		`{"other": {"a": 1, "a": 2}}`:       `expected each member once, found "a" twice`,
		`{"Deep": {"a": {}, "a": {}}}`:      `expected each member once, found "a" twice`,
		`{"kind": 1}`:                       "cannot unmarshal number",
		`{"kind": "a"} {}`:                  "after top-level value",
		`{"Time": "2026-01-01", "Raw": {}}`: "parsing time",
	} {
		if err := input.Exactly([]byte(text), new(value)); says == "" {
			assert.NoError(t, err, text)
		} else {
			assert.ErrorContains(t, err, says, text)
		}
	}
}
