package engines

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
)

//go:embed deviations.json
var deviationsFile []byte

// Deviation is something that an engine does otherwise than AWS, seen by the suite.
type Deviation struct {
	// Name is unique: "moto-accepts-any-type-in-an-index-key".
	Name string `json:"name"`
	// Engine and Version say where it was seen.
	Engine  string `json:"engine"`
	Version string `json:"version"`
	// Does says what the engine does, AWS what DynamoDB does, and Source is the page that says so.
	Does   string `json:"does"`
	AWS    string `json:"aws"`
	Source string `json:"source"`
	// Shows are the problems by which the suite sees it, all of them.
	Shows []Sighting `json:"shows"`
}

// Sighting is one problem of one claim.
type Sighting struct {
	Claim string `json:"claim"`
	Where string `json:"where"`
	// Expected is what the suite expected.
	Expected string `json:"expected"`
	// Found is what it found; with "…" at its end, how that starts.
	Found string `json:"found"`
}

// matches reports whether a problem of the claim that was seen is the one.
func (s Sighting) matches(problem evidence.Problem) bool {
	if s.Where != problem.Where || s.Expected != problem.Expected {
		return false
	}
	start, open := strings.CutSuffix(s.Found, "…")
	return s.Found == problem.Found || open && strings.HasPrefix(problem.Found, start)
}

// Deviations returns the known deviations of all engines. They are those of the shipped designs:
// of designs that were brought along none is known.
func Deviations() ([]Deviation, error) {
	if !designs.Shipped() {
		return nil, nil
	}
	return listed()
}

// DeviationsOf returns what says by which known deviations of an engine a claim failed, one
// by one; empty where one of its problems has another cause. Of a design that was brought
// along no problem is listed: there every problem counts that shows as a listed one does.
func DeviationsOf(engine, version string) (func(evidence.Result) string, error) {
	known, err := listed()
	return deviating(engine, version, known, designs.Shipped()), err
}

func listed() (known []Deviation, err error) {
	if err := input.Exactly(deviationsFile, &known); err != nil {
		return nil, fmt.Errorf("deviations.json: %w", err)
	}
	return known, nil
}

func of(known []Deviation, engine string) []Deviation {
	return lists.Where(known, func(d Deviation) bool { return d.Engine == engine })
}

// telling are the deviations that tell of a problem of a claim.
func telling(known []Deviation, claim string, problem evidence.Problem, shipped bool) []Deviation {
	return lists.Where(known, func(d Deviation) bool {
		return slices.ContainsFunc(d.Shows, func(s Sighting) bool { return s.Claim == claim && s.matches(problem) || !shipped && s.shows(problem) })
	})
}

func deviating(engine, version string, known []Deviation, shipped bool) func(evidence.Result) string {
	known = of(known, engine)
	return func(result evidence.Result) string {
		var all []string
		for _, problem := range result.Problems {
			tell := telling(known, result.ID, problem, shipped)
			if len(tell) == 0 {
				return ""
			}
			d := tell[0]
			if says := fmt.Sprintf("%s %s %s; AWS %s (%s, %s)", engine, version, d.Does, d.AWS, d.Name, d.Source); !slices.Contains(all, says) {
				all = append(all, says)
			}
		}
		return strings.Join(all, "; ")
	}
}

// shows reports whether a problem of any claim is seen as the sighting is: at the same
// kind of place, with the same finding.
func (s Sighting) shows(problem evidence.Problem) bool {
	place := func(where string) string { return where[strings.LastIndex(where, ", ")+1:] }
	if !strings.Contains(s.Where, ", ") || place(s.Where) != place(problem.Where) {
		return false
	}
	s.Where, s.Expected = problem.Where, problem.Expected
	return s.matches(problem)
}
