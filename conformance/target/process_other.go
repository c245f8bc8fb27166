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
	return nil, &ConfigError{Problem{
		Where:    "embedded engine",
		Expected: "a POSIX system",
		Found:    runtime.GOOS,
		Instead:  "run a DynamoDB-compatible engine yourself and pass --endpoint URL",
		Err:      ErrNoEngine,
	}}
}

func (p *process) stop()          {}
func (p *process) kill()          {}
func (p *process) crash()         {}
func (p *process) ending() string { return "" }
