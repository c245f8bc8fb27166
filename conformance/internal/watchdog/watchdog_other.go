//go:build !unix

package watchdog

import (
	"context"
	"errors"
	"io"
)

// Process is a program behind its watchdog. Here there is none: ending a program with all that it started needs process groups.
type Process struct{ Group, PID, Status int }

// Start refuses with [errors.ErrUnsupported].
func Start([]string, []string, io.Writer) (*Process, error) { return nil, errors.ErrUnsupported }

// Done is never closed.
func (p *Process) Done() <-chan struct{} { return nil }

// Asked is false.
func (p *Process) Asked() bool { return false }

// End does nothing.
func (p *Process) End(context.Context) error { return nil }

// Kill does nothing.
func (p *Process) Kill() {}

// Ending says nothing.
func (p *Process) Ending() string { return "" }
