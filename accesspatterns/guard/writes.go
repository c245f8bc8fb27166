package guard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/accesspatterns/validate"
)

// write is one write in normal form.
type write struct {
	sdk.Write
	table  *table
	source expression.Source
	// condition holds the terms of the condition, changes those of an update.
	condition expression.Conjunction
	changes   []expression.Change
	// beside says that a condition check may stand beside those of any step.
	beside bool
	// formed are the entities whose form the key has; entities are those of them
	// that the item or the changes satisfy.
	formed, entities []*entity
}

// judgeWriting decides about a request that writes. What stands or falls together is
// judged together: a transaction, or each write of a batch alone.
func (g *Guard) judgeWriting(operation string, input any, told *[]Admission) (admission, *Refusal) {
	total, most, of := 0, sdk.MaxTransaction, "transaction"
	switch in := input.(type) {
	case *dynamodb.BatchWriteItemInput:
		most, of = sdk.MaxBatch, "BatchWriteItem"
		for _, requests := range in.RequestItems {
			total += len(requests)
		}
	case *dynamodb.TransactWriteItemsInput:
		total = len(in.TransactItems)
	}
	if total > most {
		return admission{}, g.refuse(operation, "", "", breach{RuleBatch, fmt.Sprintf("at most %d writes in one %s", most, of), fmt.Sprint(total)})
	}
	sent, err := sdk.Writes(input)
	if err != nil {
		expected, found, _ := strings.Cut(strings.TrimPrefix(err.Error(), "expected "), ", found ")
		return admission{}, g.refuse(operation, "", "", breach{RuleOperation, expected, found})
	}
	writes := lists.Map(sent, func(w sdk.Write) write {
		return write{Write: w, source: expression.Source{Names: w.Names, Values: w.Values}}
	})
	if _, batch := input.(*dynamodb.BatchWriteItemInput); !batch {
		return g.judgeWrites(operation, writes, told)
	}
	seen := places{}
	for i := range writes {
		if _, refusal := g.judgeWrites(operation, writes[i:i+1], nil); refusal != nil {
			return admission{}, refusal
		}
		if refusal := g.refuseTwice(operation, seen, writes[i].Table, writes[i].Place()); refusal != nil {
			return admission{}, refusal
		}
	}
	return admission{}, nil
}

// judgeWrites decides about writes that stand or fall together.
func (g *Guard) judgeWrites(operation string, writes []write, told *[]Admission) (admission, *Refusal) {
	for i := range writes {
		if refusal := g.normaliseWrite(operation, &writes[i]); refusal != nil {
			return admission{}, refusal
		}
		if refusal := g.judgeReturned(operation, &writes[i]); refusal != nil {
			return admission{}, refusal
		}
	}
	return g.judgeFormed(operation, writes, told)
}

// judgeFormed decides about writes in normal form that stand or fall together.
func (g *Guard) judgeFormed(operation string, writes []write, told *[]Admission) (admission, *Refusal) {
	for i := range writes {
		writes[i].beside = writes[i].narrows(writes)
	}
	var nearest *step // is the writes' own, but for what the client may
	var wrong breach
	var admitted admission
	for _, s := range g.candidates(writes) {
		if (!s.allowed && nearest != nil) || !s.matches(writes, bindings{}) {
			continue
		}
		b := s.admit(writes)
		if !b.broken() {
			as := Admission{s.pattern.ID, s.name}
			if admitted.Pattern == "" {
				admitted.Admission = as
			}
			if told == nil {
				return admitted, nil
			}
			tell(told, as)
			continue
		}
		if nearest == nil || s.allowed {
			nearest, wrong = s, b
		}
	}
	if admitted.Pattern != "" {
		return admitted, nil
	}
	if again := fold(writes); again != nil {
		if as, refusal := g.judgeFormed(operation, again, told); refusal == nil {
			return as, nil
		}
	}
	refused := -1 // a write, or where every write is open a condition check
	var b breach
	for i := range writes {
		if refused >= 0 && (b.rule != RuleCondition || writes[i].Kind == accesspatterns.ConditionCheck) {
			continue
		}
		if broken := g.open(&writes[i]); broken.broken() {
			refused, b = i, broken
		}
	}
	if refused < 0 {
		return admission{}, nil
	}
	w := &writes[refused]
	if nearest != nil {
		b = wrong
	} else {
		nearest = g.nearestStep(writes, w)
	}
	refusal := g.refuse(operation, w.Table, "", b)
	if nearest == nil {
		return admission{}, refusal.citing(g.design, w.formed[0].contract.Cite)
	}
	if b.rule == RuleStep && w.documented() {
		refusal.Expected += ", as step " + nearest.name + " (" + nearest.form() + ")"
	}
	return admission{}, refusal.near(g.design, &nearest.placed)
}

