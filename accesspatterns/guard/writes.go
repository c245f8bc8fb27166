package guard

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/internal/expression"
)

// write is one write in normal form.
type write struct {
	kind      accesspatterns.ActionKind
	tableName string
	table     *table
	// item is the item that is put, or the key of another write.
	item      accesspatterns.Item
	condition string
	source    expression.Source
	changes   []expression.Change
	// returned names the return values that show what was stored; empty for
	// none.
	returned string
	// formed are the entities whose form the key has; entities are those of them
	// that the item or the changes satisfy.
	formed, entities []*entity
}

func (g *Guard) judgePut(in *dynamodb.PutItemInput) (admission, *Refusal) {
	w := write{kind: accesspatterns.Put, tableName: aws.ToString(in.TableName), returned: returned(in.ReturnValues, in.ReturnValuesOnConditionCheckFailure), item: in.Item, condition: aws.ToString(in.ConditionExpression),
		source: expression.Source{Names: in.ExpressionAttributeNames, Values: in.ExpressionAttributeValues}}
	return g.judgeWrites("PutItem", []write{w}, []*string{nil},
		legacy(named("Expected", in.Expected != nil), named("ConditionalOperator", in.ConditionalOperator != "")))
}

func (g *Guard) judgeUpdate(in *dynamodb.UpdateItemInput) (admission, *Refusal) {
	w := write{kind: accesspatterns.Update, tableName: aws.ToString(in.TableName), returned: returned(in.ReturnValues, in.ReturnValuesOnConditionCheckFailure), item: in.Key, condition: aws.ToString(in.ConditionExpression),
		source: expression.Source{Names: in.ExpressionAttributeNames, Values: in.ExpressionAttributeValues}}
	return g.judgeWrites("UpdateItem", []write{w}, []*string{in.UpdateExpression},
		legacy(named("AttributeUpdates", in.AttributeUpdates != nil), named("Expected", in.Expected != nil), named("ConditionalOperator", in.ConditionalOperator != "")))
}

func (g *Guard) judgeDelete(in *dynamodb.DeleteItemInput) (admission, *Refusal) {
	w := write{kind: accesspatterns.Delete, tableName: aws.ToString(in.TableName), returned: returned(in.ReturnValues, in.ReturnValuesOnConditionCheckFailure), item: in.Key, condition: aws.ToString(in.ConditionExpression),
		source: expression.Source{Names: in.ExpressionAttributeNames, Values: in.ExpressionAttributeValues}}
	return g.judgeWrites("DeleteItem", []write{w}, []*string{nil},
		legacy(named("Expected", in.Expected != nil), named("ConditionalOperator", in.ConditionalOperator != "")))
}

func (g *Guard) judgeBatchWrite(in *dynamodb.BatchWriteItemInput) (admission, *Refusal) {
	const operation = "BatchWriteItem"
	total := 0
	for _, requests := range in.RequestItems {
		total += len(requests)
	}
	if total > maxBatchWrite {
		return admission{}, g.refuse(operation, "", "", breach{RuleBatch, fmt.Sprintf("at most %d writes in one BatchWriteItem", maxBatchWrite), fmt.Sprint(total)})
	}
	for _, name := range slices.Sorted(maps.Keys(in.RequestItems)) {
		for _, request := range in.RequestItems[name] {
			var w write
			switch {
			case request.PutRequest != nil && request.DeleteRequest != nil:
				return admission{}, g.refuse(operation, name, "", breach{RuleOperation, "one write in each request", "several"})
			case request.PutRequest != nil:
				w = write{kind: accesspatterns.Put, tableName: name, item: request.PutRequest.Item}
			case request.DeleteRequest != nil:
				w = write{kind: accesspatterns.Delete, tableName: name, item: request.DeleteRequest.Key}
			default:
				return admission{}, g.refuse(operation, name, "", breach{RuleOperation, "a put or delete request", "an empty one"})
			}
			if _, refusal := g.judgeWrites(operation, []write{w}, []*string{nil}, breach{}); refusal != nil {
				return admission{}, refusal
			}
		}
	}
	return admission{}, nil
}

// maxTransaction is DynamoDB's bound on the writes of one transaction.
const maxTransaction = 100

