package accesspatterns

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// KeyTemplate is the documented form of a key value, such as
// ENTRY#{date}#{entryId}: literal text with named parameters in braces.
//
// Segments of a key are separated by '#'. A parameter that is followed by a
// further segment must not contain '#', because its value could otherwise
// reach into the next segment and two different parameter sets could format to
// the same key. The last parameter may contain anything. Format and Parse are
// inverse under this rule.
type KeyTemplate string

// Params are the values of a template's parameters, by name.
type Params map[string]string

// piece is either literal text or the name of a parameter.
type piece struct {
	literal   string
	parameter string
}

func (t KeyTemplate) pieces() ([]piece, error) {
	var pieces []piece
	rest := string(t)
	for rest != "" {
		open := strings.IndexByte(rest, '{')
		if open < 0 {
			pieces = append(pieces, piece{literal: rest})
			break
		}
		if open > 0 {
			pieces = append(pieces, piece{literal: rest[:open]})
		}
		end := strings.IndexByte(rest[open:], '}')
		if end < 2 {
			return nil, fmt.Errorf("key template %q: expected a parameter name between '{' and '}'", string(t))
		}
		if n := len(pieces); n > 0 && pieces[n-1].parameter != "" {
			return nil, fmt.Errorf("key template %q: two parameters need literal text between them", string(t))
		}
		pieces = append(pieces, piece{parameter: rest[open+1 : open+end]})
		rest = rest[open+end+1:]
	}
	for i, p := range pieces {
		if p.parameter != "" && i+1 < len(pieces) && !strings.HasPrefix(pieces[i+1].literal, "#") {
			return nil, fmt.Errorf("key template %q: expected '#' after {%s}", string(t), p.parameter)
		}
	}
	return pieces, nil
}

// Parameters returns the names of the template's parameters in order of their
// first appearance. A malformed template has none.
func (t KeyTemplate) Parameters() []string {
	pieces, err := t.pieces()
	if err != nil {
		return nil
	}
	var names []string
	for _, p := range pieces {
		if p.parameter != "" && !slices.Contains(names, p.parameter) {
			names = append(names, p.parameter)
		}
	}
	return names
}

// Format fills the parameters in. It fails when a parameter is missing or
// empty, or when a value contains '#' although the template has a further
// segment.
func (t KeyTemplate) Format(params Params) (string, error) {
	pieces, err := t.pieces()
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for i, p := range pieces {
		if p.parameter == "" {
			out.WriteString(p.literal)
			continue
		}
		value := params[p.parameter]
		if value == "" {
			return "", fmt.Errorf("key %s: expected a value for {%s}, found none (given: %s)",
				t, p.parameter, strings.Join(slices.Sorted(maps.Keys(params)), ", "))
		}
		if i+1 < len(pieces) && strings.Contains(value, "#") {
			return "", fmt.Errorf("key %s: {%s} must not contain '#' because a further segment follows, found %q; escape or refuse such ids",
				t, p.parameter, value)
		}
		out.WriteString(value)
	}
	return out.String(), nil
}

// Parse takes a key apart. It fails when the key does not have the template's
// form.
func (t KeyTemplate) Parse(key string) (Params, error) {
	pieces, err := t.pieces()
	if err != nil {
		return nil, err
	}
	mismatch := func() error { return fmt.Errorf("expected a key of the form %s, found %q", t, key) }
	params := Params{}
	rest := key
	for i, p := range pieces {
		if p.parameter == "" {
			after, found := strings.CutPrefix(rest, p.literal)
			if !found {
				return nil, mismatch()
			}
			rest = after
			continue
		}
		value := rest
		if i+1 < len(pieces) {
			end := strings.IndexByte(rest, '#')
			if end < 0 {
				return nil, mismatch()
			}
			value = rest[:end]
		}
		if value == "" {
			return nil, mismatch()
		}
		if earlier, seen := params[p.parameter]; seen && earlier != value {
			return nil, fmt.Errorf("key %q: {%s} stands twice with different values %q and %q", key, p.parameter, earlier, value)
		}
		params[p.parameter] = value
		rest = rest[len(value):]
	}
	if rest != "" {
		return nil, mismatch()
	}
	return params, nil
}

// Prefix formats the template up to the first parameter that is not given: the
// value for a begins_with condition. The literal text before that parameter is
// included, so the prefix ends at a segment's border whenever the template does.
func (t KeyTemplate) Prefix(params Params) (string, error) {
	pieces, err := t.pieces()
	if err != nil {
		return "", err
	}
	given := 0
	for _, p := range pieces {
		if p.parameter != "" && params[p.parameter] == "" {
			break
		}
		given++
	}
	var known strings.Builder
	for i, p := range pieces[:given] {
		if p.parameter == "" {
			known.WriteString(p.literal)
			continue
		}
		value := params[p.parameter]
		if i+1 < len(pieces) && strings.Contains(value, "#") {
			return "", fmt.Errorf("key %s: {%s} must not contain '#' because a further segment follows, found %q",
				t, p.parameter, value)
		}
		known.WriteString(value)
	}
	return known.String(), nil
}

// Validate reports a malformed template.
func (t KeyTemplate) Validate() error {
	_, err := t.pieces()
	return err
}
