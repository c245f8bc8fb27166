//go:build unix

package scratch

import (
	"os"
	"syscall"
)

// own reports whether a file belongs to the user of this process.
func own(is os.FileInfo) bool {
	stat, known := is.Sys().(*syscall.Stat_t)
	return known && int(stat.Uid) == os.Geteuid()
}
