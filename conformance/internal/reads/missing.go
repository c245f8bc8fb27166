package reads

import (
	"fmt"
	"slices"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/suite/patterns"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// Decoy is an item that the fixtures lack: without it a wrong form of a read returns what
// the right one does, in every case.
type Decoy struct {
	// ID is that of the mutant, as `dynaproof mutants` prints it.
	ID string `json:"id"`
	// Pattern is the id of the access pattern, and Step the name of its step where it
	// has several.
	Pattern string `json:"pattern"`
	Step    string `json:"step,omitempty"`
	// Wrong says how the read would be wrong, Needs which item would tell.
	Wrong string `json:"wrong"`
	Needs string `json:"needs"`
	// Says is all of it in a sentence.
	Says string `json:"says"`
}

// String says what is missing and why, in a sentence, and by which id a reason of equivalents.json answers it.
func (d Decoy) String() string {
	where := d.Pattern
	if d.Step != "" {
		where += ", step " + d.Step
	}
	return fmt.Sprintf("pattern %s: nothing tells the read from a wrong one (%s); load %s (%s)", where, d.Wrong, d.Needs, d.ID)
}

// Missing returns the decoys that a design's items lack, in the order of its patterns. It
// asks no engine: it says nothing of a read that no case of a flow comes to, and nothing of mutants that the fixtures call equivalent.
func Missing(design *ap.Design, set *fixtures.Set) ([]Decoy, error) {
	listed, err := fixtures.Equivalents(design.Name)
	if err != nil {
		return nil, err
	}
	var equivalent []string
	for _, entry := range listed {
		equivalent = append(equivalent, entry.Mutants...)
	}
	var all []Decoy
	loaded := session.InMemory(design, set)
	for pattern := range lists.Each(design.Patterns) {
		byStep := usesOf(loaded, pattern)
		for _, step := range pattern.Steps {
			uses := byStep[step.Name]
			if len(uses) == 0 {
				continue
			}
			table := uses[0].table
			for _, form := range append(WrongForms(table, step.Read), otherPartition(table, step.Read)...) {
				decoy := Decoy{ID: design.Name + "/pattern/" + pattern.ID + "/" + form.ID, Pattern: pattern.ID, Wrong: form.What, Needs: form.Needs}
				if len(pattern.Steps) > 1 {
					decoy.ID, decoy.Step = design.Name+"/pattern/"+pattern.ID+"/"+step.Name+"-"+form.ID, step.Name
				}
				decoy.Says = decoy.String()
				if !slices.Contains(equivalent, decoy.ID) && !slices.ContainsFunc(uses, func(u use) bool { return u.tells(form) }) {
					all = append(all, decoy)
				}
			}
		}
	}
	return all, nil
}

// otherPartition is a Query that does not look at its partition key. No request can be so,
// and `dynaproof mutants` has none: but without a neighbour nothing shows that the
// partition key is the right one. A partition that is the same for everybody has no
// neighbour that the rest of the read must find.
func otherPartition(table *ap.Table, read *ap.Read) []Form {
	if read.Operation != dynamo.Query || read.Partition == nil || len(read.Partition.Value.Template.Parameters()) == 0 {
		return nil
	}
	f := &forms{table: table, read: read}
	partition, _ := f.keys(read.Index)
	return []Form{{ID: "partition-ignored", Operator: "partition ignored", What: "of every " + partition, Needs: "an item of another " + partition + ", which the rest of the read would return",
		Change: func(read *ap.Read) { read.Partition = nil }}}
}

// use is a step in a case: with the items that are stored then, and the parameters of each
// repetition.
type use struct {
	set         *fixtures.Set
	table       *ap.Table
	read        *ap.Read
	items       []ap.Item
	repetitions []ap.Params
	right       []ap.Item
}

// usesOf returns the uses of the read steps of a pattern, by step. There are none of a step where a case expects another number of
// items than it returns.
func usesOf(loaded *session.Session, pattern *ap.Pattern) map[string][]use {
	uses, unsettled := map[string][]use{}, map[string]bool{}
	for _, c := range loaded.Fixtures.CasesOf(pattern.ID) {
		s := session.Anew(loaded)
		patterns.Rehearse(s, pattern, c, nil, func(step *ap.Step, repetitions []ap.Params) {
			if step.Read == nil || unsettled[step.Name] {
				return
			}
			table, known := s.Design.Table(step.Read.Table)
			if !known {
				return
			}
			u := use{set: s.Fixtures, table: table, read: step.Read, items: s.Memory.Stored(step.Read.Table), repetitions: repetitions}
			var err error
			if u.right, err = u.returned(step.Read); err != nil || len(u.right) != len(c.Steps[step.Name]) {
				unsettled[step.Name], uses[step.Name] = true, nil
				return
			}
			uses[step.Name] = append(uses[step.Name], u)
		})
	}
	return uses
}

// tells says whether the case notices the wrong form: by other items, by another order
// where one is promised, by items that the reader sees and should not, or because no
// request can be made of it.
func (u use) tells(form Form) bool {
	wrong := u.read.WithOwnKeys()
	form.Change(wrong)
	if wrong.Partition != nil && wrong.Fits(u.table) != nil {
		return true
	}
	found, err := u.returned(wrong)
	if err != nil {
		return true
	}
	now := u.set.At.Unix()
	return !u.same(u.right, found) || !u.same(u.read.Live(u.right, now), wrong.Live(found, now))
}

// same compares what two reads return: the items, with what of them comes back, and where the order counts what they are
// sorted by.
func (u use) same(right, found []ap.Item) bool {
	if !slices.Equal(slices.Sorted(slices.Values(lists.Map(right, dynamo.ShowItem))), slices.Sorted(slices.Values(lists.Map(found, dynamo.ShowItem)))) {
		return false
	}
	keys, _ := u.table.KeysOf(u.read.Index)
	if u.read.Order == ap.AnyOrder || len(keys) < 2 {
		return true
	}
	sorted := func(item ap.Item) string { return dynamo.Show(item[keys[1].Attribute]) }
	return slices.Equal(lists.Map(right, sorted), lists.Map(found, sorted))
}

// returned are the items that a read returns, over all repetitions.
func (u use) returned(read *ap.Read) ([]ap.Item, error) {
	var all []ap.Item
	for _, params := range u.repetitions {
		items, err := evaluate.Read(read, u.table, u.items, params)
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			if len(read.Projection) == 0 { // an index gives what it copies
				item = evaluate.Carried(u.table, read.Index, item)
			}
			all = append(all, item)
		}
	}
	return all, nil
}
