package environment

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
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
	// Protect says whether the tables are protected: by DynamoDB's deletion protection, and by Pulumi's protect, so that
	// no operation of Pulumi deletes or replaces them.
	Protect bool

	tableName string
	prefix    string
	region    string
	component *pulumi.ResourceState
}

// keys are the settings that Read looks up. The keys of the project are those that Pulumi.yaml declares.
var keys = []string{
	Project + ":billingMode", Project + ":guardrails", Project + ":namePrefix", Project + ":protect", Project + ":tableName", "aws:region",
}

// Read takes the stack's name and settings from ctx and checks all of them against the document, before the program
// registers anything. Then it registers the component that holds the stack's resources. Its errors are one line.
func Read(ctx *pulumi.Context, doc Document) (*Settings, error) {
	values := map[string]string{}
	own, provider := config.New(ctx, ""), config.New(ctx, "aws")
	for _, key := range keys {
		if namespace, name, _ := strings.Cut(key, ":"); namespace == Project {
			values[key] = own.Get(name)
		} else {
			values[key] = provider.Get(name)
		}
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
	settings := &Settings{
		Env:         env,
		Design:      design,
		BillingMode: cmp.Or(values[Project+":billingMode"], PayPerRequest),
		tableName:   values[Project+":tableName"],
		prefix:      values[Project+":namePrefix"],
		region:      cmp.Or(doc.Region, values["aws:region"]),
	}
	for _, check := range []func(string, Document, map[string]string) error{
		settings.checkBilling, settings.checkPrefix, settings.checkTableName, settings.checkRegion, settings.checkGuardrails, settings.checkProtect,
	} {
		if err := check(stack, doc, values); err != nil {
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

func (s *Settings) checkBilling(stack string, doc Document, _ map[string]string) error {
	switch {
	case s.BillingMode == PayPerRequest:
		return nil
	case s.BillingMode != Provisioned:
		return fmt.Errorf("dynaproof:billingMode of stack %s: expected %s or %s, found %q; correct or remove the setting",
			stack, PayPerRequest, Provisioned, s.BillingMode)
	case !doc.OffersProvisioned:
		return fmt.Errorf("dynaproof:billingMode of stack %s: expected %s, which %s fixes, found %s; remove the setting",
			stack, PayPerRequest, doc.BillingAt, s.BillingMode)
	}
	return nil
}

func (s *Settings) checkPrefix(stack string, _ Document, _ map[string]string) error {
	if s.prefix == "" {
		return nil
	}
	if !nameForm.MatchString(s.prefix) {
		return fmt.Errorf("dynaproof:namePrefix of stack %s: expected letters, digits, hyphens, underscores and dots alone, found %q; correct or remove the setting",
			stack, s.prefix)
	}
	if len(s.prefix) > maxPrefix {
		return fmt.Errorf("dynaproof:namePrefix of stack %s: expected at most %d characters, so that every table name stays within %d, found %d; shorten the prefix",
			stack, maxPrefix, maxTableName, len(s.prefix))
	}
	return nil
}

func (s *Settings) checkTableName(stack string, doc Document, _ map[string]string) error {
	if s.tableName == "" {
		return nil
	}
	if !doc.OffersTableName {
		return fmt.Errorf("dynaproof:tableName of stack %s: expected it unset, since %s fixes the name, found %q; remove the setting (dynaproof:namePrefix is for names of one's own)",
			stack, doc.TableNameAt, s.tableName)
	}
	if !nameForm.MatchString(s.tableName) {
		return fmt.Errorf("dynaproof:tableName of stack %s: expected letters, digits, hyphens, underscores and dots alone, found %q; correct or remove the setting",
			stack, s.tableName)
	}
	if full := s.prefix + s.tableName; len(full) < minTableName || len(full) > maxTableName {
		return fmt.Errorf("dynaproof:tableName of stack %s: expected a name of %d to %d characters, prefix included, found %d; choose another name",
			stack, minTableName, maxTableName, len(full))
	}
	return nil
}

func (s *Settings) checkRegion(stack string, doc Document, values map[string]string) error {
	if doc.Region == "" {
		return nil
	}
	if found := values["aws:region"]; found != "" && found != doc.Region {
		return fmt.Errorf("aws:region of stack %s: expected %s, which %s fixes, found %q; set aws:region to %s or remove the setting",
			stack, doc.Region, doc.RegionAt, found, doc.Region)
	}
	return nil
}

func (s *Settings) checkGuardrails(stack string, doc Document, values map[string]string) error {
	switch value := values[Project+":guardrails"]; value {
	case "":
		s.Guardrails = doc.Guardrails
	case Enforce, Off:
		s.Guardrails = value == Enforce
	default:
		return fmt.Errorf("dynaproof:guardrails of stack %s: expected %s or %s, found %q; correct or remove the setting",
			stack, Enforce, Off, value)
	}
	return nil
}

// checkProtect reads whether the tables are protected, which they are unless the stack says otherwise. A prefix does not
// say so: a prefix that is added to a protected stack would replace its tables.
func (s *Settings) checkProtect(stack string, _ Document, values map[string]string) error {
	switch value := values[Project+":protect"]; value {
	case "", "true", "false":
		s.Protect = value != "false"
	default:
		return fmt.Errorf("dynaproof:protect of stack %s: expected true or false, found %q; correct or remove the setting", stack, value)
	}
	return nil
}
