package replay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithytime "github.com/aws/smithy-go/time"

	"dynaproof/accesspatterns/input"
	"dynaproof/conformance/internal/batch"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/internal/wholefile"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/target"
)

// journal is the word on disk of which tables are a stack's own. Pulumi's state names a
// table, and any table can have the name by now: an engine in memory was started again, or
// somebody made one of their own. A table is the stack's own when the stack's CreateTable was
// answered with its TableId, or when it bears the tag that the stack's CreateTable carried.
// No name and no date proves anything. The journal names no table but those that the stack
// would have.
//
// It is the warden of the wire that the stack's requests pass, and sees each CreateTable and
// its answer there.
type journal struct {
	mu     sync.Mutex
	path   string
	engine *dynamodb.Client
	// Existing are tables of the stack's names whose CreateTable was refused: somebody else's.
	Existing []string `json:"existing,omitempty"`
	// Creating says when each CreateTable was sent, the last one of a name. Unanswered counts those of which nothing tells what became of them:
	// the engine may carry one out yet.
	Creating   map[string]time.Time `json:"creating"`
	Unanswered map[string]int       `json:"unanswered,omitempty"`
	// Made are the tables that the stack's CreateTable was answered with.
	Made map[string]identity `json:"made,omitempty"`
	// Run is the random value of the tag [RunTag] that a run puts on every table; empty for
	// a stack that somebody keeps, whose tables bear the documented tags alone.
	Run string `json:"run,omitempty"`
	// PolicyPath is the path of the run's IAM policies; empty where it makes none.
	PolicyPath string `json:"policyPath,omitempty"`
}

var _ wire.Warden = (*journal)(nil)

// identity tells one table from any other of the same name.
type identity struct {
	// ID is the TableId; empty where an engine gives none.
	ID string `json:"id,omitempty"`
	// Created is the table's creation date as the engine said it. It takes the place of an id
	// only on an engine that gives neither ids nor tags, such as DynamoDB Local.
	Created time.Time `json:"created"`
	// Tagged says that no answer told of the table, but its tag, which is asked for again.
	Tagged bool `json:"tagged,omitempty"`
}

func identityOf(table *types.TableDescription) identity {
	return identity{ID: aws.ToString(table.TableId), Created: aws.ToTime(table.CreationDateTime).UTC()}
}

func journalPath(folder string) string { return filepath.Join(folder, "journal.json") }

func newJournal(folder string, engine *dynamodb.Client) *journal {
	j := &journal{path: journalPath(folder), engine: engine}
	j.forget()
	return j
}

// forget leaves a journal that names nothing.
func (j *journal) forget() {
	j.Creating, j.Unanswered, j.Made = map[string]time.Time{}, map[string]int{}, map[string]identity{}
	j.Existing, j.Run, j.PolicyPath = nil, "", ""
}

// readJournal returns a new one when no run has left one.
func readJournal(folder string, engine *dynamodb.Client) (*journal, error) {
	text, err := input.File(journalPath(folder), input.Text)
	if errors.Is(err, fs.ErrNotExist) {
		return newJournal(folder, engine), nil
	}
	if err != nil {
		return nil, err
	}
	j := newJournal(folder, engine)
	j.Creating = nil
	if err = input.Strictly(text, j); err == nil && j.Creating == nil {
		err = errors.New("expected one that names tables, found none")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: expected the journal of an interrupted run: %w; nothing was changed: clean up with the version of dynaproof that wrote it, or remove the tables that the run left by hand, then the folder", j.path, err)
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

// Admit implements [wire.Warden]. A CreateTable that could not be written down is refused: its
// table could not be found again. So is what writes to, changes or deletes a table that is not
// the stack's own.
func (j *journal) Admit(entry wire.Entry, body []byte) ([]byte, *wire.FaultResponse) {
	if entry.Operation == "" || readsItems[entry.Operation] || safewrite.Describes(entry.Operation) {
		return body, nil
	}
	if len(entry.Tables) == 0 {
		return nil, refusal(fmt.Errorf("%s: expected a table that it changes, so that it can be asked whose that is, found none", entry.Operation))
	}
	ctx, cancel := context.WithTimeout(context.Background(), removalTime)
	defer cancel()
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, name := range entry.Tables {
		var err error
		if entry.Operation == "CreateTable" {
			if body, err = j.tagging(body); err == nil {
				err = j.announce(name)
			}
		} else {
			_, err = j.find(ctx, name)
		}
		if err != nil {
			return nil, refusal(err)
		}
	}
	return body, nil
}

// readsItems are the operations that read items.
var readsItems = map[string]bool{"GetItem": true, "BatchGetItem": true, "TransactGetItems": true, "Query": true, "Scan": true, "SearchVectors": true}

// refusal tells somebody else's table from one of which nothing could be learnt: no claim may take the latter for the
// engine's own refusal.
func refusal(err error) *wire.FaultResponse {
	of := wire.Unanswered
	if foreign(err) {
		of = "ValidationException"
	}
	return wire.Refused(of, err.Error())
}

// Answered implements [wire.Warden]. What a CreateTable was answered with is on disk before the
// client has the answer, and the run's own tag is in no list of tags.
func (j *journal) Answered(entry wire.Entry, body []byte) ([]byte, *wire.FaultResponse) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case entry.Operation == "CreateTable" && len(entry.Tables) == 1:
		if err := j.answered(entry.Tables[0], entry.Status, body); err != nil {
			return nil, refusal(fmt.Errorf("the journal of the stack's tables cannot be written: %w", err))
		}
		if entry.ErrorType == "ResourceInUseException" && j.Run != "" {
			return j.again(entry.Tables[0], body)
		}
	case entry.Operation == "ListTagsOfResource" && entry.Status == http.StatusOK && j.Run != "":
		body = j.untagged(body)
	}
	return body, nil
}

