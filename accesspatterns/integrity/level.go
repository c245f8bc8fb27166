package integrity

import (
	"slices"

	"dynaproof/accesspatterns"
)

// level reports elements that the contract's level does not have.
func (c *checker) level() {
	d := c.design
	if d.Level != "" && !slices.Contains(accesspatterns.Levels(), d.Level) {
		c.report("level: expected one of %v, found %s", accesspatterns.Levels(), d.Level)
		return
	}
	beyond := func(level accesspatterns.Level, what string, is bool) {
		if is && !d.Reaches(level) {
			c.report("%s: the contract's level is %s, and it begins with %s; raise the level or leave it out", what, d.Level, level)
		}
	}
	beyond(accesspatterns.LevelItems, "entities", len(d.Entities)+len(d.Examples) > 0)
	for _, pattern := range d.Patterns {
		beyond(accesspatterns.LevelReads, "pattern "+pattern.ID, true)
		beyond(accesspatterns.LevelWrites, "pattern "+pattern.ID, pattern.Writes())
	}
	beyond(accesspatterns.LevelResilience, "invariants", len(d.Invariants) > 0)
	if len(d.Tables) == 0 {
		c.report("tables: expected at least one table, found none")
	}
	if d.Reaches(accesspatterns.LevelReads) && d.AccessPatterns.First == 0 {
		c.report("access patterns: expected a citation of what the document says about them, found none")
	}
}
