package trail

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/arn"
)

// source is the eventSource of DynamoDB's records.
const source = "dynamodb.amazonaws.com"

// Record is CloudTrail's record of one request to DynamoDB.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/understanding-ddb-log-entries.html
type Record struct {
	// ID is CloudTrail's own id of the event, Request DynamoDB's id of the request,
	// which is the one that the client got in the header x-amzn-RequestId.
	ID, Request string
	// Time is when the request was made; CloudTrail writes whole seconds.
	Time time.Time
	// Operation is the DynamoDB operation, such as "Scan".
	Operation string
	// Principal is the ARN of who sent it, or the nearest that the record has.
	Principal string
	// Tables are the tables, and indexes, that the request names; one without a name where the record names none.
	Tables []Table
	// Statements are those of PartiQL, as far as the record shows them. Values that are no part of a key stand in them as ***(Redacted).
	Statements []string
	// Limit is the request's Limit; 0 when it has none.
	Limit int
	// Error is the error's code when DynamoDB refused the request, which then read
	// nothing. Empty for a request that succeeded.
	Error string
}

// Table is a table, or one of its indexes, in an account and a region.
type Table struct{ Account, Region, Name, Index string }

// shape is what is read of a record. The decoder takes either case of a name's first
// letter, as AWS's own examples have both.
// https://docs.aws.amazon.com/awscloudtrail/latest/userguide/cloudtrail-event-reference-record-contents.html
type shape struct {
	EventID, EventName, RequestID            string
	EventTime                                time.Time
	AWSRegion, RecipientAccountID, ErrorCode string
	UserIdentity                             struct{ ARN, InvokedBy, PrincipalID, Type string }
	Resources                                []struct{ ARN string }
	RequestParameters                        parameters
}

// parse reads a message of the log group. A record of another service is nil.
func parse(message string) (*Record, error) {
	var from struct{ EventSource string }
	if err := json.Unmarshal([]byte(message), &from); err != nil {
		return nil, err
	}
	if from.EventSource == "" {
		return nil, errors.New("no eventSource")
	}
	if from.EventSource != source {
		return nil, nil
	}
	var read shape
	if err := json.Unmarshal([]byte(message), &read); err != nil {
		return nil, err
	}
	if read.EventID == "" || read.EventName == "" || read.EventTime.IsZero() {
		return nil, errors.New("no eventID, no eventName or no eventTime")
	}
	who := read.UserIdentity
	record := &Record{
		ID: read.EventID, Request: read.RequestID, Time: read.EventTime, Operation: read.EventName,
		Principal: cmp.Or(who.ARN, who.InvokedBy, who.PrincipalID, who.Type, "a principal that the record does not name"),
		Limit:     read.RequestParameters.limit, Error: read.ErrorCode, Statements: read.RequestParameters.statements,
	}
	here := Table{Account: read.RecipientAccountID, Region: read.AWSRegion}
	for _, resource := range read.Resources {
		record.add(resource.ARN, here)
	}
	for _, name := range read.RequestParameters.tables {
		record.add(name, here)
	}
	for _, text := range read.RequestParameters.statements {
		record.addStatement(text, here)
	}
	if index := read.RequestParameters.index; index != "" {
		for i := range record.Tables { // a request that names an index names one table
			record.Tables[i].Index = index
		}
	}
	if len(record.Tables) == 0 {
		record.Tables = []Table{here}
	}
	return record, nil
}

// add enters a table by its name or by an ARN, of itself or of what belongs to it.
func (r *Record) add(given string, here Table) {
	if arn.IsARN(given) {
		parsed, err := arn.Parse(given)
		resource, isTable := strings.CutPrefix(parsed.Resource, "table/")
		if err != nil || parsed.Service != "dynamodb" || !isTable {
			return
		}
		name, rest, _ := strings.Cut(resource, "/")
		here = Table{Account: parsed.AccountID, Region: parsed.Region, Name: name}
		if index, isIndex := strings.CutPrefix(rest, "index/"); isIndex {
			here.Index = index
		}
	} else {
		here.Name = given
	}
	r.enter(here)
}

// enter notes a table once. What stands in the request repeats what stands in the
// resources, and may add the index.
func (r *Record) enter(table Table) {
	at := slices.IndexFunc(r.Tables, func(known Table) bool { return known.Name == table.Name })
	switch {
	case table.Name == "":
	case at < 0:
		r.Tables = append(r.Tables, table)
	case r.Tables[at].Index == "":
		r.Tables[at].Index = table.Index
	}
}

