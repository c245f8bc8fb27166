//go:build !unix

package target

import "runtime"

// process is an engine behind its watchdog. Here there is none: the guarantee that an engine ends with the run needs
// a POSIX shell and process groups.
type process struct {
	output *output
	done   chan struct{}
	asked  bool
}

// startProcess refuses.
func startProcess(string, string, ...string) (*process, error) {
	return nil, configError("embedded engine", "a POSIX system", runtime.GOOS,
		"run a DynamoDB-compatible engine yourself and pass --endpoint URL", ErrNoEngine)
}

func (p *process) stop()          {}
func (p *process) kill()          {}
func (p *process) crash()         {}
func (p *process) ending() string { return "" }
