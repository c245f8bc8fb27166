// Package wholefile writes files that appear whole or not at all, so that a run
// that is killed or a disk that is full leaves what was there before: reports,
// evidence and the journals that clean-up rests on. They replace nobody else's file.
//
// It is not for files that grow by a line at a time.
package wholefile

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/google/renameio/v2"

	"dynaproof/accesspatterns/input"
)

// Report is the mode, before the umask, of files that others may read; a journal, and what was seen of somebody's tables,
// takes Private.
const (
	Report  fs.FileMode = 0o644
	Private fs.FileMode = 0o600
)

// marks are what the texts hold that this program writes, each form its own: pages, evidence and what is like it, SARIF, JUnit, Markdown, an
// attestation, the paper for an author, figures of scale, and the journal of a stack.
var marks = []*regexp.Regexp{
	regexp.MustCompile(`<title>dynaproof`), regexp.MustCompile(`"version": "dynaproof/`), regexp.MustCompile(`"name": "dynaproof`),
	regexp.MustCompile(`<property name="conclusion"`), regexp.MustCompile(`\A## dynaproof(?: engines)?: `), regexp.MustCompile(`urn:dynaproof:run:v1`),
	regexp.MustCompile(`\A# .*: findings\n\n`), regexp.MustCompile(`"callsPerMonth":`), regexp.MustCompile(`"creating": {`),
}

// envelope matches the beginning of an attestation, and its payload.
var envelope = regexp.MustCompile(`\A{\s*"payloadType": "[^"]*",\s*"payload": "([^"]*)"`)

// head is how much of a text that is packed is looked at.
const head = 64 << 10

// mark returns the place in marks of the one that a text holds, also where it is packed, or the payload of an envelope; below 0 of a text that is
// somebody else's.
func mark(text []byte) int {
	if packed, err := gzip.NewReader(bytes.NewReader(text)); err == nil {
		text, _ = io.ReadAll(io.LimitReader(packed, head)) // what is broken holds none
	} else if payload := envelope.FindSubmatch(text); payload != nil {
		text, _ = base64.StdEncoding.AppendDecode(nil, payload[1])
	}
	return slices.IndexFunc(marks, func(mark *regexp.Regexp) bool { return mark.Match(text) })
}

// Replaces returns an error where a text may not take the place of what is at a path. It may where nothing is there, or an empty file, or one
// of the same form that this program wrote; without a text, of any form.
func Replaces(path string, text []byte) error {
	is, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && (is.IsDir() || is.Mode().IsRegular() && is.Size() == 0): // a folder no file can replace
		return nil
	case err != nil:
		return failed(path, err)
	}
	if is.Mode().IsRegular() {
		there, err := input.File(path, input.Evidence)
		if err != nil {
			return failed(path, err)
		}
		if found := mark(there); found >= 0 && (text == nil || found == mark(text)) {
			return nil
		}
	}
	return failed(path, errors.New("expected nothing there, or a file that dynaproof wrote, found another; choose another place, or move it away"))
}

// Write writes a file, and the folders above it where there are none. A file that
// exists is replaced where [Replaces] has nothing against it, with the mode of the new one; of several who write it at once, one whole text stays. On an error the
// file that was there stays as it is, and nothing is left beside it.
func Write(path string, text []byte, mode fs.FileMode) error {
	searchable := mode | mode&0o444>>2 // who may read the file may go through its folder
	folder := filepath.Dir(path)
	if err := Replaces(path, text); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, searchable); err != nil {
		return failed(path, err)
	}
	// In the same folder: a file cannot be renamed across file systems.
	if err := renameio.WriteFile(path, text, mode, renameio.WithTempDir(folder)); err != nil {
		return failed(path, err)
	}
	if err := SyncFolder(folder); err != nil {
		return fmt.Errorf("writing %s: %w; it is there, but a machine that goes down now may lose it", path, err)
	}
	return nil
}

// SyncFolder makes the new name of a file outlast a machine that goes down.
func SyncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Render writes what a function writes, like [Write]. When the function fails,
// its error is returned as it is and no file is touched.
func Render(path string, mode fs.FileMode, render func(io.Writer) error) error {
	var text bytes.Buffer
	if err := render(&text); err != nil {
		return err
	}
	return Write(path, text.Bytes(), mode)
}

func failed(path string, err error) error {
	return fmt.Errorf("writing %s: %w; what was there before is unchanged", path, err)
}
