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
	"dynaproof/accesspatterns/input"
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
		addressed
		TransactItems []map[string]addressed
	}
	var answer map[string]json.RawMessage
	if input.Exactly(request, &asked) != nil || input.Exactly(response, &answer) != nil {
		return []byte(`{"` + withheldMember + `":"an answer that could not be read"}`)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	r := &redaction{protection: p}
	inTable := func(name string) func(int, json.RawMessage) json.RawMessage {
		return func(_ int, item json.RawMessage) json.RawMessage { return r.item(item, addressed{TableName: name}) }
	}
	transacted := func(at int, part json.RawMessage) json.RawMessage {
		var by addressed
		if at < len(asked.TransactItems) { // else nothing is known of it
			for _, action := range asked.TransactItems[at] { // exactly one
				by = action
			}
		}
		return changed(part, func(name string, member json.RawMessage) json.RawMessage {
			if name != "Item" {
				return member
			}
			return r.item(member, by)
		})
	}
	text := changed(response, func(name string, member json.RawMessage) json.RawMessage {
		switch {
		case name == "Item", name == "Attributes":
			return r.item(member, asked.addressed)
		case name == "LastEvaluatedKey":
			return r.item(member, addressed{TableName: asked.TableName})
		case name == "Items":
			return elements(member, inTable(asked.TableName))
		case name == "Responses" && operation == "BatchGetItem":
			return changed(member, func(table string, items json.RawMessage) json.RawMessage { return elements(items, inTable(table)) })
		case name == "Responses", name == "CancellationReasons":
			return elements(member, transacted)
		}
		return member
	})
	if !r.withheld {
		return response
	}
	return text
}

// addressed is what a request, or an action of one, names: a table, and the key of an item or the whole of it.
type addressed struct {
	TableName string
	Key, Item json.RawMessage
}

// changed returns an object with its members changed, anything else as it is.
func changed(text json.RawMessage, change func(name string, member json.RawMessage) json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if input.Exactly(text, &members) != nil || members == nil {
		return text
	}
	for name, member := range members {
		members[name] = change(name, member)
	}
	text, _ = json.Marshal(members) // what was unmarshalled can be marshalled
	return text
}

// elements returns a list with its elements changed, anything else as it is.
func elements(text json.RawMessage, change func(at int, element json.RawMessage) json.RawMessage) json.RawMessage {
	var all []json.RawMessage
	if input.Exactly(text, &all) != nil || all == nil {
		return text
	}
	for at, element := range all {
		all[at] = change(at, element)
	}
	text, _ = json.Marshal(all)
	return text
}

// redaction replaces items within one answer. Its protection is locked.
type redaction struct {
	protection *Protection
	withheld   bool
}

// item returns an item of an answer as it is where it is the run's own, and else what stands for it. by is the request's part that
// it answers, where the answer may hold no key.
func (r *redaction) item(text json.RawMessage, by addressed) json.RawMessage {
	if len(text) == 0 || string(text) == "null" {
		return text
	}
	own := by.Key
	if own == nil {
		own = by.Item
	}
	table := r.protection.tables[dynamo.TableName(by.TableName)]
	item, err := attributevalue.UnmarshalMapJSON(text)
	if err == nil && r.protection.wrote(table, item, own) {
		return text
	}
	r.withheld = true
	key := "unknown"
	if told := keyOf(table, item); len(told) > 0 && len(told) == len(table.Keys) {
		mac := hmac.New(sha256.New, r.protection.secret[:])
		_, _ = mac.Write([]byte(keyID(table.Name, told))) // it never fails
		key = hex.EncodeToString(mac.Sum(nil)[:16])
	}
	text, _ = json.Marshal(map[string]any{withheldMember: map[string]string{"S": "an item of somebody else, hash of its key: " + key}})
	return text
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
