package replay

import (
	"context"
	"path/filepath"
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
	api := journalClient(engine.URL(), DefaultRegion)
	now := time.Now().UTC()
	_, err = api.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("made"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: "S"}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name     string
		existing []string
		creating map[string]time.Time
		want     []string
		problem  string
	}{
		{"announced and made", nil, map[string]time.Time{"made": now}, []string{"made"}, ""},
		{"announced and never made", nil, map[string]time.Time{"never": now}, nil, ""},
		{"never announced", nil, nil, nil, ""},
		{"there before the run", []string{"made"}, map[string]time.Time{"made": now}, nil, ""},
		{"made long after the run", nil, map[string]time.Time{"made": now.Add(-time.Minute)}, nil, "not the run's"},
		{"made before the run announced it", nil, map[string]time.Time{"made": now.Add(time.Minute)}, nil, "not the run's"},
	} {
		t.Run(row.name, func(t *testing.T) {
			j := &journal{path: filepath.Join(t.TempDir(), "journal.json"), Existing: row.existing, Creating: row.creating}
			got, err := j.orphans(t.Context(), api)
			if d := cmp.Diff(row.want, got); d != "" {
				t.Errorf("orphans (-want +got):\n%s", d)
			}
			if row.problem == "" && err != nil || row.problem != "" && (err == nil || !strings.Contains(err.Error(), row.problem)) {
				t.Errorf("expected an error with %q, found %v", row.problem, err)
			}
		})
	}

	j, err := startJournal(t.Context(), t.TempDir(), api)
	if err != nil || cmp.Diff([]string{"made"}, j.Existing) != "" {
		t.Errorf("expected the journal to begin with what is there, found %v, %v", j, err)
	}
}

// A table is written down before the request for it is sent.
func TestJournalIsWrittenAhead(t *testing.T) {
	folder := t.TempDir()
	j := &journal{path: journalPath(folder), Creating: map[string]time.Time{}}
	if answer := j.observe(wire.Entry{Operation: "Query", Tables: []string{"read"}}); answer != nil {
		t.Errorf("expected a read to pass, found %+v", answer)
	}
	if answer := j.observe(wire.Entry{Operation: "CreateTable", Tables: []string{"made"}}); answer != nil {
		t.Errorf("expected the request to pass, found %+v", answer)
	}
	kept, err := readJournal(folder)
	if err != nil || len(kept.Creating) != 1 || kept.Creating["made"].IsZero() {
		t.Errorf("expected the table in the journal on disk, found %+v, %v", kept, err)
	}
	// Without its word on disk the table could not be found again.
	j.path = "/dev/null/journal.json"
	if answer := j.observe(wire.Entry{Operation: "CreateTable", Tables: []string{"lost"}}); answer == nil {
		t.Error("expected a request that cannot be written down to be refused")
	}
	if none, err := readJournal(t.TempDir()); none != nil || err != nil {
		t.Errorf("expected no journal and no error, found %v, %v", none, err)
	}
}
