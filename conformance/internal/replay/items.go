package replay

import (
	"bytes"
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
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/input"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/internal/wholefile"
	"dynaproof/conformance/target"
)

// itemJournal is the word on disk of the items that a run on an existing stack
// writes: one line for each write, stored before the write is sent, and one for
// its outcome.
type itemJournal struct {
	mu   sync.Mutex
	file *os.File
}

var _ safewrite.Journal = (*itemJournal)(nil)

// itemLine is a line of the journal. Key and Item are in DynamoDB's JSON.
type itemLine struct {
	Change safewrite.Change `json:"change"`
	Table  string           `json:"table"`
	Key    json.RawMessage  `json:"key,omitempty"`
	Item   json.RawMessage  `json:"item,omitempty"`
	// Is tells the table from another one of its name, on a line that says no more.
	Is *identity `json:"is,omitempty"`
}

// isTable marks the line of a table.
const isTable safewrite.Change = "table"

func itemJournalPath(folder string) string { return filepath.Join(folder, "items.jsonl") }

// startItemJournal makes the journal, which begins with the tables that will be written
// to. It fails when there is one already: what it lists would be forgotten.
func startItemJournal(folder string, tables map[string]identity) (*itemJournal, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(itemJournalPath(folder), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	// The file's name is on disk before its content counts.
	if err := wholefile.SyncFolder(folder); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) { // on disk with the first write
		if err := json.NewEncoder(file).Encode(itemLine{Change: isTable, Table: name, Is: new(tables[name])}); err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
	return &itemJournal{file: file}, nil
}

// identities returns which tables there are, of those that are named.
func identities(ctx context.Context, client *dynamodb.Client, names []string) (map[string]identity, error) {
	found := map[string]identity{}
	for _, name := range names {
		table, err := target.Described(ctx, client, name)
		if err != nil {
			return nil, fmt.Errorf("asking which table %s is: %w", name, err)
		}
		if table != nil {
			found[name] = identityOf(table)
		}
	}
	return found, nil
}

// Announce implements [safewrite.Journal].
func (j *itemJournal) Announce(entries ...safewrite.Entry) error { return j.append(entries, true) }

// Settle implements [safewrite.Journal].
func (j *itemJournal) Settle(entries ...safewrite.Entry) error { return j.append(entries, false) }

func (j *itemJournal) append(entries []safewrite.Entry, sync bool) error {
	if len(entries) == 0 {
		return nil
	}
	var text bytes.Buffer
	for _, entry := range entries {
		line := itemLine{Change: entry.Change, Table: entry.Table, Key: json.RawMessage(dynamo.ShowItem(entry.Key))}
		if entry.Item != nil {
			line.Item = json.RawMessage(dynamo.ShowItem(entry.Item))
		}
		if err := json.NewEncoder(&text).Encode(line); err != nil {
			return err
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err := j.file.Write(text.Bytes()); err != nil {
		return err
	}
	if sync {
		return j.file.Sync()
	}
	return nil
}

func (j *itemJournal) close() error { return j.file.Close() }

// listedKey is a key that a journal lists, with what the run may have left there.
type listedKey struct {
	table string
	key   accesspatterns.Item
	// items are what the key may hold of the run's: after a write whose outcome is not
	// known, what it held before and what the write makes of that.
	items []accesspatterns.Item
	// free says that the key may hold nothing. asked is what the last write, which is not answered yet, makes there of that, and late what those
	// before make that never were: each may be carried out whenever the key is free.
	free  bool
	asked accesspatterns.Item
	late  []accesspatterns.Item
}

// note notes a line of the journal.
func (k *listedKey) note(entry *safewrite.Entry) {
	switch {
	case entry.Change == safewrite.Holds:
		k.items, k.free, k.asked = nil, entry.Item == nil, nil
	case k.asked != nil:
		k.late, k.asked = append(k.late, k.asked), nil
	}
	switch {
	case entry.Change == safewrite.Delete:
		k.free = true
	case entry.Item != nil:
		k.items = append(k.items, entry.Item)
		if k.free && entry.Change != safewrite.Holds {
			k.asked = entry.Item
		}
	}
}

// readItemJournal returns the keys that a journal lists, in the order of their
// first write, and the tables; nil when there is no journal. A last line that a crash
// cut off was not synced, so that its write was never sent.
func readItemJournal(folder string) (listed []*listedKey, tables map[string]identity, err error) {
	text, err := input.File(itemJournalPath(folder), input.Evidence)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	tables = map[string]identity{}
	byID := map[string]*listedKey{}
	lines := bytes.SplitAfter(text, []byte("\n"))
	for i, line := range lines[:len(lines)-1] { // behind the last newline is nothing, or a line that was cut off
		entry, is, err := parseItemLine(line)
		if is != nil {
			tables[entry.Table] = *is
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s:%d: expected a write that a run announced, found %w; nothing was deleted: remove the items by hand, then the folder", itemJournalPath(folder), i+1, err)
		}
		id := entry.Table + " " + dynamo.KeyID(entry.Key)
		at, known := byID[id]
		if !known {
			at = &listedKey{table: entry.Table, key: entry.Key, free: true}
			byID[id] = at
			listed = append(listed, at)
		}
		at.note(&entry)
	}
	for _, each := range listed {
		each.note(&safewrite.Entry{}) // nothing was answered behind the end
		each.items = append(each.items, each.late...)
	}
	return listed, tables, nil
}

func parseItemLine(text []byte) (entry safewrite.Entry, is *identity, err error) {
	var line itemLine
	if err := input.Strictly(text, &line); err != nil {
		return entry, nil, err
	}
	if line.Change == isTable && line.Is != nil && line.Table != "" {
		return safewrite.Entry{Table: line.Table}, line.Is, nil
	}
	entry = safewrite.Entry{Change: line.Change, Table: line.Table}
	if !slices.Contains([]safewrite.Change{safewrite.Put, safewrite.Update, safewrite.Delete, safewrite.Holds}, line.Change) || line.Table == "" {
		return entry, nil, fmt.Errorf("%q of table %q", line.Change, line.Table)
	}
	if entry.Key, err = attributevalue.UnmarshalMapJSON(line.Key); err != nil {
		return entry, nil, err
	}
	if line.Item != nil {
		entry.Item, err = attributevalue.UnmarshalMapJSON(line.Item)
	}
	return entry, nil, err
}

// removeItems deletes what a journal lists, and only that: an item is deleted when
// it equals one that the run wrote, in the table that the run wrote to, and under the
// condition that it still does. What stood in a table that is gone is gone. The journal stays as long as a write that was not answered may be
// carried out yet, for a later clean-up.
func removeItems(ctx context.Context, client *dynamodb.Client, folder string) (removed int, err error) {
	listed, tables, err := readItemJournal(folder)
	if err != nil {
		return 0, err
	}
	var written time.Time // the last line, and so at the latest the last write
	if file, err := os.Stat(itemJournalPath(folder)); err == nil {
		written = past(file.ModTime())
	}
	now, err := identities(ctx, client, slices.Sorted(maps.Keys(tables)))
	if err != nil {
		return 0, err
	}
	var changed, open []string
	var came []safewrite.Entry
	for _, each := range listed {
		was, known := tables[each.table]
		is, there := now[each.table]
		if known && !there {
			continue
		}
		if !known || is != was {
			each.items = nil // whatever stands in another table of the name is not the run's
		}
		gone, foreign, err := each.remove(ctx, client)
		if err != nil {
			return removed, fmt.Errorf("removing %s %s, which a run wrote: %w", each.table, dynamo.ShowItem(each.key), err)
		}
		if gone {
			removed++
			came = append(came, safewrite.Entry{Change: safewrite.Holds, Table: each.table, Key: each.key})
		}
		switch id := each.table + " " + dynamo.ShowItem(each.key); {
		case foreign:
			changed = append(changed, id)
		case len(each.late) > 0:
			open = append(open, id)
		}
	}
	until := written.Add(longestLate)
	if len(changed) > 0 || len(open) > 0 && time.Now().Before(until) {
		if err := noteRemoved(folder, written, came); err != nil {
			return removed, err
		}
	}
	if len(changed) > 0 {
		return removed, fmt.Errorf("%w, found %d that somebody changed since (the first: %s); they were left as they are: decide about them, then remove %s", errChanged, len(changed), changed[0], folder)
	}
	if len(open) > 0 && time.Now().Before(until) {
		return removed, &lateError{fmt.Sprintf("expected an answer to each write, found none to %d, which may be carried out yet (the first: %s): clean up again after %s", len(open), open[0], until.Local().Format(time.TimeOnly))}
	}
	return removed, os.RemoveAll(folder)
}

// noteRemoved notes in a journal that stays, and that was written last at a time, which keys hold nothing of the run's any more.
func noteRemoved(folder string, written time.Time, came []safewrite.Entry) error {
	path := itemJournalPath(folder)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	j := &itemJournal{file: file}
	return errors.Join(j.Announce(came...), j.close(), os.Chtimes(path, written, written))
}

// errChanged says that keys of a run hold items that are not the run's any more.
var errChanged = errors.New("expected only items that the run wrote under its keys")

// removalTime bounds the removal of one item, in all attempts.
const removalTime = 30 * time.Second

// remove deletes the item under a key. foreign says that it is not the run's. An
// attribute that somebody adds between the read and the deletion goes with the item:
// DynamoDB has no condition that could tell.
func (k *listedKey) remove(ctx context.Context, client *dynamodb.Client) (gone, foreign bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, removalTime)
	defer cancel()
	answer, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(k.table), Key: k.key, ConsistentRead: aws.Bool(true)})
	if err != nil || answer.Item == nil {
		return false, false, err
	}
	ours := slices.ContainsFunc(k.items, func(item accesspatterns.Item) bool {
		return dynamo.EqualItems(item, answer.Item)
	})
	if !ours || len(answer.Item) == len(k.key) { // any item under the key meets a condition on key attributes
		return false, true, nil
	}
	_, err = client.DeleteItem(ctx, safewrite.Deletion(k.table, k.key, answer.Item))
	if at := slices.IndexFunc(k.late, func(item accesspatterns.Item) bool { return dynamo.EqualItems(item, answer.Item) }); at >= 0 {
		k.late = slices.Delete(k.late, at, at+1) // it has come
	}
	if safewrite.IsConditionFailure(err) {
		return false, true, nil
	}
	return err == nil, false, err
}
