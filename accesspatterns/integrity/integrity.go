// Package integrity checks that a contract fits together: each id stands once, each reference names something, each request can be
// sent to its table. It needs neither the document nor a deployment.
package integrity

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/internal/place"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/sdk"
)

// Check reports everything in the contract that does not fit together: ids that
// stand twice, references to nothing, reads that do not compile against their table, Scans without a waiver. It needs
// neither the document nor a deployment. What is wrong with an element of a contract's files is a [place.Mistake] at its
// name. It does not look for what package contract refuses before: elements of no table, malformed templates, keys of
// other names, steps and writes of nothing, words that are missing.
func Check(d *accesspatterns.Design) error {
	c := checker{design: d, seen: map[string]bool{}, grows: map[string]string{}}
	if c.level(); len(d.Tables) == 0 {
		return errors.Join(c.problems...)
	}
	for _, claim := range manifest.Claims(d) {
		if c.seen[claim.ID] {
			c.report("%s: the id stands twice", claim.ID)
		}
		c.seen[claim.ID] = true
		if claim.Citation.First == 0 {
			c.report("%s: no citation", claim.ID)
		}
	}
	if !designForm.MatchString(d.Name) {
		c.report("expected a design's name of at most 64 letters, digits, hyphens and underscores, found %q; it stands in names of stacks and files, and on command lines", d.Name)
	}
	checkEach(d.Tables, c.table)
	checkEach(d.Entities, c.entity)
	checkEach(d.Examples, c.example)
	checkEach(d.Patterns, c.pattern)
	checkEach(d.Guardrails, c.guardrail)
	checkEach(d.Invariants, c.invariant)
	checkEach(d.Findings, c.finding)
	c.policies()
	c.narrative()
	c.at = place.At{}
	if id, circular := circle(d); circular {
		c.report("%s: rests on itself", id)
	}
	checkEach(d.Waivers, c.waiver)
	return errors.Join(c.problems...)
}

// checkEach checks elements of one kind. Each check sets the place first.
func checkEach[T any](all []T, check func(*T)) {
	for element := range lists.Each(all) {
		check(element)
	}
}

// designForm is what the name of a design is made of.
var designForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// circle returns a claim that rests on itself, directly or through others.
func circle(d *accesspatterns.Design) (string, bool) {
	claims := manifest.Claims(d)
	rests := lists.Index(claims, func(claim manifest.Claim) (string, []string) { return claim.ID, manifest.RestsOn(d, claim) })
	for _, claim := range claims {
		seen := map[string]bool{}
		for next := slices.Clone(rests[claim.ID]); len(next) > 0; next = next[1:] {
			if next[0] == claim.ID {
				return claim.ID, true
			}
			if !seen[next[0]] {
				seen[next[0]] = true
				next = append(next, rests[next[0]]...)
			}
		}
	}
	return "", false
}

type checker struct {
	design   *accesspatterns.Design
	at       place.At // of what is being checked; of what is written in Go, and of the contract as a whole, nowhere
	seen     map[string]bool
	grows    map[string]string // findings, by the pattern that grows
	problems []error
}

func (c *checker) report(format string, args ...any) {
	if c.at.File == "" {
		c.problems = append(c.problems, fmt.Errorf(c.design.Name+": "+format, args...))
		return
	}
	c.problems = append(c.problems, c.at.Errorf("", format, args...))
}

// level reports elements that the contract's level does not have.
func (c *checker) level() {
	d := c.design
	if d.Level != "" && !slices.Contains(accesspatterns.Levels(), d.Level) {
		c.report("level: expected one of %v, found %s", accesspatterns.Levels(), d.Level)
		return
	}
	beyond := func(level accesspatterns.Level, what string, is bool) {
		if is && !d.Reaches(level) {
			c.report("%s: the contract's level is %s, and it begins with %s; raise the level or leave it out", what, d.Level, level)
		}
	}
	beyond(accesspatterns.LevelItems, "entities", len(d.Entities)+len(d.Examples) > 0)
	for _, pattern := range d.Patterns {
		c.at = pattern.Written.OfName()
		beyond(accesspatterns.LevelReads, "pattern "+pattern.ID, true)
		beyond(accesspatterns.LevelWrites, "pattern "+pattern.ID, pattern.Writes())
	}
	c.at = place.At{}
	beyond(accesspatterns.LevelResilience, "invariants", len(d.Invariants) > 0)
	if len(d.Tables) == 0 {
		c.report("tables: expected at least one table, found none")
	}
	if d.Reaches(accesspatterns.LevelReads) && d.AccessPatterns.First == 0 {
		c.report("access patterns: expected a citation of what the document says about them, found none")
	}
}

