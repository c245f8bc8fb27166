package accesspatterns

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
)

// Repetitions returns the parameters of each repetition of the step: one for a
// step that is not repeated, one for each element or item of an earlier step,
// one for each day of a range. returned gives the items of an earlier read step
// by its name.
func (s *Step) Repetitions(params Params, returned map[string][]Item) ([]Params, error) {
	if s.ForEach == nil {
		return []Params{params}, nil
	}
	all, err := s.ForEach.repetitions(params, returned)
	if err != nil {
		return nil, fmt.Errorf("step %s: %w", s.Name, err)
	}
	return all, nil
}

func (e *ForEach) repetitions(params Params, returned map[string][]Item) (all []Params, err error) {
	if e.Step == "" {
		days, err := daysBetween(params[e.From], params[e.To], e.MaxDays)
		return lists.Map(days, func(day string) Params { return params.With(e.Parameter, day) }), err
	}
	for _, item := range returned[e.Step] {
		bound, err := e.bind(params, item)
		if err != nil {
			return nil, fmt.Errorf("an item of step %s: %w", e.Step, err)
		}
		all = append(all, bound...)
	}
	if e.And != nil {
		var pairs []Params
		for _, repetition := range all {
			bound, err := e.And.repetitions(repetition, returned)
			if err != nil {
				return nil, err
			}
			pairs = append(pairs, bound...)
		}
		all = pairs
	}
	if e.Except == nil {
		return all, nil
	}
	excepted, err := e.Except.repetitions(params, returned)
	return slices.DeleteFunc(all, func(repetition Params) bool {
		return slices.ContainsFunc(excepted, func(except Params) bool {
			return !slices.ContainsFunc(e.Except.Bind, func(b Binding) bool { return repetition[b.Parameter] != except[b.Parameter] })
		})
	}), err
}

// Given are the parameters for which whoever uses the step gives values: those that its repetitions do not bind, and that the key of no
// item gives. What a request holds for items that play no role it has no need of.
func (s *Step) Given(plays func(role string) bool) (names []string) {
	var bound []string
	for each := s.ForEach; each != nil; each = each.And {
		bound = append(bound, each.Parameter)
		bound = append(bound, lists.Map(each.Bind, func(b Binding) string { return b.Parameter })...)
		if each.From != "" {
			names = append(names, each.From, each.To)
		}
	}
	needs := func(given []string, all ...string) {
		names = append(names, lists.Where(all, func(name string) bool { return !slices.Contains(given, name) })...)
	}
	if s.Read != nil {
		needs(bound, s.Read.Parameters()...)
	}
	if s.StopAt != nil {
		needs(bound, s.StopAt.Template.Parameters()...)
	}
	for a := range lists.Each(s.Write) {
		own := slices.Clone(bound)
		for _, key := range a.Key {
			if a.Item != "" {
				own = append(own, key.Value.Template.Parameters()...)
			}
		}
		if a.Item == "" || plays(a.Item) {
			needs(own, a.Parameters()...)
		}
	}
	return names
}

// BoundForms says which forms the parameters of a repeated step may have: those that the entities, which the earlier step reads, give to the
// attributes, in the template of a key or of a rule. Their parameters have names of their own. One empty set of forms says that nothing is
// known, as where an entity gives none.
func (d *Design) BoundForms(p *Pattern, each *ForEach) []map[string]KeyTemplate {
	all := []map[string]KeyTemplate{{}}
	for ; each != nil; each = each.And {
		source, known := p.Step(each.Step)
		if !known || source.Read == nil {
			continue
		}
		var next []map[string]KeyTemplate
		for _, entity := range d.ReturnedBy(source.Read) {
			forms := map[string]KeyTemplate{}
			for _, binding := range each.Bind {
				if form, known := entity.form(binding.Attribute); known && !form.Bare() {
					forms[binding.Parameter] = KeyTemplate(form.Replaced(func(parameter string) string { return "{" + binding.Parameter + "." + parameter + "}" }))
				}
			}
			if len(forms) == 0 {
				next = nil
				break
			}
			for _, before := range all {
				with := maps.Clone(before)
				maps.Copy(with, forms)
				if !slices.ContainsFunc(next, func(other map[string]KeyTemplate) bool { return maps.Equal(other, with) }) {
					next = append(next, with)
				}
			}
		}
		if len(next) > 0 {
			all = next
		}
	}
	return all
}

// form is that of an attribute: the template of a key, or of a rule.
func (e *Entity) form(attribute string) (KeyTemplate, bool) {
	if key, is := e.Key(attribute); is {
		return key.Template, true
	}
	for i := range e.Rules {
		if rule := &e.Rules[i]; rule.Attribute == attribute && rule.Template != "" {
			return rule.Template, true
		}
	}
	return "", false
}

