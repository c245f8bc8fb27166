package catalog_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	long := strings.Repeat("p", 200)
	cases := []struct {
		reason   string
		doc      environment.Document
		settings map[string]string
		name     string
		billing  string
	}{
		{"no settings", closed, nil, "Documented", "PAY_PER_REQUEST"},
		{"empty is unset", closed, map[string]string{"dynaproof:tableName": "", "dynaproof:billingMode": "", "dynaproof:namePrefix": ""}, "Documented", "PAY_PER_REQUEST"},
		{"what the document says anyway", closed, map[string]string{"dynaproof:billingMode": "PAY_PER_REQUEST"}, "Documented", "PAY_PER_REQUEST"},
		{"prefix", closed, map[string]string{"dynaproof:namePrefix": "run_1.a-"}, "run_1.a-Documented", "PAY_PER_REQUEST"},
		{"longest prefix", closed, map[string]string{"dynaproof:namePrefix": long}, long + "Documented", "PAY_PER_REQUEST"},
		{"any region where none is documented", closed, map[string]string{"aws:region": "eu-west-1"}, "Documented", "PAY_PER_REQUEST"},
		{"table name", open, map[string]string{"dynaproof:tableName": "own"}, "own", "PAY_PER_REQUEST"},
		{"table name behind a prefix", open, map[string]string{"dynaproof:tableName": "own", "dynaproof:namePrefix": "p-"}, "p-own", "PAY_PER_REQUEST"},
		{"a prefix makes a short name long enough", open, map[string]string{"dynaproof:tableName": "x", "dynaproof:namePrefix": "p-"}, "p-x", "PAY_PER_REQUEST"},
		{"provisioned where offered", open, map[string]string{"dynaproof:billingMode": "PROVISIONED"}, "Documented", "PROVISIONED"},
		{"the documented region", open, map[string]string{"aws:region": "ap-southeast-2"}, "Documented", "PAY_PER_REQUEST"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			settings, err := read(t, c.doc, c.doc.Design+".dev", c.settings)
			require.NoError(t, err)
			assert.Equal(t, c.name, settings.TableName("Documented"), "table name")
			assert.Equal(t, c.billing, settings.BillingMode, "billing mode")
			assert.Equal(t, "dev", settings.Env, "environment")
		})
	}
}

func TestReadRefuses(t *testing.T) {
	cases := []struct {
		reason   string
		doc      environment.Document
		stack    string
		settings map[string]string
		want     string
	}{
		{"guardrails of another word", closed, "closed.dev", map[string]string{"dynaproof:guardrails": "on"}, `expected enforce or off, found "on"`},
		{"protection of another word", closed, "closed.dev", map[string]string{"dynaproof:protect": "on"}, `expected true or false, found "on"`},
		{"bad stack name", closed, "closed", nil, `found "closed"`},
		{"stack of another design", closed, "open.dev", nil, "expected a stack of the design closed, found one of open"},
		{"provisioned where on demand is fixed", closed, "closed.dev", map[string]string{"dynaproof:billingMode": "PROVISIONED"}, "which closed.md:2 fixes"},
		{"unknown billing mode", open, "open.dev", map[string]string{"dynaproof:billingMode": "provisioned"}, `found "provisioned"`},
		{"table name where it is fixed", closed, "closed.dev", map[string]string{"dynaproof:tableName": "own"}, `since closed.md:1 fixes the name, found "own"`},
		{"table name with a placeholder", open, "open.dev", map[string]string{"dynaproof:tableName": "own-{env}"}, `found "own-{env}"`},
		{"table name too short", open, "open.dev", map[string]string{"dynaproof:tableName": "ab"}, "3 to 255 characters, prefix included, found 2"},
		{"table name too long", open, "open.dev", map[string]string{"dynaproof:tableName": strings.Repeat("n", 256)}, "found 256"},
		{"table name too long behind its prefix", open, "open.dev", map[string]string{"dynaproof:tableName": strings.Repeat("n", 200), "dynaproof:namePrefix": strings.Repeat("p", 56)}, "found 256"},
		{"prefix with a placeholder", closed, "closed.dev", map[string]string{"dynaproof:namePrefix": "{env}-"}, `found "{env}-"`},
		{"prefix with a line break", closed, "closed.dev", map[string]string{"dynaproof:namePrefix": "a\nb"}, `found "a\nb"`},
		{"prefix too long", closed, "closed.dev", map[string]string{"dynaproof:namePrefix": strings.Repeat("p", 201)}, "at most 200 characters"},
		{"another region than the documented one", open, "open.dev", map[string]string{"aws:region": "us-east-1"}, `expected ap-southeast-2, which open.md:3 fixes, found "us-east-1"`},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			_, err := read(t, c.doc, c.stack, c.settings)
			require.Error(t, err, "expected an error, found none")
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("expected one line with %q, found %q", c.want, err)
			}
		})
	}
}

func TestGuardrails(t *testing.T) {
	demanding := closed
	demanding.Guardrails = true
	for _, c := range []struct {
		reason  string
		doc     environment.Document
		setting string
		want    bool
	}{
		{"a document that demands none", closed, "", false},
		{"asked for", closed, "enforce", true},
		{"a document that demands them", demanding, "", true},
		{"turned off", demanding, "off", false},
	} {
		t.Run(c.reason, func(t *testing.T) {
			settings, err := read(t, c.doc, "closed.dev", map[string]string{"dynaproof:guardrails": c.setting})
			if err != nil || settings.Guardrails != c.want {
				t.Errorf("expected %t, found %+v, %v", c.want, settings, err)
			}
		})
	}
}