// each reports those of some names that are not what they must be; args stand before the name in the format.
func (c *checker) each(names []string, is func(name string) bool, format string, args ...any) {
	for _, name := range names {
		if !is(name) {
			c.report(format, append(args, name)...)
		}
	}
}

// claimed reports whether the contract has a claim.
func (c *checker) claimed(id string) bool { return c.seen[c.design.Name+"/"+id] }

// owner: an entity says in one way whose its items are. Where one entity of a contract says so, each does: those of another would be out of every
// role's confinement.
func (c *checker) owner(entity *accesspatterns.Entity) {
	of := entity.Owner
	if of == nil {
		if other := slices.IndexFunc(c.design.Entities, func(e accesspatterns.Entity) bool { return e.Owner != nil }); other >= 0 {
			c.report("entity %s: expected whose its items are (owner), as entity %s has it, found nothing; say who, or why they are nobody's", entity.ID, c.design.Entities[other].ID)
		}
		return
	}
	if lists.True(len(of.By) > 0, of.Through != "", of.Nobody != "") != 1 || (of.Through == "") != (of.Of == "") {
		c.report("entity %s: owner: expected exactly one of by, through with of, and nobody", entity.ID)
	}
	c.each(slices.Concat(of.By, of.Shown, []string{of.Of, of.Author}), func(name string) bool {
		_, known := entity.TypeOf(name)
		return known || name == "" || slices.Contains(entity.Parameters(), name)
	}, "entity %s: owner: no parameter of its keys and no attribute %s", entity.ID)
}

func (c *checker) example(example *accesspatterns.Example) {
	c.at = example.Written.OfName()
	if _, known := c.design.Entity(example.Entity); !known {
		c.report("example %s: no entity %s", example.ID, example.Entity)
	}
}

func (c *checker) entity(entity *accesspatterns.Entity) {
	c.at = entity.Written.OfName()
	table, _ := c.design.Table(entity.Table)
	c.owner(entity)
	definitions := table.AttributeDefinitions()
	for _, key := range entity.Keys {
		if defined := definitions[key.Attribute]; defined != key.ValueType() {
			c.report("entity %s: key attribute %s is defined as %s, the entity says %s", entity.ID, key.Attribute, defined, key.ValueType())
		} else if defined == dynamo.Binary {
			c.report("entity %s: key attribute %s is a Binary, which no template writes and no request here asks for; leave the entity out, and say so under not-checkable", entity.ID, key.Attribute)
		}
	}
	for _, rule := range entity.Rules {
		if lists.True(rule.Template != "", rule.EqualTo != "", rule.Check != nil) != 1 {
			c.report("rule %s/%s: expected exactly one of Template, EqualTo and Check", entity.ID, rule.ID)
		}
	}
}

