package replay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"dynaproof/conformance/internal/deploy"
)

// EndpointState is the state folder of one endpoint below a common folder.
func EndpointState(folder, endpoint string) string {
	name := endpoint
	if parsed, err := url.Parse(endpoint); err == nil && parsed.Host != "" {
		name = parsed.Host
	}
	return filepath.Join(folder, strings.NewReplacer(":", "-", "/", "-", "[", "", "]", "").Replace(name))
}

// verifyState is the state folder of a run's own stack on an endpoint. It is
// apart from the state of `dynaproof deploy`: what a run finds there was left by
// an interrupted run and may be deleted, and a deployment that somebody keeps
// may not.
func verifyState(folder, endpoint, stack string) string {
	return filepath.Join(EndpointState(folder, endpoint), "verify", stack)
}

// hold takes a state folder for this process. The operating system gives it up
// when the process ends, however it ends, so that a lock never outlives a run.
func hold(folder, stack string) (release func() error, err error) {
	lock, held := flock.New(folder+".lock"), false
	if err = os.MkdirAll(filepath.Dir(folder), 0o700); err == nil {
		held, err = lock.TryLock()
	}
	if err != nil {
		return nil, fmt.Errorf("state of stack %s: %w; choose another folder with --state", stack, err)
	}
	if !held {
		return nil, fmt.Errorf("stack %s: expected no other run on this endpoint, found one that holds %s; wait for it to end, or use another --env and --prefix", stack, folder)
	}
	return lock.Unlock, nil
}

// Leftovers is what was removed of an interrupted run.
type Leftovers struct {
	// Tables and Policies are the numbers of tables and of IAM policies that were deleted.
	Tables, Policies int
}

func (l *Leftovers) String() string {
	if l.Policies == 0 {
		return fmt.Sprintf("%d tables", l.Tables)
	}
	return fmt.Sprintf("%d tables, %d IAM policies", l.Tables, l.Policies)
}

// RemoveLeftovers deletes what an interrupted run of a design left on an
// endpoint: the tables and IAM policies that the run created, and nothing else. It returns nil
// when no run was interrupted.
func RemoveLeftovers(ctx context.Context, stateDir string, at Place, options deploy.Options) (left *Leftovers, err error) {
	stack := options.Name()
	folder := verifyState(stateDir, at.name(), stack)
	if _, err := os.Stat(journalPath(folder)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	release, err := hold(folder, stack)
	if err != nil {
		return nil, err
	}
	defer func() { _ = release() }() // the process's end releases it too
	options.StateDir = folder
	options.Unprotected()
	stacked, err := openLeft(ctx, options)
	if err != nil {
		return nil, err
	}
	owned, err := OpenOwned(stacked, folder, at, options.Region)
	if err != nil {
		return nil, err
	}
	if at.Cloud == nil {
		end, guarding := owned.Guard(at.Endpoint)
		if guarding != nil {
			return nil, guarding
		}
		defer func() { err = errors.Join(err, end(context.WithoutCancel(ctx))) }()
	}
	removed, err := owned.Clear(ctx)
	if err != nil {
		return &removed, fmt.Errorf("removing what an interrupted run left: %w", err)
	}
	return &removed, errors.Join(owned.Remove(ctx), os.RemoveAll(folder))
}
