package requests

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/validate"
)

// Varied says of which puts the guard of a design decides otherwise than it should where one value is another. Of each kind of items and
// each attribute the first honest request that puts it is varied: with NULL, and with a value of another type, it must be refused, unless the
// row of the kind says otherwise, and without an attribute of the table's key. What else such a row says is tried on the same requests.
func (j *Judge) Varied(all []Asked) (problems []string) {
	v := varier{j, nil}
	said, puts := map[string]*Asked{}, map[string][]put{}
	var kinds []string
	for a := range lists.Each(all) {
		if a.Of != "" {
			said[a.Of] = a
			if a.Put != "" {
				kinds, puts[a.Of] = append(kinds, a.Of), []put{{a, 0}}
			}
		}
		if a.Honest == "" || a.Told != "" {
			continue
		}
		for n, one := range a.actions() {
			if one.Put == "" {
				continue
			}
			kind := v.kind(&one)
			if puts[kind] == nil {
				kinds = append(kinds, kind)
			}
			puts[kind] = append(puts[kind], put{a, n})
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(said)) {
		if table, every := strings.CutSuffix(kind, " *"); every {
			for _, each := range kinds {
				if of, _, _ := strings.Cut(each, " "); of == table {
					v.every(each, puts[each], said[kind], said[each])
				}
			}
			continue
		}
		if puts[kind] == nil {
			v.problems = append(v.problems, fmt.Sprintf("%s (%s): no honest request puts such an item", kind, said[kind].Cite))
			continue
		}
		row := said[kind]
		for _, tried := range []struct {
			values       map[string][]any
			passes, tied bool
		}{{without(row.Without), false, false}, {without(row.Lacking), true, false}, {row.Refused, false, false}, {row.Tied, false, true}, {row.Passes, true, false}} {
			for _, path := range slices.Sorted(maps.Keys(tried.values)) {
				for _, value := range tried.values[path] {
					v.try(kind, puts[kind], path, value, tried.passes, tried.tied)
				}
			}
		}
	}
	for _, kind := range kinds {
		row := said[kind]
		if row == nil {
			row = &Asked{}
		}
		seen := map[string]bool{}
		for _, one := range puts[kind] {
			action := one.of.actions()[one.n]
			for _, name := range slices.Sorted(maps.Keys(action.Item)) {
				value := action.Item[name]
				if seen[name] || value == nil {
					continue
				}
				seen[name] = true
				if !slices.Contains(row.Tied[name], nil) {
					v.try(kind, puts[kind], name, nil, slices.Contains(row.Open, name) || slices.Contains(row.Null, name), false)
				}
				if !slices.Contains(row.Tied[name], another(value)) {
					v.try(kind, puts[kind], name, another(value), slices.Contains(row.Open, name), false)
				}
				if v.isKey(action.Put, name) {
					v.try(kind, puts[kind], name, absent, false, false)
				}
			}
		}
	}
	v.reads(all)
	v.transactions(all)
	return v.problems
}

// every tries on one kind of items what a row says of all kinds of a table: an attribute that the last put lacks is added to it. What the row of the kind lets
// through, stays with it.
func (v *varier) every(kind string, puts []put, row, own *Asked) {
	last := puts[len(puts)-1]
	for _, path := range row.Without {
		if own == nil || !slices.Contains(own.Lacking, path) {
			v.try(kind, puts, path, absent, false, false)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(row.Refused)) {
		for _, value := range row.Refused[path] {
			if _, has := last.of.with(last.n, path, value); has {
				v.try(kind, puts, path, value, false, false)
			} else {
				v.try(kind, []put{last}, "+"+path, value, false, false)
			}
		}
	}
}

// transactions varies the honest ones: with another id in the key of one action, and in what it puts beside it, where another action
// has the same id. What belongs together must be refused apart, but for the ids that a row says are Free. One of each form is sent.
func (v *varier) transactions(all []Asked) {
	seen := map[string]bool{}
	for a := range lists.Each(all) {
		if a.Honest == "" || a.Told != "" || len(a.Transact) > 0 && a.Transact[0].Get != "" {
			continue
		}
		kinds := a.As
		for _, one := range a.Transact {
			kinds += fmt.Sprintf("|%s/%s/%s/%s", one.Put, one.Update, one.Delete, one.Check)
		}
		for n := range a.Transact {
			one := &a.Transact[n]
			key := one.Key
			if one.Put != "" {
				key = maps.Clone(one.Item)
				maps.DeleteFunc(key, func(name string, _ any) bool { return !v.isKey(one.Put, name) })
			}
			for _, id := range slices.Sorted(maps.Keys(ids(key))) {
				form := fmt.Sprint(kinds, n, numbers.ReplaceAllString(strings.ReplaceAll(fmt.Sprint(key), id, "*"), ""))
				shared := slices.ContainsFunc(slices.Concat(a.Transact[:n], a.Transact[n+1:]), func(other action) bool {
					return ids(other.Key)[id] || ids(other.Item)[id]
				})
				if !shared || seen[form] || slices.Contains(a.Free, id) {
					continue
				}
				seen[form] = true
				varied := *a
				varied.Transact = slices.Clone(a.Transact)
				varied.Transact[n].Key, varied.Transact[n].Item = apart(one.Key, id), apart(one.Item, id)
				v.decide(&varied, fmt.Sprintf("%s (%s) with another id than %s in action %d", a.Honest, a.Cite, id, n+1), false)
			}
		}
	}
}

// ids are the parts of texts that are no word in capitals.
func ids(of map[string]any) map[string]bool {
	all := map[string]bool{}
	for _, value := range of {
		if text, is := value.(string); is {
			for _, part := range strings.Split(text, "#") {
				all[part] = !capitals.MatchString(part)
			}
		}
	}
	maps.DeleteFunc(all, func(_ string, is bool) bool { return !is })
	return all
}

// apart is what has another id of the same form in place of one.
func apart(from map[string]any, id string) map[string]any {
	at := strings.LastIndexFunc(id, func(r rune) bool { return r != 'Z' && (unicode.IsLetter(r) || unicode.IsDigit(r)) })
	to := maps.Clone(from)
	for name, value := range from {
		if text, is := value.(string); is && at >= 0 {
			parts := strings.Split(text, "#")
			for i, part := range parts {
				if part == id {
					parts[i] = id[:at] + map[bool]string{true: "2", false: "1"}[id[at] == '1'] + id[at+1:]
				}
			}
			to[name] = strings.Join(parts, "#")
		}
	}
	return to
}

var inCapitals = regexp.MustCompile(`'([A-Z][A-Z_]+)'`)

// reads varies the honest reads: with another word in place of one in capitals, in the key or an expression, and with an inequality or
// nothing in place of a filter's equality. One of each form is sent.
func (v *varier) reads(all []Asked) {
	seen := map[string]bool{}
	for a := range lists.Each(all) {
		if a.Honest == "" || a.Told != "" || a.Get+a.Query == "" {
			continue
		}
		try := func(how string, change func(*Asked)) {
			form := strings.Join([]string{a.As, a.Get, a.Query, numbers.ReplaceAllString(a.Where+a.Filter, ""), a.Project, how}, "|")
			if seen[form] {
				return
			}
			seen[form] = true
			varied := *a
			change(&varied)
			v.decide(&varied, fmt.Sprintf("%s (%s) %s", a.Honest, a.Cite, how), false)
		}
		for _, name := range slices.Sorted(maps.Keys(a.Key)) {
			if text, is := a.Key[name].(string); is && capitals.MatchString(text) {
				try("with OTHER as "+name, func(varied *Asked) {
					varied.Key = maps.Clone(a.Key)
					varied.Key[name] = "OTHER"
				})
			}
		}
		if at := inCapitals.FindStringIndex(a.Where); at != nil {
			try("with OTHER in the key condition", func(varied *Asked) { varied.Where = a.Where[:at[0]] + "'OTHER'" + a.Where[at[1]:] })
		}
		if at := inCapitals.FindStringIndex(a.Filter); at != nil {
			try("with OTHER in the filter", func(varied *Asked) { varied.Filter = a.Filter[:at[0]] + "'OTHER'" + a.Filter[at[1]:] })
		}
		if strings.Contains(a.Filter, " = ") {
			try("with >= in the filter", func(varied *Asked) { varied.Filter = strings.Replace(a.Filter, " = ", " >= ", 1) })
			if !slices.Contains(a.Free, "filter") {
				try("without its filter", func(varied *Asked) { varied.Filter, varied.Values = "", nil })
			}
		}
	}
}

var numbers = regexp.MustCompile(`[0-9a-f-]*[0-9][0-9a-f-]*`)

// put is an action of an honest request.
type put struct {
	of *Asked
	n  int
}

type varier struct {
	*Judge
	problems []string
}

func (v *varier) isKey(table, name string) bool {
	of, known := v.design.Table(table)
	return known && of.Keys().Has(name)
}

// kind names what an action puts by the table and the words in capitals of its key: MILESTONE#AWARD of MILESTONE#m1#AWARD#1.
func (v *varier) kind(one *action) string {
	kind := one.Put
	for _, name := range slices.Sorted(maps.Keys(one.Item)) {
		if v.isKey(one.Put, name) {
			words := slices.DeleteFunc(strings.Split(fmt.Sprint(one.Item[name]), "#"), func(word string) bool { return !capitals.MatchString(word) })
			kind = strings.TrimSpace(kind + " " + strings.Join(words, "#"))
		}
	}
	return kind
}

var capitals = regexp.MustCompile(`^[A-Z][A-Z_]+$`)

// try sends the first and the last of some puts that have a value at a path with another one. What must be refused as a request, no kind of items may take either.
// A tied value the first request alone decides.
func (v *varier) try(kind string, puts []put, path string, value any, passes, tied bool) {
	found := func(one put) bool {
		_, is := one.of.with(one.n, path, value)
		return is
	}
	first := slices.IndexFunc(puts, found)
	if first < 0 {
		v.problems = append(v.problems, fmt.Sprintf("%s: no honest request has %s", kind, path))
		return
	}
	if tied && !slices.ContainsFunc(puts, func(one put) bool {
		varied, is := one.of.with(one.n, path, value)
		return is && v.taken(one.of.actions()[one.n], varied.actions()[one.n]) != ""
	}) {
		v.problems = append(v.problems, fmt.Sprintf("%s: expected that an item may have %v as %s, found no kind that takes it", kind, value, path))
	}
	last := len(puts) - 1
	for last > first && (tied || !found(puts[last])) {
		last--
	}
	for _, at := range slices.Compact([]int{first, last}) {
		one := puts[at]
		varied, _ := one.of.with(one.n, path, value)
		how := fmt.Sprintf("%s (%s) with %v as %s of %s", one.of.Honest, one.of.Cite, value, path, kind)
		if value == absent {
			how = fmt.Sprintf("%s (%s) without %s of %s", one.of.Honest, one.of.Cite, path, kind)
		}
		taken := v.taken(one.of.actions()[one.n], varied.actions()[one.n])
		if !passes && !tied && taken != "" {
			v.problems = append(v.problems, fmt.Sprintf("%s: expected no kind of items to take it, found %s", how, taken))
		}
		if one.of.Honest == "" { // nobody writes it
			if passes && taken == "" {
				v.problems = append(v.problems, fmt.Sprintf("%s: expected a kind of items to take it", how))
			}
			continue
		}
		v.decide(varied, how, passes)
	}
}

// decide reports a request, named as the honest one that it is varied from and how, of which the guard does not decide as it must.
func (v *varier) decide(varied *Asked, how string, passes bool) {
	g, err := v.guard(varied.As)
	var input any
	if err == nil {
		input, err = varied.Input(v.design)
	}
	if err != nil {
		v.problems = append(v.problems, fmt.Sprintf("%s: %v", how, err))
		return
	}
	switch admission, refusal := g.Check(context.Background(), input); {
	case refusal != nil && passes:
		v.problems = append(v.problems, fmt.Sprintf("%s: expected to pass, found %v", how, refusal))
	case refusal == nil && !passes:
		v.problems = append(v.problems, fmt.Sprintf("%s: expected a refusal, found it admitted as %v", how, admission.Admission))
	}
}

// taken is the kind of items that an item is of, and still is where a value is another; empty for none.
func (v *varier) taken(one, varied action) string {
	before, after := attributeValues(one.Item), attributeValues(varied.Item)
	for _, entity := range v.design.EntitiesOf(one.Put, before) {
		if len(validate.Item(entity, before)) == 0 && len(validate.Item(entity, after)) == 0 {
			return entity.ID
		}
	}
	return ""
}

// without gives no value at all to each path.
func without(paths []string) map[string][]any {
	all := map[string][]any{}
	for _, path := range paths {
		all[path] = []any{absent}
	}
	return all
}

// absent stands for no value at all.
var absent = any(struct{ absent string }{"no value"})

// another is a value of another type.
func another(value any) any {
	switch value.(type) {
	case int, float64:
		return "text"
	}
	return 7
}

func (a *Asked) actions() []action {
	switch {
	case a.Transact != nil:
		return a.Transact
	case a.Batch != nil:
		return a.Batch
	}
	return []action{a.action}
}

// with is the request with another value at a path of what one of its actions puts; a path that begins
// with + is of an attribute that comes. found is false where nothing stands there.
func (a *Asked) with(n int, path string, value any) (varied *Asked, found bool) {
	changed := *a
	changed.Transact, changed.Batch = slices.Clone(a.Transact), slices.Clone(a.Batch)
	one := &changed.action
	if a.Transact != nil || a.Batch != nil {
		one = &changed.actions()[n]
	}
	item := attributeValues(one.Item)
	path, comes := strings.CutPrefix(path, "+")
	at, err := evaluate.PlaceOf(path)
	switch {
	case err != nil || !comes && evaluate.At(item, at) == nil || value == absent && strings.HasSuffix(path, "]"):
		return &changed, false
	case value == absent:
		err = evaluate.Remove(item, at)
	default:
		err = evaluate.Put(item, at, attributeValue(value))
	}
	one.Item = map[string]any{}
	for name, value := range item {
		one.Item[name] = value
	}
	return &changed, err == nil
}
