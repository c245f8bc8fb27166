package catalog_test

import (
	"cmp"
	"errors"
	"maps"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
	"dynaproof/stacks/catalog"
	"dynaproof/stacks/dryrun"
)

// documented is what a document asks a design's program for.
type documented struct {
	Tables    map[string]asked // by their logical ids
	Registers []registered
	Exports   exported
	Refuses   []refused
}

// asked is what a program asks for one table that is paid by request, and no more than this: its key is one attribute or two, each attribute of
// a key has its type, as "PK S", and an index that projects everything has its name before its key, as "GSI1 GSI1PK GSI1SK".
type asked struct {
	Name            string // with {env} for the environment
	Key, Attributes string
	Indexes         []string
	More            map[string]any
}

// registered is a stack with what its tables are called.
type registered struct {
	Reason, Stack     string
	Settings          map[string]string
	Prefix            string
	Environment, Name string
	Provisioned       bool     // with a capacity of 1 for the table and its indexes
	Providers         []string // beside the default one
}

// exported are the outputs of a stack: what its tables are called, by their logical ids, and their indexes.
type exported struct {
	Stack    string
	Settings map[string]string
	Names    map[string]any
	Indexes  map[string]any
	Region   string
}

// refused is a stack that ends with an error before it has asked for anything, with words of the error.
type refused struct {
	Reason, Stack string
	Settings      map[string]string
	Want          []string
}

// of are the inputs of a table in a stack.
func (a *asked) of(stack *registered) map[string]any {
	name := strings.ReplaceAll(cmp.Or(stack.Name, a.Name), "{env}", stack.Environment)
	table := keyed(map[string]any{"name": stack.Prefix + name, "billingMode": "PAY_PER_REQUEST"}, strings.Fields(a.Key))
	var types, all []any
	for _, one := range strings.Split(a.Attributes, ", ") {
		name, kind, _ := strings.Cut(one, " ")
		types = append(types, map[string]any{"name": name, "type": kind})
	}
	table["attributes"] = types
	for _, one := range a.Indexes {
		parts := strings.Fields(one)
		index := keyed(map[string]any{"name": parts[0], "projectionType": "ALL"}, parts[1:])
		if stack.Provisioned {
			index["readCapacity"], index["writeCapacity"] = 1.0, 1.0
		}
		all = append(all, index)
	}
	if all != nil {
		table["globalSecondaryIndexes"] = all
	}
	maps.Copy(table, a.More)
	if tags, given := a.More["tags"].(map[string]any); given {
		tags = maps.Clone(tags)
		tags["Environment"] = strings.ReplaceAll(tags["Environment"].(string), "{env}", stack.Environment)
		table["tags"] = tags
	}
	if stack.Provisioned {
		table["billingMode"], table["readCapacity"], table["writeCapacity"] = "PROVISIONED", 1.0, 1.0
	}
	return table
}

// keyed adds a key of one or two attributes.
func keyed(inputs map[string]any, key []string) map[string]any {
	inputs["hashKey"] = key[0]
	if len(key) > 1 {
		inputs["rangeKey"] = key[1]
	}
	return inputs
}

func TestProgramsAskForWhatTheDocumentsSay(t *testing.T) {
	for _, design := range catalog.Designs() {
		entry := tabletest.Must(catalog.Find(design))(t)
		says := tabletest.Read[documented](t, design+".yaml")
		assert.NotEmpty(t, says.Registers, "%s: expected what its document asks for", design)
		assert.NotEmpty(t, says.Refuses, "%s: expected what its document asks for", design)
		for _, row := range says.Registers {
			t.Run(design+"/registers/"+row.Reason, func(t *testing.T) {
				want := map[string]map[string]any{}
				for id, table := range says.Tables {
					want[id] = table.of(&row)
				}
				assert.NoError(t, registers(catalog.Program, row.Stack, row.Settings, want, row.Providers...))
			})
		}
		for _, row := range says.Refuses {
			t.Run(design+"/refuses/"+row.Reason, func(t *testing.T) {
				assert.NoError(t, refuses(entry.Program, row.Stack, row.Settings, row.Want...))
			})
		}
		t.Run(design+"/exports", func(t *testing.T) {
			arns := map[string]any{}
			for id, name := range says.Exports.Names {
				arns[id] = "arn:aws:dynamodb:mock-region-1:111122223333:table/" + name.(string)
			}
			want := map[string]any{"tables": says.Exports.Names, "tableArns": arns, "indexes": says.Exports.Indexes, "region": says.Exports.Region, "guardrails": "off"}
			assert.NoError(t, exports(catalog.Program, says.Exports.Stack, says.Exports.Settings, want))
		})
	}
}

// Outputs that rest on no resource are there too, whichever goroutine is the first.
func TestRunAwaitsPlainOutputs(t *testing.T) {
	for range 100 {
		result := tabletest.Must(dryrun.Run(func(ctx *pulumi.Context) error {
			ctx.Export("word", pulumi.String("here"))
			return nil
		}, "design.env", nil))(t)
		require.Empty(t, gocmp.Diff(map[string]any{"word": "here"}, result.Outputs), "outputs (-want +got)")
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
			assert.ErrorContains(t, err, c.want)
		})
	}
}
