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
