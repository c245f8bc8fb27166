//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"
)

// What a lost runner left is found by its tag alone, and nothing else is touched.
func TestSweep(t *testing.T) {
	t.Parallel()
	url := moto(t)
	stamp := func(ago time.Duration) string { return "1a2b3c4d@" + time.Now().Add(-ago).UTC().Format(time.RFC3339) }
	for name, tag := range map[string]string{
		"dynaproof-1a2b3c4d-old": stamp(7 * time.Hour), "an-old-one-with-a-prefix": stamp(20 * time.Hour), "with-a-copied-tag": stamp(100 * time.Hour), "dynaproof-1a2b3c4d-young": stamp(5 * time.Hour),
		"dynaproof-without-a-tag": "", "dynaproof-without-a-date": "1a2b3c4d", "dynaproof-with-a-word": "1a2b3c4d@yesterday",
	} {
		input := &dynamodb.CreateTableInput{
			TableName: aws.String(name), BillingMode: types.BillingModePayPerRequest,
			AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: "S"}},
			KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
		}
		if tag != "" {
			input.Tags = []types.Tag{{Key: aws.String("owner"), Value: aws.String("somebody")}, {Key: aws.String("dynaproof:run"), Value: aws.String(tag)}}
		}
		if _, err := client(url).CreateTable(t.Context(), input); err != nil {
			t.Fatal(err)
		}
	}
	sweep := func(code int, args ...string) *child {
		c := prepare(t, awsEnvironment(url, "us-east-1"), append([]string{"cleanup", "--target", "aws"}, args...)...)
		c.Dir = t.TempDir()
		c.expect(t, code)
		return c
	}
	sweep(2, "--older-than", "10m").oneError(t, "at least 1h")
	sweep(2, "--older-than", "6h", "osem-ladders")
	c := sweep(0, "--older-than", "6h")
	says(t, "sweep", c.stdout.String(), "removed table dynaproof-1a2b3c4d-old of run 1a2b3c4d@", "an-old-one-with-a-prefix", "left 1 tables with a run's tag that were made long after the run began")
	lacks(t, "sweep", c.stdout.String(), "with-a-copied-tag")
	left := tables(t, url)
	slices.Sort(left)
	if d := cmp.Diff([]string{"dynaproof-1a2b3c4d-young", "dynaproof-with-a-word", "dynaproof-without-a-date", "dynaproof-without-a-tag", "with-a-copied-tag"}, left); d != "" {
		t.Errorf("tables (-want +got):\n%s", d)
	}
	says(t, "second sweep", sweep(0, "--older-than", "6h", "--json").stdout.String(), `"said": [`, "left 1 tables")
	if _, err := client(url).DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("with-a-copied-tag")}); err != nil {
		t.Fatal(err)
	}
	says(t, "third sweep", sweep(0, "--older-than", "6h").stdout.String(), "no table of a run that began more than")
	// Without its state a run is not known, and nobody can tell what it left.
	sweep(3, "osem-ladders").oneError(t, "found none, so that nobody can tell what was left", "nothing was removed", "--older-than")
}

func TestCleanupOfAnUnknownRun(t *testing.T) {
	t.Parallel()
	run(t, "", 3, "cleanup", "fus-main", "--endpoint", engine(t).URL()).oneError(t, "found none, so that nobody can tell what was left", "--state")
}

// One folder takes the reports of one run at a time.
func TestReportFolderIsTaken(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	reports := filepath.Join(folder, "build", "report")
	if err := os.MkdirAll(reports, 0o755); err != nil {
		t.Fatal(err)
	}
	other := flock.New(filepath.Join(reports, ".dynaproof.lock"))
	if held, err := other.TryLock(); err != nil || !held {
		t.Fatal(held, err)
	}
	run(t, folder, 2, "verify", "fus-main").oneError(t, "--report: expected no other run that writes to", "choose another folder")
	if left := files(t, reports); len(left) != 1 {
		t.Errorf("expected nothing to be written, found %v", left)
	}
	if err := other.Unlock(); err != nil {
		t.Fatal(err)
	}
	run(t, folder, 0, "verify", "fus-main", "--label-filter", "id:fus-main.table.fus-main.ttl")
}
