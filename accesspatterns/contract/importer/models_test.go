package importer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/contract/importer"
	"dynaproof/accesspatterns/tabletest"
)

// What comes along of models of AWS's tools: every index, every read that is no Scan, every write.
func TestModels(t *testing.T) {
	const folder = "../../../../shared/models"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("the models of AWS's tools are not beside this repository, in ../shared/models")
	}
	for name, want := range map[string]struct{ listed, reads, writes, indexes, left int }{
		"ecommerce":          {24, 13, 11, 0, 0},
		"gaming_leaderboard": {12, 8, 3, 2, 1},
		"user_analytics":     {10, 10, 0, 4, 0},
	} {
		t.Run(name, func(t *testing.T) {
			read := func(file string) *importer.Source {
				text, err := os.ReadFile(filepath.Join(folder, name+"_"+file))
				require.NoError(t, err)
				return &importer.Source{Name: file, Text: text}
			}
			result, err := importer.Import(name, "", *read("schema.json"), read("usage_data.json"))
			require.NoError(t, err)
			design := loaded(t, result)
			indexes := 0
			for _, table := range design.Tables {
				indexes += len(table.Indexes)
			}
			if result.Listed != want.listed || result.Reads != want.reads || result.Writes != want.writes || indexes != want.indexes || len(result.NotCheckable) != want.left {
				t.Errorf("expected %+v, found %d listed, %d reads, %d writes, %d indexes, left: %s", want, result.Listed, result.Reads, result.Writes, indexes, strings.Join(result.NotCheckable, "\n"))
			}
			for _, left := range result.NotCheckable {
				assert.Contains(t, left, "it is a Scan")
			}
		})
	}
}

// Each thing that schema.json can say is imported, or left with the true reason.
func TestSchemaOfADesk(t *testing.T) {
	read := func(name string) importer.Source {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		return importer.Source{Name: name, Text: text}
	}
	usage := read("desk.usage_data.json")
	loaded, result := design(t, "desk.schema.json", string(read("desk.schema.json").Text), &usage)
	if result.Listed != 20 || result.Reads != 11 || result.Writes != 7 || len(result.NotCheckable) != 2 || len(loaded.Tables[0].Indexes) != 2 || !loaded.Tables[0].Indexes[1].Composite() {
		t.Errorf("expected 11 reads and 7 writes of 20, and both indexes, found %d and %d of %d, left: %v", result.Reads, result.Writes, result.Listed, result.NotCheckable)
	}
	for _, step := range []string{
		"{get: Ticket}", "{get: Ticket, together: BatchGetItem}", "{query: Desk, where: 'pk = CUSTOMER#{customer_id} AND begins_with(sk, TICKET#)'}", "begins_with(sk, TICKET#{opened}#)'}", "sk >= TICKET#{since}'}",
		"sk BETWEEN TICKET#{first} AND TICKET#{last}'}", "{query: Desk/ByStatus, where: 'status_pk = STATUS#{status} AND opened > {after}'}",
		"filter: 'hours BETWEEN {least} AND {most} AND team IN ({one}, {two})'", "filter: 'attribute_exists(note) OR size(tags) > {more}'}", "{put: Ticket}",
		"{update: Ticket, do: 'SET hours = {hours}'}", "{update: Ticket, as: edited-ticket, edits: [status, status_pk]}", "edits: [status, status_pk], do: 'SET hours = {hours}'}", "{delete: Ticket}",
		"{transact: [{put: Customer, if: 'attribute_not_exists(pk)'}, {put: Mail, if: 'attribute_not_exists(mail)'}]}", "{transact: [{delete: Customer, if: 'mail = {mail}'}, {delete: Mail}]}",
		"chosen: no condition of the source has page", "chosen: 'update_data of the usage data changes hours, status'",
	} {
		assert.Contains(t, string(result.Files["contract.yaml"]), step)
	}
	for i, want := range []string{"of_team of Ticket: its index ByTeam has a key of several attributes", "everything of Ticket: it is a Scan"} {
		assert.Contains(t, result.NotCheckable[i], want)
	}
	if cases := string(result.Files["cases.json"]); strings.Count(cases, `"computed":true`) != result.Computed || strings.Count(cases, `"pattern"`) != result.Computed {
		t.Errorf("expected every case to be marked as computed, found\n%s", cases)
	}
}

// A faulty schema is refused with a line for each fault.
func TestFaultySchemas(t *testing.T) {
	text, err := os.ReadFile("testdata/desk.schema.json")
	require.NoError(t, err)
	for _, row := range tabletest.Read[[][3]string](t, "faulty_schemas.yaml") {
		faulty := strings.Replace(string(text), row[0], row[1], 1)
		_, err := importer.Import("desk", "", importer.Source{Name: "schema.json", Text: []byte(faulty)}, nil)
		if err == nil || faulty == string(text) || !strings.Contains(err.Error(), row[2]) || !strings.HasPrefix(err.Error(), "schema.json:") {
			t.Errorf("%s: expected %q, found %v", row[1], row[2], err)
		}
	}
}
