package wholefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Report is the mode, before the umask, of files that others may read; a journal
// takes Private.
const (
	Report  fs.FileMode = 0o644
	Private fs.FileMode = 0o600
)

// Write writes a file, and the folders above it where there are none. A file that
// exists is replaced, with the mode of the new one. On an error the file that was
// there stays as it is, and nothing is left beside it.
func Write(path string, text []byte, mode fs.FileMode) error {
	searchable := mode | mode&0o444>>2 // who may read the file may go through its folder
	if err := os.MkdirAll(filepath.Dir(path), searchable); err != nil {
		return failed(path, err)
	}
	partial := path + ".partial" // in the same folder: a file cannot be renamed across file systems
	file, err := os.OpenFile(partial, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, mode)
	if err != nil {
		return failed(path, err)
	}
	_, err = file.Write(text)
	// Without Sync, a machine that goes down may leave the new name on an empty file.
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(partial, path)
	}
	if err != nil {
		_ = os.Remove(partial) // the first error is the cause
		return failed(path, err)
	}
	return nil
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
