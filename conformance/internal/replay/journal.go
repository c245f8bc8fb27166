package replay

import (
	"cmp"
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
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/conformance/internal/wholefile"
	"dynaproof/conformance/internal/wire"
)

// journal is the word on disk of which tables are a stack's own, written before each
// is created. Pulumi's state names a table, and any table can have the name by now: an engine
// in memory was started again, or somebody made one of their own. The journal knows the
// table itself. It names no table but those that the stack would have.
type journal struct {
	mu     sync.Mutex
	path   string
	engine *dynamodb.Client
	// Existing are the tables with names of the stack's that were there before it. None of
	// them is ever its own.
	Existing []string `json:"existing,omitempty"`
	// Creating says when each CreateTable was sent.
	Creating map[string]time.Time `json:"creating"`
	// Made are the tables that were there when the stack was up.
	Made map[string]identity `json:"made,omitempty"`
	// Run is the value of the tag that the run puts on every table; empty on engines
	// on this machine.
	Run string `json:"run,omitempty"`
}

// identity tells one table from any other of the same name.
type identity struct {
	// ID is the TableId; empty where an engine gives none.
	ID string `json:"id,omitempty"`
	// Created is the table's creation date.
	Created time.Time `json:"created"`
}

func identityOf(table *types.TableDescription) identity {
	return identity{aws.ToString(table.TableId), aws.ToTime(table.CreationDateTime).UTC()}
}

func journalPath(folder string) string { return filepath.Join(folder, "journal.json") }

func newJournal(folder string, engine *dynamodb.Client) *journal {
	return &journal{path: journalPath(folder), engine: engine, Creating: map[string]time.Time{}, Made: map[string]identity{}}
}

// readJournal returns nil when no run has left one.
func readJournal(folder string, engine *dynamodb.Client) (*journal, error) {
	text, err := os.ReadFile(journalPath(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	j := newJournal(folder, engine)
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
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return err
	}
	return wholefile.Write(j.path, text, wholefile.Private)
}

// observe is asked by the wire before each request is forwarded. A CreateTable
// that could not be written down is refused: its table could not be found again. So is
// what deletes or changes a table that is not the stack's own.
func (j *journal) observe(entry wire.Entry) *wire.FaultResponse {
	var do func(context.Context, string) error
	switch entry.Operation {
	case "CreateTable":
		do = j.announce
	case "DeleteTable", "UpdateTable", "UpdateTimeToLive", "UpdateContinuousBackups":
		do = func(ctx context.Context, name string) error {
			_, err := j.find(ctx, name)
			return err
		}
	default:
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), removalTime)
	defer cancel()
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, name := range entry.Tables {
		if err := do(ctx, name); err != nil {
			return &wire.FaultResponse{Status: 400, ErrorType: "ValidationException", Message: err.Error()}
		}
	}
	return nil
}

// announce writes down that a table is about to be created, unless one of the name is
// there: then the engine refuses it.
func (j *journal) announce(ctx context.Context, name string) error {
	table, err := j.describe(ctx, name)
	if err != nil {
		return err
	}
	_, known := j.Creating[name]
	switch {
	case table == nil:
		j.Creating[name] = time.Now().UTC()
		delete(j.Made, name)
		j.Existing = slices.DeleteFunc(j.Existing, func(each string) bool { return each == name })
	case !known && !slices.Contains(j.Existing, name):
		j.Existing = append(j.Existing, name)
	default:
		return nil
	}
	if err := j.write(); err != nil {
		return fmt.Errorf("the journal of the stack's tables cannot be written: %w", err)
	}
	return nil
}

// settle notes the identity of every table, when the stack is up.
func (j *journal) settle(ctx context.Context) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(j.Creating)) {
		table, err := j.find(ctx, name)
		if err != nil {
			return err
		}
		if table != nil {
			j.Made[name] = identityOf(table)
		}
	}
	return j.write()
}