// fold returns the writes with their updates written another way, nil where none can be.
func fold(writes []write) []write {
	var again []write
	for i := range writes {
		changes := writes[i].folded()
		if changes == nil {
			continue
		}
		if again == nil {
			again = slices.Clone(writes)
		}
		w := &again[i]
		w.changes, w.entities = changes, nil
		w.satisfied()
	}
	return again
}

// narrows reports whether the write is a condition check that only narrows what is
// written beside it, and asks for the key alone or for what the client may read.
func (w *write) narrows(beside []write) bool {
	shown := func(e *entity) bool { return e.readable || len(e.shown) > 0 }
	return w.Kind == accesspatterns.ConditionCheck && len(w.formed) > 0 && slices.ContainsFunc(w.formed, shown) && !w.asks(nil).broken() &&
		slices.ContainsFunc(beside, func(other write) bool { return other.Kind != accesspatterns.ConditionCheck })
}

// candidates are the steps that the writes may be: those of the entity of one of them
// that has the fewest.
func (g *Guard) candidates(writes []write) []*step {
	found := g.steps
	for i := range writes {
		if entities := writes[i].entities; !writes[i].beside && len(entities) == 1 && len(entities[0].steps) < len(found) {
			found = entities[0].steps
		}
	}
	return found
}

// documented reports whether steps document how an entity of the write is written.
func (w *write) documented() bool {
	return slices.ContainsFunc(w.formed, func(e *entity) bool { return e.put || e.changed })
}

// admit says why writes that are the step's own may not be sent all the same.
func (s *step) admit(writes []write) breach {
	if !s.allowed {
		return breach{RuleRole, "a client of role " + strings.Join(s.pattern.Roles, ", "), "a client of another role"}
	}
	if s.actor != nil && !s.matches(writes, s.actor.bound()) {
		return s.actor.refused()
	}
	for i := range writes {
		if b := s.user.holds(&writes[i]); b.broken() {
			return b
		}
		if b := writes[i].asks(s.demands(&writes[i])); b.broken() {
			return b
		}
	}
	return breach{}
}

// normaliseWrite finds the entities of a write, holds its item or changes to them,
// and takes its condition apart.
func (g *Guard) normaliseWrite(operation string, w *write) *Refusal {
	if w.Legacy != "" {
		return g.refuse(operation, w.Table, "", legacy(w.Legacy))
	}
	w.table = g.tables[w.Table]
	if w.table == nil {
		return g.refuse(operation, w.Table, "", anotherTable).citing(g.design, g.design.Tables[0].Cite)
	}
	w.formed = w.table.entitiesOf(w.Place())
	if len(w.formed) == 0 || w.Kind != accesspatterns.Put && len(w.Key) != len(w.table.keys) {
		b := breach{RuleKeyForm, "a primary key of the form of an entity of " + w.table.contract.ID, w.describeKey()}
		return g.refuse(operation, w.Table, "", b).citing(g.design, w.table.contract.KeyCite)
	}
	if condition := aws.ToString(w.Condition); condition != "" {
		if err := expression.ParseCondition(condition, w.source, &w.condition); err != nil {
			return g.refuse(operation, w.Table, "", malformed("condition", err)).citing(g.design, w.formed[0].contract.Cite)
		}
	}
	switch w.Kind {
	case accesspatterns.Put:
		return g.normaliseItem(operation, w)
	case accesspatterns.Update:
		return g.normaliseUpdate(operation, w)
	case accesspatterns.ConditionCheck:
		// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ConditionCheck.html
		if aws.ToString(w.Condition) == "" {
			b := breach{RuleCondition, "a condition, without which DynamoDB refuses a condition check", "none"}
			return g.refuse(operation, w.Table, "", b).citing(g.design, w.formed[0].contract.Cite)
		}
	}
	w.entities = w.formed
	return nil
}

