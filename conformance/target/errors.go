package target

import (
	"errors"
	"strings"
)

// ErrNoEngine is wrapped by the [*ConfigError] that says that the embedded engine does not exist for this platform.
var ErrNoEngine = errors.New("no embedded engine for this platform")

// Problem is what every error of this package tells: one line with what was expected, what was found, where, and what to
// do instead.
type Problem struct {
	// Where names the part that refused, for example "embedded engine" or "endpoint".
	Where string
	// Expected is the condition that should have held.
	Expected string
	// Found is what was there instead.
	Found string
	// Instead is what the reader can do now.
	Instead string
	// Err is the cause when there is one; its text is already part of Found.
	Err error
}

// Error returns the problem as a single line.
func (p Problem) Error() string {
	line := p.Where + ": expected " + p.Expected + ", found " + p.Found
	if p.Instead != "" {
		line += "; " + p.Instead
	}
	return strings.Join(strings.Fields(line), " ")
}

// Unwrap returns the cause, or nil.
func (p Problem) Unwrap() error { return p.Err }

// ConfigError says that the request or the set-up of this machine is at fault, and that trying again without a change
// is pointless. A command ends with exit code 2.
type ConfigError struct{ Problem }

// UnavailableError says that the engine could not be started, reached or kept, so that nothing can be told about a
// design. A command ends with exit code 3.
type UnavailableError struct{ Problem }

func configError(where, expected, found, instead string, err error) error {
	return &ConfigError{Problem{where, expected, found, instead, err}}
}

func unavailable(where, expected, found, instead string, err error) error {
	return &UnavailableError{Problem{where, expected, found, instead, err}}
}
