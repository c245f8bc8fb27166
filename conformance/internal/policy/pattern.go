package policy

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// pattern is a text of a policy with its variables and, where the element takes them, wildcards. A run compares some
// hundred thousand texts with patterns, so they are compared letter by letter and not by regular expressions.
type pattern struct{ pieces []piece }

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
		case principalTag(name):
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
	return matches(p.pieces, text, context)
}

// matches compares pieces with the whole of a text.
func matches(pieces []piece, text string, context Context) bool {
	for i, each := range pieces {
		switch {
		case each.wildcard == '*':
			rest := pieces[i+1:]
			if len(rest) == 0 {
				return true
			}
			for at := range text {
				if matches(rest, text[at:], context) {
					return true
				}
			}
			return matches(rest, "", context)
		case each.wildcard == '?':
			if text == "" {
				return false
			}
			_, size := utf8.DecodeRuneInString(text)
			text = text[size:]
		default:
			literal := each.literal
			if each.variable != "" {
				found := context.values(each.variable)
				if len(found) != 1 {
					return false
				}
				literal = found[0]
			}
			var begins bool
			if text, begins = strings.CutPrefix(text, literal); !begins {
				return false
			}
		}
	}
	return text == ""
}

// resourcePattern is the ARN of a resource; all is "*".
type resourcePattern struct {
	text     string
	all      bool
	segments []pattern
}

// arnSegments is the number of parts of an ARN: arn, partition, service, region, account, resource.
const arnSegments = 6

// parseResource reads an ARN. A wildcard does not reach over a colon, except in the last part.
func parseResource(text string) (resourcePattern, error) {
	if text == "*" {
		return resourcePattern{text: text, all: true}, nil
	}
	parts := strings.SplitN(text, ":", arnSegments)
	if len(parts) != arnSegments || parts[0] != "arn" || parts[2] != "dynamodb" {
		return resourcePattern{}, fmt.Errorf("expected * or an ARN arn:<partition>:dynamodb:<region>:<account>:table/<name>, found %q", text)
	}
	if strings.Contains(text, "${") {
		return resourcePattern{}, fmt.Errorf("policy variables in a Resource are not known here, found %q", text)
	}
	r := resourcePattern{text: text}
	for _, part := range parts {
		r.segments = append(r.segments, literal(part, true))
	}
	return r, nil
}

// match compares the parts of an ARN.
func (r resourcePattern) match(parts []string) bool {
	if r.all {
		return true
	}
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
