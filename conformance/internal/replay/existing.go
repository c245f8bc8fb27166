package replay

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/target"
	"dynaproof/fixtures"
)

// checkExisting refuses what a run on an existing stack must not be left to guess.
func (o *Options) checkExisting() error {
	switch {
	case !o.Existing:
		return nil
	case o.Endpoint == "" && o.Cloud == nil:
		return errors.New("a replay on an existing stack: expected --endpoint or --target aws, found neither: the embedded engine is empty; leave --existing out")
	case o.StateDir == "":
		return errors.New("a replay on an existing stack: expected a state folder for its journal, found none; name one with --state")
	}
	return o.oneDesign("a replay on an existing stack", "whose tables may be written to")
}

// oneDesign refuses several designs, and none where several are here.
func (o *Options) oneDesign(of, which string) error {
	chosen, err := designs.Chosen(o.Designs)
	if err == nil && len(chosen) != 1 {
		err = fmt.Errorf("%s: expected one design by name, found %d; name the design %s", of, len(chosen), which)
	}
	return err
}

// occupy takes an existing stack for this run: it removes what an interrupted run
// left, and starts the journal of what this run writes.
func (r *Replay) occupy(ctx context.Context, design *accesspatterns.Design) error {
	if err := r.take(design); err != nil {
		return err
	}
	folder := r.stateDir(design)
	// What stands under the keys of an earlier run may be somebody's by now.
	r.at(design.Name).wire.SetKeep(safewrite.New(safewrite.Options{}).Redacted)
	removed, err := removeItems(ctx, r.client(design), folder)
	if err != nil {
		return err
	}
	if removed > 0 {
		r.progress("%s: removed %d items that an interrupted run left", design.Name, removed)
	}
	tables, err := identities(ctx, r.client(design), slices.Sorted(maps.Values(r.options.documented(design).Tables)))
	if err != nil {
		return err
	}
	if r.of(design.Name).written, err = startItemJournal(folder, tables); err != nil {
		return fmt.Errorf("journal of the run: %w", err)
	}
	return nil
}

// vacate deletes exactly what the run wrote to an existing stack.
func (r *Replay) vacate(ctx context.Context, design *accesspatterns.Design) error {
	at := r.of(design.Name)
	journal := at.written
	if journal == nil {
		return nil // nothing was written
	}
	at.written = nil
	if err := journal.close(); err != nil {
		return err
	}
	return r.removed(design, func() error {
		_, err := removeItems(ctx, r.client(design), r.stateDir(design))
		return err
	})
}

// client is a client of the run itself, whose requests pass the wire.
func (r *Replay) client(design *accesspatterns.Design) *dynamodb.Client {
	region := r.options.documented(design).Region
	if r.cloud != nil {
		return dynamodb.New(r.cloud.DynamoDB(region, r.recorder))
	}
	return target.NewClient(r.Endpoint(), region)
}

// removeItemsLeft deletes what interrupted runs of a stack left among the items of
// others on an endpoint: what their journal lists, and nothing else. It returns nil
// when no run was interrupted.
func removeItemsLeft(ctx context.Context, stateDir string, at Place, region, stack string) (removed *int, err error) {
	folder := at.state(stateDir, existingState, stack)
	if _, err := os.Stat(itemJournalPath(folder)); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	release, err := Hold(folder, stack)
	if err != nil {
		return nil, err
	}
	defer func() { _ = release() }() // the process's end releases it too
	count, err := removeItems(ctx, at.client(region), folder)
	return &count, err
}

// ExistingPlan is what a replay on an existing stack will do, as far as it is known
// before the first request.
type ExistingPlan struct {
	Design, Environment string
	// Tables are the deployed names.
	Tables []string
	// Claims is the number of the design's claims, and Untold of those that cannot be decided there.
	Claims, Untold int
	// Reasons say why.
	Reasons []*Untold
}

// Untold are claims that cannot be decided on an existing stack for one reason.
type Untold struct {
	Reason string
	Claims []string
}

// PlanExisting says what a replay on an existing stack will do.
func PlanExisting(options Options) (*ExistingPlan, error) {
	chosen, err := options.resolve()
	if err != nil {
		return nil, ConfigError{err}
	}
	design := chosen[0]
	set, err := fixtures.Load(design.Name, time.Now())
	if err != nil {
		return nil, err
	}
	tables := options.documented(design).Tables
	unanswerable, err := suite.Forecast(design, set, tables, options.Cloud != nil)
	plan := &ExistingPlan{
		Design: design.Name, Environment: options.Environment, Tables: slices.Sorted(maps.Values(tables)), Claims: len(manifest.Claims(design)), Untold: len(unanswerable),
	}
	for _, each := range unanswerable {
		at := slices.IndexFunc(plan.Reasons, func(u *Untold) bool { return u.Reason == each.Reason })
		if at < 0 {
			at = len(plan.Reasons)
			plan.Reasons = append(plan.Reasons, &Untold{Reason: each.Reason})
		}
		plan.Reasons[at].Claims = append(plan.Reasons[at].Claims, strings.TrimPrefix(each.Claim, design.Name+"/"))
	}
	return plan, err
}
