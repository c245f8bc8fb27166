// Package wholefile writes files that appear whole or not at all, so that a run
// that is killed or a disk that is full leaves what was there before: reports,
// evidence and the journals that clean-up rests on.
//
// It is not for files that grow by a line at a time.
package wholefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// Report is the mode, before the umask, of files that others may read; a journal, and what was seen of somebody's tables,
// takes Private.
const (
	Report  fs.FileMode = 0o644
	Private fs.FileMode = 0o600
)

// Write writes a file, and the folders above it where there are none. A file that
// exists is replaced, with the mode of the new one; of several who write it at once, one whole text stays. On an error the
// file that was there stays as it is, and nothing is left beside it.
func Write(path string, text []byte, mode fs.FileMode) error {
	searchable := mode | mode&0o444>>2 // who may read the file may go through its folder
	folder := filepath.Dir(path)
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
