package cli

import (
	"io"
	"strings"
)

// Run runs a command line in this process, for tests. Nobody is there to be asked.
func Run(stdout, stderr io.Writer, args ...string) int {
	return int(run(args, strings.NewReader(""), stdout, stderr))
}