// Ends reports whether a flow ends at a read step whose reader saw this many
// items over all repetitions.
func (s *Step) Ends(repetitions []Params, seen int) (bool, error) {
	if s.StopWhenEmpty && seen == 0 {
		return true, nil
	}
	if s.StopAt == nil || len(repetitions) == 0 {
		return false, nil
	}
	text, err := s.StopAt.Template.Format(repetitions[0])
	if err != nil {
		return false, fmt.Errorf("step %s: %w", s.Name, err)
	}
	most, err := strconv.Atoi(text)
	if err != nil {
		return false, fmt.Errorf("step %s: expected a whole number of items to stop at, found %q", s.Name, text)
	}
	return seen >= most, nil
}

// Walk goes through the steps of a flow, in their order, and calls visit for each with the parameters of its repetitions, or
// with why they cannot be told. What the reader of a step saw, visit returns, and whether the flow goes on; seen holds it by
// step. Walk returns the step at which the flow ended because of what was seen, nil where it did not.
func (p *Pattern) Walk(params Params, seen map[string][]Item, visit func(step *Step, repetitions []Params, err error) (saw []Item, goesOn bool)) (stopped *Step, err error) {
	for step := range lists.Each(p.Steps) {
		repetitions, err := step.Repetitions(params, seen)
		saw, goesOn := visit(step, repetitions, err)
		if !goesOn {
			return nil, nil
		}
		if step.Read == nil {
			continue
		}
		seen[step.Name] = saw
		if ends, err := step.Ends(repetitions, len(saw)); err != nil || ends {
			return step, err
		}
	}
	return nil, nil
}

// bind returns the parameters that one item gives: several when a binding is a
// set or a list.
func (e *ForEach) bind(params Params, item Item) ([]Params, error) {
	all := []Params{params}
	for _, binding := range e.Bind {
		var value types.AttributeValue = &types.AttributeValueMemberM{Value: item}
		for _, segment := range strings.Split(binding.Attribute, ".") {
			within, isMap := value.(*types.AttributeValueMemberM)
			if !isMap {
				value = nil
				break
			}
			value = within.Value[segment]
		}
		texts, several, err := textsOf(value)
		if err != nil {
			return nil, fmt.Errorf("expected text or digits in %s, found %w", binding.Attribute, err)
		}
		if several && len(all) > 1 {
			return nil, fmt.Errorf("%s: a second set or list to repeat for", binding.Attribute)
		}
		var bound []Params
		for _, before := range all {
			bound = append(bound, lists.Map(texts, func(text string) Params { return before.With(binding.Parameter, text) })...)
		}
		all = bound
	}
	return all, nil
}

// textsOf returns a value as parameters take it. Only a set or list may hold
// none or several.
func textsOf(value types.AttributeValue) (texts []string, several bool, err error) {
	switch value := value.(type) {
	case *types.AttributeValueMemberS:
		return []string{value.Value}, false, nil
	case *types.AttributeValueMemberN:
		return []string{value.Value}, false, nil
	case *types.AttributeValueMemberSS:
		return value.Value, true, nil
	case *types.AttributeValueMemberNS:
		return value.Value, true, nil
	case *types.AttributeValueMemberL:
		for _, element := range value.Value {
			text, nested, err := textsOf(element)
			if err != nil || nested {
				return nil, true, fmt.Errorf("a list with the element %s", dynamo.Show(element))
			}
			texts = append(texts, text...)
		}
		return texts, true, nil
	case nil:
		return nil, true, nil
	}
	return nil, false, errors.New(dynamo.Show(value))
}

// With returns the parameters with one more.
func (p Params) With(name, value string) Params {
	with := Params{}
	maps.Copy(with, p)
	with[name] = value
	return with
}

// daysBetween lists the dates of a range, both ends included.
func daysBetween(from, to string, atMost int) ([]string, error) {
	first, err := time.Parse(time.DateOnly, from)
	if err != nil {
		return nil, fmt.Errorf("expected a date YYYY-MM-DD, found %q", from)
	}
	last, err := time.Parse(time.DateOnly, to)
	if err != nil {
		return nil, fmt.Errorf("expected a date YYYY-MM-DD, found %q", to)
	}
	var days []string
	for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
		if len(days) == atMost {
			return nil, fmt.Errorf("expected a range of at most %d days, found %s to %s", atMost, from, to)
		}
		days = append(days, day.Format(time.DateOnly))
	}
	return days, nil
}