func (g *Guard) normaliseItem(operation string, w *write) *Refusal {
	var nearest *entity
	var fewest []validate.Violation
	for _, e := range w.formed {
		violations := g.settings.violations(e.contract, w.Item)
		if len(violations) == 0 {
			w.entities = append(w.entities, e)
		} else if nearest == nil || len(violations) < len(fewest) {
			nearest, fewest = e, violations
		}
	}
	if len(w.entities) > 0 {
		return nil
	}
	broken := lists.Map(fewest, func(v validate.Violation) string { return v.Attribute + " (" + v.Rule + ")" })
	b := breach{RuleItem, "an item that satisfies entity " + nearest.contract.ID, "violations of " + strings.Join(broken, ", ")}
	refusal := g.refuse(operation, w.Table, "", b).citing(g.design, nearest.contract.Cite)
	refusal.Violations = fewest
	return refusal
}

func (g *Guard) normaliseUpdate(operation string, w *write) *Refusal {
	var err error
	if w.changes, err = expression.ParseUpdate(aws.ToString(w.Update), w.source); err != nil {
		return g.refuse(operation, w.Table, "", malformed("update expression", err)).citing(g.design, w.formed[0].contract.Cite)
	}
	if problem := w.satisfied(); len(w.entities) == 0 {
		b := breach{RuleUpdate, "documented changes of entity " + w.formed[0].contract.ID, problem}
		return g.refuse(operation, w.Table, "", b).citing(g.design, w.formed[0].contract.Cite)
	}
	return nil
}

