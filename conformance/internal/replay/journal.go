package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/conformance/internal/wholefile"
	"dynaproof/conformance/internal/wire"
)

// journal is the word on disk of which tables a run is about to create, written
// before each request. Pulumi's state names a table only after it was created:
// a run that is killed in between would leave a table that nobody owns.
type journal struct {
	mu   sync.Mutex
	path string
	// Existing are the tables that were there before the run. None of them is
	// ever the run's.
	Existing []string `json:"existing"`
	// Creating says when each CreateTable was sent.
	Creating map[string]time.Time `json:"creating"`
	// Run is the value of the tag that the run puts on every table; empty where
	// tables are told by their date.
	Run string `json:"run,omitempty"`
}

func journalPath(folder string) string { return filepath.Join(folder, "journal.json") }

// startJournal notes what an endpoint holds before anything is created there.
func startJournal(ctx context.Context, folder string, engine *dynamodb.Client) (*journal, error) {
	j := &journal{path: journalPath(folder), Creating: map[string]time.Time{}}
	pages := dynamodb.NewListTablesPaginator(engine, &dynamodb.ListTablesInput{})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		j.Existing = append(j.Existing, page.TableNames...)
	}
	return j, j.write()
}

// readJournal returns nil when no run has left one.
func readJournal(folder string) (*journal, error) {
	text, err := os.ReadFile(journalPath(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	j := &journal{path: journalPath(folder)}
	if err := json.Unmarshal(text, j); err != nil {
		return nil, fmt.Errorf("%s: expected the journal of an interrupted run, found %w; remove the tables that it left by hand, then the folder", j.path, err)
	}
	return j, nil
}

// write stores the journal. The file appears whole or not at all.
func (j *journal) write() error {
	text, err := json.MarshalIndent(j, "", " ")
	if err != nil {
		return err
	}
	return wholefile.Write(j.path, text, wholefile.Private)
}

// observe is asked by the wire before each request is forwarded. A CreateTable
// that could not be written down is refused: its table could not be found again.
func (j *journal) observe(entry wire.Entry) *wire.FaultResponse {
	if entry.Operation != "CreateTable" {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, name := range entry.Tables {
		if _, known := j.Creating[name]; !known {
			j.Creating[name] = time.Now().UTC()
		}
	}
	if err := j.write(); err != nil {
		return &wire.FaultResponse{Status: 400, ErrorType: "ValidationException", Message: "the run's journal cannot be written: " + err.Error()}
	}
	return nil
}

// The engine dates a table when it gets to the request, and may round to whole
// seconds. A table whose date is further from the journal's was made by somebody
// else.
const (
	datedBefore = 1500 * time.Millisecond
	datedAfter  = 5 * time.Second
)

// orphans returns the tables on an endpoint that the journal's run created. It
// fails when one of the names now belongs to another table, and then nothing may
// be deleted by name.
func (j *journal) orphans(ctx context.Context, engine *dynamodb.Client) ([]string, error) {
	var ours []string
	for _, name := range slices.Sorted(maps.Keys(j.Creating)) {
		if slices.Contains(j.Existing, name) {
			continue // the run met it and was refused
		}
		answer, err := engine.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(name)})
		var missing *types.ResourceNotFoundException
		if errors.As(err, &missing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if j.Run != "" {
			if err := j.tagged(ctx, engine, name, aws.ToString(answer.Table.TableArn)); err != nil {
				return nil, err
			}
			ours = append(ours, name)
			continue
		}
		sent, dated := j.Creating[name], aws.ToTime(answer.Table.CreationDateTime)
		if dated.Before(sent.Add(-datedBefore)) || dated.After(sent.Add(datedAfter)) {
			return nil, fmt.Errorf("table %q: expected the one that an interrupted run created at %s, found one created at %s, which is not the run's; it was not changed: give this run other names with --prefix and another --state, or remove %s",
				name, sent.Format(time.RFC3339), dated.UTC().Format(time.RFC3339), filepath.Dir(j.path))
		}
		ours = append(ours, name)
	}
	return ours, nil
}

// deleteTables deletes tables that no state names any more.
func deleteTables(ctx context.Context, engine *dynamodb.Client, names []string) error {
	for _, name := range names {
		_, err := engine.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String(name)})
		var missing *types.ResourceNotFoundException
		if errors.As(err, &missing) {
			continue // Pulumi's state named it, and it is gone
		}
		if err != nil {
			return fmt.Errorf("deleting table %q, which an interrupted run left: %w", name, err)
		}
		wait := dynamodb.NewTableNotExistsWaiter(engine)
		if err := wait.Wait(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(name)}, deletionTime); err != nil {
			return err
		}
	}
	return nil
}

// deletionTime bounds the wait for one table to be gone.
const deletionTime = 2 * time.Minute

// journalClient is a client for the engine behind the wire: what clean-up sends
// is not part of the replay.
func journalClient(endpoint, region string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(endpoint), Region: region, Credentials: credentials.NewStaticCredentialsProvider("dynaproof", "dynaproof", ""),
	})
}