// announce writes down that a CreateTable is about to be sent.
func (j *journal) announce(name string) error {
	j.Creating[name] = time.Now().UTC()
	j.Unanswered[name]++
	if err := j.write(); err != nil {
		return fmt.Errorf("the journal of the stack's tables cannot be written: %w", err)
	}
	return nil
}

// answered writes down what became of a CreateTable. An error of the engine's own leaves that
// open: then only the tag tells whose the table is.
func (j *journal) answered(name string, status int, body []byte) error {
	var answer struct {
		TableDescription struct {
			TableName        string
			TableID          string  `json:"TableId"`
			CreationDateTime float64 `json:"CreationDateTime"`
		}
	}
	_, known := j.Made[name]
	switch {
	case status == http.StatusOK && input.Exactly(body, &answer) == nil:
		created := answer.TableDescription
		if created.TableName != name || created.TableID == "" && created.CreationDateTime == 0 {
			return nil
		}
		j.Unanswered[name]--
		j.Made[name] = identity{ID: created.TableID, Created: smithytime.ParseEpochSeconds(created.CreationDateTime).UTC()}
		j.Existing = slices.DeleteFunc(j.Existing, func(each string) bool { return each == name })
	case status >= http.StatusBadRequest && status < http.StatusInternalServerError:
		if j.Unanswered[name]--; !known && !slices.Contains(j.Existing, name) {
			j.Existing = append(j.Existing, name)
		}
	default:
		return nil
	}
	return j.write()
}

// came notes the identity of a table of the stack's that is there, and stores it where it is new. One that no answer told of came of a request
// that was not answered.
func (j *journal) came(name string, table *types.TableDescription) error {
	if _, known := j.Made[name]; known {
		return nil
	}
	is := identityOf(table)
	is.Tagged = true
	j.Made[name] = is
	j.Unanswered[name]--
	return j.write()
}

// heard notes that whatever was sent was answered.
func (j *journal) heard() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	clear(j.Unanswered)
	return j.write()
}

// longestLate bounds the time in which a request is carried out that was sent and not answered. AWS takes none whose signature is older.
const longestLate = 5 * time.Minute

// past is a moment, and now where the clock has been put back behind it since: else what waits for it waits as long as that.
func past(moment time.Time) time.Time {
	if now := time.Now().UTC(); moment.After(now) {
		return now
	}
	return moment
}

// late returns an error where tables may come yet. Whatever comes under their names is told by the run's tag then.
func (j *journal) late() (err error) {
	for _, name := range slices.Sorted(maps.Keys(j.Creating)) {
		j.Creating[name] = past(j.Creating[name])
		if until := j.Creating[name].Add(longestLate); j.Unanswered[name] > 0 && time.Now().Before(until) {
			delete(j.Made, name)
			err = &lateError{fmt.Sprintf("table %q: expected an answer to the request to create it, found none, so that it may come yet: clean up again after %s", name, until.Local().Format(time.TimeOnly))}
		}
	}
	return err
}

