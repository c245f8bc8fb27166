package engines

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
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

// Deviations returns the known deviations of all engines. The error names every entry that is incomplete, twice there, or
// about a claim that the manifest does not hold. They are those of the shipped designs:
// of designs that were brought along none is known.
func Deviations() ([]Deviation, error) {
	if !designs.Shipped() {
		return nil, nil
	}
	committed, err := designs.Manifest()
	if err != nil {
		return nil, err
	}
	return parseDeviations(deviationsFile, committed)
}

func parseDeviations(text []byte, committed []manifest.Claim) ([]Deviation, error) {
	var known []Deviation
	if err := json.Unmarshal(text, &known); err != nil {
		return nil, fmt.Errorf("deviations.json: %w", err)
	}
	claims := map[string]bool{}
	for _, claim := range committed {
		claims[claim.ID] = true
	}
	names, sightings := map[string]bool{}, map[string]string{}
	var problems []error
	wrong := func(d Deviation, format string, args ...any) {
		problems = append(problems, fmt.Errorf("deviations.json: %q: "+format, append([]any{d.Name}, args...)...))
	}
	for _, d := range known {
		for what, value := range map[string]string{"name": d.Name, "engine": d.Engine, "version": d.Version, "does": d.Does, "aws": d.AWS, "source": d.Source} {
			if value == "" {
				wrong(d, "expected a text for %s, found none", what)
			}
		}
		if names[d.Name] {
			wrong(d, "expected a name of its own, found it twice")
		}
		names[d.Name] = true
		if len(d.Shows) == 0 {
			wrong(d, "expected a problem by which it shows, found none: nothing would notice when it is mended")
		}
		for _, s := range d.Shows {
			if !claims[s.Claim] {
				wrong(d, "expected a claim of the manifest, found %q: correct or remove it", s.Claim)
			}
			key := strings.Join([]string{d.Engine, s.Claim, s.Where, s.Expected, s.Found}, "\x00")
			if other, twice := sightings[key]; twice {
				wrong(d, "expected each problem once, found that of %s (%s) in %s too", s.Claim, s.Where, other)
			}
			sightings[key] = d.Name
		}
	}
	return known, errors.Join(problems...)
}
