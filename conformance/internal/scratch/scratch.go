// Package scratch makes folders in the temporary directory that do not outlive their process for
// ever: each lies beside a locked file, and what a process that was killed left is removed by
// the next one that makes a folder.
package scratch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/gofrs/flock"

	"dynaproof/accesspatterns/input"
)

const (
	begin, end = "dynaproof-", ".lock"
	// proof is what the file of a folder says, and nobody else's file.
	proof = "The folder beside this file is of a run of dynaproof. A later run removes both when nobody holds this file.\n"
)

// locks keeps the locks of this process, which end with their files.
var locks sync.Map

// Folder makes a folder of this process's own, and removes those whose processes are gone. remove
// removes it; it may be called again.
func Folder() (folder string, remove func() error, err error) {
	sweep(os.TempDir())
	for {
		file, err := os.CreateTemp("", begin+"*"+end)
		if err != nil {
			return "", nil, fmt.Errorf("expected a temporary folder to write to: %w; set TMPDIR to another one", err)
		}
		path := file.Name()
		lock := flock.New(path)
		held, err := lock.TryLock()
		if err == nil && held && same(file, path) {
			_, err = file.WriteString(proof)
			folder = strings.TrimSuffix(path, end)
			if err == nil {
				err = os.Mkdir(folder, 0o700)
			}
		}
		err = errors.Join(err, file.Close())
		if err != nil {
			return "", nil, fmt.Errorf("a folder for this run in %s: %w", filepath.Dir(path), errors.Join(err, os.Remove(path), lock.Unlock()))
		}
		if folder == "" { // another process removed the file before it was held
			_ = lock.Unlock()
			continue
		}
		locks.Store(path, lock)
		return folder, func() error {
			locks.Delete(path)
			err := os.RemoveAll(folder)
			if gone := os.Remove(path); !errors.Is(gone, os.ErrNotExist) {
				err = errors.Join(err, gone)
			}
			return errors.Join(err, lock.Unlock())
		}, nil
	}
}

// same reports whether a file is still the one at its path.
func same(file *os.File, path string) bool {
	is, err := file.Stat()
	at, missing := os.Lstat(path)
	return err == nil && missing == nil && os.SameFile(is, at)
}

// own reports whether a file belongs to the user of this process.
func own(is os.FileInfo) bool {
	stat, known := is.Sys().(*syscall.Stat_t)
	return known && int(stat.Uid) == os.Geteuid()
}

// sweep removes the folders of a directory that are proven to be of runs of this user whose processes
// are gone: the lock tells, not an age. What cannot be removed stays.
func sweep(directory string) {
	paths, err := filepath.Glob(filepath.Join(directory, begin+"*"+end))
	if err != nil {
		return
	}
	for _, path := range paths {
		is, err := os.Lstat(path)
		if err != nil || !is.Mode().IsRegular() || is.Size() != int64(len(proof)) || !own(is) {
			continue
		}
		lock := flock.New(path)
		if held, err := lock.TryLock(); err != nil || !held {
			continue
		}
		folder := strings.TrimSuffix(path, end)
		there, missing := os.Lstat(folder)
		text, err := input.File(path, int64(len(proof)))
		if err == nil && string(text) == proof && (errors.Is(missing, os.ErrNotExist) || missing == nil && there.IsDir() && own(there) && os.RemoveAll(folder) == nil) {
			_ = os.Remove(path)
		}
		_ = lock.Unlock()
	}
}
