package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/accesspatterns/document/drafter"
	"dynaproof/accesspatterns/document/witness"
	"dynaproof/accesspatterns/explore"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/reads"
	"dynaproof/conformance/report"
	"dynaproof/fixtures"
)

func checkCommand() *cobra.Command {
	var asJSON, strict bool
	c := help("check", &cobra.Command{
		ValidArgsFunction: completeDesigns,
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen, err := designs.Chosen(args)
			if err != nil {
				return outcome{evidence.WrongUsage, err}
			}
			var all []*checked
			for _, design := range chosen {
				each, err := within(cmd, func() (*checked, error) {
					each, err := checkDesign(design, documentsFolder())
					if err != nil {
						err = outcome{evidence.WrongUsage, err}
					}
					return each, err
				})
				if err != nil {
					return err
				}
				all = append(all, each)
			}
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), all)
			} else {
				err = printText(cmd.OutOrStdout(), "check", map[string]any{"All": all, "Strict": strict})
			}
			if err == nil && slices.ContainsFunc(all, func(each *checked) bool { return !each.Held(strict) }) {
				err = outcome{code: evidence.DoesNotConform}
			}
			return err
		},
	})
	designFlag(c)
	c.Flags().BoolVar(&strict, "strict", false, "fail also where a hazard is open, or a decoy or a refused case is missing")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// checked is what can be said of a design without any table.
type checked struct {
	Design string               `json:"design"`
	Level  accesspatterns.Level `json:"level"`
	Claims int                  `json:"claims"`
	// Holds says that nothing is left open but what --strict alone fails.
	Holds bool `json:"holds"`
	// Items and Cases count those of the files beside the contract.
	Items int `json:"items"`
	Cases int `json:"cases"`
	// Problems are mistakes in the fixtures and in the narrative list, and citations and lines of the document
	// that the contract does not account for.
	Problems []string `json:"problems,omitempty"`
	// NoDocument says why the document was not read.
	NoDocument string `json:"noDocument,omitempty"`
	// Missing is what the contract's level needs, and the fixtures do not have.
	Missing []string `json:"missing,omitempty"`
	// Decoys are the items without which a wrong read returns what the right one does.
	Decoys []reads.Decoy `json:"decoys,omitempty"`
	// Explored is what the exploration of each law found, and how far it went.
	Explored []*explore.Law `json:"explored,omitempty"`
	// Unrefused are the conditions of writes that no case refuses, or tells from one with another edge, and parameters that no case tells apart.
	Unrefused []string `json:"unrefused,omitempty"`
	// Generated is what nobody has to write: it is made from the contract.
	Generated []string `json:"generated,omitempty"`
	// Objections are the open ones.
	Objections []witness.Objection `json:"objections,omitempty"`
	// Hazards are those of the contract's keys, templates, indexes and access patterns
	// that have neither a finding nor an answer.
	Hazards []witness.Objection `json:"hazards,omitempty"`
	// Unconfirmed are the lines of the contract that the machine wrote of the document and no person
	// confirmed: they have no second witness.
	Unconfirmed []int `json:"unconfirmed,omitempty"`
	// NoProof is what holds and proves nothing.
	NoProof []string `json:"noProof,omitempty"`
	// NotCheckable is what the document promises and no check decides.
	NotCheckable []string `json:"notCheckable,omitempty"`
	// Document is the document's file, and Uncited the lines of it that nobody has cited or accounted for yet.
	Document string `json:"document"`
	Uncited  []int  `json:"uncited,omitempty"`
	// Next is the level behind the contract's own, empty behind the last; Needs is
	// what it needs.
	Next  accesspatterns.Level `json:"next,omitempty"`
	Needs []string             `json:"needs,omitempty"`
}

// Open counts what --strict alone fails.
func (c *checked) Open() int { return len(c.Hazards) + len(c.Decoys) + len(c.Unrefused) }

// Held says that nothing is left open, or with strict nothing at all.
func (c *checked) Held(strict bool) bool {
	return len(c.Problems)+len(c.Missing)+len(c.Objections) == 0 && !(strict && c.Open() > 0)
}

// needs says what a contract holds from each level on.
var needs = map[accesspatterns.Level]string{
	accesspatterns.LevelSchema:     "tables with their keys, indexes and settings, in contract.yaml, each with the lines that say so",
	accesspatterns.LevelItems:      "entities with their key templates and attributes, in the contract; an item of each in items.json",
	accesspatterns.LevelReads:      "patterns that get and query, in the contract; a case of each with its expected items, and decoys, in cases.json",
	accesspatterns.LevelWrites:     "patterns that put, update, delete and check, in the contract; a case of each that succeeds and one that is refused, in cases.json",
	accesspatterns.LevelResilience: "invariants, and every line of the document cited or listed as narrative, in the contract; races and interruptions in stress.json",
}

