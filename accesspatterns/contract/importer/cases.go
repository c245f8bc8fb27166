package importer

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract/file"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
)

// pattern is an access pattern with what the source gives to try it.
type pattern struct {
	file.Pattern
	node   *yaml.Node
	writes bool
	// tries are values of its parameters, of which the first that try it are taken.
	tries []ap.Params
	// puts are the items that it puts, by role, and edits the updates whose outcome is an item.
	puts  map[string]ap.Item
	edits map[string]*sdk.Write
}

// newPattern begins a pattern whose title stands in a node.
func newPattern(title *yaml.Node, at ap.Citation) *pattern {
	p := &pattern{node: title, puts: map[string]ap.Item{}, edits: map[string]*sdk.Write{}}
	p.Title, p.Cite = title.Value, at
	return p
}

// unsaid is an access pattern of the source that the contract cannot say.
type unsaid struct {
	ap.NotCheckable
	line int
}

type decoy struct {
	Item string `json:"item"`
	Why  string `json:"why"`
}

// tried is a case as its file has it.
type tried struct {
	Pattern string              `json:"pattern"`
	Name    string              `json:"name,omitempty"`
	Params  ap.Params           `json:"params"`
	Items   map[string]string   `json:"items,omitempty"`
	Expect  []string            `json:"expect,omitempty"`
	Steps   map[string][]string `json:"steps,omitempty"`
	Error   string              `json:"error,omitempty"`
	Reasons []string            `json:"reasons,omitempty"`
	Present []string            `json:"present,omitempty"`
	Absent  []string            `json:"absent,omitempty"`
	Decoys  []decoy             `json:"decoys,omitempty"`
	// Computed is always so: the expectations follow from the request, and nobody wrote them.
	Computed bool `json:"computed"`
}

// cannot lists an access pattern that the contract cannot say, with the reason.
func (d *draft) cannot(node *yaml.Node, title, because string, args ...any) {
	d.unsay(d.newID(title), node, title, because, args...)
}

func (d *draft) unsay(id string, node *yaml.Node, title, because string, args ...any) {
	d.unsaid = append(d.unsaid, unsaid{
		ap.NotCheckable{ID: id, Says: title, Because: fmt.Sprintf(because, args...), Cite: d.cite(node)}, node.Line,
	})
}

// noWord is what stands between the words of an id.
var noWord = regexp.MustCompile(`[^a-z0-9]+`)

// newID is the id of an access pattern: the words of its title, and a number where
// another has these.
func (d *draft) newID(title string) string {
	id := strings.Trim(noWord.ReplaceAllString(strings.ToLower(title), "-"), "-")
	return unique(cmp.Or(id, "pattern"), "-", func(id string) bool {
		return slices.ContainsFunc(d.patterns, func(p *pattern) bool { return p.ID == id }) || slices.ContainsFunc(d.unsaid, func(u unsaid) bool { return u.ID == id })
	})
}

// cases tries every pattern on the source's items. One that the contract refuses, or that these items do not try, is left to
// the author with the reason.
func (d *draft) cases() (all []tried) {
	if d.load(d.patterns...) != nil { // one or several do not fit
		var fit []*pattern
		for _, p := range d.patterns {
			if err := d.load(slices.Concat(fit, []*pattern{p})...); err != nil {
				_, because, _ := strings.Cut(err.Error(), ": ") // behind its place
				d.unsay(p.ID, p.node, p.Title, "%s", strings.ReplaceAll(because, "\n", "; "))
				continue
			}
			fit = append(fit, p)
		}
		d.patterns = fit
		_ = d.load(fit...) // as it was just now
	}
	for before := -1; before < len(d.samples); { // again where an item was made that must not come back
		before, all, d.parts = len(d.samples), nil, nil
		d.patterns = slices.DeleteFunc(d.patterns, func(p *pattern) bool {
			compiled, _ := d.design.Pattern(p.ID)
			try := d.read
			if p.writes {
				try = d.written
			}
			cases, err := try(p, compiled)
			if err != nil {
				d.unsay(p.ID, p.node, p.Title, "%v", err)
			}
			all = append(all, cases...)
			return err != nil
		})
	}
	return all
}

func (d *draft) samplesIn(table string) []*sample {
	return slices.DeleteFunc(slices.Clone(d.samples), func(s *sample) bool { return s.table.id != table })
}

