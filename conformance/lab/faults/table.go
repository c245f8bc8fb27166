package faults

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/paper"
)

// untroubled stands in the table for runs in which nothing struck.
const untroubled Kind = "nothing struck"

// Paper sums the runs up by the kinds that struck, those that never did included. A run with several kinds counts for each of them; the
// last row is that of all runs. Behind it stand the runs that show a defect.
func (r *Report) Paper() *paper.Paper {
	verdicts := evidence.Verdicts()
	table := paper.Section{Figures: true}
	table.Columns = slices.Concat([]string{"fault", "runs", "strikes"}, lists.Texts(verdicts), []string{"lost", "duplicated", "wrong"})
	var never []string
	row := func(name string, strikes func(*Outcome) (times int, counts bool)) {
		counts := make([]int, len(table.Columns)-1)
		for o := range lists.Each(r.Outcomes) {
			times, is := strikes(o)
			if !is {
				continue
			}
			wrong := map[bool]int{true: 1}[o.Wrong != ""]
			for at, more := range map[int]int{0: 1, 1: times, 2 + slices.Index(verdicts, o.Verdict): 1, len(counts) - 3: len(o.Lost), len(counts) - 2: len(o.Extra), len(counts) - 1: wrong} {
				counts[at] += more
			}
		}
		table.Rows = append(table.Rows, append([]string{name}, lists.Map(counts, strconv.Itoa)...))
		if counts[0] == 0 && slices.Contains(r.Kinds, Kind(name)) {
			never = append(never, name)
		}
	}
	for _, kind := range r.Kinds {
		row(string(kind), func(o *Outcome) (int, bool) { return o.Struck[kind], o.Struck[kind] > 0 })
	}
	row(string(untroubled), func(o *Outcome) (int, bool) { return 0, len(o.Struck) == 0 })
	row("all runs", func(o *Outcome) (all int, counts bool) {
		for _, times := range o.Struck {
			all += times
		}
		return all, true
	})
	if len(never) > 0 {
		table.Notes = append(table.Notes, fmt.Sprintf("never struck, so that nothing is said about it: %s; make more runs", strings.Join(never, ", ")))
	}
	bad := r.Bad()
	table.Alarms = lists.Map(bad, func(outcome Outcome) string { return outcome.Words() })
	return &paper.Paper{Title: "dynaproof faults", Conclusion: fmt.Sprintf("%d of %d runs show a defect", len(bad), len(r.Outcomes)), Sections: []paper.Section{table}}
}

// Words says what a run shows, and how to make it again.
func (o *Outcome) Words() string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	add("seed %d: %s is %s", o.Seed, o.Claim, o.Verdict)
	if o.Wrong != "" {
		add("  wrong      %s", o.Wrong)
	}
	if o.Message != "" {
		add("  message    %s", o.Message)
	}
	for _, kind := range Kinds() {
		if times := o.Struck[kind]; times > 0 {
			add("  fault      %s, %d times", kind, times)
		}
	}
	for _, name := range o.Lost {
		add("  lost       %s", name)
	}
	for _, name := range o.Extra {
		add("  duplicated or left over  %s", name)
	}
	add("  again      dynaproof faults --seed %d --runs 1, with the same designs and --fault as this run", o.Seed)
	return strings.Join(lines, "\n")
}
