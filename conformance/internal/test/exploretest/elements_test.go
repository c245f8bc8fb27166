package exploretest

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/explore"
	"dynaproof/accesspatterns/tabletest"
)

var (
	update = flag.Bool("update", false, "write the lines of the claims that are run anew in testdata/elements.txt")
	// `make mutants` takes all, which takes a minute of a processor.
	claims = flag.String("claims", "roll-model/,osem-ladders/,commit-collect/", "take out the elements of the claims whose ids begin in one of these ways alone; of all where it is empty")
)

// element is one thing that a contract demands of a request or of a flow, and that can be taken out of it.
type element struct {
	// kind is condition, tie, check, rises, for-each or stop-when-empty.
	kind                     string
	pattern, step, action, n int
	name                     string
}

// elementsOf lists the elements of the patterns that a claim is about: those of a role or, of a law, those that act on what its cone
// holds; of validity all.
func elementsOf(d *ap.Design, law *explore.Law) (all []element) {
	cone := map[string]bool{}
	for _, of := range law.Cone {
		entity, _, _ := strings.Cut(of, ":")
		cone[entity] = true
	}
	role, confined := strings.CutPrefix(law.Claim, "confinement/")
	for i := range d.Patterns {
		p := &d.Patterns[i]
		acts := confined && slices.Contains(p.Roles, role)
		for _, step := range p.Steps {
			for _, a := range step.Write {
				acts = acts || !confined && slices.ContainsFunc(entitiesOf(d, &a), func(id string) bool { return cone[id] })
			}
		}
		if !acts {
			continue
		}
		for j := range p.Steps {
			step := &p.Steps[j]
			add := func(kind string, action, n int, name string) {
				if len(p.Steps) > 1 {
					name = "step " + step.Name + ": " + name
				}
				all = append(all, element{kind, i, j, action, n, p.ID + ": " + name})
			}
			for k := range step.Write {
				a := &step.Write[k]
				what := strings.ToLower(string(a.Kind)) + " of " + strings.Join(entitiesOf(d, a), " or ")
				if a.Item != "" {
					what += " (" + a.Item + ")"
				}
				if a.Kind == ap.ConditionCheck {
					what = "check of " + strings.Join(entitiesOf(d, a), " or ")
					add("check", k, 0, what)
				}
				for n, condition := range a.Condition {
					if a.Kind == ap.ConditionCheck && len(a.Condition) == 1 {
						break // DynamoDB takes no check without a condition
					}
					add("condition", k, n, what+" if "+showCondition(condition))
				}
				for n, with := range a.With {
					add("tie", k, n, what+" with "+with.Attribute+" = "+string(with.Value.Template))
				}
			}
			if len(step.Rises) > 0 {
				add("rises", 0, 0, "rises")
			}
			if confined && step.ForEach != nil {
				add("for-each", 0, 0, "for-each")
			}
			if confined && step.StopWhenEmpty {
				add("stop-when-empty", 0, 0, "stop-when-empty")
			}
		}
	}
	return all
}

func entitiesOf(d *ap.Design, a *ap.Action) (ids []string) {
	if a.Kind == ap.Put {
		return []string{a.Entity}
	}
	key := ap.Item{}
	for _, part := range a.Key {
		params := ap.Params{}
		for _, p := range part.Value.Template.Parameters() {
			params[p] = "1"
		}
		key[part.Attribute], _ = part.Value.Resolve(params)
	}
	for _, e := range d.EntitiesOf(a.Table, key) {
		ids = append(ids, e.ID)
	}
	return ids
}