// describe returns nil when there is no such table.
func (j *journal) describe(ctx context.Context, name string) (*types.TableDescription, error) {
	table, err := described(ctx, j.engine, name)
	if err != nil {
		return nil, fmt.Errorf("asking whose table %q is: %w", name, err)
	}
	return table, nil
}

// described returns the description of a table, nil when there is no such table.
func described(ctx context.Context, client *dynamodb.Client, name string) (*types.TableDescription, error) {
	answer, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(name)})
	switch {
	case isMissing(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return answer.Table, nil
}

func isMissing(err error) bool {
	var missing *types.ResourceNotFoundException
	return errors.As(err, &missing)
}

// ForeignTableError says that a table with a name of a stack's is not the stack's own.
type ForeignTableError struct {
	Table, Expected, Found, Folder string
}

func (e *ForeignTableError) Error() string {
	return fmt.Sprintf("table %q: expected %s, found %s, which is not the run's; it was not changed: take other names with --prefix and another --state, or remove %s when the run left nothing",
		e.Table, e.Expected, e.Found, e.Folder)
}

// find returns the stack's own table of a name, nil when there is none. A table that is
// not the stack's own is a [*ForeignTableError].
func (j *journal) find(ctx context.Context, name string) (*types.TableDescription, error) {
	table, err := j.describe(ctx, name)
	if err != nil || table == nil {
		return nil, err
	}
	found := identityOf(table)
	foreign := func(expected string) error {
		return &ForeignTableError{name, expected, fmt.Sprintf("one created at %s (id %s)", found.Created.Format(time.RFC3339), cmp.Or(found.ID, "unknown")), filepath.Dir(j.path)}
	}
	made, wasUp := j.Made[name]
	sent, announced := j.Creating[name]
	switch {
	case !announced:
		return nil, foreign("one that the journal of the stack knows")
	case slices.Contains(j.Existing, name):
		return nil, foreign("none, since it was there before the stack")
	case wasUp && (made.ID != found.ID || made.ID == "" && !made.Created.Equal(found.Created)):
		return nil, foreign(fmt.Sprintf("the one that the stack created at %s (id %s)", made.Created.Format(time.RFC3339), cmp.Or(made.ID, "unknown")))
	case j.Run != "":
		if err := j.tagged(ctx, name, aws.ToString(table.TableArn)); err != nil {
			return nil, err
		}
	case !wasUp && (found.Created.Before(sent.Add(-datedBefore)) || found.Created.After(sent.Add(datedAfter))):
		return nil, foreign("the one that an interrupted run created at " + sent.Format(time.RFC3339))
	}
	return table, nil
}

// The engine dates a table when it gets to the request, and may round to whole
// seconds. A table whose date is further from the journal's was made by somebody
// else.
const (
	datedBefore = 1500 * time.Millisecond
	datedAfter  = 5 * time.Second
)

// own returns the names of the stack's own tables that are there. It fails when one of
// its names now belongs to another table, and then nothing may be deleted by name. A
// table that the run met and was refused is left out.
func (j *journal) own(ctx context.Context) ([]string, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var ours []string
	for _, name := range slices.Sorted(maps.Keys(j.Creating)) {
		table, err := j.find(ctx, name)
		if err != nil {
			return nil, err
		}
		if table != nil {
			ours = append(ours, name)
		}
	}
	return ours, nil
}

// delete deletes what is the stack's own of some tables, and asks of each again whether
// it is.
func (j *journal) delete(ctx context.Context, names []string) error {
	for _, name := range names {
		if table, err := j.find(ctx, name); err != nil || table == nil {
			if err != nil {
				return err
			}
			continue // Pulumi's state named it, and it is gone
		}
		_, err := j.engine.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String(name)})
		if isMissing(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("deleting table %q, which an interrupted run left: %w", name, err)
		}
		wait := dynamodb.NewTableNotExistsWaiter(j.engine)
		if err := wait.Wait(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(name)}, deletionTime); err != nil {
			return err
		}
	}
	return nil
}

// deletionTime bounds the wait for one table to be gone.
const deletionTime = 2 * time.Minute
