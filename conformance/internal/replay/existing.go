package replay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
)

// existingState is the folder of a run's journal on an existing stack. It is apart
// from the state of ephemeral stacks: what that lists may be deleted whole.
func existingState(folder, endpoint, stack string) string {
	return filepath.Join(EndpointState(folder, endpoint), "existing", stack)
}

// checkExisting refuses what a run on an existing stack must not be left to guess.
func (o *Options) checkExisting() error {
	switch {
	case len(o.Designs) != 1:
		return fmt.Errorf("a replay on an existing stack: expected one design by name, found %d; name the design whose tables may be written to", len(o.Designs))
	case o.Endpoint == "" && o.Cloud == nil:
		return errors.New("a replay on an existing stack: expected --endpoint or --target aws, found neither: the embedded engine is empty; leave --existing out")
	case o.StateDir == "":
		return errors.New("a replay on an existing stack: expected a state folder for its journal, found none; name one with --state")
	}
	return nil
}

// occupy takes an existing stack for this run: it removes what an interrupted run
// left, and starts the journal of what this run writes.
func (r *Run) occupy(ctx context.Context, design *accesspatterns.Design) (*itemJournal, error) {
	stack := design.Name + "." + r.options.Environment
	if err := r.take(stack); err != nil {
		return nil, err
	}
	folder := r.stateDir(stack)
	removed, err := removeItems(ctx, r.client(design), folder)
	if err != nil {
		return nil, err
	}
	if removed > 0 {
		r.progress("%s: removed %d items that an interrupted run left", design.Name, removed)
	}
	journal, err := startItemJournal(folder)
	if err != nil {
		return nil, fmt.Errorf("journal of the run: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.journals[stack] = journal
	return journal, nil
}

// vacate deletes exactly what the run wrote to an existing stack.
func (r *Run) vacate(ctx context.Context, design *accesspatterns.Design) error {
	stack := design.Name + "." + r.options.Environment
	r.mu.Lock()
	journal := r.journals[stack]
	delete(r.journals, stack)
	r.mu.Unlock()
	if journal == nil {
		return nil // nothing was written
	}
	if err := journal.close(); err != nil {
		return err
	}
	if lost := r.Lost(); lost != nil {
		return lost
	}
	return r.timed("destroy", func() error {
		if _, err := removeItems(ctx, r.client(design), r.stateDir(stack)); err != nil {
			return r.located(design.Name, err)
		}
		return r.leave(stack)
	})
}

// client is a client of the run itself, whose requests pass the wire.
func (r *Run) client(design *accesspatterns.Design) *dynamodb.Client {
	region := r.documented(design).Region
	if r.cloud != nil {
		return dynamodb.New(r.cloud.DynamoDB(region, r.recorded))
	}
	return journalClient(r.Endpoint(), region)
}

// RemoveItems deletes what interrupted runs of a stack left among the items of
// others on an endpoint: what their journal lists, and nothing else. It returns nil
// when no run was interrupted.
func RemoveItems(ctx context.Context, stateDir string, at Place, region, stack string) (removed *int, err error) {
	folder := existingState(stateDir, at.name(), stack)
	if _, err := os.Stat(itemJournalPath(folder)); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	release, err := hold(folder, stack)
	if err != nil {
		return nil, err
	}
	defer func() { _ = release() }() // the process's end releases it too
	count, err := removeItems(ctx, at.client(region), folder)
	return &count, err
}
