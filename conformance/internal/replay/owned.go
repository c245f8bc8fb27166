package replay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/gofrs/flock"

	"dynaproof/conformance/internal/access"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite/session"
)

// OwnedStack is a Pulumi stack with the proof of which tables are its own. It is the one
// way in which runs deploy and remove: before the stack is brought up and before it is
// destroyed it asks whether the tables of its names are still those that it made.
//
// In an account the same goes for IAM policies: one below the run's own path is the run's
// when it bears the run's tag. One that somebody else has made there is left, and named.
type OwnedStack struct {
	*deploy.Stack
	journal *journal
	iam     *iam.Client // nil elsewhere
}

// OpenOwned opens the ownership of a stack, whose journal is in a folder. What the stack sends may pass a wire; the engine is asked
// past it.
func OpenOwned(stack *deploy.Stack, folder string, at Place, region string) (*OwnedStack, error) {
	kept, err := readJournal(folder, at.client(region))
	if err != nil {
		return nil, err
	}
	owned := &OwnedStack{Stack: stack, journal: kept}
	if at.Cloud != nil {
		owned.iam = iam.NewFromConfig(at.Cloud.Config)
	}
	return owned, nil
}

// bear names the run whose tables the stack's are, in the tag that they bear from now on, and the path of the IAM policies that
// the stack makes, with a slash at both ends, which is the run's alone; empty for none. What a run left keeps its own tag until it is
// removed.
func (o *OwnedStack) bear(tag, policies string) {
	o.journal.mu.Lock()
	defer o.journal.mu.Unlock()
	if len(o.journal.Creating) == 0 {
		o.journal.Run = tag
	}
	o.journal.PolicyPath = policies
}

// policies finds the run's policies; nil where it makes none.
func (o *OwnedStack) policies() *access.Sweeper {
	o.journal.mu.Lock()
	defer o.journal.mu.Unlock()
	run := o.journal.Run
	if o.iam == nil || o.journal.PolicyPath == "" {
		return nil
	}
	return &access.Sweeper{Client: o.iam, Path: o.journal.PolicyPath, Lost: func(key, value string, _ time.Time) bool { return key == RunTag && value == run }}
}

// own returns the names of the run's own tables and policies that are there, as far as
// that can be told. The error names what of their names is somebody else's
// ([*ForeignError]), and what could not be asked.
func (o *OwnedStack) own(ctx context.Context) (tables, policies []string, err error) {
	tables, err = o.journal.own(ctx)
	mine := o.policies()
	if mine == nil || err != nil && !foreign(err) {
		return tables, nil, err
	}
	policies, others, failed := mine.Sort(ctx)
	if failed != nil {
		err = errors.Join(err, fmt.Errorf("asking whose the IAM policies below %s are: %w", mine.Path, failed))
	}
	if len(others) > 0 {
		err = errors.Join(err, &ForeignError{fmt.Sprintf("IAM policies below %s: expected the tag %s=%s of the run on each, found none on %s, which is not the run's; it was left and it was not changed: remove it if nobody needs it, then clean up again",
			mine.Path, RunTag, o.journal.Run, strings.Join(others, ", "))})
	}
	return tables, policies, err
}

// deletePolicies deletes the policies with the run's tag.
func (o *OwnedStack) deletePolicies(ctx context.Context) error {
	mine := o.policies()
	if mine == nil {
		return nil
	}
	said, err := mine.Remove(ctx)
	if stay := slices.DeleteFunc(said, func(line string) bool { return !strings.HasPrefix(line, "left ") }); err == nil && len(stay) > 0 {
		err = errors.New(strings.Join(stay, "; "))
	}
	if err != nil {
		return fmt.Errorf("deleting the run's IAM policies: %w", err)
	}
	return nil
}

// Guard puts a wire with the stack's warden between the stack and an endpoint, until end is
// called. The stack knows the endpoint alone.
func (o *OwnedStack) Guard(endpoint string) (end func(context.Context) error, err error) {
	proxy, err := wire.Start(wire.Options{Upstream: endpoint, DropResponses: true})
	if err != nil {
		return nil, err
	}
	proxy.SetWarden(o.journal)
	o.Stack.Through(proxy.URL())
	return func(ctx context.Context) error {
		o.Stack.Through("")
		return proxy.Close(ctx)
	}, nil
}

// Announce writes down tables that the stack is about to create, where its requests pass no
// wire. The tag of [OwnedStack.bear] alone then tells which are its own.
func (o *OwnedStack) Announce(ctx context.Context, names ...string) error {
	o.journal.mu.Lock()
	defer o.journal.mu.Unlock()
	for _, name := range names {
		table, err := o.journal.describe(ctx, name)
		if err != nil {
			return err
		}
		if table != nil && !slices.Contains(o.journal.Existing, name) {
			o.journal.Existing = append(o.journal.Existing, name)
		}
		if err := o.journal.announce(name); err != nil {
			return err
		}
	}
	return nil
}

