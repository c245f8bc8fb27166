package catalog_test

import (
	"cmp"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
	"dynaproof/stacks/dryrun"
	"dynaproof/stacks/environment"
)

// closed offers nothing; open offers everything and fixes a region.
var (
	closed = environment.Document{Design: "closed", TableNameAt: "closed.md:1", BillingAt: "closed.md:2"}
	open   = environment.Document{
		Design:          "open",
		TableNameAt:     "open.md:1",
		OffersTableName: true,
		BillingAt:       "open.md:2", OffersProvisioned: true,
		Region: "ap-southeast-2", RegionAt: "open.md:3",
	}
	demanding = environment.Document{Design: "closed", TableNameAt: "closed.md:1", BillingAt: "closed.md:2", Guardrails: true}
	of        = map[string]environment.Document{"closed": closed, "open": open, "demanding": demanding}
)

// read returns what Read makes of a stack's name and settings, after Check has said the same of them.
func read(t *testing.T, doc environment.Document, stack string, settings map[string]string) (got *environment.Settings, err error) {
	t.Helper()
	_, _ = dryrun.Run(func(ctx *pulumi.Context) error {
		got, err = environment.Read(ctx, doc)
		return nil
	}, stack, settings)
	checked, problem := environment.Check(stack, doc, settings)
	switch {
	case (err == nil) != (problem == nil) || err != nil && err.Error() != problem.Error():
		t.Errorf("expected one judgement, found %v of a program and %v of its settings", err, problem)
	case err == nil && (checked.TableName("T") != got.TableName("T") || checked.BillingMode != got.BillingMode ||
		checked.Guardrails != got.Guardrails || checked.Protect != got.Protect || checked.Env != got.Env):
		t.Errorf("expected the same settings, found %+v of a program and %+v of its settings", got, checked)
	}
	return got, err
}

func TestRead(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Reason, Document, Stack string
		Settings                map[string]string
		Name, Billing           string
		Guardrails, Unprotected bool
		Refused                 string // words of the error, which is one line
	}](t, "settings.yaml") {
		t.Run(row.Reason, func(t *testing.T) {
			settings, err := read(t, of[row.Document], cmp.Or(row.Stack, of[row.Document].Design+".dev"), row.Settings)
			if row.Refused != "" {
				require.ErrorContains(t, err, row.Refused)
				assert.NotContains(t, err.Error(), "\n")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, row.Name, settings.TableName("Documented"), "table name")
			assert.Equal(t, row.Billing, settings.BillingMode, "billing mode")
			assert.Equal(t, "dev", settings.Env, "environment")
			assert.Equal(t, row.Guardrails, settings.Guardrails, "guardrails")
			assert.Equal(t, row.Unprotected, !settings.Protect, "unprotected")
		})
	}
}

func TestParseStackName(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Reason, Stack, Want, Environment string
	}](t, "stack_names.yaml") {
		t.Run(row.Reason, func(t *testing.T) {
			design, environment, err := environment.ParseStackName(row.Stack)
			if row.Want != "" {
				require.ErrorContains(t, err, row.Want)
				assert.NotContains(t, err.Error(), "\n")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, row.Stack, design+"."+environment)
			assert.Equal(t, row.Environment, environment)
		})
	}
}

// twoTables exports one table with two indexes, out of order, and one without.
func twoTables(doc environment.Document) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		settings, err := environment.Read(ctx, doc)
		if err != nil {
			return err
		}
		with, err := dynamodb.NewTable(ctx, "With", &dynamodb.TableArgs{
			Name: pulumi.String("with-name"),
			GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
				environment.Index("z", "ALL", "a"),
				environment.Index("b", "ALL", "a"),
			},
		})
		if err != nil {
			return err
		}
		without, err := dynamodb.NewTable(ctx, "Without", &dynamodb.TableArgs{Name: pulumi.String("without-name")})
		if err != nil {
			return err
		}
		settings.Export(ctx, map[string]*dynamodb.Table{"With": with, "Without": without})
		return nil
	}
}

func TestExport(t *testing.T) {
	result := tabletest.Must(dryrun.Run(twoTables(closed), "closed.dev", map[string]string{"aws:region": "eu-west-1"}))(t)
	want := tabletest.Read[map[string]any](t, "exported.yaml")
	assert.Empty(t, gocmp.Diff(want, result.Outputs), "outputs (-want +got)")
}

func TestExportedRegion(t *testing.T) {
	for _, row := range tabletest.Read[[]struct{ Reason, Document, Setting, Region, Default, Want string }](t, "regions.yaml") {
		t.Run(row.Reason, func(t *testing.T) {
			t.Setenv("AWS_REGION", row.Region)
			t.Setenv("AWS_DEFAULT_REGION", row.Default)
			result := tabletest.Must(dryrun.Run(twoTables(of[row.Document]), row.Document+".dev", map[string]string{"aws:region": row.Setting}))(t)
			assert.Equal(t, row.Want, result.Outputs["region"], "region")
		})
	}
}

func TestRegionOfARN(t *testing.T) {
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "")
	regionOf := func(arn string) (region string, err error) {
		err = pulumi.RunErr(func(ctx *pulumi.Context) error {
			err := twoTables(closed)(ctx)
			ctx.GetCurrentExportMap()["region"].(pulumi.StringOutput).ApplyT(func(found string) string {
				region = found
				return found
			})
			return err
		}, pulumi.WithMocks("dynaproof", "closed.dev", &recorder{arn: arn}))
		return region, err
	}
	assert.Equal(t, "cn-north-1", tabletest.Must(regionOf("arn:aws-cn:dynamodb:cn-north-1:111122223333:table/a:b"))(t))
	for _, arn := range []string{"", "table", "arn:aws:dynamodb::111122223333:table/a", "arn:aws:dynamodb:eu-west-1"} {
		_, err := regionOf(arn)
		assert.ErrorContains(t, err, "set aws:region", "%q: expected an error that says what to do", arn)
	}
}
