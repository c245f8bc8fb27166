//go:build unix

package wholefile_test

import (
	"errors"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dynaproof/conformance/internal/wholefile"
)

// A write that fails half-way, as on a disk that is full, leaves the old file and
// nothing beside it. The limit on the size of a file stands in for the disk.
func TestWriteThatFailsHalfWay(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "evidence.json")
	if err := wholefile.Write(path, []byte("old"), wholefile.Report); err != nil {
		t.Fatal(err)
	}
	var usual syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &usual); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ) // without it the kernel ends the process
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 10, Max: usual.Max}); err != nil {
		t.Fatal(err)
	}
	err := wholefile.Write(path, []byte(strings.Repeat("new ", 10)), wholefile.Report)
	if restored := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &usual); restored != nil {
		t.Fatal(restored)
	}
	signal.Reset(syscall.SIGXFSZ)
	if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), "writing "+path) {
		t.Errorf("expected %v with the file's name, found %v", syscall.EFBIG, err)
	}
	if diff := cmp.Diff(map[string]string{"evidence.json": "old"}, contents(t, folder)); diff != "" {
		t.Errorf("folder (-want +got):\n%s", diff)
	}
}
