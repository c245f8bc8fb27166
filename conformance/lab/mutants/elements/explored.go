package elements

import (
	"slices"
	"strings"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/explore"
)

// claims are the promises that a mutant can move. What a pattern asks for moves what its own requests do, so that it is explored alone; whose an
// item is, and whom a role reaches, moves the confinement of roles; and what breaks a promise is held to the contract's own list.
func (s *subject) claims(m *Mutant) []string {
	claims := explore.Claims(s.design)
	only := func(is func(claim string) bool) []string {
		return slices.DeleteFunc(claims, func(claim string) bool { return !is(claim) })
	}
	switch list := strings.Split(m.ID, "/")[1]; {
	case list == "patterns":
		if moved, known := s.moved[m.About]; known {
			return moved
		}
		return claims
	case strings.Contains(m.ID, "/owner"):
		return only(func(claim string) bool { return strings.HasPrefix(claim, "confinement/") })
	case strings.Contains(m.ID, "/reach"):
		return only(func(claim string) bool { return claim == "confinement/"+m.About })
	case list == "validity":
		return only(func(claim string) bool { return claim == explore.Validity })
	}
	return nil
}

// explored is what exploration has against a contract.
func (s *subject) explored(design *ap.Design, m *Mutant) (problems []string) {
	alone := design != s.design
	_, again := s.moved[m.About]
	for _, claim := range s.claims(m) {
		law, err := explore.One(design, s.set.Explored(), explore.Usual, claim)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		if alone && !again && law.Moves > 0 {
			s.moved[m.About] = append(s.moved[m.About], claim)
		}
		if !alone {
			problems = append(problems, law.Unlike(design)...)
			continue
		}
		for _, p := range law.Breakers() {
			problems = append(problems, claim+": broken by "+p)
		}
		for _, one := range law.ByFlow {
			problems = append(problems, claim+": kept by the flow of "+one.Patterns[0])
		}
		for _, p := range law.Unmoved {
			problems = append(problems, claim+": not moved "+p)
		}
	}
	return problems
}