// found are the samples that a read returns, in its order.
func (d *draft) found(r *ap.Read, params ap.Params) (all []*sample, err error) {
	items := lists.Map(d.samplesIn(r.Table), func(s *sample) ap.Item { return s.item })
	table, _ := d.design.Table(r.Table)
	returned, err := evaluate.Read(r, table, items, params)
	return lists.Map(returned, func(item ap.Item) *sample { return d.sample(d.tableOf(r.Table), item) }), err
}

// maxDecoys is how many decoys a case names.
const maxDecoys = 10

// read is the case of a pattern that reads.
func (d *draft) read(p *pattern, compiled *ap.Pattern) (cases []tried, err error) {
	for _, params := range p.tries {
		c := tried{Pattern: p.ID, Params: ap.Params{}, Steps: map[string][]string{}, Computed: true}
		count, several := 0, false
		var kinds []string
		var last *sample
		for i := range compiled.Steps {
			r := compiled.Steps[i].Read
			for _, name := range r.Parameters() {
				c.Params[name] = params[name]
			}
			returned, err := d.found(r, params)
			if err != nil {
				return nil, err
			}
			all := *r
			all.Filter, all.Limit = nil, 0
			inspected, _ := d.found(&all, params)
			names := []string{}
			for _, last = range returned {
				names = append(names, d.returned(p, r, last))
				kinds = lists.With(kinds, last.Entity)
			}
			count += len(returned)
			c.Steps[compiled.Steps[i].Name] = names
			if several = several || r.Operation != dynamo.GetItem; !several {
				continue
			}
			for _, s := range d.samplesIn(r.Table) {
				switch {
				case len(c.Decoys) == maxDecoys || slices.Contains(returned, s):
				case !slices.Contains(inspected, s):
					c.Decoys = append(c.Decoys, decoy{s.Name, "the condition does not hold for it"})
				case holds(r, s.item, params):
					c.Decoys = append(c.Decoys, decoy{s.Name, "beyond the limit"})
				default:
					c.Decoys = append(c.Decoys, decoy{s.Name, "the filter leaves it out"})
				}
			}
		}
		switch {
		case count == 0:
			continue
		case !several || len(c.Decoys) > 0:
		case d.decoyOf(last):
			return []tried{c}, nil // it is tried again with the item that was made
		default:
			return nil, cannotSay("it returns all items that can be made of the source's; transcribe it, with items that it must not return")
		}
		if len(compiled.Steps) == 1 {
			c.Expect, c.Steps = c.Steps[compiled.Steps[0].Name], nil
		}
		p.Returns = kinds
		return []tried{c}, nil
	}
	return nil, cannotSay("no item of the source has the values that it asks for; transcribe it, with items that do")
}

func holds(r *ap.Read, item ap.Item, params ap.Params) bool {
	passes, err := evaluate.FilterHolds(r.Filter, item, params)
	return passes && err == nil
}

// decoyOf makes an item that has the values of another and other keys; false where there is one already.
func (d *draft) decoyOf(s *sample) bool {
	e, known := d.design.Entity(s.Entity)
	if !known || s.Note != "" {
		return false
	}
	item := made(e, s.item, "")
	if d.sample(s.table, item) != nil {
		return false
	}
	d.add(&sample{Name: d.itemName(s.Name + "-made"), Entity: s.Entity, item: item, table: s.table, Note: "made by the import of " + s.Name + ", with other keys"})
	return true
}

// returned is the name of what comes back of an item: a part of it where the pattern
// projects, which is held beside the items.
func (d *draft) returned(p *pattern, r *ap.Read, s *sample) string {
	if len(r.Projection) == 0 {
		return s.Name
	}
	part := &sample{Name: s.Name + "-in-" + p.ID, Entity: s.Entity, Held: true, table: s.table, item: evaluate.Project(s.item, r.Projection)}
	if !slices.ContainsFunc(d.parts, func(other *sample) bool { return other.Name == part.Name }) {
		d.parts = append(d.parts, part)
	}
	return part.Name
}

// candidate is a way to try a pattern that writes.
type candidate struct {
	params ap.Params
	puts   map[string]ap.Item
}