// A prefix does not lift the protection: it would replace the tables of the stack that it is added to.
func TestProtect(t *testing.T) {
	for setting, want := range map[string]bool{"": true, "true": true, "false": false} {
		settings, err := read(t, closed, "closed.dev", map[string]string{"dynaproof:protect": setting, "dynaproof:namePrefix": "x-"})
		if err != nil || settings.Protect != want {
			t.Errorf("%q: expected %t, found %+v, %v", setting, want, settings, err)
		}
	}
}

func TestParseStackName(t *testing.T) {
	cases := []struct{ stack, design, env string }{
		{"osem-ladders.dev", "osem-ladders", "dev"},
		{"personal-os.prod", "personal-os", "prod"},
		{"roll-model.2", "roll-model", "2"},
		{"fus-main.pr-1234", "fus-main", "pr-1234"},
		{"fus-main.abcdefghij0123456789", "fus-main", "abcdefghij0123456789"},
	}
	for _, c := range cases {
		design, env, err := environment.ParseStackName(c.stack)
		if err != nil || design != c.design || env != c.env {
			t.Errorf("ParseStackName(%q) = %q, %q, %v; expected %q, %q", c.stack, design, env, err, c.design, c.env)
		}
	}
}

func TestParseStackNameRefuses(t *testing.T) {
	cases := []struct{ reason, stack, want string }{
		{"empty", "", `expected <design>.<environment>, found ""`},
		{"no dot", "osem-ladders", `expected <design>.<environment>, found "osem-ladders"`},
		{"no design", ".dev", `expected <design>.<environment>, found ".dev"`},
		{"no environment", "osem-ladders.", `found ""; name the stack like osem-ladders.dev`},
		{"placeholder of osem-ladders.md", "osem-ladders.{env}", `found "{env}"`},
		{"placeholder of personal-os.md", "personal-os.{stage}", `found "{stage}"`},
		{"placeholder of fus-main.md", "fus-main.<id>", `found "<id>"`},
		{"upper case", "osem-ladders.Dev", `found "Dev"`},
		{"underscore", "osem-ladders.dev_1", `found "dev_1"`},
		{"second dot", "osem-ladders.dev.eu", `found "dev.eu"`},
		{"21 characters", "osem-ladders.abcdefghij01234567890", "1 to 20 lower-case letters"},
		{"not ASCII", "osem-ladders.dév", `found "dév"`},
		{"line break", "osem-ladders.dev\n", `found "dev\n"`},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			_, _, err := environment.ParseStackName(c.stack)
			require.Error(t, err, "expected an error, found none")
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("expected one line with %q, found %q", c.want, err)
			}
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
				&dynamodb.TableGlobalSecondaryIndexArgs{Name: pulumi.String("z"), HashKey: pulumi.String("a"), ProjectionType: pulumi.String("ALL")},
				&dynamodb.TableGlobalSecondaryIndexArgs{Name: pulumi.String("b"), HashKey: pulumi.String("a"), ProjectionType: pulumi.String("ALL")},
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
	result, err := dryrun.Run(twoTables(closed), "closed.dev", map[string]string{"aws:region": "eu-west-1"})
	require.NoError(t, err)
	want := map[string]any{
		"tables": map[string]any{"With": "with-name", "Without": "without-name"},
		"tableArns": map[string]any{
			"With":    "arn:aws:dynamodb:mock-region-1:111122223333:table/with-name",
			"Without": "arn:aws:dynamodb:mock-region-1:111122223333:table/without-name",
		},
		"indexes":    map[string]any{"With": []any{"b", "z"}, "Without": []any{}},
		"region":     "eu-west-1",
		"guardrails": "off",
	}
	assert.Empty(t, cmp.Diff(want, result.Outputs), "outputs (-want +got)")
}

func TestExportedRegion(t *testing.T) {
	cases := []struct {
		reason                     string
		doc                        environment.Document
		setting, region, byDefault string
		want                       string
	}{
		{"the document's beats the ambient one", open, "", "us-east-1", "us-east-2", "ap-southeast-2"},
		{"the stack's setting beats the ambient one", closed, "eu-west-1", "us-east-1", "us-east-2", "eu-west-1"},
		{"AWS_REGION beats AWS_DEFAULT_REGION", closed, "", "us-east-1", "us-east-2", "us-east-1"},
		{"AWS_DEFAULT_REGION", closed, "", "", "us-east-2", "us-east-2"},
		{"a profile's is known from the ARN alone", closed, "", "", "", "mock-region-1"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			t.Setenv("AWS_REGION", c.region)
			t.Setenv("AWS_DEFAULT_REGION", c.byDefault)
			result, err := dryrun.Run(twoTables(c.doc), c.doc.Design+".dev", map[string]string{"aws:region": c.setting})
			require.NoError(t, err)
			if got := result.Outputs["region"]; got != c.want {
				t.Errorf("region: expected %s, found %v", c.want, got)
			}
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
	if got, err := regionOf("arn:aws-cn:dynamodb:cn-north-1:111122223333:table/a:b"); err != nil || got != "cn-north-1" {
		t.Errorf("expected cn-north-1, found %q, %v", got, err)
	}
	for _, arn := range []string{"", "table", "arn:aws:dynamodb::111122223333:table/a", "arn:aws:dynamodb:eu-west-1"} {
		if _, err := regionOf(arn); err == nil || !strings.Contains(err.Error(), "set aws:region") {
			t.Errorf("%q: expected an error that says what to do, found %v", arn, err)
		}
	}
}
