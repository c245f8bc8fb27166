// Package commitcollect deploys the design of commit-collect.md: four tables and three global secondary indexes, all
// in one region. Comments cite the document as file:line.
//
// The document names keys and gives templates for their values, but no types and no projections: keys are Strings,
// as their templates are, and every index projects ALL, the only choice that serves every documented read.
package commitcollect

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/environment"
	"dynaproof/stacks/policy"
)

// Region is the AWS region of all four tables, commit-collect.md:27.
const Region = "ap-southeast-2"

// Document is what the document fixes, and what it leaves to the stack.
var Document = environment.Document{
	Design:      "commit-collect",
	TableNameAt: "commit-collect.md:22,90,116,145",
	BillingAt:   "commit-collect.md:26,195",
	Region:      Region,
	RegionAt:    "commit-collect.md:27",
	Guardrails:  true, // commit-collect.md:18, 175: no scans, full table scans are forbidden
}

// Program registers the four tables. The document's names hold no environment, so every environment deploys the
// same names.
func Program(ctx *pulumi.Context) error {
	settings, err := environment.Read(ctx, Document)
	if err != nil {
		return err
	}
	provider, err := inRegion(ctx)
	if err != nil {
		return err
	}

	tables, err := settings.NewTables(ctx, []environment.Table{
		{ID: "CommitCollect", Args: primary(settings)},
		{ID: "CommitCollectSessions", Args: sessions(settings)},
		{ID: "CommitCollectAudit", Args: audit(settings)},
		{ID: "CommitCollectIdempotency", Args: idempotency(settings)},
	}, provider...)
	if err != nil {
		return err
	}
	settings.Export(ctx, tables)
	return policy.Attach(ctx, settings, tables, guardrails(), provider...)
}
