package policy

import (
	"bytes"
	"cmp"
	_ "embed" // iam.yaml
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"dynaproof/accesspatterns/must"
)

//go:embed iam.yaml
var iamText []byte

// iam is what iam.yaml says: names of actions, those that lift what a policy says by a resource, condition keys in lower case, and operators.
var iam = sync.OnceValue(func() (all struct {
	Actions, Others []string
	Lifts           map[string][]string
	Keys            map[string]conditionKey
	Operators       map[string]operator
}) {
	text := yaml.NewDecoder(bytes.NewReader(iamText))
	text.KnownFields(true)     // a property that is spelt wrong would be one that an operator does not have
	must.Do(text.Decode(&all)) // a test reads it
	return all
})

// conditionKey says what a condition key holds: several values at once, or true or false.
type conditionKey struct{ Several, Truth bool }

// principalTag is the form of a tag of the principal as a key: aws:PrincipalTag/ and the tag's name.
var principalTag = regexp.MustCompile(`^(?i:aws:PrincipalTag/)[A-Za-z0-9_+=,.@/-]+$`)

func keyOf(name string) (conditionKey, error) {
	if known, found := iam().Keys[strings.ToLower(name)]; found {
		return known, nil
	}
	if principalTag.MatchString(name) {
		return conditionKey{}, nil
	}
	return conditionKey{}, unknown{fmt.Sprintf("condition key %q is not known here", name)}
}

// quantifier is the set operator of a condition.
type quantifier int

const (
	single quantifier = iota
	forAll
	forAny
)

// operator compares one value of the request with those of the policy.
type operator struct {
	// Negated operators hold when none of the policy's values matches, and when the key is absent.
	Negated bool
	// Wildcards says whether * and ? stand for other characters.
	Wildcards bool
	// Folds says that letters are compared without regard to case.
	Folds bool
	// Truth operators take true and false; Null asks whether the key is absent.
	Truth, Null bool
}

type condition struct {
	operator   operator
	quantifier quantifier
	// ifExists holds where the key is absent.
	ifExists bool
	key      string // lower case
	values   []pattern
	// absent is what Null asks for.
	absent bool
	// unknown says why nobody here can say whether the condition holds; empty where it can be said. outside says that it is
	// because of a key that is not known.
	unknown string
	outside bool
}

// parseCondition reads a condition of a document, in whose version policy variables are known or are text. The error says what
// IAM refuses.
func parseCondition(name, key string, values []value, variables bool) (condition, error) {
	c := condition{key: strings.ToLower(key)}
	base := name
	for prefix, quantifier := range map[string]quantifier{"ForAllValues:": forAll, "ForAnyValue:": forAny} {
		if rest, found := strings.CutPrefix(name, prefix); found {
			base, c.quantifier = rest, quantifier
		}
	}
	base, c.ifExists = strings.CutSuffix(base, "IfExists")
	var problems []error
	wrong := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("condition %s of %s: %w", name, key, fmt.Errorf(format, args...)))
	}
	tells := func(format string, args ...any) {
		c.unknown = cmp.Or(c.unknown, "condition "+name+" of "+key+": "+fmt.Sprintf(format, args...))
	}
	var known bool
	if c.operator, known = iam().Operators[base]; !known && !slices.Contains(iam().Others, base) || c.operator.Null && c.ifExists {
		wrong("IAM has no such operator")
	} else if !known {
		tells("the operator is not known here")
	}
	about, err := keyOf(key)
	if c.outside = err != nil; c.outside {
		tells("%v", err)
	}
	switch {
	case c.unknown != "":
	case c.operator.Null && c.quantifier != single:
		tells("expected a plain Null")
	case c.operator.Null:
	case about.Several && c.quantifier == single:
		tells("the key holds several values; expected ForAllValues or ForAnyValue before the operator")
	case about.Truth != c.operator.Truth:
		tells("the operator does not fit the key's type")
	}
	if len(values) == 0 {
		wrong("expected a value, found none")
	}
	for _, text := range values {
		if c.operator.Truth && !strings.EqualFold(string(text), "true") && !strings.EqualFold(string(text), "false") {
			tells("expected true or false, found %q", text)
		}
		parsed, err := literal(string(text), c.operator.Wildcards), error(nil)
		if variables {
			parsed, err = parsePattern(string(text), c.operator.Wildcards)
		}
		if _, only := errors.AsType[unknown](err); only {
			tells("%v", err)
		} else if err != nil {
			wrong("%w", err)
		}
		c.values = append(c.values, parsed)
	}
	if c.operator.Null && len(values) > 1 {
		tells("expected true or false, found %d values", len(values))
	}
	c.absent = len(values) > 0 && strings.EqualFold(string(values[0]), "true")
	return c, errors.Join(problems...)
}

// holds decides the condition for a request. Where a variable has no value AWS may take the whole statement for invalid, so the condition
// does not hold for certain.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html
func (c *condition) holds(context Context) truth {
	found := context.values(c.key)
	switch {
	case c.unknown != "":
		return maybe
	case c.operator.Null:
		return truthOf((len(found) == 0) == c.absent)
	case c.ifExists && len(found) == 0:
		return yes
	case c.unresolved(context) != "":
		return min(c.met(found, context), maybe)
	}
	return c.met(found, context)
}

// unresolved says which variable of the values has neither a value nor a default; empty for none.
func (c *condition) unresolved(context Context) string {
	for _, value := range c.values {
		for _, piece := range value.pieces {
			if _, known := piece.text(context); !known {
				return fmt.Sprintf("policy variable ${%s} has no value in the request, and whether AWS then applies the statement is not known here", piece.variable)
			}
		}
	}
	return ""
}

// met compares the values of a request with those of the policy.
func (c *condition) met(found []string, context Context) truth {
	one := func(text string) bool { return c.matches(text, context) != c.operator.Negated }
	switch c.quantifier {
	case forAll:
		return truthOf(!slices.ContainsFunc(found, func(text string) bool { return !one(text) }))
	case forAny:
		return truthOf(slices.ContainsFunc(found, one))
	}
	if len(found) == 0 {
		return truthOf(c.operator.Negated)
	}
	return truthOf(one(found[0]))
}

// matches reports whether one of the condition's values has a text's form, whatever the operator makes of it.
func (c *condition) matches(text string, context Context) bool {
	return slices.ContainsFunc(c.values, func(p pattern) bool {
		if c.operator.Folds {
			whole, known := "", true
			for _, piece := range p.pieces {
				part, has := piece.text(context)
				whole, known = whole+part, known && has
			}
			return known && strings.EqualFold(whole, text)
		}
		return p.match(text, context)
	})
}