// lateError says that what a run asked for may come behind its clean-up. The journal stays then, for a later one.
type lateError struct{ problem string }

func (e *lateError) Error() string { return e.problem }

// again answers a CreateTable that is refused since the table is there. Where the table bears the run's tag, an attempt before this
// one made it, and its answer was lost: the client gets that.
func (j *journal) again(name string, body []byte) ([]byte, *wire.FaultResponse) {
	ctx, cancel := context.WithTimeout(context.Background(), removalTime)
	defer cancel()
	table, err := j.find(ctx, name)
	if err != nil || table == nil {
		return body, nil
	}
	if err := j.came(name, table); err != nil {
		return nil, refusal(err)
	}
	return nil, &wire.FaultResponse{Name: "the answer that was lost", Status: http.StatusOK, Members: map[string]any{
		"TableDescription": map[string]any{"TableName": name, "TableId": table.TableId, "TableStatus": table.TableStatus},
	}}
}

// tagging adds the run's tag to the body of a CreateTable.
func (j *journal) tagging(body []byte) ([]byte, error) {
	if j.Run == "" {
		return body, nil
	}
	return amended(body, func(tags []json.RawMessage) []json.RawMessage {
		tag, _ := json.Marshal(map[string]string{"Key": RunTag, "Value": j.Run}) // texts always have a JSON form
		return append(tags, tag)
	})
}

// untagged takes the run's tag, and no other, out of a list of tags. What cannot be read stays
// as it is.
func (j *journal) untagged(body []byte) []byte {
	without, err := amended(body, func(tags []json.RawMessage) []json.RawMessage {
		return slices.DeleteFunc(tags, func(text json.RawMessage) bool {
			var tag struct{ Key, Value string }
			return input.Exactly(text, &tag) == nil && tag.Key == RunTag && tag.Value == j.Run
		})
	})
	if err != nil {
		return body
	}
	return without
}

// amended changes the member Tags of a JSON object, and nothing else of it.
func amended(body []byte, change func([]json.RawMessage) []json.RawMessage) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := input.Exactly(body, &members); err != nil {
		return nil, fmt.Errorf("expected a JSON object with a list of tags: %w", err)
	}
	tags := []json.RawMessage{}
	if given := members["Tags"]; given != nil {
		if err := input.Exactly(given, &tags); err != nil {
			return nil, fmt.Errorf("expected a list of tags: %w", err)
		}
	}
	var err error
	if members["Tags"], err = json.Marshal(change(tags)); err != nil {
		return nil, err
	}
	return json.Marshal(members)
}

// settle asks of every table, when the stack is up, whether it is the stack's own, and notes
// its identity.
func (j *journal) settle(ctx context.Context) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(j.Creating)) {
		table, err := j.find(ctx, name)
		if err != nil {
			return err
		}
		if table != nil {
			if err := j.came(name, table); err != nil {
				return err
			}
		}
	}
	return j.write()
}

// describe returns nil when there is no such table.
func (j *journal) describe(ctx context.Context, name string) (*types.TableDescription, error) {
	table, err := target.Described(ctx, j.engine, name)
	if err != nil {
		return nil, fmt.Errorf("asking whose table %q is: %w", name, err)
	}
	return table, nil
}

func isMissing(err error) bool {
	return errors.As(err, new(*types.ResourceNotFoundException))
}

// ForeignError says that a table or a policy with a name of a stack's is not the stack's own.
type ForeignError struct{ problem string }

func (e *ForeignError) Error() string { return e.problem }

// foreign reports whether an error says that something is somebody else's.
func foreign(err error) bool {
	_, is := errors.AsType[*ForeignError](err)
	return is
}

