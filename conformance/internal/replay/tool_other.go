//go:build !unix

package replay

import (
	"context"
	"errors"
	"io"
)

// runGroup refuses: ending a command with all that it started needs process groups.
func runGroup(context.Context, string, []string, io.Writer) error {
	return errors.New("a system without process groups; deploy to an engine of your own, and run `dynaproof audit --endpoint URL`")
}