func (c *checker) pattern(pattern *accesspatterns.Pattern) {
	c.at = pattern.Written.OfName()
	c.views(pattern)
	owner := "pattern " + pattern.ID
	if len(pattern.Steps) == 0 {
		c.report("%s: no step", owner)
	}
	if len(pattern.Roles) == 0 && len(c.design.Policies.Roles) > 0 {
		c.report("%s: no role", owner)
	}
	c.each(pattern.Returns, func(id string) bool { _, known := c.design.Entity(id); return known }, "%s: no entity %s", owner)
	c.each(pattern.Returns, func(id string) bool {
		e, known := c.design.Entity(id)
		return !known || slices.ContainsFunc(pattern.Steps, func(step accesspatterns.Step) bool {
			return step.Read != nil && (step.Read.MayReturn(e) || len(c.design.ReturnedBy(step.Read)) == 0) || slices.ContainsFunc(step.Write, func(a accesspatterns.Action) bool { return slices.Contains(c.design.ActsOn(&a), e) })
		})
	}, "%s: no step of it may return items of %s; correct its keys, the step, or what the pattern returns", owner)
	scans := false
	for _, step := range pattern.Steps {
		if step.Read != nil {
			c.read(owner+", step "+step.Name, step.Read)
			scans = scans || step.Read.Operation == dynamo.Scan
		}
		for _, action := range step.Write {
			c.action(owner+", step "+step.Name, action)
			if table, known := c.design.Table(action.Table); known && table.ReadOnly != nil && action.Kind != accesspatterns.ConditionCheck {
				c.report("%s, step %s: it writes %s, which the contract calls read-only (line %s)", owner, step.Name, table.ID, table.ReadOnly.Cite)
			}
			if step.Batch > 0 && (len(action.Condition) > 0 || action.Kind != accesspatterns.Put && action.Kind != accesspatterns.Delete) {
				c.report("%s, step %s: a batch holds puts and deletes without conditions", owner, step.Name)
			}
		}
		if step.Batch > sdk.MaxBatch {
			c.report("%s, step %s: expected a batch of writes, at most %d in one BatchWriteItem, found %d writes of which one may hold %d", owner, step.Name, sdk.MaxBatch, len(step.Write), step.Batch)
		}
		if step.StopAt != nil {
			c.number(owner+", step "+step.Name, *step.StopAt)
		}
		c.repeats(owner+", step "+step.Name, pattern, step)
	}
	if _, waived := c.design.Waiver(pattern.Waiver); scans != waived {
		c.report("%s: a Scan needs a waiver, and only a Scan does", owner)
	}
}

// views reports views that take from no read step of their pattern, or that say
// nothing.
func (c *checker) views(pattern *accesspatterns.Pattern) {
	for _, view := range pattern.Views {
		owner := fmt.Sprintf("pattern %s, view %s", pattern.ID, view.Name)
		if len(view.Of) < 2 && len(view.Where) == 0 && view.By == "" {
			c.report("%s: expected items of several steps, a value that tells them apart, or an order", owner)
		}
		c.each(view.Of, func(name string) bool {
			step, known := pattern.Step(name)
			return known && step.Read != nil
		}, "%s: no read step %s; a pattern of one read has the step read", owner)
	}
}

// repeats: a repeated step names an earlier read, or a bounded range of days.
func (c *checker) repeats(owner string, pattern *accesspatterns.Pattern, step accesspatterns.Step) {
	each := step.ForEach
	switch {
	case each == nil:
	case (each.Step == "") == (each.From == ""):
		c.report("%s: expected to repeat either for the items of a step or for the days of a range", owner)
	case each.Step == "":
		if each.To == "" || each.MaxDays <= 0 || each.Parameter == "" || len(each.Bind) > 0 {
			c.report("%s: a range of days needs From, To, MaxDays and Parameter alone", owner)
		}
	default:
		here := slices.IndexFunc(pattern.Steps, func(s accesspatterns.Step) bool { return s.Name == step.Name })
		source := slices.IndexFunc(pattern.Steps, func(s accesspatterns.Step) bool { return s.Name == each.Step && s.Read != nil })
		if source < 0 || source >= here {
			c.report("%s: no earlier read step %q to repeat for", owner, each.Step)
		}
		for _, binding := range each.Bind {
			if binding.Attribute == "" || binding.Parameter == "" {
				c.report("%s: a binding needs an attribute and a parameter", owner)
			}
		}
		if len(each.Bind) == 0 {
			c.report("%s: binds nothing of step %s", owner, each.Step)
		}
		if each.And != nil {
			and := step
			and.ForEach = each.And
			if each.And.Step == "" {
				c.report("%s: expected a second step to repeat for, found a range of days", owner)
			}
			c.repeats(owner+", also for", pattern, and)
		}
		if each.Except == nil {
			return
		}
		for _, binding := range each.Except.Bind {
			if !slices.ContainsFunc(each.Bind, func(b accesspatterns.Binding) bool { return b.Parameter == binding.Parameter }) {
				c.report("%s: leaves out by the parameter %s, which it does not bind", owner, binding.Parameter)
			}
		}
		except := step
		except.ForEach = each.Except
		c.repeats(owner+", what it leaves out", pattern, except)
	}
}

