package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// conditionKey says what a condition key holds.
type conditionKey struct {
	several bool // several values at once
	truth   bool // true or false
}

// The condition keys that are known, in lower case: keys are compared without regard to case.
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
var conditionKeys = map[string]conditionKey{
	"dynamodb:leadingkeys":            {several: true},
	"dynamodb:attributes":             {several: true},
	"dynamodb:select":                 {},
	"dynamodb:returnvalues":           {},
	"dynamodb:returnconsumedcapacity": {},
	"dynamodb:enclosingoperation":     {},
	"dynamodb:fulltablescan":          {truth: true},
}

// principalTag reports whether a key is a tag of the principal: aws:PrincipalTag/ and the tag's name.
func principalTag(key string) bool {
	const prefix = "aws:PrincipalTag/"
	if len(key) <= len(prefix) || !strings.EqualFold(key[:len(prefix)], prefix) {
		return false
	}
	return strings.IndexFunc(key[len(prefix):], func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_+=,.@/-", r))
	}) < 0
}

func keyOf(name string) (conditionKey, error) {
	if known, found := conditionKeys[strings.ToLower(name)]; found {
		return known, nil
	}
	if principalTag(name) {
		return conditionKey{}, nil
	}
	return conditionKey{}, fmt.Errorf("condition key %q is not known here", name)
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
	// negated operators hold when none of the policy's values matches, and when the key is absent.
	negated bool
	// wildcards says whether * and ? stand for other characters.
	wildcards bool
	// truth operators take true and false; null asks whether the key is absent.
	truth, null bool
}

var operators = map[string]operator{
	"StringEquals":    {},
	"StringNotEquals": {negated: true},
	"StringLike":      {wildcards: true},
	"StringNotLike":   {negated: true, wildcards: true},
	"Bool":            {truth: true},
	"Null":            {truth: true, null: true},
}

type condition struct {
	operator   operator
	quantifier quantifier
	key        string // lower case
	values     []pattern
	// absent is what Null asks for.
	absent bool
}

func parseCondition(name, key string, values []value) (condition, error) {
	c := condition{key: strings.ToLower(key)}
	base := name
	for prefix, quantifier := range map[string]quantifier{"ForAllValues:": forAll, "ForAnyValue:": forAny} {
		if rest, found := strings.CutPrefix(name, prefix); found {
			base, c.quantifier = rest, quantifier
		}
	}
	var known bool
	if c.operator, known = operators[base]; !known {
		return c, fmt.Errorf("condition operator %q is not known here", name)
	}
	about, err := keyOf(key)
	var problems []error
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	switch {
	case err != nil:
		problems = append(problems, err)
	case c.operator.null && c.quantifier != single:
		wrong("condition %s of %s: expected a plain Null", name, key)
	case c.operator.null:
	case about.several && c.quantifier == single:
		wrong("condition %s of %s: the key holds several values; expected ForAllValues or ForAnyValue before the operator", name, key)
	case !about.several && c.quantifier != single:
		wrong("condition %s of %s: the key holds one value; expected a plain %s, because a set operator fails open when the key is absent", name, key, base)
	case about.truth != c.operator.truth:
		wrong("condition %s of %s: the operator does not fit the key's type", name, key)
	}
	if len(values) == 0 {
		wrong("condition %s of %s: expected a value, found none", name, key)
	}
	for _, text := range values {
		if c.operator.truth && text != "true" && text != "false" {
			wrong("condition %s of %s: expected true or false, found %q", name, key, text)
		}
		parsed, err := parsePattern(string(text), c.operator.wildcards)
		if err != nil {
			problems = append(problems, fmt.Errorf("condition %s of %s: %w", name, key, err))
		}
		c.values = append(c.values, parsed)
	}
	if c.operator.null && len(values) != 1 {
		wrong("condition %s of %s: expected true or false, found %d values", name, key, len(values))
	}
	c.absent = len(values) > 0 && values[0] == "true"
	return c, errors.Join(problems...)
}

// holds decides the condition for a request.
func (c condition) holds(context Context) bool {
	found := context.values(c.key)
	if c.operator.null {
		return (len(found) == 0) == c.absent
	}
	one := func(text string) bool {
		matches := slices.ContainsFunc(c.values, func(p pattern) bool { return p.match(text, context) })
		return matches != c.operator.negated
	}
	switch c.quantifier {
	case forAll:
		return !slices.ContainsFunc(found, func(text string) bool { return !one(text) })
	case forAny:
		return slices.ContainsFunc(found, one)
	}
	if len(found) == 0 {
		return c.operator.negated
	}
	return one(found[0])
}