// satisfied finds the entities that the changes of an update satisfy, and says what is
// wrong with the first that they do not.
func (w *write) satisfied() (problem string) {
	for _, e := range w.formed {
		wrong := ""
		for _, c := range w.changes {
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
	return problem
}

// open says why a write is none of those that the document leaves open and the
// client is allowed. It looks at every entity that shares the key's form: an item in
// a legacy form would take the place of one whose writes are documented.
func (g *Guard) open(w *write) breach {
	if w.Kind == accesspatterns.ConditionCheck {
		return breach{RuleCondition, "a condition check of a documented transaction, with all of its writes", "one that no documented step has there"}
	}
	if table := w.table.contract; table.ReadOnly != nil {
		return breach{RuleStep, "no write of table " + table.ID + ", which is read-only (" + g.design.Document.Cite(table.ReadOnly.Cite) + ")", "a " + string(w.Kind)}
	}
	partition := w.table.keys[0].Attribute
	for _, e := range w.formed {
		id := e.contract.ID
		switch {
		case w.Kind == accesspatterns.Put && e.put, w.Kind != accesspatterns.Put && (e.put || e.changed):
			return breach{RuleStep, "a documented write of entity " + id, "another " + string(w.Kind)}
		case !slices.Contains(g.settings.undocumented, id):
			return breach{RuleStep, "a documented write of entity " + id + ", or a client with guard.AllowUndocumentedWrites of it", string(w.Kind) + " that no pattern documents"}
		case w.Kind == accesspatterns.Put && e.changed && !w.demands(func(t expression.Term) bool {
			return t.Op == expression.NotExists && w.source.IsAttribute(t.Path, partition)
		}):
			return breach{RuleStep, "attribute_not_exists(" + partition + "), because documented steps change entity " + id, "a put that may overwrite"}
		}
	}
	if w.Kind == accesspatterns.Update && !w.demands(func(t expression.Term) bool { return t.Op.ImpliesItem() }) {
		return breach{RuleItem, "attribute_exists(" + partition + ") or another condition that only a stored item meets, because an update of no item creates a part of one", "an update that may create an item"}
	}
	for i := range w.changes {
		if c := &w.changes[i]; c.Computed != "" {
			if hidden := w.unreadable(); hidden != nil {
				return breach{RuleReturned, "no value that is computed from others, because no pattern lets the client read entity " + hidden.contract.ID + " whole", "a SET that copies or computes"}
			}
		}
	}
	if b := g.openUser.holds(w); b.broken() {
		return b
	}
	return w.asks(nil)
}

// demands reports whether the condition cannot hold without a term of this kind:
// one that must hold, or all alternatives of a group.
func (w *write) demands(kind func(expression.Term) bool) bool {
	for alternatives := range w.condition.Clauses() {
		if !slices.ContainsFunc(alternatives, func(t expression.Term) bool { return !kind(t) }) {
			return true
		}
	}
	return false
}

// asks refuses a condition on what the client may not read, because its outcome
// tells of the stored value. documented says which terms the documented step has.
func (w *write) asks(documented func(expression.Term) bool) breach {
	for _, t := range w.condition.All() {
		if documented != nil && documented(t) || t.Low.Path == "" && t.High.Path == "" && slices.ContainsFunc(w.table.keys, func(key accesspatterns.Key) bool { return w.source.IsAttribute(t.Path, key.Attribute) }) {
			continue
		}
		for _, e := range w.formed {
			hidden := func(path string) bool { return path != "" && !e.shows(path, w.source) }
			if hidden(t.Path) || hidden(t.Low.Path) || hidden(t.High.Path) {
				return breach{RuleCondition, "no condition beyond the documented ones on what the client may not read of entity " + e.contract.ID, "one on another attribute"}
			}
		}
	}
	return breach{}
}

func (w *write) describeKey() string {
	parts := lists.Map(w.table.keys, func(key accesspatterns.Key) string { return key.Attribute + " " + describe(w.Place()[key.Attribute]) })
	return strings.Join(parts, ", ")
}

// nearestStep finds the documented step that shares most with the writes, and
// has the one that was refused.
func (g *Guard) nearestStep(writes []write, refused *write) *step {
	var nearest *step
	best := 0
	for _, s := range g.steps {
		score := 0
		for a := range lists.Each(s.actions) {
			for w := range lists.Each(writes) {
				if w.table != a.table || !a.writes(w) {
					continue
				}
				score += 2
				if w.Kind == a.kind {
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
	return lists.Count(a.changes, func(want documentedChange) bool {
		return want.change.Clause != expression.Remove && slices.ContainsFunc(w.changes, func(c expression.Change) bool { return w.source.SamePath(c.Path, want.path.segments) })
	})
}

// form writes the actions of a step as a request that passes has them: "check entry-meta
// if attribute_exists(PK); put comment with coachId = {coachId}".
func (s *step) form() string {
	return strings.Join(lists.Map(s.actions, func(a action) string { return a.form() }), "; ")
}

func (a *action) form() string {
	of := lists.Map(a.entities, func(e *entity) string { return e.contract.ID })
	text := string(a.kind) + " of " + strings.Join(of, " or ")
	if a.times != accesspatterns.Once {
		text += " " + a.times.String()
	}
	var changes []expression.Change
	for i := range a.from.Set {
		change := a.from.Set[i].Change()
		change.Path, change.Value = a.from.Set[i].Attribute, literal(a.from.Set[i].Value)
		changes = append(changes, change)
	}
	for _, path := range a.from.Remove {
		changes = append(changes, expression.Change{Clause: expression.Remove, Path: path})
	}
	if len(changes) > 0 {
		text += ": " + expression.PrintUpdate(changes)
	}
	if len(a.edits) > 0 {
		text += ", with SET or REMOVE of any of " + strings.Join(a.edits, ", ")
	}
	with := lists.Map(a.from.With, func(each accesspatterns.Equality) string {
		return each.Attribute + " = " + literal(each.Value).String()
	})
	with = append(with, lists.Map(a.without, func(name string) string { return "no " + name })...)
	if len(with) > 0 {
		text += " with " + strings.Join(with, ", ")
	}
	var terms []expression.Term
	for group, condition := range a.from.Condition {
		for _, one := range condition.Alternatives() {
			term := expression.Term{Path: one.Attribute, Op: one.Operator, Low: literal(one.Value), High: literal(one.High)}
			if len(condition.Any) > 0 {
				term.Group = group + 1
			}
			terms = append(terms, term)
		}
	}
	if len(terms) > 0 {
		text += " if " + expression.Print(terms)
	}
	return text
}

// literal is an operand as an expression shows it.
func literal(of accesspatterns.Operand) expression.Operand {
	if of.Attribute != "" {
		return expression.Operand{Path: of.Attribute}
	}
	return expression.Operand{Text: string(of.Template)}
}