func (c *checker) read(owner string, read *accesspatterns.Read) {
	table, _ := c.design.Table(read.Table)
	if err := read.Fits(table); err != nil {
		c.report("%s: %v", owner, err)
	} else {
		c.compared(owner, append(read.KeyConditions(), read.Filter...))
	}
	index, _ := table.Index(read.Index)
	for _, operand := range read.Operands() {
		c.number(owner, operand)
	}
	if read.MustExpire && read.Expires == "" {
		c.report("%s: expected the attribute by which every item must expire", owner)
	}
	for _, by := range read.JudgedBy() {
		if len(read.Projection) > 0 && !slices.Contains(read.Projection, by) {
			c.report("%s: expected %s in the projection, because the reader judges each item by it; add it", owner, by)
		}
	}
	asked := lists.Sorted(append(attributesOf(read.Filter), read.Projection...))
	copied, some := evaluate.Copied(table, read.Index)
	c.each(asked, func(path string) bool {
		return !some || index.Local || slices.Contains(copied, topOf(path))
	}, "%s: expected a filter and a projection of what index %s copies, found %s", owner, read.Index)
	for i, path := range read.Projection {
		if strings.ContainsAny(path, "{[") {
			c.report("%s: expected a projection of attributes and members of maps, found %s", owner, path)
		}
		if slices.ContainsFunc(read.Projection[:i], func(other string) bool { return overlap(path, other) }) {
			c.report("%s: expected a projection that has nothing twice, found %s", owner, path)
		}
	}
	returned := c.design.ReturnedBy(read)
	if len(returned) == 0 && slices.ContainsFunc(c.design.Entities, func(e accesspatterns.Entity) bool { return e.Table == read.Table }) {
		c.report("%s: no entity has keys with which it would return items; correct the read, or the keys of an entity", owner)
	}
	c.known(owner, read.Table, returned, asked)
	if read.OrFewer && len(read.Projection) < 2 {
		c.report("%s: expected a projection of two attributes or more, of which a request may have fewer", owner)
	}
}

// attributesOf are those that conditions look at.
func attributesOf(all []accesspatterns.Condition) []string {
	return slices.Concat(lists.Map(all, accesspatterns.Condition.Attributes)...)
}

// topOf is the attribute that a path begins with.
func topOf(path string) string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' })[0]
}

// known reports a path whose attribute none of some entities has, or where these are not known none of a table: what is asked of it no item
// decides, and what is written there no entity allows.
func (c *checker) known(owner, table string, entities []*accesspatterns.Entity, paths []string) {
	if len(entities) == 0 {
		entities = lists.Which(c.design.Entities, func(e *accesspatterns.Entity) bool { return e.Table == table })
	}
	for _, name := range lists.Sorted(lists.Map(paths, topOf)) {
		if len(entities) > 0 && !slices.ContainsFunc(entities, func(e *accesspatterns.Entity) bool { _, has := e.TypeOf(name); return has }) {
			all := strings.Join(lists.Map(entities, func(e *accesspatterns.Entity) string { return e.ID }), ", ")
			c.report("%s: expected an attribute of %s, found %s; give it to the entity, or correct the name", owner, all, name)
		}
	}
}