func (g *Guard) judgeTransaction(in *dynamodb.TransactWriteItemsInput) (admission, *Refusal) {
	const operation = "TransactWriteItems"
	if n := len(in.TransactItems); n > maxTransaction {
		return admission{}, g.refuse(operation, "", "", breach{RuleBatch, fmt.Sprintf("at most %d writes in one transaction", maxTransaction), fmt.Sprint(n)})
	}
	writes := make([]write, 0, len(in.TransactItems))
	updates := make([]*string, 0, len(in.TransactItems))
	for i := range in.TransactItems {
		item := &in.TransactItems[i]
		var update *string
		var w write
		switch {
		case trues(item.Put != nil, item.Update != nil, item.Delete != nil, item.ConditionCheck != nil) > 1:
			return admission{}, g.refuse(operation, "", "", breach{RuleOperation, "one write in each element", "several"})
		case item.Put != nil:
			w = write{kind: accesspatterns.Put, tableName: aws.ToString(item.Put.TableName), returned: returned("", item.Put.ReturnValuesOnConditionCheckFailure), item: item.Put.Item, condition: aws.ToString(item.Put.ConditionExpression),
				source: expression.Source{Names: item.Put.ExpressionAttributeNames, Values: item.Put.ExpressionAttributeValues}}
		case item.Update != nil:
			update = item.Update.UpdateExpression
			w = write{kind: accesspatterns.Update, tableName: aws.ToString(item.Update.TableName), returned: returned("", item.Update.ReturnValuesOnConditionCheckFailure), item: item.Update.Key, condition: aws.ToString(item.Update.ConditionExpression),
				source: expression.Source{Names: item.Update.ExpressionAttributeNames, Values: item.Update.ExpressionAttributeValues}}
		case item.Delete != nil:
			w = write{kind: accesspatterns.Delete, tableName: aws.ToString(item.Delete.TableName), returned: returned("", item.Delete.ReturnValuesOnConditionCheckFailure), item: item.Delete.Key, condition: aws.ToString(item.Delete.ConditionExpression),
				source: expression.Source{Names: item.Delete.ExpressionAttributeNames, Values: item.Delete.ExpressionAttributeValues}}
		case item.ConditionCheck != nil:
			w = write{kind: accesspatterns.ConditionCheck, tableName: aws.ToString(item.ConditionCheck.TableName), returned: returned("", item.ConditionCheck.ReturnValuesOnConditionCheckFailure), item: item.ConditionCheck.Key, condition: aws.ToString(item.ConditionCheck.ConditionExpression),
				source: expression.Source{Names: item.ConditionCheck.ExpressionAttributeNames, Values: item.ConditionCheck.ExpressionAttributeValues}}
		default:
			return admission{}, g.refuse(operation, "", "", breach{RuleOperation, "a put, update, delete or condition check", "an empty element"})
		}
		writes, updates = append(writes, w), append(updates, update)
	}
	return g.judgeWrites(operation, writes, updates, breach{})
}

func trues(conditions ...bool) int {
	n := 0
	for _, condition := range conditions {
		if condition {
			n++
		}
	}
	return n
}

// judgeWrites decides about writes that stand or fall together.
func (g *Guard) judgeWrites(operation string, writes []write, updates []*string, b breach) (admission, *Refusal) {
	if b.broken() {
		return admission{}, g.refuse(operation, writes[0].tableName, "", b)
	}
	for i := range writes {
		if refusal := g.normaliseWrite(operation, &writes[i], updates[i]); refusal != nil {
			return admission{}, refusal
		}
		if refusal := g.judgeReturned(operation, &writes[i]); refusal != nil {
			return admission{}, refusal
		}
	}
	var others *step
	for _, s := range g.steps {
		if (s.allowed || others == nil) && s.matches(writes) {
			if s.allowed {
				return admission{pattern: s.pattern.ID, step: s.name}, nil
			}
			others = s
		}
	}
	for i := range writes {
		b := writes[i].open()
		if !b.broken() {
			continue
		}
		nearest := g.nearestStep(writes, &writes[i])
		if others != nil {
			nearest, b = others, breach{RuleRole, "a client of role " + strings.Join(others.pattern.Roles, ", "), "a client of another role"}
		}
		refusal := g.refuse(operation, writes[i].tableName, "", b)
		if nearest != nil {
			if b.rule == RuleStep {
				refusal.Expected += ", as step " + nearest.name + " (" + nearest.describe() + ")"
			}
			refusal.Pattern, refusal.Cite = nearest.pattern.ID, g.design.Document.Cite(nearest.cite)
		}
		return admission{}, refusal
	}
	return admission{}, nil
}

// normaliseWrite finds the entities of a write, and holds its item or changes to
// them.
func (g *Guard) normaliseWrite(operation string, w *write, update *string) *Refusal {
	w.table = g.tables[w.tableName]
	if w.table == nil {
		refusal := g.refuse(operation, w.tableName, "", breach{RuleTable, "a table of the design by its deployed name", "another table"})
		refusal.Cite = g.design.Document.Cite(g.design.Tables[0].Cite)
		return refusal
	}
	formed := w.table.entitiesOf(w.item)
	if len(formed) == 0 || w.kind != accesspatterns.Put && len(w.item) != len(w.table.keys) {
		refusal := g.refuse(operation, w.tableName, "", breach{RuleKeyForm, "a primary key of the form of an entity of " + w.table.contract.ID, w.describeKey()})
		refusal.Cite = g.design.Document.Cite(w.table.contract.KeyCite)
		return refusal
	}
	w.formed = formed
	switch w.kind {
	case accesspatterns.Put:
		return g.normaliseItem(operation, w, formed)
	case accesspatterns.Update:
		return g.normaliseUpdate(operation, w, formed, update)
	}
	w.entities = formed
	return nil
}

