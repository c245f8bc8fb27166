package catalog_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/stacks/dryrun"
)

func TestRunRecordsInputsAndOutputs(t *testing.T) {
	result, err := dryrun.Run(func(ctx *pulumi.Context) error {
		table, err := dynamodb.NewTable(ctx, "T", &dynamodb.TableArgs{
			HashKey:      pulumi.String("id"),
			ReadCapacity: pulumi.Int(1),
		})
		if err != nil {
			return err
		}
		ctx.Export("arn", table.Arn)
		ctx.Export("stack", pulumi.String(ctx.Stack()))
		value, _ := ctx.GetConfig("dynaproof:k")
		ctx.Export("setting", pulumi.String(value))
		return nil
	}, "design.env", map[string]string{"dynaproof:k": "v"})
	require.NoError(t, err)
	wantTables := map[string]map[string]any{"T": {"hashKey": "id", "readCapacity": 1.0}}
	assert.Empty(t, cmp.Diff(wantTables, result.Tables), "tables (-want +got)")
	wantOutputs := map[string]any{
		"arn":     "arn:aws:dynamodb:mock-region-1:111122223333:table/T-1234567",
		"stack":   "design.env",
		"setting": "v",
	}
	assert.Empty(t, cmp.Diff(wantOutputs, result.Outputs), "outputs (-want +got)")
}

// Outputs that rest on no resource are there too, whichever goroutine is the first.
func TestRunAwaitsPlainOutputs(t *testing.T) {
	for range 100 {
		result, err := dryrun.Run(func(ctx *pulumi.Context) error {
			ctx.Export("word", pulumi.String("here"))
			return nil
		}, "design.env", nil)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(map[string]any{"word": "here"}, result.Outputs), "outputs (-want +got)")
	}
}

func TestRunRefusesWhatNoDocumentAsksFor(t *testing.T) {
	cases := map[string]struct {
		program pulumi.RunFunc
		want    string
	}{
		"another resource": {
			program: func(ctx *pulumi.Context) error {
				_, err := dynamodb.NewTableItem(ctx, "I", &dynamodb.TableItemArgs{
					HashKey: pulumi.String("id"), Item: pulumi.String("{}"), TableName: pulumi.String("T"),
				})
				return err
			},
			want: `found aws:dynamodb/tableItem:TableItem "I"`,
		},
		"an invoke": {
			program: func(ctx *pulumi.Context) error {
				_, err := dynamodb.LookupTable(ctx, &dynamodb.LookupTableArgs{Name: "T"})
				return err
			},
			want: "found aws:dynamodb/getTable:getTable",
		},
		"an error of the program": {
			program: func(*pulumi.Context) error { return errors.New("refused") },
			want:    "refused",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := dryrun.Run(c.program, "design.env", nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("expected an error with %q, found %v", c.want, err)
			}
		})
	}
}
