package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
)

// Change is a claim that two runs see differently. From and FromGrade are empty
// for a claim that only the newer run has, To and ToGrade for one that only the
// older run has.
type Change struct {
	ID        string           `json:"id"`
	Cite      string           `json:"cite"`
	From      evidence.Verdict `json:"from,omitempty"`
	To        evidence.Verdict `json:"to,omitempty"`
	FromGrade evidence.Grade   `json:"fromGrade,omitempty"`
	ToGrade   evidence.Grade   `json:"toGrade,omitempty"`
	// Problem is the first problem of the newer run.
	Problem *evidence.Problem `json:"problem,omitempty"`
}

// Comparison says how a newer run differs from an older one. Every claim of both
// runs is counted exactly once.
type Comparison struct {
	// Older and Newer say which runs these are, and by which build.
	Older RunOf `json:"older"`
	Newer RunOf `json:"newer"`
	// NewlyFailing failed in the newer run, and did not in the older one.
	NewlyFailing []Change `json:"newlyFailing"`
	// NewlyPassing passed in the newer run, and neither passed nor was waived in the older one.
	NewlyPassing []Change `json:"newlyPassing"`
	// OtherVerdict changed between verdicts that are neither.
	OtherVerdict []Change `json:"otherVerdict"`
	// OtherGrade kept the verdict on evidence of another strength.
	OtherGrade []Change `json:"otherGrade"`
	// Gone are claims of the older run alone, New those of the newer run alone that did not fail.
	Gone []Change `json:"gone"`
	New  []Change `json:"new"`
	// StillFailing failed in both runs.
	StillFailing []Change `json:"stillFailing"`
	// Same counts claims with the same verdict and grade, other than fail.
	Same int `json:"same"`
	// Ground says what else differs: documents, contract, engine, versions, and what the runs were asked.
	Ground []string `json:"ground"`
}

// RunOf tells a run from others.
type RunOf struct {
	ID      string    `json:"id,omitempty"`
	Started time.Time `json:"started"`
	Command string    `json:"command"`
	// Release is the version or revision of the source, Executable the digest of the program.
	Release    string `json:"release"`
	Executable string `json:"executable,omitempty"`
}

func comparedRun(run *evidence.Run) RunOf {
	return RunOf{run.ID, run.Started, run.Command, cmp.Or(run.Modules["dynaproof"], "unknown"), run.Modules[evidence.Executable]}
}

// Words say which run it is, for people.
func (r RunOf) Words() string { return said("which run", r) }

// Compare compares two runs, claim by claim.
func Compare(older, newer *evidence.Run) Comparison {
	older, newer = withoutLedger(older), withoutLedger(newer)
	before := lists.Index(older.Results(), func(r evidence.Result) (string, evidence.Result) { return r.ID, r })
	c := Comparison{Older: comparedRun(older), Newer: comparedRun(newer), Ground: ground(older, newer)}
	seen := map[string]bool{}
	for _, now := range newer.Results() {
		seen[now.ID] = true
		change := Change{ID: now.ID, Cite: now.Cite, To: now.Verdict, ToGrade: now.Grade}
		if now.Verdict != evidence.Pass && len(now.Problems) > 0 {
			change.Problem = &now.Problems[0]
		}
		then, known := before[now.ID]
		change.From, change.FromGrade = then.Verdict, then.Grade
		switch {
		case !known && now.Verdict != evidence.Fail:
			c.New = append(c.New, change)
		case now.Verdict == then.Verdict && now.Verdict == evidence.Fail:
			c.StillFailing = append(c.StillFailing, change)
		case now.Verdict == evidence.Fail:
			c.NewlyFailing = append(c.NewlyFailing, change)
		case now.Verdict == then.Verdict && now.Grade == then.Grade:
			c.Same++
		case now.Verdict == then.Verdict:
			c.OtherGrade = append(c.OtherGrade, change)
		case now.Verdict == evidence.Pass && !then.Verdict.Held():
			c.NewlyPassing = append(c.NewlyPassing, change)
		default:
			c.OtherVerdict = append(c.OtherVerdict, change)
		}
	}
	for _, then := range older.Results() {
		if !seen[then.ID] {
			c.Gone = append(c.Gone, Change{ID: then.ID, Cite: then.Cite, From: then.Verdict, FromGrade: then.Grade})
		}
	}
	return c
}

// ground lists what a reader must know before comparing verdicts.
func ground(older, newer *evidence.Run) []string {
	var differences []string
	differ := func(what, before, after string) {
		if before != after {
			differences = append(differences, fmt.Sprintf("%s: %s, was %s", what, cmp.Or(after, "none"), cmp.Or(before, "none")))
		}
	}
	differ("target", string(older.Target.Kind)+" "+engineOf(older), string(newer.Target.Kind)+" "+engineOf(newer))
	designs := lists.Index(older.Designs, func(d evidence.Design) (string, evidence.Design) { return d.Name, d })
	for _, design := range newer.Designs {
		before, known := designs[design.Name]
		if !known {
			continue // its claims are new
		}
		differ(design.Document+", pinned SHA-256", before.SHA256, design.SHA256)
		differ(design.Name+", documents read", yesNo(before.Read), yesNo(design.Read))
		differ(design.Name+", level", before.Level, design.Level)
		differ(design.Name+", failure", before.Failure, design.Failure)
	}
	all := func(before, after map[string]string) {
		for _, name := range lists.Sorted(slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(after))) {
			if name != evidence.Executable { // which every build changes
				differ(name, before[name], after[name])
			}
		}
	}
	all(older.Inputs, newer.Inputs)
	all(older.Modules, newer.Modules)
	all(older.Environment, newer.Environment)
	differ("guardrails", older.Guardrails, newer.Guardrails)
	differ("strict", yesNo(older.Strict), yesNo(newer.Strict))
	differ("interrupted", yesNo(older.Interrupted), yesNo(newer.Interrupted))
	return differences
}

func yesNo(is bool) string { return map[bool]string{true: "yes", false: "no"}[is] }

// section is a list of changes under one heading.
type section struct {
	Title   string
	Changes []Change
}

// Sections returns the changes under their headings, the worst first; what has none has no heading.
func (c *Comparison) Sections() []section {
	return slices.DeleteFunc([]section{
		{"newly failing", c.NewlyFailing}, {"still failing", c.StillFailing}, {"other verdict", c.OtherVerdict}, {"gone", c.Gone},
		{"newly passing", c.NewlyPassing}, {"other strength of evidence", c.OtherGrade}, {"new", c.New},
	}, func(s section) bool { return len(s.Changes) == 0 })
}

// counts are the numbers of changes, "2 newly failing".
func (c *Comparison) counts() []string {
	return lists.Map(c.Sections(), func(s section) string { return fmt.Sprintf("%d %s", len(s.Changes), s.Title) })
}

// Summary says the numbers of a comparison in one line.
func (c *Comparison) Summary() string {
	return strings.Join(append(c.counts(), fmt.Sprintf("%d the same", c.Same)), ", ")
}

// Words says what became of a claim.
func (c Change) Words() string { return said("change", c) }

// Write writes the comparison for a terminal.
func (c *Comparison) Write(w io.Writer) error { return writeText(w, "comparison", c) }

// HTML writes the comparison as one page.
func (c *Comparison) HTML(w io.Writer) error { return comparePage.Write(w, c) }

// Markdown writes the comparison for a pull request.
func (c *Comparison) Markdown(w io.Writer) error { return writeText(w, "comparison.md", c) }