func showCondition(c ap.Condition) string {
	var texts []string
	for _, one := range c.Alternatives() {
		text := one.Attribute + " " + string(one.Operator)
		for _, value := range one.Operands() {
			text += " " + string(value.Template) + value.Attribute
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " or ")
}

// without is a copy of a design that lacks some elements.
func without(d *ap.Design, elements ...element) *ap.Design {
	changed := *d
	changed.Patterns = slices.Clone(d.Patterns)
	elements = slices.Clone(elements)
	slices.SortFunc(elements, func(a, b element) int { // from the last to the first, and an action last of all
		if (a.kind == "check") != (b.kind == "check") {
			return map[bool]int{true: 1, false: -1}[a.kind == "check"]
		}
		return (b.action-a.action)*100 + b.n - a.n
	})
	copied := map[int]bool{}
	for _, e := range elements {
		p := &changed.Patterns[e.pattern]
		if !copied[e.pattern] {
			copied[e.pattern] = true
			p.Steps = slices.Clone(p.Steps)
			for j := range p.Steps {
				p.Steps[j].Write = slices.Clone(p.Steps[j].Write)
			}
		}
		step := &p.Steps[e.step]
		switch e.kind {
		case "condition":
			a := &step.Write[e.action]
			a.Condition = slices.Delete(slices.Clone(a.Condition), e.n, e.n+1)
		case "tie":
			a := &step.Write[e.action]
			a.With = slices.Delete(slices.Clone(a.With), e.n, e.n+1)
		case "check":
			step.Write = slices.Delete(step.Write, e.action, e.action+1)
		case "rises":
			step.Rises = nil
		case "for-each":
			step.ForEach = nil
		case "stop-when-empty":
			step.StopWhenEmpty = false
		}
	}
	return &changed
}

// byFlow are the patterns of which single requests do not keep a claim.
func byFlow(l *explore.Law) []string { return patternsOf(l.ByFlow) }

func patternsOf(list []explore.Counterexample) (all []string) {
	for _, one := range list {
		all = append(all, one.Patterns...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// verdicts says of each element of one pattern whether the claim rests on it, as if the contract had no other pattern.
func verdicts(c *ap.Design, from *explore.Bases, of *explore.Law, elements []element) (lines []string, err error) {
	lines = make([]string, len(elements))
	pattern := c.Patterns[elements[0].pattern].ID
	if slices.Contains(of.Breakers(), pattern) && !slices.Contains(patternsOf(of.Alone), pattern) {
		for i, e := range elements {
			lines[i] = e.name + ": broken with it as well"
		}
		return lines, nil
	}
	alone := func(out ...element) (*explore.Law, error) {
		budget := explore.Usual
		budget.Only = []string{pattern}
		return explore.One(without(c, out...), from, budget, of.Claim)
	}
	// What nothing breaks without the elements, nothing broke with them: what was found with them is asked where something does.
	whole := sync.OnceValues(func() (*explore.Law, error) { return alone() })
	judged := map[string]string{}
	judge := func(out []element) string {
		law, err := alone(out...)
		if err != nil {
			return "no contract without it"
		}
		if law.Problem == "" && len(law.Broken)+len(law.ByFlow)+len(law.Alone) == 0 && !slices.Contains(law.Unmoved, pattern) {
			return ""
		}
		base, err := whole()
		switch {
		case err != nil:
			return err.Error() // no line of the list
		case law.Problem != base.Problem:
			return "found: " + law.Problem
		case !slices.Equal(patternsOf(law.Alone), patternsOf(base.Alone)):
			return "found, kept by one client at a time alone"
		case !slices.Equal(law.Breakers(), base.Breakers()):
			return "found"
		case !slices.Equal(byFlow(law), byFlow(base)):
			return "found, kept by the flow alone"
		case slices.Contains(law.Unmoved, pattern) && !slices.Contains(base.Unmoved, pattern):
			return "found, no request of it can be carried out"
		}
		return ""
	}
	try := func(out ...element) string { // in whatever order they are taken out
		var names []string
		for _, e := range out {
			names = append(names, fmt.Sprint(slices.Index(elements, e)))
		}
		slices.Sort(names)
		text := strings.Join(names, " ")
		if _, known := judged[text]; !known {
			judged[text] = judge(out)
		}
		return judged[text]
	}
	// Conditions and checks are taken out all at once, and so is what leads from step to step, ties one action's at a time, because the guard
	// ties puts that nothing else ties. Where that breaks the claim, each is taken out by itself.
	groups := map[string][]int{}
	for i, e := range elements {
		of := ""
		switch e.kind {
		case "tie":
			of = fmt.Sprint(e.step, " ", e.action)
		case "for-each", "stop-when-empty":
			of = "flow"
		}
		groups[of] = append(groups[of], i)
	}
	followed := false // what all at once let go, a flow may need to go on
	if slices.Contains(byFlow(of), pattern) || slices.Contains(patternsOf(of.Alone), pattern) {
		base, err := whole()
		if err != nil {
			return nil, err
		}
		followed = base.Courses > 0 && len(base.ByFlow)+len(base.Alone) > 0
	}
	for _, of := range slices.Sorted(maps.Keys(groups)) {
		at := groups[of]
		var group []element
		for _, i := range at {
			group = append(group, elements[i])
		}
		if !followed && try(group...) == "" {
			for _, i := range at {
				lines[i] = "kept, without the others as well"
			}
			continue
		}
		var out []element
		for n, e := range group {
			if lines[at[n]] = try(e); lines[at[n]] == "" {
				out = append(out, e)
			}
		}
		lines = apart(try, elements, lines, out)
	}
	for i, e := range elements {
		lines[i] = e.name + ": " + lines[i]
	}
	return lines, nil
}

// apart says of elements that can each be left out by itself whether all can, or which of them does what another one does.
func apart(try func(...element) string, elements []element, lines []string, open []element) []string {
	at := func(e element) int { return slices.Index(elements, e) }
	for _, e := range open {
		lines[at(e)] = "kept, without the others as well"
	}
	if len(open) < 2 {
		return lines
	}
	if try(open...) == "" {
		return lines
	}
	var out []element
	for _, e := range open {
		if try(append(slices.Clone(out), e)...) == "" {
			out = append(out, e)
			continue
		}
		lines[at(e)] = "kept by several others as well"
		for _, other := range out {
			if try(other, e) != "" {
				_, name, _ := strings.Cut(other.name, ": ")
				lines[at(e)] = "kept by the " + name + " as well"
				break
			}
		}
	}
	return lines
}

// Of every pattern that acts on what a claim is about each condition, check and tie is taken out of a copy of the contract. The committed
// list says what is found then, and of what is not found why it does not matter. The claims of three designs have nearly all that the list can say of
// an element; `make mutants` holds the whole list, of all five.
func TestElementsOnWhichALawRests(t *testing.T) {
	const file = "testdata/elements.txt"
	type job struct {
		design *ap.Design
		claim  string
		lines  []string
	}
	var jobs []*job
	for _, d := range designs.All() {
		for _, claim := range explore.Claims(d) {
			begins := func(prefix string) bool { return strings.HasPrefix(d.Name+"/"+claim, prefix) }
			if slices.ContainsFunc(strings.Split(*claims, ","), begins) {
				jobs = append(jobs, &job{design: d, claim: claim})
			}
		}
	}
	var running errgroup.Group
	running.SetLimit(runtime.GOMAXPROCS(0))
	for _, j := range jobs {
		running.Go(func() (err error) {
			j.lines, err = claimVerdicts(j.design, j.claim)
			return err
		})
	}
	require.NoError(t, running.Wait())
	text := tabletest.Must(os.ReadFile(file))(t)
	was := map[string][]string{}
	for _, section := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n# ") {
		of := strings.Split(section, "\n")
		was[of[0]] = of[1:]
	}
	for _, j := range jobs {
		name := j.design.Name + "/" + j.claim
		if !*update && !slices.Equal(j.lines, was[name]) {
			t.Errorf("%s: not as in %s; write it anew with -update and read what changed: (-want +got)\n%s", name, file, cmp.Diff(was[name], j.lines))
		}
		was[name] = j.lines
	}
	if !*update {
		return
	}
	first := designs.All()[0]
	anew, _, _ := strings.Cut(string(text), "\n# "+first.Name+"/"+explore.Claims(first)[0]) // what explains the list
	for _, d := range designs.All() {
		for _, claim := range explore.Claims(d) {
			anew += "\n" + strings.Join(append([]string{"# " + d.Name + "/" + claim}, was[d.Name+"/"+claim]...), "\n")
		}
	}
	require.NoError(t, os.WriteFile(file, []byte(anew+"\n"), 0o644))
}

func claimVerdicts(d *ap.Design, claim string) (lines []string, err error) {
	law, err := written(d, claim)
	if err != nil {
		return nil, err
	}
	from, err := basesOf(d)
	if err != nil {
		return nil, err
	}
	for rest := elementsOf(d, law); len(rest) > 0; {
		n := slices.IndexFunc(rest, func(e element) bool { return e.pattern != rest[0].pattern })
		if n < 0 {
			n = len(rest)
		}
		more, err := verdicts(d, from, law, rest[:n])
		if err != nil {
			return nil, err
		}
		lines, rest = append(lines, more...), rest[n:]
	}
	return lines, nil
}