// written are the cases of a pattern that writes: one that succeeds and, where there
// are conditions, one that is refused. Where the source's items do not show that it
// writes it says so.
func (d *draft) written(p *pattern, compiled *ap.Pattern) (cases []tried, err error) {
	step := &compiled.Steps[0]
	all := d.candidates(p, step)
	for _, refused := range []bool{false, true} {
		for _, each := range all {
			if c, tries := d.try(p, step, each, refused); tries {
				cases = append(cases, c)
				break
			}
		}
		if len(cases) == 0 {
			return nil, cannotSay("the source's items do not try it, for it is refused or changes none of them; transcribe it, with items that it changes")
		}
	}
	return cases, nil
}

// candidates are the keys and items to try a pattern with: those of the source, new keys for what it puts, for a single write the
// keys of the other items of its entity, and keys that are not there.
func (d *draft) candidates(p *pattern, step *ap.Step) (all []candidate) {
	with := func(params ap.Params) candidate { return candidate{params, p.puts} }
	all = lists.Map(p.tries, with)
	fresh, missing := maps.Clone(p.puts), []ap.Params{}
	for a := range lists.Each(step.Write) {
		if e, known := d.design.Entity(a.Entity); a.Kind == ap.Put && known {
			table, _ := d.design.Table(a.Table)
			fresh[a.Item] = made(e, p.puts[a.Item], lastOf(table, e))
			continue
		}
		for k := len(a.Key) - 1; k >= 0; k-- {
			if names := a.Key[k].Value.Template.Parameters(); len(names) > 0 {
				missing = append(missing, p.tries[0].With(names[0], another(p.tries[0][names[0]], a.Key[k].Value.Type == dynamo.Number)))
				break
			}
		}
	}
	all = append(all, candidate{p.tries[0], fresh})
	if a := &step.Write[0]; len(step.Write) == 1 {
		for _, s := range d.samplesIn(a.Table) {
			if a.Kind == ap.Put {
				if s.Entity == a.Entity {
					table, _ := d.design.Table(a.Table)
					moved := maps.Clone(p.puts[a.Item])
					maps.Copy(moved, table.KeyOf(s.item))
					all = append(all, candidate{p.tries[0], map[string]ap.Item{a.Item: moved}})
				}
				continue
			}
			params, fits := maps.Clone(p.tries[0]), true
			for _, part := range a.Key {
				values, err := part.Value.Template.Parse(dynamo.ScalarText(s.item[part.Attribute]))
				fits = fits && err == nil
				maps.Copy(params, values)
			}
			if fits {
				all = append(all, with(params))
			}
		}
	}
	return append(all, lists.Map(missing, with)...)
}

// lastOf is the last key attribute of a table whose template in an entity has parameters.
func lastOf(table *ap.Table, e *ap.Entity) string {
	keys := table.Keys()
	for i := len(keys) - 1; i > 0; i-- {
		if k, has := e.Key(keys[i].Attribute); has && len(k.Template.Parameters()) > 0 {
			return k.Attribute
		}
	}
	return keys[0].Attribute
}

// change is what a write does to an item. role is that of the item that it puts, or that its edits make.
type change struct {
	sdk.Write
	entity, role  string
	before, after ap.Item
	stored        *sample
	refused       bool
}

// change is what an action does to the items, given the parameters and items to try it with.
func (d *draft) change(p *pattern, a *ap.Action, with candidate, tables evaluate.Tables) (of change, err error) {
	table, _ := d.design.Table(a.Table)
	item := with.puts[a.Item]
	if edit := p.edits[a.Item]; a.Item != "" && edit != nil {
		key := ap.Item{}
		for _, part := range a.Key {
			key[part.Attribute], _ = part.Value.Resolve(with.params)
		}
		if item, err = evaluate.Update(edit, tables[a.Table][evaluate.KeyText(table, key)]); err != nil {
			return of, err
		}
		maps.Copy(item, key)
	}
	if of.Write, err = sdk.ActionWrite(a, a.Table, item, with.params, a.Edits); err != nil {
		return of, err
	}
	of.role, of.entity = a.Item, a.Entity
	if entities := d.design.EntitiesOf(a.Table, of.Place()); of.entity == "" && len(entities) > 0 {
		of.entity = entities[0].ID
	}
	of.before, of.stored = tables[a.Table][evaluate.KeyText(table, of.Place())], d.sample(d.tableOf(a.Table), of.Place())
	of.after, err = evaluate.After(&of.Write, of.before)
	if of.refused = errors.Is(err, evaluate.ErrCondition); of.refused { // what it would do otherwise
		plain := of.Write
		plain.Condition = nil
		of.after, err = evaluate.After(&plain, of.before)
		if err != nil {
			of.after, err = of.before, nil
		}
	}
	return of, err
}

