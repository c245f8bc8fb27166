package catalog_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/stacks/catalog"
	"dynaproof/stacks/dryrun/programtest"
)

// documented is what a document asks a design's program for, written out from it.
type documented struct {
	registers []registered
	exports   exported
	refuses   []refused
}

// registered are the tables of a stack, by their logical ids. An input that is not here is not documented.
type registered struct {
	reason, stack string
	settings      map[string]string
	want          map[string]map[string]any
	providers     []string // beside the default one
}

// exported are the outputs of a stack: what its tables are called, by their logical ids, and their indexes.
type exported struct {
	stack    string
	settings map[string]string
	names    map[string]any
	indexes  map[string]any
	region   string
}

// refused is a stack that ends with an error before it has asked for anything, with words of the error.
type refused struct {
	reason, stack string
	settings      map[string]string
	want          []string
}

var documents = map[string]documented{
	"roll-model": rollModel, "commit-collect": commitCollect, "fus-main": fusMain, "osem-ladders": osemLadders, "personal-os": personalOS,
}

// asked is what a program asks for one table that is paid by request, and no more than this: its key is one attribute or two, each attribute of
// a key has its type, as "PK S", and an index that projects everything has its name before its key, as "GSI1 GSI1PK GSI1SK".
func asked(name, key, attributes string, indexes []string, more ...map[string]any) map[string]any {
	table := keyed(map[string]any{"name": name, "billingMode": "PAY_PER_REQUEST"}, strings.Fields(key))
	var types, all []any
	for _, one := range strings.Split(attributes, ", ") {
		name, kind, _ := strings.Cut(one, " ")
		types = append(types, map[string]any{"name": name, "type": kind})
	}
	table["attributes"] = types
	for _, one := range indexes {
		parts := strings.Fields(one)
		all = append(all, keyed(map[string]any{"name": parts[0], "projectionType": "ALL"}, parts[1:]))
	}
	if all != nil {
		table["globalSecondaryIndexes"] = all
	}
	for _, inputs := range more {
		maps.Copy(table, inputs)
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

// expires is a time to live by an attribute.
func expires(attribute string) map[string]any {
	return map[string]any{"ttl": map[string]any{"attributeName": attribute, "enabled": true}}
}

// ephemeral are the settings of a run whose tables get a prefix.
var ephemeral = map[string]string{"dynaproof:namePrefix": "run7-"}

func TestProgramsAskForWhatTheDocumentsSay(t *testing.T) {
	for _, design := range catalog.Designs() {
		entry, err := catalog.Find(design)
		require.NoError(t, err)
		says := documents[design]
		if len(says.registers) == 0 || len(says.refuses) == 0 {
			t.Errorf("%s: expected what its document asks for, found none", design)
		}
		for _, row := range says.registers {
			t.Run(design+"/registers/"+row.reason, func(t *testing.T) {
				assert.NoError(t, programtest.Registers(entry.Program, row.stack, row.settings, row.want, row.providers...))
			})
		}
		for _, row := range says.refuses {
			t.Run(design+"/refuses/"+row.reason, func(t *testing.T) {
				assert.NoError(t, programtest.Refuses(entry.Program, row.stack, row.settings, row.want...))
			})
		}
		t.Run(design+"/exports", func(t *testing.T) {
			arns := map[string]any{}
			for id, name := range says.exports.names {
				arns[id] = "arn:aws:dynamodb:mock-region-1:111122223333:table/" + name.(string)
			}
			want := map[string]any{"tables": says.exports.names, "tableArns": arns, "indexes": says.exports.indexes, "region": says.exports.region, "guardrails": "off"}
			assert.NoError(t, programtest.Exports(entry.Program, says.exports.stack, says.exports.settings, want))
		})
	}
}