func checkDesign(design *accesspatterns.Design, folder string) (*checked, error) {
	levels := accesspatterns.Levels()
	c := &checked{Design: design.Name, Level: cmp.Or(design.Level, accesspatterns.LevelResilience), Claims: len(manifest.Claims(design)), Document: design.Document.File}
	if at := slices.Index(levels, c.Level); at+1 < len(levels) {
		c.Next = levels[at+1]
		c.Needs = []string{needs[c.Next]}
	}
	if err := c.readDocument(design, folder); err != nil {
		return nil, err
	}
	objections, later, err := witness.Of(design, folder)
	if err != nil {
		return nil, err
	}
	c.Objections = witness.Open(objections)
	c.Hazards = witness.Open(witness.Hazards(design))
	if text, err := fs.ReadFile(input.Design(folder), "contract.yaml"); err == nil {
		c.Unconfirmed = drafter.Marked(text)
	}
	for _, objection := range witness.Open(later) {
		if objection.Level() == c.Next {
			c.Needs = append(c.Needs, objection.Message)
		}
	}
	for _, promise := range design.NotCheckable {
		c.NotCheckable = append(c.NotCheckable, fmt.Sprintf("%s (%s): %s; %s", promise.ID, design.Document.Cite(promise.Cite), promise.Says, promise.Because))
	}
	set, err := fixtures.Load(design.Name, time.Now())
	if err != nil {
		return nil, err
	}
	c.Items, c.Cases = len(set.Items), len(set.Cases)
	c.NoProof = set.NoProof(design)
	if c.Decoys, err = reads.Missing(design, set); err != nil {
		return nil, err
	}
	if rows := generatedRows(design, set); rows > 0 {
		c.Generated = append(c.Generated, fmt.Sprintf("%d items without a required attribute or with one of another type, which must be refused", rows))
	}
	if err := c.explore(design, set); err != nil {
		return nil, err
	}
	for _, problem := range reads.Cases(design, set) {
		if problem.Needs != "" {
			c.Unrefused = append(c.Unrefused, problem.Located().Error())
		} else {
			c.Problems = append(c.Problems, problem.Located().Error())
		}
	}
	for _, problem := range set.Problems(design) {
		switch {
		case problem.Needs == "":
			c.Problems = append(c.Problems, problem.Located().Error())
		case design.Reaches(problem.Needs):
			c.Missing = append(c.Missing, problem.Located().Error())
		case problem.Needs == c.Next:
			c.Needs = append(c.Needs, problem.Text)
		}
	}
	c.Holds = c.Held(false)
	return c, nil
}

// exploring is the memory, in bytes, up to which exploration may let lie what it has thrown away, for which it is faster. Where
// GOMEMLIMIT says otherwise it stays so.
const exploring = 230 << 20

// explore tries the laws of the contract against every documented write.
func (c *checked) explore(design *accesspatterns.Design, set *fixtures.Set) error {
	defer collectAt(300)()
	if os.Getenv("GOMEMLIMIT") == "" {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(exploring))
	}
	report, err := explore.Run(design, set.Explored(), explore.Usual)
	if err != nil {
		return err
	}
	c.Explored = report.Laws
	c.Problems = append(c.Problems, report.Problems(design)...)
	return nil
}

// generatedRows counts the invalid items that are in no file.
func generatedRows(design *accesspatterns.Design, set *fixtures.Set) int {
	rows := 0
	for entity := range lists.Each(design.Entities) {
		rows += lists.Count(set.InvalidOf(entity), func(invalid fixtures.Invalid) bool { return invalid.Generated != "" })
	}
	return rows
}

// readDocument holds the contract against the document, if it is there.
func (c *checked) readDocument(design *accesspatterns.Design, folder string) error {
	covered, source, err := report.Accounted(folder, design)
	if errors.Is(err, coverage.ErrNoDocument) {
		c.NoDocument = err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	if source.SHA256 != design.Document.SHA256 {
		c.Problems = append(c.Problems, fmt.Sprintf("%s: expected SHA-256 %s, found %s; compare the document with the contract, then pin the new digest", source.File, design.Document.SHA256, source.SHA256))
	}
	for _, proof := range covered.Broken() {
		c.Problems = append(c.Problems, proof.Element+": "+strings.ReplaceAll(proof.Problem, "\n", "; "))
	}
	c.Problems = append(append(c.Problems, coverage.CitedFor(design, source)...), covered.Stale...)
	for _, line := range covered.Lines {
		if line.Status == coverage.LineUnaccounted || line.Status == coverage.LinePending {
			c.Uncited = append(c.Uncited, line.Line)
		}
		if line.Status == coverage.LineUnaccounted {
			c.Problems = append(c.Problems, fmt.Sprintf("%s:%d: %s", source.File, line.Line, line.Reason))
		}
	}
	if titles := covered.Generated(); titles > 0 {
		c.Generated = append(c.Generated, report.Plural(titles, "line")+" of the document as narrative: headings, labels and header rows above cited lines")
	}
	if pending := covered.Count()[coverage.LinePending]; pending > 0 {
		c.Needs = append(c.Needs, fmt.Sprintf("%d of %d lines of the document are not transcribed yet", pending, len(covered.Lines)))
	}
	return nil
}
