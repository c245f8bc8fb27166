package evidence

import (
	"cmp"
	"slices"
	"time"

	"dynaproof/accesspatterns/lists"
)

// MutantsVersion names the format of mutants.json.
const MutantsVersion = "dynaproof/mutants/v1"

// Fate is what became of a mutant.
type Fate string

// The fates of a mutant.
const (
	// Killed: a claim that the contract names for it failed.
	Killed Fate = "killed"
	// Equivalent: no claim can fail, for a reason that is listed beside the
	// fixtures.
	Equivalent Fate = "equivalent"
	// Survived: no claim that the contract names for it failed. The suite
	// lacks something.
	Survived Fate = "survived"
	// Untried: it was not broken, because something that the check needs is not
	// there.
	Untried Fate = "untried"
	// Unbroken: it could not be broken, or the harness broke.
	Unbroken Fate = "error"
)

// Fates lists all fates in the order in which reports show them.
func Fates() []Fate { return []Fate{Killed, Equivalent, Survived, Untried, Unbroken} }

// Mutant is one thing that was broken on purpose.
type Mutant struct {
	// ID is stable as long as the contract names what is broken:
	// "roll-model/pulumi/RollModel/pitr-off".
	ID     string `json:"id"`
	Design string `json:"design"`
	// Kind is what was broken, such as "deployment" or "access pattern", and
	// Operator how, such as "index dropped".
	Kind     string `json:"kind"`
	Operator string `json:"operator"`
	// What says in words what was broken.
	What string `json:"what"`
	// Expected are the claims of which one must fail; the contract names them
	// before anything is run.
	Expected []string `json:"expected"`
	Fate     Fate     `json:"fate"`
	// Killer is the expected claim that failed, and Message its first problem.
	Killer  string `json:"killer,omitempty"`
	Message string `json:"message,omitempty"`
	// Failed are all claims that failed, of those that the mutant can touch;
	// Examined counts those.
	Failed   []string `json:"failed,omitempty"`
	Examined int      `json:"examined"`
	// Needs says of a survivor which item or case of the fixtures would tell, where that is known.
	Needs string `json:"needs,omitempty"`
	// Listed is the file in which reasons of such mutants stand; empty where it is the design's equivalents.json.
	Listed string `json:"listed,omitempty"`
	// Reason says why the mutant is equivalent, was not tried, or could not be
	// broken.
	Reason string `json:"reason,omitempty"`
	// Microseconds is the time that it took.
	Microseconds int64 `json:"microseconds"`
}

// ExcusedRule is a rule of the guard that nothing in a design can break.
type ExcusedRule struct {
	Design string `json:"design"`
	Rule   string `json:"rule"`
	Why    string `json:"why"`
}

// Mutants is the kill matrix: what was broken and what noticed it.
type Mutants struct {
	// Version is [MutantsVersion].
	Version string `json:"version"`
	// Command reproduces the run.
	Command string `json:"command"`
	// Started and Finished are in UTC.
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	// Seed and Sample say how the mutants were chosen; Sample is 0 when all
	// that the filter left were tried.
	Seed   uint64 `json:"seed,omitempty"`
	Sample int    `json:"sample,omitempty"`
	// Generated counts the mutants that the contracts give, before filters.
	Generated int `json:"generated"`
	// Engine is the engine that answered, with its version; Executable the digest of the program, "sha256:" and 64 hexadecimal digits.
	// They tie the run to the evidence of others.
	Engine     string `json:"engine,omitempty"`
	Executable string `json:"executable,omitempty"`
	// Claims counts the claims of the designs, and Unexpected, by kind, those that no mutant expects to fail: nothing here shows that
	// they would notice anything.
	Claims     int            `json:"claims,omitempty"`
	Unexpected map[string]int `json:"unexpected,omitempty"`
	// Interrupted says that the run was stopped before its end.
	Interrupted bool     `json:"interrupted,omitempty"`
	Mutants     []Mutant `json:"mutants"`
	// Excused are the rules of the guard that nothing in a design can break, so
	// that no mutant of it switches them off.
	Excused []ExcusedRule `json:"excused,omitempty"`
	// Problems are what makes the run worthless although no mutant survived: an
	// entry of the equivalents that names no mutant, or one that is killed; a
	// claim that fails with nothing broken.
	Problems []string `json:"problems,omitempty"`
}

// MutantsRow counts the mutants of one kind by fate.
type MutantsRow struct {
	Kind   string
	Counts map[Fate]int
	Total  int
}

// ByKind counts mutants by kind, in the order in which the kinds first appear,
// with a last row for all of them.
func (m *Mutants) ByKind() []MutantsRow {
	var rows []MutantsRow
	total := MutantsRow{Kind: "total", Counts: map[Fate]int{}}
	for mutant := range lists.Each(m.Mutants) {
		at := slices.IndexFunc(rows, func(row MutantsRow) bool { return row.Kind == mutant.Kind })
		if at < 0 {
			at = len(rows)
			rows = append(rows, MutantsRow{Kind: mutant.Kind, Counts: map[Fate]int{}})
		}
		for _, row := range []*MutantsRow{&rows[at], &total} {
			row.Counts[mutant.Fate]++
			row.Total++
		}
	}
	return append(rows, total)
}

// ExitCode decides the process exit code: a survivor is a failure of the suite.
func (m *Mutants) ExitCode() ExitCode {
	counts := m.ByKind()[len(m.ByKind())-1].Counts
	switch {
	case counts[Survived] > 0, len(m.Problems) > 0:
		return DoesNotConform
	case counts[Unbroken] > 0, m.Interrupted, counts[Killed] == 0:
		return CouldNotTell
	}
	return Conforms
}

// Sort puts the mutants into the order of their designs' names and ids, which
// does not depend on how they were run.
func (m *Mutants) Sort(designs []string) {
	slices.SortStableFunc(m.Mutants, func(a, b Mutant) int {
		return cmp.Or(slices.Index(designs, a.Design)-slices.Index(designs, b.Design), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
	})
}
