package replay

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/target"
)

// Only a table that the run announced, that was not there before, and whose date
// agrees, is the run's to delete.
func TestOrphans(t *testing.T) {
	engine, err := target.Embedded(t.Context(), target.EmbeddedOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	api := target.NewClient(engine.URL(), DefaultRegion)
	now := time.Now().UTC()
	create(t, api, "payroll-secret-project")
	_, err = api.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("made"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: "S"}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		t.Fatal(err)
	}
	made, err := api.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("made")})
	if err != nil {
		t.Fatal(err)
	}
	same := identityOf(made.Table)
	if same.ID == "" {
		t.Fatal("expected the engine to give a TableId")
	}
	for _, row := range []struct {
		name     string
		existing []string
		creating map[string]time.Time
		made     map[string]identity
		want     []string
		problem  string
	}{
		{"announced and made", nil, map[string]time.Time{"made": now}, nil, []string{"made"}, ""},
		{"announced and never made", nil, map[string]time.Time{"never": now}, nil, nil, ""},
		{"never announced", nil, nil, nil, nil, ""},
		{"there before the run", []string{"made"}, map[string]time.Time{"made": now}, nil, nil, "not the run's"},
		{"made long after the run", nil, map[string]time.Time{"made": now.Add(-time.Minute)}, nil, nil, "not the run's"},
		{"made before the run announced it", nil, map[string]time.Time{"made": now.Add(time.Minute)}, nil, nil, "not the run's"},
		{"known by its id", nil, map[string]time.Time{"made": now.Add(-time.Hour)}, map[string]identity{"made": same}, []string{"made"}, ""},
		{"another of the name and the date", nil, map[string]time.Time{"made": now}, map[string]identity{"made": {"another", same.Created}}, nil, "not the run's"},
		{"known by its date, where there are no ids", nil, map[string]time.Time{"made": now}, map[string]identity{"made": {"", same.Created.Add(time.Hour)}}, nil, "not the run's"},
	} {
		t.Run(row.name, func(t *testing.T) {
			j := newJournal(t.TempDir(), api)
			j.Existing, j.Creating, j.Made = row.existing, row.creating, row.made
			got, err := j.own(t.Context())
			if d := cmp.Diff(row.want, got); d != "" {
				t.Errorf("own tables (-want +got):\n%s", d)
			}
			if row.problem == "" && err != nil || row.problem != "" && (err == nil || !strings.Contains(err.Error(), row.problem)) {
				t.Errorf("expected an error with %q, found %v", row.problem, err)
			}
			// What changes or deletes a table is let through for the stack's own alone.
			refused := j.observe(wire.Entry{Operation: "DeleteTable", Tables: []string{"made"}}) != nil
			if ours := len(row.want) > 0; refused == ours {
				t.Errorf("expected the deletion to be let through: %v, found it refused: %v", ours, refused)
			}
		})
	}

	// A journal names no table but those that the stack would have, and of these it never
	// takes one that was there.
	j := newJournal(t.TempDir(), api)
	for _, name := range []string{"made", "new"} {
		if answer := j.observe(wire.Entry{Operation: "CreateTable", Tables: []string{name}}); answer != nil {
			t.Errorf("%s: expected the engine to decide, found %+v", name, answer)
		}
	}
	text, err := os.ReadFile(j.path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"made"}, j.Existing); d != "" || len(j.Creating) != 1 || j.Creating["new"].IsZero() || strings.Contains(string(text), "payroll") {
		t.Errorf("expected the one that is there to be set apart, found %s", text)
	}
	if err := j.delete(t.Context(), []string{"made"}); err == nil {
		t.Error("expected the deletion of a table that was there to be refused")
	}
}

func create(t *testing.T, api *dynamodb.Client, name string) {
	t.Helper()
	_, err := api.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String(name), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: "S"}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A table is written down before the request for it is sent.
func TestJournalIsWrittenAhead(t *testing.T) {
	folder := t.TempDir()
	engine, err := target.Embedded(t.Context(), target.EmbeddedOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close(context.Background()) })
	j := newJournal(folder, target.NewClient(engine.URL(), DefaultRegion))
	if answer := j.observe(wire.Entry{Operation: "Query", Tables: []string{"read"}}); answer != nil {
		t.Errorf("expected a read to pass, found %+v", answer)
	}
	if answer := j.observe(wire.Entry{Operation: "CreateTable", Tables: []string{"made"}}); answer != nil {
		t.Errorf("expected the request to pass, found %+v", answer)
	}
	kept, err := readJournal(folder, nil)
	if err != nil || len(kept.Creating) != 1 || kept.Creating["made"].IsZero() {
		t.Errorf("expected the table in the journal on disk, found %+v, %v", kept, err)
	}
	// Without its word on disk the table could not be found again.
	j.path = "/dev/null/journal.json"
	if answer := j.observe(wire.Entry{Operation: "CreateTable", Tables: []string{"lost"}}); answer == nil {
		t.Error("expected a request that cannot be written down to be refused")
	}
	if none, err := readJournal(t.TempDir(), nil); none != nil || err != nil {
		t.Errorf("expected no journal and no error, found %v, %v", none, err)
	}
}
