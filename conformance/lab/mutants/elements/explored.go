package elements

import (
	"slices"
	"strings"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/explore"
	"dynaproof/accesspatterns/lists"
)

// about are the patterns with which exploration looks at a mutant, as if the contract had no others: the pattern itself, those that return or write
// the entity whose owner is another, and those that a list of those who break a promise names otherwise. Nil means all of them.
func (s *subject) about(m *Mutant) (patterns []string) {
	switch {
	case m.list == "patterns":
		return []string{m.About}
	case m.list == "entities":
		for p := range lists.Each(s.design.Patterns) {
			writes := slices.ContainsFunc(p.Steps, func(step ap.Step) bool {
				return slices.ContainsFunc(step.Write, func(a ap.Action) bool { return a.Entity == m.About })
			})
			if slices.Contains(p.Returns, m.About) || writes {
				patterns = append(patterns, p.ID)
			}
		}
		return patterns
	case strings.HasPrefix(m.how, "+"), strings.HasPrefix(m.how, "-"):
		if _, known := s.design.Pattern(m.how[1:]); known {
			return []string{m.how[1:]}
		}
	}
	return nil
}

// near are the patterns of which a request can be judged otherwise for a mutant of a pattern or an entity: the pattern itself, and those
// that write or return the entity or whose actions have the form of its keys. It is asked first while the contract is whole.
func (s *subject) near(m *Mutant) []string {
	if m.list == "patterns" {
		return []string{m.About}
	}
	return lists.Once(s.close, m.About, func() []string {
		entity, known := s.design.Entity(m.About)
		acting := lists.Where(s.design.Patterns, func(p ap.Pattern) bool {
			return known && slices.ContainsFunc(p.Steps, func(step ap.Step) bool {
				return slices.ContainsFunc(step.Write, func(a ap.Action) bool { return a.Kind != ap.Put && slices.Contains(s.design.ActsOn(&a), entity) })
			})
		})
		return lists.With(s.about(m), lists.Map(acting, func(p ap.Pattern) string { return p.ID })...)
	})
}

// claims are the promises that a mutant can move: those that the pattern's requests can, the confinement of roles where an owner or a reach
// is another, and the promise whose list of those who break it is.
func (s *subject) claims(m *Mutant) []string {
	claims := explore.Claims(s.design)
	only := func(is func(claim string) bool) []string {
		return slices.DeleteFunc(claims, func(claim string) bool { return !is(claim) })
	}
	switch {
	case m.list == "patterns":
		if moved, known := s.moved[m.About]; known {
			return moved
		}
		return claims
	case m.list == "entities" && strings.Contains(m.at, "/owner"):
		return only(func(claim string) bool { return strings.HasPrefix(claim, "confinement/") })
	case strings.Contains(m.at, "/reach"):
		return only(func(claim string) bool { return claim == "confinement/"+m.About })
	case m.list == "validity":
		return only(func(claim string) bool { return claim == explore.Validity })
	}
	return nil
}

// promises names what exploration looks at for a mutant.
func (s *subject) promises(m *Mutant) string {
	if ofAPattern(m) {
		return m.About
	}
	return strings.Join(append(s.about(m), s.claims(m)...), " ")
}

// explored is what exploration has against a contract.
func (s *subject) explored(m *Mutant) (problems []string) {
	patterns, budget := s.about(m), explore.Usual
	budget.Only = patterns
	alone := len(patterns) == 1 && patterns[0] == m.About
	_, again := s.moved[m.About]
	for _, claim := range s.claims(m) {
		law, err := s.law(m, claim, budget)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		if alone && !again && law.Moves > 0 {
			s.moved[m.About] = append(s.moved[m.About], claim)
		}
		if !alone {
			problems = append(problems, law.Unlike(s.design)...)
			continue
		}
		problems = append(problems, lists.Map(law.Breakers(), func(p string) string { return claim + ": broken by " + p })...)
		for _, one := range law.ByFlow {
			problems = append(problems, claim+": kept by the flow of "+one.Patterns[0])
		}
		problems = append(problems, lists.Map(law.Unmoved, func(p string) string { return claim + ": not moved " + p })...)
	}
	return problems
}

// law is what exploration finds of a claim. What a contract says of it changes nothing of that, so that it is explored once.
func (s *subject) law(m *Mutant, claim string, budget explore.Budget) (law *explore.Law, err error) {
	key := claim + " " + strings.Join(budget.Only, " ")
	said := strings.Contains(m.at, "/broken") || strings.Contains(m.at, "/byflow") || m.list == "validity"
	if law = s.laws[key]; law != nil && said {
		return law, nil
	}
	if law, err = explore.One(s.design, explore.BasesOf(s.design, s.set.Explored()), budget, claim); said {
		s.laws[key] = law
	}
	return law, err
}