// compared reports what DynamoDB refuses to compare, whatever the items are.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html
func (c *checker) compared(owner string, all []accesspatterns.Condition) {
	ordered := []dynamo.Type{"", dynamo.String, dynamo.Number, dynamo.Binary} // the type of an attribute in place of a value is not looked at
	for _, condition := range all {
		for _, one := range condition.Alternatives() {
			of, op := one.Operands(), one.Operator.Base()
			for n, operand := range of {
				switch {
				case op == expression.BeginsWith && operand.Type == dynamo.Number:
					c.report("%s: begins_with on %s, which is a Number", owner, one.Attribute)
				case op.ForSortKeys() && op != expression.Equal && !slices.Contains(ordered, operand.Type):
					c.report("%s: %s on %s, whose value of type %s has no order", owner, op, one.Attribute, operand.Type)
				case op == expression.IsType && len(operand.Template.Parameters()) == 0 && !slices.Contains(dynamo.Types, dynamo.Type(operand.Template)):
					c.report("%s: expected a type of DynamoDB, one of %v, found %s", owner, dynamo.Types, operand.Template)
				case n > 0 && operand.Attribute != "":
					c.report("%s: expected a value as the upper bound of BETWEEN, found attribute %s", owner, operand.Attribute)
				}
			}
			if op != expression.Between || slices.ContainsFunc(of, func(o accesspatterns.Operand) bool { return o.Attribute != "" || len(o.Template.Parameters()) > 0 }) {
				continue
			}
			low, _ := of[0].Resolve(nil)
			high, _ := of[1].Resolve(nil)
			if by, comparable := dynamo.Compare(low, high); !comparable || by > 0 {
				c.report("%s: expected BETWEEN on %s to have two bounds of one type, the lower one first, found %s and %s", owner, one.Attribute, of[0].Template, of[1].Template)
			}
		}
	}
}

// number reports a value of type Number that is none whatever its parameters are.
func (c *checker) number(owner string, of accesspatterns.Operand) {
	if of.Type != dynamo.Number || of.Template == "" {
		return
	}
	digits := accesspatterns.Params{}
	for _, name := range of.Template.Parameters() {
		digits[name] = "1"
	}
	text, err := of.Template.Format(digits)
	if _, is := dynamo.Decimal(text); err == nil && !is {
		c.report("%s: expected a Number, found %s", owner, of.Template)
	}
}

func (c *checker) action(owner string, action accesspatterns.Action) {
	c.changes(owner, &action)
	c.compared(owner, action.Condition)
	given := lists.Map(action.With, func(with accesspatterns.Equality) string { return with.Attribute })
	c.known(owner, action.Table, c.design.ActsOn(&action), slices.Concat(attributesOf(action.Condition), action.Changes(), given))
	if len(given) > 0 && action.Kind != accesspatterns.Put {
		c.report("%s: expected With of a Put alone, found it of %s", owner, action.Kind)
	}
	if action.Item == "" && action.Times != accesspatterns.Once {
		c.report("%s: a %s that is not there exactly once needs an item", owner, action.Kind)
	}
	for _, name := range action.Without {
		given := slices.ContainsFunc(action.With, func(e accesspatterns.Equality) bool { return e.Attribute == name })
		if entity, known := c.design.Entity(action.Entity); action.Kind != accesspatterns.Put || given || known && !mayLack(entity, name) {
			c.report("%s: expected Without of a Put to name an attribute that its entity may lack, found %s of %s", owner, name, action.Kind)
		}
	}
}

// changes: an Update changes nothing of the primary key and nothing twice, which DynamoDB refuses.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateItem.html
func (c *checker) changes(owner string, action *accesspatterns.Action) {
	table, _ := c.design.Table(action.Table)
	if len(action.Edits) > 0 && action.Item == "" {
		c.report("%s: an Update with Edits needs an item", owner)
	}
	paths := action.Changes()
	for i, path := range paths {
		key := slices.ContainsFunc(table.Keys(), func(k accesspatterns.Key) bool { return overlap(path, k.Attribute) })
		if key || slices.ContainsFunc(paths[:i], func(other string) bool { return overlap(path, other) }) {
			c.report("%s: expected an Update that changes nothing twice, and nothing of the primary key of %s, found %s", owner, table.ID, path)
		}
	}
}

// overlap reports whether two paths are one, or one is within the other.
func overlap(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return strings.HasPrefix(b, a) && (len(a) == len(b) || strings.ContainsRune(".[", rune(b[len(a)])))
}

// claimable reports whether a claim of that kind could have the path: it is of an
// entity or a table of the design, or of a kind that has no parts.
func (c *checker) claimable(kind, path string) bool {
	subject, part, _ := strings.Cut(path, "/")
	switch manifest.Kind(kind) {
	case manifest.KindAttribute, manifest.KindRule:
		_, known := c.design.Entity(subject)
		return known && part != ""
	case "table", manifest.KindIndex:
		_, known := c.design.Table(subject)
		return known && part != ""
	case manifest.KindPattern, manifest.KindGuardrail, manifest.KindInvariant, manifest.KindConfinement:
		return path != ""
	}
	return false
}

