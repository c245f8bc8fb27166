// Package osemladders deploys the design of osem-ladders.md: six tables and eight global secondary indexes
// (osem-ladders.md:517-527). Comments cite the document as file:line.
//
// No table sets its encryption: osem-ladders.md:18 asks for the default, which is what an unset input means.
package osemladders

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/environment"
	"dynaproof/stacks/policy"
)

// Document is what the document fixes, and what it leaves to the stack.
var Document = environment.Document{
	Design:      "osem-ladders",
	TableNameAt: "osem-ladders.md:46,99,171,288,388,481",
	BillingAt:   "osem-ladders.md:15,534",
}

// Program registers the six tables osem-<environment>-<table>.
func Program(ctx *pulumi.Context) error {
	settings, err := environment.Read(ctx, Document)
	if err != nil {
		return err
	}

	tables, err := settings.NewTables(ctx, []environment.Table{
		{ID: "Users", Args: users(settings)},
		{ID: "Teams", Args: teams(settings)},
		{ID: "AssessmentPlans", Args: assessmentPlans(settings)},
		{ID: "Assessments", Args: assessments(settings)},
		{ID: "AssessmentReports", Args: assessmentReports(settings)},
		{ID: "ConfigVersions", Args: configVersions(settings)},
	})
	if err != nil {
		return err
	}
	settings.Export(ctx, tables)
	return policy.Attach(ctx, settings, tables, guardrails())
}
