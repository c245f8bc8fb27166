package integrity

import (
	"fmt"
	"slices"

	"dynaproof/accesspatterns"
)

// views reports views that take from no read step of their pattern, or that say
// nothing.
func (c *checker) views(pattern *accesspatterns.Pattern) {
	for _, view := range pattern.Views {
		owner := fmt.Sprintf("pattern %s, view %s", pattern.ID, view.Name)
		if len(view.Of) < 2 && len(view.Where) == 0 && view.By == "" {
			c.report("%s: expected items of several steps, a value that tells them apart, or an order", owner)
		}
		for _, name := range view.Of {
			if !slices.ContainsFunc(pattern.Steps, func(s accesspatterns.Step) bool { return s.Name == name && s.Read != nil }) {
				c.report("%s: no read step %s; a pattern of one read has the step read", owner, name)
			}
		}
	}
}
