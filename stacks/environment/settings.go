package environment

import (
	"fmt"
	"regexp"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Project is the Pulumi project's name, and so the namespace of its settings.
const Project = "dynaproof"

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

	tableName string
	prefix    string
	region    string
}

// Read takes the stack's name and settings from ctx and checks all of them against the document, before the program
// registers anything. Its errors are one line.
func Read(ctx *pulumi.Context, doc Document) (*Settings, error) {
	design, env, err := ParseStackName(ctx.Stack())
	if err != nil {
		return nil, err
	}
	if design != doc.Design {
		return nil, fmt.Errorf("stack name %q: expected a stack of the design %s, found one of %s; run the program of %s for this stack, or name the stack %s.%s",
			ctx.Stack(), doc.Design, design, design, doc.Design, env)
	}

	settings := &Settings{
		Env:         env,
		Design:      design,
		BillingMode: setting(ctx, Project+":billingMode"),
		tableName:   setting(ctx, Project+":tableName"),
		prefix:      setting(ctx, Project+":namePrefix"),
		region:      doc.Region,
	}
	if settings.BillingMode == "" {
		settings.BillingMode = PayPerRequest
	}
	for _, check := range []func(*pulumi.Context, Document) error{
		settings.checkBilling, settings.checkPrefix, settings.checkTableName, settings.checkRegion, settings.checkGuardrails,
	} {
		if err := check(ctx, doc); err != nil {
			return nil, err
		}
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

func (s *Settings) checkBilling(ctx *pulumi.Context, doc Document) error {
	switch {
	case s.BillingMode == PayPerRequest:
		return nil
	case s.BillingMode != Provisioned:
		return fmt.Errorf("dynaproof:billingMode of stack %s: expected %s or %s, found %q; correct or remove the setting",
			ctx.Stack(), PayPerRequest, Provisioned, s.BillingMode)
	case !doc.OffersProvisioned:
		return fmt.Errorf("dynaproof:billingMode of stack %s: expected %s, which %s fixes, found %s; remove the setting",
			ctx.Stack(), PayPerRequest, doc.BillingAt, s.BillingMode)
	}
	return nil
}

func (s *Settings) checkPrefix(ctx *pulumi.Context, _ Document) error {
	if s.prefix == "" {
		return nil
	}
	if !nameForm.MatchString(s.prefix) {
		return fmt.Errorf("dynaproof:namePrefix of stack %s: expected letters, digits, hyphens, underscores and dots alone, found %q; correct or remove the setting",
			ctx.Stack(), s.prefix)
	}
	if len(s.prefix) > maxPrefix {
		return fmt.Errorf("dynaproof:namePrefix of stack %s: expected at most %d characters, so that every table name stays within %d, found %d; shorten the prefix",
			ctx.Stack(), maxPrefix, maxTableName, len(s.prefix))
	}
	return nil
}

func (s *Settings) checkTableName(ctx *pulumi.Context, doc Document) error {
	if s.tableName == "" {
		return nil
	}
	if !doc.OffersTableName {
		return fmt.Errorf("dynaproof:tableName of stack %s: expected it unset, since %s fixes the name, found %q; remove the setting (dynaproof:namePrefix is for names of one's own)",
			ctx.Stack(), doc.TableNameAt, s.tableName)
	}
	if !nameForm.MatchString(s.tableName) {
		return fmt.Errorf("dynaproof:tableName of stack %s: expected letters, digits, hyphens, underscores and dots alone, found %q; correct or remove the setting",
			ctx.Stack(), s.tableName)
	}
	if full := s.prefix + s.tableName; len(full) < minTableName || len(full) > maxTableName {
		return fmt.Errorf("dynaproof:tableName of stack %s: expected a name of %d to %d characters, prefix included, found %d; choose another name",
			ctx.Stack(), minTableName, maxTableName, len(full))
	}
	return nil
}

func (s *Settings) checkRegion(ctx *pulumi.Context, doc Document) error {
	if doc.Region == "" {
		return nil
	}
	if found := setting(ctx, "aws:region"); found != "" && found != doc.Region {
		return fmt.Errorf("aws:region of stack %s: expected %s, which %s fixes, found %q; set aws:region to %s or remove the setting",
			ctx.Stack(), doc.Region, doc.RegionAt, found, doc.Region)
	}
	return nil
}

func (s *Settings) checkGuardrails(ctx *pulumi.Context, doc Document) error {
	switch value := setting(ctx, Project+":guardrails"); value {
	case "":
		s.Guardrails = doc.Guardrails
	case Enforce, Off:
		s.Guardrails = value == Enforce
	default:
		return fmt.Errorf("dynaproof:guardrails of stack %s: expected %s or %s, found %q; correct or remove the setting",
			ctx.Stack(), Enforce, Off, value)
	}
	return nil
}

// setting returns a setting's value. Unset and empty are the same: Pulumi.yaml gives every key the empty default.
func setting(ctx *pulumi.Context, key string) string {
	value, _ := ctx.GetConfig(key)
	return value
}
