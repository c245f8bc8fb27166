package policy

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"dynaproof/accesspatterns/lists"
)

// pattern is a text of a policy with its variables and, where the element takes them, wildcards. A run compares some
// hundred thousand texts with patterns, so they are compared letter by letter and not by regular expressions.
type pattern struct{ pieces []piece }

// piece is literal text, a wildcard, or a variable.
type piece struct {
	literal  string
	wildcard byte   // '*' or '?'
	variable string // condition key
	// instead stands for a variable without a value, where has says so: ${aws:PrincipalTag/name, 'instead'}.
	instead string
	has     bool
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

// unknown is what only AWS can judge: IAM accepts it, and it is not implemented here.
type unknown struct{ what string }

func (u unknown) Error() string { return u.what }

// parsePattern reads the variables of a text: ${aws:PrincipalTag/name}, with a default or without, and ${*}, ${?} and ${$}
// for the characters.
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
		name, instead, has := strings.Cut(rest[open+2:open+end], ",")
		if instead = strings.TrimSpace(instead); has && (len(instead) < 2 || instead[0] != '\'' || instead[len(instead)-1] != '\'') {
			return p, fmt.Errorf("expected a default in single quotes in the policy variable of %q, found %s", text, instead)
		}
		switch {
		case wildcards && strings.ContainsAny(instead, "*?"):
			return p, unknown{fmt.Sprintf("whether a default stands for other letters is not known here, found %s", instead)}
		case name == "*" || name == "?" || name == "$":
			p.pieces = append(p.pieces, piece{literal: name})
		case principalTag.MatchString(name):
			p.pieces = append(p.pieces, piece{variable: strings.ToLower(name), instead: strings.Trim(instead, "'"), has: has})
		default:
			return p, unknown{fmt.Sprintf("policy variable ${%s} is not known here", name)}
		}
		rest = rest[open+end+1:]
	}
}

// match reports whether the whole of a text has the pattern's form. A variable stands for its value letter by letter; one without a
// value matches nothing. Where it goes back it goes to the last * alone: what an earlier one stands for need not be longer, because the
// last stands for any text.
func (p pattern) match(text string, context Context) bool {
	from, behind := "", -1 // what the last * is tried with next, and the piece behind it
	for i := 0; i < len(p.pieces) || text != ""; {
		fits := i < len(p.pieces)
		switch {
		case !fits:
		case p.pieces[i].wildcard == '*':
			if i++; i == len(p.pieces) {
				return true
			}
			from, behind = text, i
			continue
		case p.pieces[i].wildcard == '?':
			_, size := utf8.DecodeRuneInString(text)
			text, fits = text[size:], text != ""
		default:
			literal, known := p.pieces[i].text(context)
			if !known {
				return false
			}
			text, fits = strings.CutPrefix(text, literal)
		}
		if i++; fits {
			continue
		}
		if behind < 0 || from == "" {
			return false
		}
		_, size := utf8.DecodeRuneInString(from)
		from = from[size:]
		text, i = from, behind
	}
	return true
}

// written is the pattern of an element without variables, as it is written.
func (p pattern) written() string {
	text := ""
	for _, each := range p.pieces {
		if text += each.literal; each.wildcard != 0 {
			text += string(each.wildcard)
		}
	}
	return text
}

// text is what a literal or a variable stands for; a variable without a value and without a default stands for nothing.
func (p piece) text(context Context) (text string, known bool) {
	if p.variable == "" {
		return p.literal, true
	}
	if found := context.values(p.variable); len(found) == 1 {
		return found[0], true
	}
	return p.instead, p.has
}

// resourcePattern is the ARN of a resource; all is "*".
type resourcePattern struct {
	text     string
	all      bool
	segments []pattern
	// unknown says why it is not known which resources the text names beside those that its segments match; empty where it is.
	unknown string
	// reaches is the text whose * may reach over colons, where that alone is not known.
	reaches pattern
}

// arnSegments is the number of parts of an ARN: arn, partition, service, region, account, resource.
const arnSegments = 6

// parseResource reads an ARN. A * at the end of a part "can expand to match beyond the colon boundaries", any other wildcard does not; in
// an ARN of all parts that is of no account. Variables that the version of the document does not know are text.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_resource.html
func parseResource(text string, variables bool) (resourcePattern, error) {
	r := resourcePattern{text: text, all: text == "*"}
	if r.all {
		return r, nil
	}
	parts := strings.SplitN(text, ":", arnSegments)
	if len(parts) < arnSegments && strings.HasSuffix(text, "*") {
		r.reaches, r.unknown = literal(text, true), fmt.Sprintf("over how many parts of ARN %s a * reaches is not known here", text)
	}
	for len(parts) < arnSegments && r.unknown != "" {
		parts = append(parts, "*")
	}
	if parts[0] != "arn" || len(parts) < 3 || strings.ContainsAny(parts[2], "*?") {
		return r, fmt.Errorf("expected * or an ARN arn:<partition>:dynamodb:<region>:<account>:table/<name>, found %q", text)
	}
	switch {
	case len(parts) < arnSegments:
		r.unknown = fmt.Sprintf("ARN %s is not complete", text)
	case variables && strings.Contains(text, "${"):
		r.unknown, r.reaches = fmt.Sprintf("policy variables in a Resource are not known here, found %q", text), pattern{}
	}
	r.segments = append(r.segments, lists.Map(parts, func(part string) pattern { return literal(part, true) })...)
	return r, nil
}

// match compares the parts of an ARN.
func (r resourcePattern) match(parts []string) truth {
	matched := len(parts) == arnSegments && len(r.segments) == arnSegments && (r.unknown == "" || r.reaches.pieces != nil)
	for i := 0; matched && i < arnSegments; i++ {
		matched = r.segments[i].match(parts[i], nil)
	}
	switch {
	case r.all || matched:
		return yes
	case r.unknown != "" && (r.reaches.pieces == nil || r.reaches.match(strings.Join(parts, ":"), nil)):
		return maybe
	}
	return no
}