// find returns the stack's own table of a name, nil when there is none. A table that is
// not the stack's own is a [*ForeignError].
func (j *journal) find(ctx context.Context, name string) (*types.TableDescription, error) {
	table, err := j.describe(ctx, name)
	if err != nil || table == nil {
		return nil, err
	}
	found := identityOf(table)
	foreign := func(expected string) error {
		return &ForeignError{fmt.Sprintf("table %q: expected %s, found one created at %s (id %s), which is not the run's; it was left and it was not changed: take other names with --prefix and another --state, or remove the table if nobody needs it, or %s when the run left nothing",
			name, expected, found.Created.Format(time.RFC3339), cmp.Or(found.ID, "unknown"), filepath.Dir(j.path))}
	}
	made, answered := j.Made[name]
	sent, announced := j.Creating[name]
	tagged := false
	if announced && j.Run != "" && (made.ID == "" || made.Tagged) {
		tags, err := target.TableTags(ctx, j.engine, aws.ToString(table.TableArn))
		answer, refused := errors.AsType[smithy.APIError](err)
		if err != nil && !(refused && strings.HasPrefix(answer.ErrorCode(), "UnknownOperation")) {
			return nil, fmt.Errorf("asking whose table %q is: %w", name, err)
		}
		if tagged = tags[RunTag] == j.Run; err == nil {
			answered = false // where there are tags and no ids, the tag alone tells
		}
	}
	switch {
	case made.ID != "" && made.ID == found.ID && (tagged || !made.Tagged), made.ID == "" && tagged:
		return table, nil
	case made.ID == "" && found.ID == "" && answered && made.Created.Equal(found.Created):
		return table, nil
	case !announced:
		return nil, foreign("one that the journal of the stack knows")
	case slices.Contains(j.Existing, name):
		return nil, foreign("none, since the stack's request to create it was refused")
	case made != identity{} && !made.Tagged:
		return nil, foreign(fmt.Sprintf("the one that the stack created at %s (id %s)", made.Created.Format(time.RFC3339), cmp.Or(made.ID, "unknown")))
	}
	proof := "an answer that names it"
	if j.Run != "" {
		proof = "the tag " + RunTag + "=" + j.Run + " of the run"
	}
	return nil, foreign(fmt.Sprintf("one with %s, whose request to create it was sent at %s", proof, sent.Format(time.RFC3339)))
}

// own returns the names of the stack's own tables that are there. The error names every
// table of one of its names that is somebody else's ([*ForeignError]), but those whose
// CreateTable was refused: of them the deployment has told.
func (j *journal) own(ctx context.Context) (ours []string, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var others []error
	for _, name := range slices.Sorted(maps.Keys(j.Creating)) {
		table, err := j.find(ctx, name)
		switch {
		case foreign(err):
			if !slices.Contains(j.Existing, name) {
				others = append(others, err)
			}
		case err != nil:
			return nil, err
		case table != nil:
			_ = j.came(name, table) // on a full disk it is found again
			ours = append(ours, name)
		}
	}
	return ours, errors.Join(others...)
}

// delete deletes what is the stack's own of some tables.
func (j *journal) delete(ctx context.Context, names []string) error {
	for _, name := range names {
		if err := deleteTable(ctx, j.engine, name, func() (*types.TableDescription, error) { return j.find(ctx, name) }); err != nil {
			return fmt.Errorf("deleting table %q, which an interrupted run left: %w", name, err)
		}
	}
	return nil
}

const (
	// deletionTime bounds the wait for one table to be gone, deletionPoll is how often it is looked for.
	deletionTime, deletionPoll = 2 * time.Minute, 250 * time.Millisecond
	// deletionAttempts is how often one deletion is sent that is not answered.
	deletionAttempts = 3
)

// deleteTable deletes a table, and returns when it is gone. Before each attempt, and while it waits, it asks for the table that
// may be deleted, nil when there is none: somebody may have made another of the name since, after an attempt too whose answer was
// lost. DynamoDB deletes by name, or by an ARN that holds nothing more; so who exchanges the table between that look and the deletion behind
// it, which is one request, loses theirs.
func deleteTable(ctx context.Context, client *dynamodb.Client, name string, ours func() (*types.TableDescription, error)) error {
	ctx, cancel := context.WithTimeout(ctx, deletionTime)
	defer cancel()
	for sent := 0; ; {
		table, err := ours()
		if table == nil && err == nil || sent > 0 && foreign(err) {
			return nil
		} else if err != nil {
			return err
		}
		if table.TableStatus != types.TableStatusDeleting {
			_, err = client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name}, func(o *dynamodb.Options) { o.RetryMaxAttempts = 1 })
			_, busy := errors.AsType[*types.ResourceInUseException](err) // it is created or changed
			sent++
			if again := sent < deletionAttempts && retry.NewStandard().IsErrorRetryable(err); err != nil && !busy && !isMissing(err) && !again {
				return err
			}
		}
		if batch.Pause(ctx, deletionPoll, 0) != nil {
			return fmt.Errorf("expected it to be gone within %s, found it %s: %w", deletionTime, table.TableStatus, ctx.Err())
		}
	}
}
