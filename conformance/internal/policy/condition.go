package policy

import (
	"cmp"
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
	// negated operators hold when none of the policy's values matches, and when the key is absent.
	negated bool
	// wildcards says whether * and ? stand for other characters.
	wildcards bool
	// folds says that letters are compared without regard to case.
	folds bool
	// truth operators take true and false; null asks whether the key is absent.
	truth, null bool
}

var operators = map[string]operator{
	"StringEquals":    {},
	"StringNotEquals": {negated: true},
	"StringLike":      {wildcards: true},
	"StringNotLike":   {negated: true, wildcards: true},
	"Bool":            {truth: true, folds: true},
	"Null":            {truth: true, null: true},

	"StringEqualsIgnoreCase":    {folds: true},
	"StringNotEqualsIgnoreCase": {negated: true, folds: true},
}

// others are the operators of IAM that are not evaluated here.
var others = strings.Fields(`NumericEquals NumericNotEquals NumericLessThan NumericLessThanEquals NumericGreaterThan
	NumericGreaterThanEquals DateEquals DateNotEquals DateLessThan DateLessThanEquals DateGreaterThan DateGreaterThanEquals
	BinaryEquals IpAddress NotIpAddress ArnEquals ArnLike ArnNotEquals ArnNotLike`)

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
	if c.operator, known = operators[base]; !known && !slices.Contains(others, base) || c.operator.null && c.ifExists {
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
	case c.operator.null && c.quantifier != single:
		tells("expected a plain Null")
	case c.operator.null:
	case about.several && c.quantifier == single:
		tells("the key holds several values; expected ForAllValues or ForAnyValue before the operator")
	case about.truth != c.operator.truth:
		tells("the operator does not fit the key's type")
	}
	if len(values) == 0 {
		wrong("expected a value, found none")
	}
	for _, text := range values {
		if c.operator.truth && !strings.EqualFold(string(text), "true") && !strings.EqualFold(string(text), "false") {
			tells("expected true or false, found %q", text)
		}
		parsed, err := literal(string(text), c.operator.wildcards), error(nil)
		if variables {
			parsed, err = parsePattern(string(text), c.operator.wildcards)
		}
		if _, only := errors.AsType[unknown](err); only {
			tells("%v", err)
		} else if err != nil {
			wrong("%w", err)
		}
		c.values = append(c.values, parsed)
	}
	if c.operator.null && len(values) > 1 {
		tells("expected true or false, found %d values", len(values))
	}
	c.absent = len(values) > 0 && strings.EqualFold(string(values[0]), "true")
	return c, errors.Join(problems...)
}

// holds decides the condition for a request.
func (c *condition) holds(context Context) truth {
	found := context.values(c.key)
	switch {
	case c.unknown != "":
		return maybe
	case c.operator.null:
		return truthOf((len(found) == 0) == c.absent)
	case c.ifExists && len(found) == 0:
		return yes
	}
	one := func(text string) bool { return c.matches(text, context) != c.operator.negated }
	switch c.quantifier {
	case forAll:
		return truthOf(!slices.ContainsFunc(found, func(text string) bool { return !one(text) }))
	case forAny:
		return truthOf(slices.ContainsFunc(found, one))
	}
	if len(found) == 0 {
		return truthOf(c.operator.negated)
	}
	return truthOf(one(found[0]))
}

// matches reports whether one of the condition's values has a text's form, whatever the operator makes of it.
func (c *condition) matches(text string, context Context) bool {
	return slices.ContainsFunc(c.values, func(p pattern) bool {
		if c.operator.folds {
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
