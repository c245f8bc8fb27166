package deploy

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Error is an operation that failed, with its root causes.
type Error struct {
	Operation string  // up, preview, refresh or destroy
	Stack     string  // "<design>.<environment>"
	Causes    []Cause // in the order in which they happened; empty when the engine itself failed

	err error
}

// Cause is one reason why an operation failed.
type Cause struct {
	Type, Name string // the resource, or empty
	Message    string // one line
}

func (c Cause) String() string {
	if c.Name == "" {
		return c.Message
	}
	return fmt.Sprintf("%s %q: %s", c.Type, c.Name, c.Message)
}

// Error is one line: what failed, the first cause, and how many more there are.
func (e *Error) Error() string {
	reason := ""
	switch {
	case e.Canceled():
		if reason = "canceled"; len(e.Causes) > 0 {
			reason += " (" + e.Causes[0].String() + ")"
		}
		if e.Operation == string(preview) {
			reason += "; nothing was changed"
		} else {
			reason += "; what was done is in the state: run it again, or destroy"
		}
	case len(e.Causes) > 0:
		reason = e.Causes[0].String()
		if n := len(e.Causes) - 1; n > 0 {
			reason += fmt.Sprintf(" (and %d more)", n)
		}
	case e.err != nil:
		reason = oneLine(e.err.Error())
	}
	return fmt.Sprintf("%s of %s: %s", e.Operation, e.Stack, reason)
}

// Canceled reports whether the operation ended because its context was canceled or ran out of time.
func (e *Error) Canceled() bool {
	return errors.Is(e.err, context.Canceled) || errors.Is(e.err, context.DeadlineExceeded)
}

func (e *Error) Unwrap() error { return e.err }

// oneLine joins the lines of a message and drops Pulumi's bullets.
func oneLine(message string) string {
	var parts []string
	for _, line := range strings.Split(message, "\n") {
		if line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "* ")); line != "" {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, " ")
}
