package faults

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/columns"
)

// Row is what became of the runs in which a kind of trouble struck.
type Row struct {
	Kind Kind `json:"kind"`
	// Runs counts the runs in which it struck, Strikes how often.
	Runs    int `json:"runs"`
	Strikes int `json:"strikes"`
	// Verdicts counts the runs by their verdict.
	Verdicts map[evidence.Verdict]int `json:"verdicts"`
	// Lost and Extra count items, Wrong verdicts.
	Lost  int `json:"lost"`
	Extra int `json:"extra"`
	Wrong int `json:"wrong"`
}

// untroubled stands in the table for runs in which nothing struck.
const untroubled Kind = "nothing struck"

// Table sums the runs up by the kinds that struck, those that never did included.
// A run with several kinds counts for each of them. The last row is that of all
// runs.
func (r *Report) Table() []Row {
	rows := map[Kind]*Row{}
	row := func(kind Kind) *Row {
		if rows[kind] == nil {
			rows[kind] = &Row{Kind: kind, Verdicts: map[evidence.Verdict]int{}}
		}
		return rows[kind]
	}
	all := &Row{Kind: "all runs", Verdicts: map[evidence.Verdict]int{}}
	for i := range r.Outcomes {
		outcome := &r.Outcomes[i]
		struck := slices.Collect(maps.Keys(outcome.Struck))
		if len(struck) == 0 {
			struck = []Kind{untroubled}
		}
		count := func(to *Row, strikes int) {
			to.Runs++
			to.Strikes += strikes
			to.Verdicts[outcome.Verdict]++
			to.Lost += len(outcome.Lost)
			to.Extra += len(outcome.Extra)
			if outcome.Wrong != "" {
				to.Wrong++
			}
		}
		total := 0
		for _, kind := range struck {
			count(row(kind), outcome.Struck[kind])
			total += outcome.Struck[kind]
		}
		count(all, total)
	}
	var table []Row
	for _, kind := range append(slices.Clone(r.Kinds), untroubled) {
		table = append(table, *row(kind))
	}
	return append(table, *all)
}

// never names the kinds that struck in no run.
func (r *Report) never() []string {
	var never []string
	for _, row := range r.Table() {
		if row.Runs == 0 && slices.Contains(r.Kinds, row.Kind) {
			never = append(never, string(row.Kind))
		}
	}
	return never
}

// Write prints the table and the runs that show a defect.
func (r *Report) Write(w io.Writer) error {
	verdicts := evidence.Verdicts()
	table := columns.Right(w)
	head := []string{"fault", "runs", "strikes"}
	for _, verdict := range verdicts {
		head = append(head, string(verdict))
	}
	table.Row(append(head, "lost", "duplicated", "wrong")...)
	for _, row := range r.Table() {
		cells := []string{string(row.Kind), strconv.Itoa(row.Runs), strconv.Itoa(row.Strikes)}
		for _, verdict := range verdicts {
			cells = append(cells, strconv.Itoa(row.Verdicts[verdict]))
		}
		table.Row(append(cells, strconv.Itoa(row.Lost), strconv.Itoa(row.Extra), strconv.Itoa(row.Wrong))...)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if never := r.never(); len(never) > 0 {
		if _, err := fmt.Fprintf(w, "never struck, so that nothing is said about it: %s; make more runs\n", strings.Join(never, ", ")); err != nil {
			return err
		}
	}
	for _, outcome := range r.Bad() {
		if _, err := fmt.Fprintf(w, "\n%s\n", outcome.Words()); err != nil {
			return err
		}
	}
	return nil
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
	design, _, _ := strings.Cut(o.Claim, "/")
	add("  again      dynaproof faults --seed %d --runs 1   (design %s; with the same --designs as this run)", o.Seed, design)
	return strings.Join(lines, "\n")
}
