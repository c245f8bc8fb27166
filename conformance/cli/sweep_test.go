//go:build unix

package cli_test

import (
	"bytes"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var createdInJSON, createdInXML = regexp.MustCompile(`("CreationDateTime": ?)([0-9.]+)`), regexp.MustCompile(`(<CreateDate>)([^<]+)`)

// undated lets no date of a table be told.
const undated = time.Duration(math.MaxInt64)

// aged stands in front of AWS's stand-in, which says that all was made so long before, and whose clock goes wrong by so much.
func aged(t *testing.T, url string, by, wrong time.Duration) string {
	t.Helper()
	proxy := inFrontOf(t, url)
	proxy.ModifyResponse = func(answer *http.Response) error {
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			return err
		}
		shift := wrong - by
		text = createdInJSON.ReplaceAllFunc(text, func(found []byte) []byte {
			parts := createdInJSON.FindSubmatch(found)
			if by == undated {
				return []byte(`"Undated":0`)
			}
			seconds, _ := strconv.ParseFloat(string(parts[2]), 64)
			return append(parts[1], strconv.FormatFloat(seconds+shift.Seconds(), 'f', 3, 64)...)
		})
		text = createdInXML.ReplaceAllFunc(text, func(found []byte) []byte {
			parts := createdInXML.FindSubmatch(found)
			at, _ := time.Parse(time.RFC3339, string(parts[2]))
			return append(parts[1], at.Add(shift).Format(time.RFC3339)...)
		})
		answer.Header.Set("Date", time.Now().Add(wrong).UTC().Format(http.TimeFormat))
		answer.Header.Del("X-Amz-Crc32")
		answer.Header.Del("Content-Length")
		answer.ContentLength = int64(len(text))
		answer.Body = io.NopCloser(bytes.NewReader(text))
		return nil
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL
}

// What a lost runner left is found by its tag alone, and nothing else is touched.
func TestSweep(t *testing.T) {
	t.Parallel()
	there := moto(t)
	url := aged(t, there, 7*time.Hour, 0)
	stamp := func(ago time.Duration) string { return "1a2b3c4d@" + time.Now().Add(-ago).UTC().Format(time.RFC3339) }
	for name, tag := range map[string]string{
		"dynaproof-1a2b3c4d-old": stamp(7 * time.Hour), "an-old-one-with-a-prefix": stamp(20 * time.Hour), "with-a-copied-tag": stamp(100 * time.Hour), "long-before-its-tag": stamp(-18 * time.Hour), "dynaproof-1a2b3c4d-young": stamp(5 * time.Hour),
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
		_, err := client(url).CreateTable(t.Context(), input)
		require.NoError(t, err)
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
	says(t, "sweep", c.stdout.String(), "removed table dynaproof-1a2b3c4d-old of run 1a2b3c4d@", "an-old-one-with-a-prefix", "left 2 tables with a run's tag that were made long before or after the run began")
	lacks(t, "sweep", c.stdout.String(), "with-a-copied-tag")
	left := tables(t, url)
	slices.Sort(left)
	assert.Empty(t, cmp.Diff([]string{"dynaproof-1a2b3c4d-young", "dynaproof-with-a-word", "dynaproof-without-a-date", "dynaproof-without-a-tag", "long-before-its-tag", "with-a-copied-tag"}, left), "tables (-want +got)")
	says(t, "second sweep", sweep(0, "--older-than", "6h", "--json").stdout.String(), `"said": [`, "left 2 tables")
	for _, name := range []string{"with-a-copied-tag", "long-before-its-tag"} {
		_, err := client(url).DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String(name)})
		require.NoError(t, err)
	}
	says(t, "third sweep", sweep(0, "--older-than", "6h").stdout.String(), "no table of a run that began more than")
	// Without its state a run is not known, and nobody can tell what it left.
	sweep(3, "osem-ladders").oneError(t, "found none, so that nobody can tell what was left", "nothing was removed", "--older-than")
}

// Of a run in progress nothing is removed, whose clock is late by most of a day, or where the clock here is ahead by one. A table
// of which no date is told is left.
func TestSweepHeedsNoClockButAWSs(t *testing.T) {
	t.Parallel()
	there := moto(t)
	stamp := time.Now().Add(-20 * time.Hour).UTC().Format(time.RFC3339)
	_, err := client(there).CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("dynaproof-1a2b3c4d-clock"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: "S"}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
		Tags:                 []types.Tag{{Key: aws.String("dynaproof:run"), Value: aws.String("1a2b3c4d@" + stamp)}},
	})
	require.NoError(t, err)
	for what, url := range map[string]string{
		"a run whose clock is late": aged(t, there, time.Hour, 0), "a clock here that is ahead": aged(t, there, 0, -24*time.Hour),
		"no date": aged(t, there, undated, 0),
	} {
		c := prepare(t, awsEnvironment(url, "us-east-1"), "cleanup", "--target", "aws", "--older-than", "6h")
		c.expect(t, 0)
		lacks(t, what, c.stdout.String(), "removed")
		if left := tables(t, there); len(left) != 1 {
			t.Errorf("%s: expected the table of a run in progress to stay, found %v", what, left)
		}
	}
	c := prepare(t, awsEnvironment(aged(t, there, 8*time.Hour, 0), "us-east-1"), "cleanup", "--target", "aws", "--older-than", "6h")
	c.expect(t, 0)
	says(t, "a lost run", c.stdout.String(), "removed table dynaproof-1a2b3c4d-clock")
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
	require.NoError(t, os.MkdirAll(reports, 0o755))
	other := flock.New(filepath.Join(reports, ".dynaproof.lock"))
	if held, err := other.TryLock(); err != nil || !held {
		t.Fatal(held, err)
	}
	run(t, folder, 2, "verify", "fus-main").oneError(t, "--report: expected no other run that writes to", "choose another folder")
	if left := files(t, reports); len(left) != 1 {
		t.Errorf("expected nothing to be written, found %v", left)
	}
	require.NoError(t, other.Unlock())
	run(t, folder, 0, "verify", "fus-main", "--label-filter", "id:fus-main.table.fus-main.ttl")
}
