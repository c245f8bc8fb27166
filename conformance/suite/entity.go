package suite

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/validate"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/failures"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// itemCheck is a check of items as they are stored.
type itemCheck struct{ *observe.Observation }

// eachStored calls look for every item of the entity as the engine returned it,
// and lost for every item that the engine refused or does not hold.
func (o itemCheck) eachStored(ctx context.Context, entity string, look func(item *fixtures.Item, stored accesspatterns.Item), lost func(item *fixtures.Item, found string, do remedy.Advice)) {
	refused := func(item *fixtures.Item, what string, err error, do remedy.Advice) {
		code, message := failures.CodeOf(err)
		lost(item, fmt.Sprintf("the engine refused %s: %s: %s", what, code, message), do)
	}
	for item := range lists.Each(o.Session.Fixtures.Items) {
		if item.Entity != entity || item.Held {
			continue
		}
		if err := o.Session.LoadErrs[item.Name]; failures.Classify(err) == failures.Withheld {
			o.Request("item "+item.Name, err)
			continue
		} else if err != nil {
			refused(item, "it", err, remedy.UnlikeKey)
			continue
		}
		got := o.Session.ReadBack(ctx, item)
		o.Rests(got.Invocations)
		switch {
		case got.Err != nil && failures.Classify(got.Err) == failures.Refused: // which is of the item's own table alone
			refused(item, "to read it", got.Err, remedy.UnlikePrimaryKey)
		case got.Err != nil:
			o.Request("reading item "+item.Name+" back", got.Err)
			return
		case got.Value == nil:
			lost(item, "no item under its key", remedy.UnlikePrimaryKey)
		default:
			look(item, got.Value)
		}
	}
}

// eachHeld is eachStored for claims that leave lost items to the entity's own
// claim, unless there is none left to look at.
func (o itemCheck) eachHeld(ctx context.Context, entity string, look func(item *fixtures.Item, stored accesspatterns.Item)) {
	held, missing := 0, 0
	o.eachStored(ctx, entity, func(item *fixtures.Item, stored accesspatterns.Item) {
		held++
		look(item, stored)
	}, func(*fixtures.Item, string, remedy.Advice) { missing++ })
	if held == 0 && missing > 0 {
		o.Refute("claim entity/"+entity, string(evidence.Pass), "none of its items could be read back", remedy.SeeOtherClaim)
	}
}

// checkEntity holds when every stored item of the entity has keys of the
// documented form that agree with its attributes, and when every item that the
// fixtures know to be invalid is refused.
func checkEntity(ctx context.Context, s *session.Session, o *observe.Observation, entity *accesspatterns.Entity) {
	itemCheck{o}.eachStored(ctx, entity.ID, func(item *fixtures.Item, stored accesspatterns.Item) {
		o.Saw()
		itemCheck{o}.violations("item "+item.Name, entity, validate.Keys(entity, stored))
	}, func(item *fixtures.Item, found string, do remedy.Advice) {
		o.Refute("item "+item.Name, "a stored item", found, do)
	})
	itemCheck{o}.refusals(entity, s.Fixtures.InvalidFor(entity, ""))
}

// violations reports how a stored item breaks its entity. Where the document does
// not close the list of attributes, one that it does not name is noted.
func (o itemCheck) violations(where string, entity *accesspatterns.Entity, violations []validate.Violation) {
	for _, violation := range violations {
		if violation.Rule == validate.ViolatesUndocumented && entity.Closed == nil && !o.Session.Strict {
			o.Note("%s, %s: %s", where, violation.Attribute, violation.Message)
			continue
		}
		o.Fail(where+", "+violation.Attribute, "what "+o.Session.Design.Document.Cite(violation.Cite)+" documents", violation.Message,
			remedy.WriterOrContract)
	}
}

// refusals checks that validation refuses invalid items, for the stated reason and,
// where they are written by hand, no other. A generated one is refused by the contract
// that it was made from: it can break a claim and is noted, but decides none by itself.
func (o itemCheck) refusals(entity *accesspatterns.Entity, all []fixtures.Invalid) {
	generated := 0
	for _, invalid := range all {
		where := "invalid item " + invalid.Name
		refused, violations, err := o.Session.Fixtures.Refused(entity, invalid)
		if err != nil {
			o.Broken(where, err)
			return
		}
		if invalid.Generated == "" {
			o.Saw()
		} else {
			generated++
		}
		if !refused {
			found := lists.Map(violations, validate.Violation.String)
			expected := "only violations of " + invalid.Violates
			if invalid.Generated != "" {
				expected = invalid.Generated + " (" + invalid.Violates + ")"
			}
			o.Fail(where, expected+" ("+invalid.Why+")", cmp.Or(strings.Join(found, "; "), "none"), remedy.RulesOfEntity)
		}
	}
	if generated > 0 {
		o.Note("generated from the contract: %d items without a required attribute or with one of another type, each held to be refused", generated)
	}
}

// checkAttribute holds when every stored item of the entity carries the
// attribute as documented, and at least one item carries it at all.
func checkAttribute(ctx context.Context, _ *session.Session, o *observe.Observation, entity *accesspatterns.Entity) {
	attribute, known := entity.Attribute(o.Claim.Aspect)
	if !known {
		o.Cannot(evidence.Error, "no attribute %s of %s in the contract", o.Claim.Aspect, o.Claim.Subject)
		return
	}
	itemCheck{o}.eachHeld(ctx, entity.ID, func(item *fixtures.Item, stored accesspatterns.Item) {
		for range attribute.Values(stored) {
			o.Saw()
		}
		itemCheck{o}.violations("item "+item.Name, entity, validate.Attribute(attribute, stored))
	})
}

// checkRule holds when every stored item obeys the rule, and every item that
// breaks it is refused because of it.
func checkRule(ctx context.Context, s *session.Session, o *observe.Observation, entity *accesspatterns.Entity) {
	rule, known := entity.Rule(o.Claim.Aspect)
	if !known {
		o.Cannot(evidence.Error, "no rule %s of %s in the contract", o.Claim.Aspect, o.Claim.Subject)
		return
	}
	itemCheck{o}.eachHeld(ctx, entity.ID, func(item *fixtures.Item, stored accesspatterns.Item) {
		o.Saw()
		params, _ := validate.ParseKeys(entity, stored)
		if violation := validate.Rule(rule, stored, params); violation != nil {
			itemCheck{o}.violations("item "+item.Name, entity, []validate.Violation{*violation})
		}
	})
	itemCheck{o}.refusals(entity, s.Fixtures.InvalidFor(entity, rule.ID))
}