// inStatement finds the table of a PartiQL statement, and its index: both stand in
// double quotes where they are no plain words.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-reference.select.html
var inStatement = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?is)^\s*(?:SELECT\b.*?\bFROM|DELETE\s+FROM|INSERT\s+INTO|UPDATE|EXISTS\s*\(\s*SELECT\b.*?\bFROM)\s+(?:"([^"]+)"|([\w.-]+))(?:\."([^"]+)")?`)
})

func (r *Record) addStatement(text string, here Table) {
	found := inStatement().FindStringSubmatch(text)
	if found == nil {
		return
	}
	here.Name, here.Index = cmp.Or(found[1], found[2]), found[3]
	r.enter(here)
}

// ByKey reports whether a request of PartiQL names the partitions of a table that it reads: by each of its statements on the table, whose
// partition key, or that of an index, key names. An INSERT reads none, and an UPDATE or a DELETE is refused without the whole key. A SELECT
// needs "an equality or IN condition with a partition key".
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-reference.select.html
func (r *Record) ByKey(table string, key func(index string) string) (by bool) {
	for _, text := range r.Statements {
		found := inStatement().FindStringSubmatch(text)
		if found != nil && cmp.Or(found[1], found[2]) != table {
			continue
		}
		if by = found != nil && byKey(text, key(found[3])); !by {
			return false
		}
	}
	return by
}

var (
	values = regexp.MustCompile(`'(?:[^']|'')*'|\*\*\*\(Redacted\)`)
	names  = regexp.MustCompile(`"[^"]*"`)
	// writes is a statement that reads nothing, or one item by its whole key.
	writes = regexp.MustCompile(`(?i)^\s*(?:INSERT|UPDATE|DELETE|EXISTS)\b`)
	// selects is a statement with one condition, in which nothing turns others round or is left out; its parts are those between OR.
	selects = regexp.MustCompile(`(?is)^\s*SELECT\b.*\bWHERE\b(.*)$`)
	turned  = regexp.MustCompile(`(?i)\bNOT\s*\(|--|/\*`)
	or      = regexp.MustCompile(`(?i)\bOR\b`)
)

func byKey(statement, key string) bool {
	statement = names.ReplaceAllStringFunc(values.ReplaceAllString(statement, "?"), func(name string) string {
		if name == `"`+key+`"` {
			return key
		}
		return "another"
	})
	found := selects.FindStringSubmatch(statement)
	if found == nil || key == "" || turned.MatchString(statement) {
		return writes.MatchString(statement)
	}
	bound := regexp.MustCompile(`(?:^|\b(?i:AND))\s*` + regexp.QuoteMeta(key) + `\s*(?:=\s*[?0-9-]|(?i:IN)\s*[\[(])`)
	return !slices.ContainsFunc(or.Split(found[1], -1), func(part string) bool { return !bound.MatchString(part) })
}

// parameters is what is read of requestParameters. Tables and statements stand in it,
// or in the members of its arrays; deeper lie keys, whose attributes may have any name.
type parameters struct {
	tables, statements []string
	index              string
	limit              int
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *parameters) UnmarshalJSON(text []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return fmt.Errorf("requestParameters: %w", err)
	}
	objects := []map[string]json.RawMessage{members}
	for _, value := range members {
		var parts []map[string]json.RawMessage
		if json.Unmarshal(value, &parts) == nil { // an array of objects
			objects = append(objects, parts...)
		}
	}
	for _, object := range objects {
		for name, value := range object {
			if err := p.member(name, value); err != nil {
				return fmt.Errorf("requestParameters: %s: %w", name, err)
			}
		}
	}
	return nil
}

func (p *parameters) member(name string, value json.RawMessage) (err error) {
	text := ""
	switch strings.ToLower(name) {
	case "tablename", "tablearn":
		err = json.Unmarshal(value, &text)
		p.tables = append(p.tables, text)
	case "statement":
		err = json.Unmarshal(value, &text)
		p.statements = append(p.statements, text)
	case "indexname":
		err = json.Unmarshal(value, &p.index)
	case "limit":
		err = json.Unmarshal(value, &p.limit)
	}
	return err
}
