package policy

import (
	"fmt"
	"regexp"
	"strings"
)

// pattern is a text of a policy with its variables and, where the element takes them, wildcards.
type pattern struct {
	pieces []piece
	// fixed is the whole pattern where it has no variable.
	fixed *regexp.Regexp
}

// piece is literal text, a wildcard, or a variable.
type piece struct {
	literal  string
	wildcard byte   // '*' or '?'
	variable string // condition key
}

// literal makes a pattern of text without variables.
func literal(text string, wildcards bool) pattern {
	var p pattern
	p.add(text, wildcards)
	p.fixed = p.compile(nil)
	return p
}

func (p *pattern) add(text string, wildcards bool) {
	for text != "" {
		at := -1
		if wildcards {
			at = strings.IndexAny(text, "*?")
		}
		if at < 0 {
			p.pieces = append(p.pieces, piece{literal: text})
			return
		}
		if at > 0 {
			p.pieces = append(p.pieces, piece{literal: text[:at]})
		}
		p.pieces = append(p.pieces, piece{wildcard: text[at]})
		text = text[at+1:]
	}
}

// parsePattern reads the variables of a text: ${aws:PrincipalTag/name}, and ${*}, ${?} and ${$} for the characters.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html
func parsePattern(text string, wildcards bool) (pattern, error) {
	if !strings.Contains(text, "${") {
		return literal(text, wildcards), nil
	}
	var p pattern
	for rest := text; ; {
		open := strings.Index(rest, "${")
		if open < 0 {
			p.add(rest, wildcards)
			return p, nil
		}
		p.add(rest[:open], wildcards)
		end := strings.IndexByte(rest[open:], '}')
		if end < 0 {
			return p, fmt.Errorf("expected } behind the policy variable in %q", text)
		}
		name := rest[open+2 : open+end]
		switch {
		case name == "*" || name == "?" || name == "$":
			p.pieces = append(p.pieces, piece{literal: name})
		case principalTag.MatchString(name):
			p.pieces = append(p.pieces, piece{variable: strings.ToLower(name)})
		default:
			return p, fmt.Errorf("policy variable ${%s} is not known here", name)
		}
		rest = rest[open+end+1:]
	}
}

// match reports whether a text has the pattern's form. A variable stands for its value letter by letter; one without a
// value matches nothing.
func (p pattern) match(text string, context Context) bool {
	if p.fixed != nil {
		return p.fixed.MatchString(text)
	}
	values := map[string]string{}
	for _, each := range p.pieces {
		if each.variable == "" {
			continue
		}
		found := context.values(each.variable)
		if len(found) != 1 {
			return false
		}
		values[each.variable] = found[0]
	}
	return p.compile(values).MatchString(text)
}

// compile turns the pattern into a regular expression, with values for its variables.
func (p pattern) compile(values map[string]string) *regexp.Regexp {
	var expression strings.Builder
	expression.WriteString(`(?s)\A`)
	for _, each := range p.pieces {
		switch {
		case each.wildcard == '*':
			expression.WriteString(".*")
		case each.wildcard == '?':
			expression.WriteString(".")
		case each.variable != "":
			expression.WriteString(regexp.QuoteMeta(values[each.variable]))
		default:
			expression.WriteString(regexp.QuoteMeta(each.literal))
		}
	}
	expression.WriteString(`\z`)
	return regexp.MustCompile(expression.String())
}

// resourcePattern is the ARN of a resource; all is "*".
type resourcePattern struct {
	all      bool
	segments []pattern
}

// arnSegments is the number of parts of an ARN: arn, partition, service, region, account, resource.
const arnSegments = 6

// parseResource reads an ARN. A wildcard does not reach over a colon, except in the last part.
func parseResource(text string) (resourcePattern, error) {
	if text == "*" {
		return resourcePattern{all: true}, nil
	}
	parts := strings.SplitN(text, ":", arnSegments)
	if len(parts) != arnSegments || parts[0] != "arn" || parts[2] != "dynamodb" {
		return resourcePattern{}, fmt.Errorf("expected * or an ARN arn:<partition>:dynamodb:<region>:<account>:table/<name>, found %q", text)
	}
	if strings.Contains(text, "${") {
		return resourcePattern{}, fmt.Errorf("policy variables in a Resource are not known here, found %q", text)
	}
	var r resourcePattern
	for _, part := range parts {
		r.segments = append(r.segments, literal(part, true))
	}
	return r, nil
}

func (r resourcePattern) match(arn string) bool {
	if r.all {
		return true
	}
	parts := strings.SplitN(arn, ":", arnSegments)
	if len(parts) != arnSegments {
		return false
	}
	for i, segment := range r.segments {
		if !segment.match(parts[i], nil) {
			return false
		}
	}
	return true
}