func (c *checker) guardrail(guardrail *accesspatterns.Guardrail) {
	c.at = guardrail.Written.OfName()
	owner := "guardrail " + guardrail.ID
	if (guardrail.Proof == accesspatterns.ByClaims) != (len(guardrail.Claims) > 0) {
		c.report("%s: proof by claims needs claims, and only it does", owner)
	}
	c.each(guardrail.Claims, c.claimed, "%s: no claim %s", owner)
}

func (c *checker) invariant(invariant *accesspatterns.Invariant) {
	c.at = invariant.Written.OfName()
	if pattern, known := c.design.Pattern(invariant.Flow); !known || !pattern.Writes() {
		c.report("invariant %s: expected a flow that writes, found %q", invariant.ID, invariant.Flow)
	}
}

// waiver checks that an exception holds from a day on and until a day.
func (c *checker) waiver(waiver *accesspatterns.Waiver) {
	c.at = waiver.Written.OfName()
	if !slices.ContainsFunc(c.design.Patterns, func(p accesspatterns.Pattern) bool { return p.Waiver == waiver.ID }) {
		c.report("waiver %s: no pattern uses it", waiver.ID)
	}
	since, err := time.Parse(time.DateOnly, waiver.Since)
	if err != nil {
		c.report("waiver %s: expected the day since which it is made, such as 2026-01-31, found %q", waiver.ID, waiver.Since)
	}
	if waiver.Until == "" {
		return
	}
	if until, err := time.Parse(time.DateOnly, waiver.Until); err != nil || until.Before(since) {
		c.report("waiver %s: expected its last day, not before %s, found %q", waiver.ID, waiver.Since, waiver.Until)
	}
}

func (c *checker) finding(finding *accesspatterns.Finding) {
	c.at = finding.Written.OfName()
	owner := "finding " + finding.ID
	c.each(finding.Claims, c.claimed, "%s: no claim %s", owner)
	c.each(finding.Departs, func(id string) bool { return slices.Contains(finding.Claims, id) }, "%s: expected %s, which departs from the text, among its claims", owner)
	for _, id := range finding.Grows {
		if _, known := c.design.Pattern(id); !known {
			c.report("%s: no pattern %s that could grow", owner, id)
		}
		if other, taken := c.grows[id]; taken {
			c.report("%s: pattern %s grows for two reasons, the other is %s", owner, id, other)
		}
		c.grows[id] = finding.ID
	}
	for _, id := range finding.Open {
		switch kind, rest, _ := strings.Cut(id, "/"); {
		case c.claimed(id):
			c.report("%s: calls open what claim %s asserts", owner, id)
		case !c.claimable(kind, rest):
			c.report("%s: expected the id of a claim that could be, such as rule/ENTITY/RULE, found %s", owner, id)
		}
	}
	for _, lack := range finding.Lacks {
		id, attribute, _ := strings.Cut(lack, ".")
		entity, known := c.design.Entity(id)
		if !known {
			c.report("%s: no entity %s", owner, id)
			continue
		}
		if _, has := entity.Attribute(attribute); has {
			c.report("%s: says that %s has no %s, but the contract has it", owner, id, attribute)
		}
	}
}

// mayLack reports whether items of the entity may be without a documented attribute.
func mayLack(e *accesspatterns.Entity, name string) bool {
	if key, is := e.Key(name); is {
		return key.Optional
	}
	attribute, known := e.Attribute(name)
	return known && attribute.Presence != accesspatterns.Required
}

// narrative: each line of the document is listed once.
func (c *checker) narrative() {
	listed := map[int]accesspatterns.NarrativeLines{}
	for _, lines := range c.design.Narrative {
		for number := lines.First; number <= lines.Last; number++ {
			if other, twice := listed[number]; twice {
				c.problems = append(c.problems, fmt.Errorf("%s:%s: narrative: line %d is listed already, with %s; one line has one reason", c.design.Document.File, lines, number, other))
				break
			}
			listed[number] = lines
		}
	}
}
