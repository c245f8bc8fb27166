//go:build unix

package wholefile_test

import (
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/conformance/internal/wholefile"
)

// A write that fails half-way, as on a disk that is full, leaves the old file and
// nothing beside it. The limit on the size of a file stands in for the disk.
func TestWriteThatFailsHalfWay(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "evidence.json")
	require.NoError(t, wholefile.Write(path, []byte("## dynaproof: "), wholefile.Report))
	var usual syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &usual))
	signal.Ignore(syscall.SIGXFSZ) // without it the kernel ends the process
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 10, Max: usual.Max}))
	err := wholefile.Write(path, []byte("## dynaproof: "+strings.Repeat("new ", 10)), wholefile.Report)
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &usual))
	signal.Reset(syscall.SIGXFSZ)
	require.ErrorIs(t, err, syscall.EFBIG)
	assert.Contains(t, err.Error(), "writing "+path, "expected %v with the file's name", syscall.EFBIG)
	assert.Empty(t, cmp.Diff(map[string]string{"evidence.json": "## dynaproof: "}, contents(t, folder)), "folder (-want +got)")
}
