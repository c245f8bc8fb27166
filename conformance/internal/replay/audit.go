package replay

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/own"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// Audit compares the tables on an endpoint with the contract of one design, and with
// a trail what others sent to them. It deploys nothing and writes nothing, and fails
// when its own ledger holds any request other than Describe, List and the search of
// the trail.
func Audit(ctx context.Context, options Options) (*evidence.Run, error) {
	run, err := start(ctx, options, true)
	if err != nil {
		return nil, err
	}
	defer func() { _ = run.Close(context.WithoutCancel(ctx)) }() // nothing was deployed
	design := run.designs[0]
	input, err := run.input(design, run.options.documented(design))
	if err != nil {
		return nil, err
	}
	// What the patterns of roles send is made of the cases, and asked of policies alone; nothing is loaded into tables.
	if len(design.Policies.Roles) > 0 && input.Policies != nil {
		if input.Fixtures, err = fixtures.Load(design.Name, time.Now()); err != nil {
			return nil, err
		}
	}
	session, err := session.Open(ctx, input)
	if err != nil {
		return nil, err
	}
	run.progress("%s: describing", design.Name)
	seen := run.design(design.Name)
	seen.Read = session.Source != nil
	seen.NoProof = (*fixtures.Set)(nil).NoProof(design)
	if seen.Objections, err = run.objections(design); err != nil {
		return nil, err
	}
	seen.Tables, seen.Region = session.Deployment.Tables, session.Deployment.Region
	audited := map[string]bool{}
	for _, claim := range suite.AuditClaims(design, session.Trail != nil) {
		audited[claim.ID] = true
		if ctx.Err() == nil {
			run.record(suite.Decide(ctx, claim, session, nil))
		}
	}
	if ctx.Err() != nil {
		run.Undecided(func(claim manifest.Claim) bool { return audited[claim.ID] }, evidence.Indeterminate, Interrupted)
	}
	run.forgotten(func(claim manifest.Claim) bool { return suite.Audited(claim.Kind) })
	if session.Trail != nil {
		run.countWaivers(design, session)
	}
	finished := run.Evidence(ctx.Err() != nil)
	if err := onlyDescribes(finished.Ledger, session.Trail != nil); err != nil {
		return nil, err
	}
	return finished, nil
}

// searchOfTrail is how the ledger names the search of a log group, which is the
// operation FilterLogEvents of CloudWatch Logs.
const searchOfTrail = "POST / Logs_20140328.FilterLogEvents"

// besideTables are the operations of KMS and IAM that an audit sends, as the ledger names
// them. None changes anything.
var besideTables = []string{"POST / TrentService.DescribeKey", "POST / ListPolicies", "POST / GetPolicyVersion", "POST / SimulateCustomPolicy"}

// onlyDescribes is the proof, from the ledger, that an audit neither changed
// anything nor read items: it does not rest on what the client was told. With a trail
// it may have searched that too.
func onlyDescribes(ledger []wire.Entry, trail bool) error {
	for _, entry := range ledger {
		if !safewrite.Describes(entry.Operation) && !slices.Contains(besideTables, entry.Path) && !(trail && entry.Path == searchOfTrail) {
			return fmt.Errorf("audit: expected only requests that describe and list, found %s (request %d); this is a defect, please report it", cmp.Or(entry.Operation, entry.Path), entry.Seq)
		}
	}
	return nil
}

// documented is the deployment that the document promises in an environment.
func (o *Options) documented(design *accesspatterns.Design) session.Deployment {
	names := lists.Index(design.Tables, func(table accesspatterns.Table) (string, string) {
		return table.ID, session.NameIn(o.Environment, o.NamePrefix, o.TableNames, &table)
	})
	return session.Deployment{Tables: names, Region: cmp.Or(own.FixedRegion(design), o.Region)}
}

// TargetDone is closed when the embedded engine has ended.
func (r *Replay) TargetDone() <-chan struct{} { return r.target.Done() }