func (g *Guard) normaliseItem(operation string, w *write, formed []*entity) *Refusal {
	var nearest *entity
	var fewest []accesspatterns.Violation
	for _, e := range formed {
		violations := e.contract.Validate(w.item)
		if len(violations) == 0 {
			w.entities = append(w.entities, e)
		} else if nearest == nil || len(violations) < len(fewest) {
			nearest, fewest = e, violations
		}
	}
	if len(w.entities) > 0 {
		return nil
	}
	var broken []string
	for _, v := range fewest {
		broken = append(broken, v.Attribute+" ("+v.Rule+")")
	}
	refusal := g.refuse(operation, w.tableName, "", breach{RuleItem, "an item that satisfies entity " + nearest.contract.ID, "violations of " + strings.Join(broken, ", ")})
	refusal.Cite, refusal.Violations = g.design.Document.Cite(nearest.contract.Cite), fewest
	return refusal
}

func (g *Guard) normaliseUpdate(operation string, w *write, formed []*entity, update *string) *Refusal {
	refuse := func(b breach) *Refusal {
		refusal := g.refuse(operation, w.tableName, "", b)
		refusal.Cite = g.design.Document.Cite(formed[0].contract.Cite)
		return refusal
	}
	changes, err := expression.ParseUpdate(aws.ToString(update), w.source)
	if err != nil {
		return refuse(malformed("update expression", err))
	}
	w.changes = changes
	var problem string
	for _, e := range formed {
		wrong := ""
		for _, c := range changes {
			if wrong = e.checkChange(w.table, c, w.source); wrong != "" {
				break
			}
		}
		if wrong == "" {
			wrong = e.contradiction(w)
		}
		if wrong == "" {
			w.entities = append(w.entities, e)
		} else if problem == "" {
			problem = wrong
		}
	}
	if len(w.entities) == 0 {
		return refuse(breach{RuleUpdate, "documented changes of entity " + formed[0].contract.ID, problem})
	}
	return nil
}

// open says why a write is none of those that the document leaves open. It looks
// at every entity that shares the key's form: an item in a legacy form would
// take the place of one whose writes are documented.
func (w *write) open() breach {
	for _, e := range w.formed {
		id := e.contract.ID
		switch {
		case w.kind == accesspatterns.ConditionCheck:
		case w.kind == accesspatterns.Put && !e.put && e.changed && !w.creates():
			return breach{RuleStep, "attribute_not_exists(" + w.table.keys[0].Attribute + "), because documented steps change entity " + id, "a put that may overwrite"}
		case w.kind == accesspatterns.Put && !e.put:
		case w.kind == accesspatterns.Put || e.put || e.changed:
			return breach{RuleStep, "a documented write of entity " + id, "another " + string(w.kind)}
		}
	}
	return breach{}
}

// creates reports whether the write cannot overwrite an item.
func (w *write) creates() bool {
	var sent expression.Conjunction
	if w.condition == "" || expression.ParseCondition(w.condition, w.source, &sent) != nil {
		return false
	}
	return slices.ContainsFunc(sent.All(), func(t expression.Term) bool {
		return t.Group == 0 && t.Op == expression.NotExists && w.source.IsAttribute(t.Path, w.table.keys[0].Attribute)
	})
}

func (w *write) describeKey() string {
	var parts []string
	for _, key := range w.table.keys {
		parts = append(parts, key.Attribute+" "+describe(w.item[key.Attribute]))
	}
	return strings.Join(parts, ", ")
}

// nearestStep finds the documented step that shares most with the writes, and
// has the one that was refused.
func (g *Guard) nearestStep(writes []write, refused *write) *step {
	var nearest *step
	best := 0
	for _, s := range g.steps {
		score := 0
		for i := range s.actions {
			a := &s.actions[i]
			for j := range writes {
				w := &writes[j]
				if w.table != a.table || !slices.ContainsFunc(w.entities, func(e *entity) bool { return slices.Contains(a.entities, e) }) {
					continue
				}
				score += 2
				if w.kind == a.kind {
					score += 2 + a.sharedChanges(w)
				}
				if w == refused {
					score += 4
				}
			}
		}
		if score > 0 && s.allowed {
			score++
		}
		if score > 0 && len(s.actions) == len(writes) {
			score++
		}
		if score > best {
			nearest, best = s, score
		}
	}
	return nearest
}

// sharedChanges counts the documented assignments of an update whose attributes
// the write changes too.
func (a *action) sharedChanges(w *write) int {
	shared := 0
	for i := range a.set {
		if slices.ContainsFunc(w.changes, func(c expression.Change) bool { return w.source.SamePath(c.Path, a.set[i].path) }) {
			shared++
		}
	}
	return shared
}

// describe lists the actions of a step: "ConditionCheck with 1 condition, Put".
func (s *step) describe() string {
	var parts []string
	for i := range s.actions {
		a := &s.actions[i]
		part := string(a.kind)
		if n := len(a.conditions); n > 0 {
			part += fmt.Sprintf(" with %d condition", n)
			if n > 1 {
				part += "s"
			}
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}
