package replay

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/target"
)

// OwnedStack is a Pulumi stack with the proof of which tables are its own. It is the one
// way in which runs deploy and remove: before the stack is brought up and before it is
// destroyed it asks whether the tables of its names are still those that it made.
type OwnedStack struct {
	*deploy.Stack
	journal *journal
}

// OpenOwned opens the ownership of a stack, whose journal is in a folder, on an engine on
// this machine. What the stack sends may pass a wire; the engine is asked past it.
func OpenOwned(stack *deploy.Stack, folder, engineURL, region string) (*OwnedStack, error) {
	return openOwned(stack, folder, target.NewClient(engineURL, region))
}

func openOwned(stack *deploy.Stack, folder string, engine *dynamodb.Client) (*OwnedStack, error) {
	kept, err := readJournal(folder, engine)
	if err != nil {
		return nil, err
	}
	if kept == nil {
		kept = newJournal(folder, engine)
	}
	return &OwnedStack{stack, kept}, nil
}

// Warden is the warden of a wire that the stack's requests pass: it sees which tables the engine
// says that it created, and lets none be written to, changed or deleted that is not the stack's.
func (o *OwnedStack) Warden() wire.Warden { return o.journal }

// Run names the run whose tables the stack's are, in the tag that they bear from now on. What a
// run left keeps its own until it is removed.
func (o *OwnedStack) Run(tag string) {
	o.journal.mu.Lock()
	defer o.journal.mu.Unlock()
	if len(o.journal.Creating) == 0 {
		o.journal.Run = tag
	}
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
// wire. The tag of [OwnedStack.Run] alone then tells which are its own.
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
	if _, err := o.journal.own(ctx); err != nil {
		return nil, err
	}
	if err := o.journal.write(); err != nil {
		return nil, fmt.Errorf("journal of the stack's tables: %w", err)
	}
	result, err := o.Stack.Up(ctx)
	if err != nil {
		return nil, err
	}
	return result, o.journal.settle(ctx)
}

// Destroy destroys the stack and deletes what an interrupted process left of it: its own
// tables, and nothing else. It returns the number of the tables that were there.
func (o *OwnedStack) Destroy(ctx context.Context) (*deploy.Result, int, error) {
	there, err := o.journal.own(ctx)
	if err != nil {
		return nil, 0, err
	}
	if err := o.unknown(ctx); err != nil {
		return nil, 0, err
	}
	result, err := o.Stack.Destroy(ctx)
	if err != nil {
		return nil, 0, err
	}
	if err := o.journal.delete(ctx, there); err != nil {
		return nil, 0, err
	}
	if err := os.Remove(o.journal.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, 0, err
	}
	o.journal.mu.Lock()
	defer o.journal.mu.Unlock()
	o.journal.Creating, o.journal.Made, o.journal.Existing, o.journal.Run = map[string]time.Time{}, map[string]identity{}, nil, ""
	return result, len(there), nil
}

// Clear is [OwnedStack.Destroy] for what a run of its own made: where a table of one of the
// stack's names is somebody else's, that one is left, the stack's own are deleted all the same,
// and the error names what was left.
func (o *OwnedStack) Clear(ctx context.Context) (removed int, err error) {
	there, err := o.journal.own(ctx)
	var foreign *ForeignTableError
	if !errors.As(err, &foreign) {
		_, removed, err = o.Destroy(ctx)
		return removed, err
	}
	if failed := o.journal.delete(ctx, there); failed != nil {
		return 0, errors.Join(failed, err)
	}
	return len(there), err
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
