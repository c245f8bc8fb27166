package accesspatterns

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"dynaproof/accesspatterns/internal/template"
)

// KeyTemplate is the documented form of a key value, such as
// ENTRY#{date}#{entryId}: literal text with named parameters in braces.
//
// Segments of a key are separated by the text behind a parameter: '#' mostly, and
// any other as well (user:{id}:profile, {date}_{id}). A parameter that is followed
// by a further segment must not contain its separator, because its value could
// otherwise reach into the next segment and two different parameter sets could
// format to the same key. The last parameter may contain anything. Format and Parse
// are inverse under this rule.
type KeyTemplate string

// Params are the values of a template's parameters, by name.
type Params map[string]string

// parsed are the pieces of every template, by KeyTemplate: a contract has a few hundred, and its keys are
// formatted and parsed with each request.
var parsed sync.Map

// pieces returns the template taken apart, which nobody may change.
func (t KeyTemplate) pieces() (template.Template, error) {
	if known, found := parsed.Load(t); found {
		return known.(template.Template), nil
	}
	pieces, err := template.Parse(string(t))
	if err != nil {
		return nil, fmt.Errorf("key template %q: %w", string(t), err)
	}
	parsed.Store(t, pieces)
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
		if p.Parameter != "" && !slices.Contains(names, p.Parameter) {
			names = append(names, p.Parameter)
		}
	}
	return names
}

var braced = regexp.MustCompile(`\{[^{}]+\}`)

// Replaced is the text of the template with another in the place of each parameter.
func (t KeyTemplate) Replaced(with func(parameter string) string) string {
	return braced.ReplaceAllStringFunc(string(t), func(found string) string { return with(found[1 : len(found)-1]) })
}

// Shape is the text of the template without the names of its parameters.
func (t KeyTemplate) Shape() string { return t.Replaced(func(string) string { return "{}" }) }

// Of replaces a template that is one parameter by the form of what it is bound to, where that is known.
func (t KeyTemplate) Of(forms map[string]KeyTemplate) KeyTemplate {
	if form, known := forms[strings.Trim(string(t), "{}")]; known && t.Bare() {
		return form
	}
	return t
}

// Bare reports whether the template is a parameter and nothing else.
func (t KeyTemplate) Bare() bool {
	names := t.Parameters()
	return len(names) == 1 && string(t) == "{"+names[0]+"}"
}

// Format fills the parameters in. It fails when a parameter is missing or
// empty, or when a value contains the separator behind it.
func (t KeyTemplate) Format(params Params) (string, error) {
	pieces, err := t.pieces()
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for i, p := range pieces {
		if p.Parameter == "" {
			out.WriteString(p.Literal)
			continue
		}
		value := params[p.Parameter]
		if value == "" {
			return "", fmt.Errorf("key %s: expected a value for {%s}, found none (given: %s)",
				t, p.Parameter, strings.Join(slices.Sorted(maps.Keys(params)), ", "))
		}
		if i+1 < len(pieces) && strings.Contains(value, p.Until) {
			return "", fmt.Errorf("key %s: {%s} must not contain '%s' because a further segment follows, found %q; escape or refuse such ids",
				t, p.Parameter, p.Until, value)
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
	var values template.Values
	if rest, ok := pieces.Take(key, &values); !ok || rest != "" {
		return nil, &formError{t, key}
	}
	params := Params{}
	n := 0
	for _, p := range pieces {
		if p.Parameter == "" {
			continue
		}
		if earlier, seen := params[p.Parameter]; seen && earlier != values[n] {
			return nil, fmt.Errorf("key %q: {%s} stands twice with different values %q and %q", key, p.Parameter, earlier, values[n])
		}
		params[p.Parameter] = values[n]
		n++
	}
	return params, nil
}

// formError says that a key does not have a template's form. Who asks which form a key has gets one for each other form, and
// prints none.
type formError struct {
	template KeyTemplate
	key      string
}

func (e *formError) Error() string {
	return fmt.Sprintf("expected a key of the form %s, found %q", e.template, e.key)
}

// ParseBeginning returns the parameters that the beginning of a key holds whole.
func (t KeyTemplate) ParseBeginning(beginning string) (Params, error) {
	pieces, err := t.pieces()
	params := Params{}
	for i, p := range pieces {
		value := p.Literal
		if p.Parameter != "" {
			var whole bool
			if value, _, whole = strings.Cut(beginning, p.Until); !whole || i == len(pieces)-1 {
				break
			}
			params[p.Parameter] = value
		}
		rest, is := strings.CutPrefix(beginning, value)
		if !is {
			break
		}
		beginning = rest
	}
	return params, err
}

// Validate reports a malformed template.
func (t KeyTemplate) Validate() error {
	_, err := t.pieces()
	return err
}
