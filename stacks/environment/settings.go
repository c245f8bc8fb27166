package environment

import (
	"cmp"
	"fmt"
	"regexp"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

// The two billing modes, as DynamoDB spells them.
const (
	PayPerRequest = "PAY_PER_REQUEST"
	Provisioned   = "PROVISIONED"
)

// The two values of dynaproof:guardrails.
const (
	Enforce = "enforce"
	Off     = "off"
)

// Lengths in characters. DynamoDB takes table names of 3 to 255. A prefix of at most 200 leaves 55 for the name behind
// it, and the longest documented name, osem-<20>-AssessmentReports, needs 43: so no table of a stack can turn out too
// long after another one was registered.
const (
	minTableName = 3
	maxTableName = 255
	maxPrefix    = 200
)

// nameForm holds the characters that DynamoDB takes in a table name.
var nameForm = regexp.MustCompile(`^[a-zA-Z0-9_.-]+$`)

// Document says what a design's document fixes and what it leaves to the stack. Fields that end in At cite the
// document as file:line; they are what an error points at.
type Document struct {
	// Design is the part of the stack name in front of the dot.
	Design string

	// TableNameAt cites the table names. OffersTableName says whether one may be replaced by dynaproof:tableName.
	TableNameAt     string
	OffersTableName bool

	// BillingAt cites the billing mode. OffersProvisioned says whether dynaproof:billingMode may be PROVISIONED.
	BillingAt         string
	OffersProvisioned bool

	// Region is the AWS region that the document fixes, empty where it fixes none; RegionAt cites it.
	Region   string
	RegionAt string

	// Guardrails says whether policies are attached where dynaproof:guardrails is unset. A document whose text forbids
	// what only a policy can refuse to every client asks for it.
	Guardrails bool
}

// Settings is what one stack asks for, checked against its document.
type Settings struct {
	// Env is the environment: the part of the stack name behind the first dot.
	Env string
	// BillingMode is PayPerRequest unless the document offers Provisioned and the stack chose it.
	BillingMode string
	// Design is the part of the stack name in front of the dot.
	Design string
	// Guardrails says whether the stack attaches its policies.
	Guardrails bool
	// Protect says whether the tables are protected: by DynamoDB's deletion protection, and by Pulumi's protect, so that
	// no operation of Pulumi deletes or replaces them.
	Protect bool

	tableName string
	prefix    string
	region    string
	component *pulumi.ResourceState
}

// Keys are the settings of the project, which Pulumi.yaml declares, by their full key.
var Keys = []string{"dynaproof:billingMode", "dynaproof:guardrails", "dynaproof:namePrefix", "dynaproof:protect", "dynaproof:tableName"}

// Read takes the stack's name and settings from ctx and checks all of them against the document, before the program
// registers anything. Then it registers the component that holds the stack's resources. Its errors are one line.
func Read(ctx *pulumi.Context, doc Document) (*Settings, error) {
	values := map[string]string{"aws:region": config.Get(ctx, "aws:region")}
	for _, key := range Keys {
		values[key] = config.Get(ctx, key)
	}
	settings, err := Check(ctx.Stack(), doc, values)
	if err != nil {
		return nil, err
	}
	return settings, settings.register(ctx)
}

// Check checks the name and the settings of a stack, by their full key (dynaproof:namePrefix), against the document. A
// setting that is unset and one that is empty are the same: Pulumi.yaml gives every key the empty default. Its errors
// are one line.
func Check(stack string, doc Document, values map[string]string) (*Settings, error) {
	design, env, err := ParseStackName(stack)
	if err != nil {
		return nil, err
	}
	if design != doc.Design {
		return nil, fmt.Errorf("stack name %q: expected a stack of the design %s, found one of %s; run the program of %s for this stack, or name the stack %s.%s",
			stack, doc.Design, design, design, doc.Design, env)
	}
	guardrails, protect := values["dynaproof:guardrails"], values["dynaproof:protect"]
	settings := &Settings{
		Env:         env,
		Design:      design,
		BillingMode: cmp.Or(values["dynaproof:billingMode"], PayPerRequest),
		Guardrails:  guardrails == Enforce || guardrails == "" && doc.Guardrails,
		// A prefix does not lift the protection: one that is added to a protected stack would replace its tables.
		Protect:   protect != "false",
		tableName: values["dynaproof:tableName"],
		prefix:    values["dynaproof:namePrefix"],
		region:    cmp.Or(doc.Region, values["aws:region"]),
	}
	wrong := func(setting, format string, args ...any) (*Settings, error) {
		return nil, fmt.Errorf("%s of stack %s: "+format, append([]any{setting, stack}, args...)...)
	}
	const form = "expected letters, digits, hyphens, underscores and dots alone, found %q; correct or remove the setting"
	renamed, full, region := settings.tableName != "", settings.prefix+settings.tableName, values["aws:region"]
	switch {
	case settings.BillingMode != PayPerRequest && settings.BillingMode != Provisioned:
		return wrong("dynaproof:billingMode", "expected %s or %s, found %q; correct or remove the setting",
			PayPerRequest, Provisioned, settings.BillingMode)
	case settings.BillingMode == Provisioned && !doc.OffersProvisioned:
		return wrong("dynaproof:billingMode", "expected %s, which %s fixes, found %s; remove the setting",
			PayPerRequest, doc.BillingAt, Provisioned)
	case settings.prefix != "" && !nameForm.MatchString(settings.prefix):
		return wrong("dynaproof:namePrefix", form, settings.prefix)
	case len(settings.prefix) > maxPrefix:
		return wrong("dynaproof:namePrefix", "expected at most %d characters, so that every table name stays within %d, found %d; shorten the prefix",
			maxPrefix, maxTableName, len(settings.prefix))
	case renamed && !doc.OffersTableName:
		return wrong("dynaproof:tableName", "expected it unset, since %s fixes the name, found %q; remove the setting (dynaproof:namePrefix is for names of one's own)",
			doc.TableNameAt, settings.tableName)
	case renamed && !nameForm.MatchString(settings.tableName):
		return wrong("dynaproof:tableName", form, settings.tableName)
	case renamed && (len(full) < minTableName || len(full) > maxTableName):
		return wrong("dynaproof:tableName", "expected a name of %d to %d characters, prefix included, found %d; choose another name",
			minTableName, maxTableName, len(full))
	case region != "" && region != settings.region:
		return wrong("aws:region", "expected %s, which %s fixes, found %q; set aws:region to %s or remove the setting",
			doc.Region, doc.RegionAt, region, doc.Region)
	case guardrails != "" && guardrails != Enforce && guardrails != Off:
		return wrong("dynaproof:guardrails", "expected %s or %s, found %q; correct or remove the setting", Enforce, Off, guardrails)
	case protect != "" && protect != "true" && protect != "false":
		return wrong("dynaproof:protect", "expected true or false, found %q; correct or remove the setting", protect)
	}
	return settings, nil
}

// TableName returns the name under which a table is deployed: the documented one, or that of dynaproof:tableName
// where the document offers it, behind the prefix of dynaproof:namePrefix.
func (s *Settings) TableName(documented string) string {
	if s.tableName != "" {
		return s.prefix + s.tableName
	}
	return s.prefix + documented
}
