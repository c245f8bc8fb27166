package cli

import "io"

// Run runs a command line in this process, for tests.
func Run(stdout, stderr io.Writer, args ...string) int { return int(run(args, stdout, stderr)) }
