package scratch

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain makes a folder and waits to be killed, where a test asks for it.
func TestMain(m *testing.M) {
	if os.Getenv("DYNAPROOF_SCRATCH") == "" {
		os.Exit(m.Run())
	}
	folder, _, err := Folder()
	fmt.Println(folder, err)
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends it
}

// What a killed process left is removed by the next one that makes a folder; what a living one has, and
// what is not proven to be a run's, stays.
func TestTheDeadAreSwept(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	start := func() (*exec.Cmd, string) {
		other := exec.Command(os.Args[0])
		other.Env = append(os.Environ(), "DYNAPROOF_SCRATCH=1")
		printed, err := other.StdoutPipe()
		require.NoError(t, err)
		_, err = other.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, other.Start())
		t.Cleanup(func() { _ = other.Process.Kill(); _ = other.Wait() })
		line, err := bufio.NewReader(printed).ReadString('\n')
		folder, is := strings.CutSuffix(line, " <nil>\n")
		require.NoError(t, err)
		require.True(t, is, "expected a folder, found %q, %v", line, err)
		return other, folder
	}
	put := func(path, text string) string {
		t.Helper()
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	_, living := start()
	dead, left := start()
	stays := []string{put(filepath.Join(living, "its"), ""), living + end}
	put(filepath.Join(left, "state"), "of the dead")
	require.NoError(t, dead.Process.Kill())
	_ = dead.Wait()
	// Folders and files of somebody, whatever they are called.
	victim := t.TempDir()
	for name, text := range map[string]string{"dynaproof-notes": "my notes", "dynaproof-empty": "", "dynaproof-almost": proof[:len(proof)-1] + "!"} {
		folder := filepath.Join(temporary, name)
		require.NoError(t, os.Mkdir(folder, 0o700))
		stays = append(stays, put(filepath.Join(folder, "precious"), ""), put(folder+end, text))
	}
	require.NoError(t, os.Mkdir(filepath.Join(temporary, "dynaproof-123"), 0o700))
	put(filepath.Join(temporary, "dynaproof-link"+end), proof)
	require.NoError(t, os.Symlink(victim, filepath.Join(temporary, "dynaproof-link")))
	stays = append(stays, put(filepath.Join(victim, "precious"), ""), filepath.Join(temporary, "dynaproof-123"))

	folder, remove, err := Folder()
	require.NoError(t, err)
	for _, path := range stays {
		_, err := os.Stat(path)
		assert.NoError(t, err, "expected %s to stay", path)
	}
	for _, path := range []string{left, left + end} {
		assert.NoFileExists(t, path, "of a killed process")
		assert.NoDirExists(t, path, "of a killed process")
	}
	for range 2 {
		assert.NoError(t, remove())
	}
	assert.NoDirExists(t, folder)
}

func TestNoPlaceForAFolder(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	_, _, err := Folder()
	assert.ErrorContains(t, err, "set TMPDIR to another one")
}
