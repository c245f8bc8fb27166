package osemladders

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
)

// The rules below pass over values that are missing or of another type: those
// are reported as violations of the key or of the type.

// uuidKeys is the rule that key attributes hold UUIDs. Attributes that are no
// keys say the same by their format.
func uuidKeys(ruleID string, cite ap.Citation, attributes ...string) ap.Rule {
	return ap.Rule{
		ID:        ruleID,
		Statement: strings.Join(attributes, ", ") + ": a UUID",
		Attribute: attributes[0],
		Check:     areUUIDs(attributes),
		Cite:      cite.And(ap.Line(531, "All IDs", "UUID (String)"), ap.Line(540, "All primary keys are String UUIDs")),
	}
}

var uuidForm = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

func areUUIDs(attributes []string) func(ap.Item) error {
	return func(item ap.Item) error {
		var problems []error
		for _, name := range attributes {
			if id, ok := item[name].(*types.AttributeValueMemberS); ok && id.Value != "" && !uuidForm.MatchString(id.Value) {
				problems = append(problems, fmt.Errorf("%s: expected a UUID, found %q", name, id.Value))
			}
		}
		return errors.Join(problems...)
	}
}

// oneOf allows only the given values, for key attributes of type String or
// Number.
func oneOf(attribute string, allowed ...string) func(ap.Item) error {
	return func(item ap.Item) error {
		value := ""
		switch member := item[attribute].(type) {
		case *types.AttributeValueMemberS:
			value = member.Value
		case *types.AttributeValueMemberN:
			value = member.Value
		}
		if value == "" || slices.Contains(allowed, value) {
			return nil
		}
		return fmt.Errorf("expected one of %s, found %s", strings.Join(allowed, ", "), value)
	}
}

// inMilliseconds tells milliseconds from seconds: 10,000,000,000 parts the two,
// as it does for attributes that are no keys.
func inMilliseconds(attribute string) func(ap.Item) error {
	return func(item ap.Item) error {
		moment, ok := number(item[attribute])
		if !ok || moment.IsInt() && moment.Cmp(big.NewRat(10_000_000_000, 1)) >= 0 {
			return nil
		}
		return fmt.Errorf("expected Unix time in milliseconds, found %s", moment.RatString())
	}
}

var semanticForm = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

func semanticVersion(attribute string) func(ap.Item) error {
	return func(item ap.Item) error {
		version, ok := item[attribute].(*types.AttributeValueMemberS)
		if !ok || version.Value == "" || semanticForm.MatchString(version.Value) {
			return nil
		}
		return fmt.Errorf("expected a semantic version such as 1.0.0, found %q", version.Value)
	}
}

// onlyWhen allows the attribute only while another one has the given value.
func onlyWhen(attribute, other, value string) func(ap.Item) error {
	return func(item ap.Item) error {
		state, ok := item[other].(*types.AttributeValueMemberS)
		if _, present := item[attribute]; !present || !ok || state.Value == value {
			return nil
		}
		return fmt.Errorf("expected no %s while %s is %q; it is allowed when %s is %q", attribute, other, state.Value, other, value)
	}
}

func varianceAddsUp(item ap.Item) error {
	variance, ok := item["variance"].(*types.AttributeValueMemberM)
	if !ok {
		return nil
	}
	var problems []error
	for category, competencies := range variance.Value {
		members, ok := competencies.(*types.AttributeValueMemberM)
		if !ok {
			continue
		}
		for competency, scores := range members.Value {
			if err := scoresAddUp(scores); err != nil {
				problems = append(problems, fmt.Errorf("%s, %s: %w", category, competency, err))
			}
		}
	}
	return errors.Join(problems...)
}

func scoresAddUp(scores types.AttributeValue) error {
	member, ok := scores.(*types.AttributeValueMemberM)
	if !ok {
		return nil
	}
	self, hasSelf := number(member.Value["selfScore"])
	manager, hasManager := number(member.Value["managerScore"])
	difference, hasDifference := number(member.Value["difference"])
	if !hasSelf || !hasManager || !hasDifference {
		return nil
	}
	want := new(big.Rat).Sub(manager, self)
	if want.Cmp(difference) == 0 {
		return nil
	}
	return fmt.Errorf("expected difference %s = %s - %s, found %s",
		want.RatString(), manager.RatString(), self.RatString(), difference.RatString())
}

func number(value types.AttributeValue) (*big.Rat, bool) {
	member, ok := value.(*types.AttributeValueMemberN)
	if !ok {
		return nil, false
	}
	return new(big.Rat).SetString(member.Value)
}