// Up brings the stack up, unless one of its names belongs to another table.
func (o *OwnedStack) Up(ctx context.Context) (*deploy.Result, error) {
	ours, err := o.journal.own(ctx)
	if err != nil {
		return nil, err
	}
	if err := o.journal.write(); err != nil {
		return nil, fmt.Errorf("journal of the stack's tables: %w", err)
	}
	result, err := o.Stack.Up(ctx)
	if o.iam != nil && ctx.Err() == nil { // no wire sees the answers, for which what deploys has waited
		err = errors.Join(err, o.journal.heard())
	}
	for _, name := range ours {
		if err != nil && strings.Contains(err.Error(), strconv.Quote(name)+" exists already") {
			err = fmt.Errorf("%w; a deploy of this stack that was cut off has made it, as the journal of its tables proves: `dynaproof destroy` removes it, then deploy again", err)
		}
	}
	if err != nil {
		return nil, err
	}
	return result, o.journal.settle(ctx)
}

// Destroy destroys the stack and deletes what an interrupted process left of it: its own
// tables and policies, and nothing else.
func (o *OwnedStack) Destroy(ctx context.Context) (*deploy.Result, error) {
	tables, _, err := o.own(ctx)
	if err == nil {
		err = o.unknown(ctx)
	}
	if err != nil {
		return nil, err
	}
	result, err := o.Stack.Destroy(ctx)
	if err == nil {
		err = o.journal.delete(ctx, tables)
	}
	if err == nil {
		err = o.deletePolicies(ctx)
	}
	if err != nil {
		return nil, err
	}
	o.journal.mu.Lock()
	defer o.journal.mu.Unlock()
	if err := o.journal.late(); err != nil {
		return nil, errors.Join(err, o.journal.write())
	}
	if err := os.Remove(o.journal.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	o.journal.forget()
	return result, nil
}

// Clear is [OwnedStack.Destroy] for what a run of its own made: where a table of one of the
// stack's names, or a policy below its path, is somebody else's, or cannot be told, it is
// left, the stack's own are deleted all the same, and the error names what was left. So they are where the stack's state cannot be read,
// as after a full disk: the journal proves which they are.
func (o *OwnedStack) Clear(ctx context.Context) (removed Leftovers, err error) {
	tables, policies, err := o.own(ctx)
	if err == nil {
		if _, err = o.Destroy(ctx); err == nil || errors.As(err, new(*lateError)) {
			return Leftovers{len(tables), len(policies)}, err
		}
		err = fmt.Errorf("%w; the tables that the journal proves to be the run's were removed all the same: where the state stays unreadable, remove %s", err, filepath.Dir(o.journal.path))
	}
	if failed := o.journal.delete(ctx, tables); failed != nil {
		return Leftovers{}, errors.Join(failed, err)
	}
	removed.Tables = len(tables)
	if len(policies) > 0 {
		if failed := o.deletePolicies(ctx); failed != nil {
			return removed, errors.Join(failed, err)
		}
	}
	removed.Policies = len(policies)
	return removed, err
}

// unknown fails when the state names a table that is there and that the journal does not
// know: then nobody can tell whose it is.
func (o *OwnedStack) unknown(ctx context.Context) error {
	outputs, err := o.Stack.Outputs(ctx)
	if err != nil || outputs["tables"] == nil {
		return err
	}
	deployment, err := Outputs(outputs)
	if err != nil {
		return err
	}
	return o.knows(ctx, deployment)
}

// knows fails where a deployment names a table that is there and is not the stack's own, as a program may that imports one.
func (o *OwnedStack) knows(ctx context.Context, deployment session.Deployment) error {
	o.journal.mu.Lock()
	defer o.journal.mu.Unlock()
	for _, name := range slices.Sorted(maps.Values(deployment.Tables)) {
		if _, err := o.journal.find(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// OwnershipOf is the folder of the journal of a stack that somebody keeps, below the folder
// of the states on an endpoint.
func OwnershipOf(states, stack string) string { return filepath.Join(states, "tables", stack) }

// EndpointState is the state folder of one endpoint below a common folder.
func EndpointState(folder, endpoint string) string {
	name := endpoint
	if parsed, err := url.Parse(endpoint); err == nil && parsed.Host != "" {
		name = parsed.Host
	}
	return filepath.Join(folder, strings.NewReplacer(":", "-", "/", "-", "[", "", "]", "").Replace(name))
}

// Hold takes a state folder for this process, before what stands in it is read. The operating system gives it up
// when the process ends, however it ends, so that a lock never outlives a run.
func Hold(folder, stack string) (release func() error, err error) {
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
	folder := at.state(stateDir, verifyState, stack)
	if _, err := os.Stat(journalPath(folder)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	release, err := Hold(folder, stack)
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
