package safewrite

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
)

// withheldMember is the member of an item that stands for one of somebody else's.
const withheldMember = "withheld"

// Redacted returns the answer to a request as a record may keep it: every item that is
// not what this run wrote, and every key that is not one of the run's, is replaced by a hash of
// its key. The hash is made with a secret of this process, so that nobody can try keys
// out on it; within one run the same key has the same hash. An answer that cannot be
// read is left out whole.
func (p *Protection) Redacted(operation string, request, response []byte) []byte {
	if Describes(operation) || len(response) == 0 {
		return response
	}
	var asked struct {
		TableName     string
		Key, Item     json.RawMessage
		TransactItems []map[string]struct {
			TableName string
			Key, Item json.RawMessage
		}
	}
	var answer map[string]json.RawMessage
	if json.Unmarshal(request, &asked) != nil || json.Unmarshal(response, &answer) != nil {
		return []byte(`{"` + withheldMember + `":"an answer that could not be read"}`)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	r := &redaction{protection: p}
	own := asked.Key
	if own == nil {
		own = asked.Item
	}
	for _, name := range []string{"Item", "Attributes"} {
		r.item(answer, name, asked.TableName, own)
	}
	r.item(answer, "LastEvaluatedKey", asked.TableName, nil)
	r.list(answer, "Items", func(item map[string]json.RawMessage, name string) { r.item(item, name, asked.TableName, nil) })
	at := -1
	transacted := func(part map[string]json.RawMessage) {
		if at++; at >= len(asked.TransactItems) {
			return
		}
		for _, action := range asked.TransactItems[at] {
			own := action.Key
			if own == nil {
				own = action.Item
			}
			r.item(part, "Item", action.TableName, own)
		}
	}
	r.each(answer, "CancellationReasons", transacted)
	if operation == "BatchGetItem" {
		var tables map[string]json.RawMessage
		if json.Unmarshal(answer["Responses"], &tables) == nil && tables != nil {
			for table := range tables {
				r.list(tables, table, func(item map[string]json.RawMessage, name string) { r.item(item, name, table, nil) })
			}
			answer["Responses"], _ = json.Marshal(tables) // what was unmarshalled can be marshalled
		}
	} else {
		r.each(answer, "Responses", transacted)
	}
	if !r.changed {
		return response
	}
	text, _ := json.Marshal(answer)
	return text
}

// redaction replaces items within one answer. Its protection is locked.
type redaction struct {
	protection *Protection
	changed    bool
}

// each calls change for each object of a list, and puts the list back.
func (r *redaction) each(in map[string]json.RawMessage, name string, change func(map[string]json.RawMessage)) {
	var parts []map[string]json.RawMessage
	if json.Unmarshal(in[name], &parts) != nil || parts == nil {
		return
	}
	for _, part := range parts {
		change(part)
	}
	in[name], _ = json.Marshal(parts)
}

// list calls change for each element of a list, as the member of an object, and puts
// the list back.
func (r *redaction) list(in map[string]json.RawMessage, name string, change func(map[string]json.RawMessage, string)) {
	var elements []json.RawMessage
	if json.Unmarshal(in[name], &elements) != nil || elements == nil {
		return
	}
	for i := range elements {
		part := map[string]json.RawMessage{name: elements[i]}
		change(part, name)
		elements[i] = part[name]
	}
	in[name], _ = json.Marshal(elements)
}

// item replaces a member that is an item unless it is the run's own. own is the
// request's key, or an item that has it, where the answer may hold none.
func (r *redaction) item(in map[string]json.RawMessage, name, tableName string, own json.RawMessage) {
	if len(in[name]) == 0 || string(in[name]) == "null" {
		return
	}
	table := r.protection.tables[dynamo.TableName(tableName)]
	item, err := attributevalue.UnmarshalMapJSON(in[name])
	if err == nil && r.protection.wrote(table, item, own) {
		return
	}
	r.changed = true
	key := "unknown"
	if told := keyOf(table, item); len(told) > 0 && len(told) == len(table.Keys) {
		mac := hmac.New(sha256.New, r.protection.secret[:])
		_, _ = mac.Write([]byte(keyID(table.Name, told))) // it never fails
		key = hex.EncodeToString(mac.Sum(nil)[:16])
	}
	in[name], _ = json.Marshal(map[string]any{withheldMember: map[string]string{"S": "an item of somebody else, hash of its key: " + key}})
}

// wrote reports whether an item of an answer, or a part of one, is what this run wrote.
func (p *Protection) wrote(table Table, item accesspatterns.Item, own json.RawMessage) bool {
	key := keyOf(table, item)
	if len(key) < len(table.Keys) && own != nil {
		if asked, err := attributevalue.UnmarshalMapJSON(own); err == nil {
			key = keyOf(table, asked)
		}
	}
	if len(key) == len(table.Keys) && len(key) > 0 {
		id := keyID(table.Name, key)
		return p.planned[id] && (len(item) == len(key) && dynamo.PartOf(item, key) || p.part(id, item))
	}
	// A projection left the key out: then it must be a part of something of the run's.
	for id := range p.ever {
		if len(table.Keys) > 0 && strings.HasPrefix(id, table.Name+" ") && p.part(id, item) {
			return true
		}
	}
	return false
}