// try is the case of a pattern with these keys and items; false where it does not
// show what is asked.
func (d *draft) try(p *pattern, step *ap.Step, with candidate, refused bool) (c tried, tries bool) {
	name := map[bool]string{true: "refused"}[refused]
	c = tried{Pattern: p.ID, Name: name, Params: maps.Clone(with.params), Items: map[string]string{}, Computed: true}
	tables := evaluate.Tables{}
	for _, s := range d.samples {
		table, _ := d.design.Table(s.table.id)
		lists.Inner(tables, s.table.id)[evaluate.KeyText(table, s.item)] = s.item
	}
	var changes []change
	var writes []sdk.Write
	changed := refused
	for i := range step.Write {
		a := &step.Write[i]
		of, err := d.change(p, a, with, tables)
		if err != nil || a.Kind == ap.Update && of.before == nil && !refused || i >= sdk.MaxBatch && step.Batch > 0 {
			return c, false
		}
		if e, known := d.design.Entity(a.Entity); a.Kind == ap.Put && known && len(step.Write) > 1 && step.Batch == 0 {
			table, _ := d.design.Table(a.Table)
			for name, value := range parameters(table, e, of.Item) {
				if known, given := c.Params[name]; given && known != value {
					return c, false
				}
			}
		}
		c.Reasons = append(c.Reasons, map[bool]string{true: "ConditionalCheckFailed", false: "None"}[of.refused])
		changed = changed || !dynamo.EqualItems(of.after, of.before)
		changes, writes = append(changes, of), append(writes, of.Write)
	}
	if err := tables.Apply(d.design.Table, writes); (err != nil) != refused || err != nil && !errors.Is(err, evaluate.ErrCondition) || !changed {
		return c, false
	}
	for _, of := range changes {
		d.outcome(&c, of, strings.TrimSuffix(p.ID+"-"+name, "-")+"-"+of.entity, refused)
	}
	switch {
	case !refused:
		c.Reasons = nil
	case len(writes) > 1:
		c.Error = "TransactionCanceledException"
	default:
		c.Error, c.Reasons = "ConditionalCheckFailedException", nil
	}
	return c, len(c.Present)+len(c.Absent) > 0
}

// outcome says in a case what is there after a write, and what is not.
func (d *draft) outcome(c *tried, of change, name string, refused bool) {
	after := ""
	switch {
	case of.after == nil || of.Kind == ap.ConditionCheck:
	case of.stored != nil && dynamo.EqualItems(of.after, of.before):
		after = of.stored.Name
	case of.role != "" || !refused || of.before == nil:
		after = d.held(name, of.entity, of.Table, of.after)
	}
	if of.role != "" {
		c.Items[of.role] = after
	}
	switch {
	case of.Kind == ap.ConditionCheck:
	case refused && of.stored != nil:
		c.Present = append(c.Present, of.stored.Name)
	case refused && after != "":
		c.Absent = append(c.Absent, after)
	case refused:
	case of.after == nil && of.stored != nil:
		c.Absent = append(c.Absent, of.stored.Name)
	case of.after != nil:
		c.Present = append(c.Present, after)
	}
}

func (d *draft) tableOf(id string) *table {
	return find(d.tables, func(t *table) bool { return t.id == id })
}

// itemName is a name that no item has yet.
func (d *draft) itemName(name string) string {
	return unique(name, "-", func(name string) bool {
		return slices.ContainsFunc(slices.Concat(d.samples, d.parts), func(s *sample) bool { return s.Name == name })
	})
}

// held adds an item that a write must leave, or puts, under a name of its own.
func (d *draft) held(name, entity, table string, item ap.Item) string {
	name = d.itemName(name)
	d.parts = append(d.parts, &sample{Name: name, Entity: entity, Held: true, item: item, table: d.tableOf(table)})
	return name
}
