package guard

import (
	"errors"
	"fmt"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/validate"
)

// Rule names what a refused call breaks.
type Rule string

// The rules, in the order in which a read is held to them.
const (
	// RuleConfiguration: the guard was given options that do not fit the
	// design, and refuses every call.
	RuleConfiguration Rule = "configuration"
	// RuleRewritten: after the guard had judged the input, something changed the
	// operation or the body of the request.
	RuleRewritten Rule = "rewritten-request"
	// RuleOperation: no pattern of the design uses the operation.
	RuleOperation Rule = "operation"
	// RuleLegacy: a parameter that expressions replaced.
	RuleLegacy Rule = "legacy-parameter"
	// RuleTable: not a table of the design, or another one than that of the documented read.
	RuleTable Rule = "table"
	// RuleIndex: not an index of the table, or none that a pattern reads, or a
	// consistent read of a global one.
	RuleIndex Rule = "index"
	// RuleExpression: an expression that the guard cannot bring into a normal
	// form.
	RuleExpression Rule = "expression"
	// RuleKeyCondition: no equality on the partition key, or a condition on
	// another attribute than the sort key.
	RuleKeyCondition Rule = "key-condition"
	// RulePartitionKey: the partition key has another type or form.
	RulePartitionKey Rule = "partition-key"
	// RuleSortKey: another sort operator, or a value of another form or prefix.
	RuleSortKey Rule = "sort-key"
	// RuleFilter: a filter that is not declared, or a declared one that lacks.
	RuleFilter Rule = "filter"
	// RuleProjection: not the declared projection.
	RuleProjection Rule = "projection"
	// RuleOrder: not the documented order.
	RuleOrder Rule = "order"
	// RuleLimit: no Limit, or one above the documented limit or page size.
	RuleLimit Rule = "limit"
	// RuleSegments: a parallel Scan.
	RuleSegments Rule = "segments"
	// RuleRole: the pattern is documented for other roles.
	RuleRole Rule = "role"
	// RuleUser: a partition of another user than the one that ForUser names.
	RuleUser Rule = "user"
	// RuleBudget: the logical read would inspect more items than documented, or
	// goes on from where the guard did not see it stop.
	RuleBudget Rule = "page-budget"
	// RulePartitions: the logical read would touch more partitions than
	// documented.
	RulePartitions Rule = "partitions"
	// RuleBatch: a batch or a transaction above its bound, or a batch or reads of a
	// transaction that name an item twice.
	RuleBatch Rule = "batch-size"
	// RuleKeyForm: a key of a write that no entity of the table has.
	RuleKeyForm Rule = "key-form"
	// RuleItem: an item that satisfies no entity of the table, or an update that may
	// create a part of one.
	RuleItem Rule = "item"
	// RuleUpdate: an update of what is not documented, or to such a value.
	RuleUpdate Rule = "update"
	// RuleReturned: a write that returns a stored item which the client may not
	// read whole.
	RuleReturned Rule = "returned-values"
	// RuleCondition: a condition check outside of the documented step that has it, or
	// a condition on what the client may not read.
	RuleCondition Rule = "condition"
	// RuleStep: a write that is none of the documented steps of the role.
	RuleStep Rule = "documented-write"
)

// Rules lists all rules in the order of their declaration.
func Rules() []Rule {
	return []Rule{
		RuleConfiguration, RuleRewritten, RuleOperation, RuleLegacy, RuleTable, RuleIndex, RuleExpression, RuleKeyCondition, RulePartitionKey, RuleSortKey,
		RuleFilter, RuleProjection, RuleOrder, RuleLimit, RuleSegments, RuleRole, RuleUser, RuleBudget, RulePartitions, RuleBatch, RuleKeyForm, RuleItem,
		RuleUpdate, RuleReturned, RuleCondition, RuleStep,
	}
}

// ErrRefused is matched by every refusal with errors.Is.
var ErrRefused = errors.New("refused by the design's guard")

// Refusal says why a call was not sent. Get it with errors.As.
type Refusal struct {
	// Design is the design's name.
	Design string
	Rule   Rule
	// Operation is the DynamoDB operation; Table the table's name as it was
	// sent; Index the index, if any.
	Operation, Table, Index string
	// Roles are the client's roles; empty when the client has any role.
	Roles []string
	// Expected and Found say what broke the rule, without key values.
	Expected, Found string
	// Pattern is the id of the nearest documented pattern; empty when none is
	// near.
	Pattern string
	// Before are the steps of that pattern without which, by the contract, the client
	// does not get to the one that is near. The guard judges each request by itself: it
	// holds nobody to send them.
	Before []string
	// Cite is the document with the lines of that pattern, or of what else the
	// rule rests on: "roll-model.md:200".
	Cite string
	// Violations are those of the nearest entity, when the rule is RuleItem.
	// Their messages hold values of the item.
	Violations []validate.Violation
}

// Error writes the refusal in one line.
func (r *Refusal) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "guard of %s refuses %s", r.Design, r.Operation)
	if r.Table != "" {
		text.WriteString(" on " + r.Table)
	}
	if r.Index != "" {
		text.WriteString("/" + r.Index)
	}
	if len(r.Roles) > 0 {
		text.WriteString(" (role " + strings.Join(r.Roles, ", ") + ")")
	}
	fmt.Fprintf(&text, ": %s: expected %s, found %s", r.Rule, r.Expected, r.Found)
	if r.Pattern != "" {
		text.WriteString("; nearest documented pattern " + r.Pattern)
	}
	if len(r.Before) > 0 {
		text.WriteString(", whose client first finds something by " + strings.Join(r.Before, " and ") + ", which the guard cannot see")
	}
	if r.Cite != "" {
		text.WriteString(" (" + r.Cite + ")")
	}
	switch r.Rule {
	case RuleConfiguration:
		text.WriteString("; correct the guard's options")
	case RuleRewritten:
		text.WriteString("; change requests before they are serialised")
	default:
		text.WriteString("; send the documented request, or document this one")
	}
	return text.String()
}

// near names the step that is near, and the steps of its pattern before it that end the pattern when they find nothing.
func (r *Refusal) near(design *accesspatterns.Design, at *placed) *Refusal {
	r.Pattern = at.pattern.ID
	for i := range at.pattern.Steps {
		if s := &at.pattern.Steps[i]; s.Name == at.name {
			break
		} else if s.StopWhenEmpty {
			r.Before = append(r.Before, "step "+s.Name)
		}
	}
	return r.citing(design, at.cite)
}

// Is makes errors.Is(err, ErrRefused) true.
func (r *Refusal) Is(target error) bool { return target == ErrRefused }

// masked shows the form of a key value without its ids: the first segment, which
// names the kind of item.
func masked(text string) string {
	if i := strings.IndexByte(text, '#'); i >= 0 {
		return fmt.Sprintf("%q and %d more bytes", text[:i+1], len(text)-i-1)
	}
	return fmt.Sprintf("%d bytes without '#'", len(text))
}
