package accesspatterns

import "slices"

// Level says how far a contract goes. Each level includes those before it.
type Level string

// The levels of a contract.
const (
	// LevelSchema: the tables.
	LevelSchema Level = "schema"
	// LevelItems: the entities that live in them, with their examples.
	LevelItems Level = "items"
	// LevelReads: the access patterns that read.
	LevelReads Level = "reads"
	// LevelWrites: those that write.
	LevelWrites Level = "writes"
	// LevelResilience: what stays true however writes race, stop and are repeated.
	LevelResilience Level = "resilience"
)

// Levels lists the levels from the first to the last.
func Levels() []Level {
	return []Level{LevelSchema, LevelItems, LevelReads, LevelWrites, LevelResilience}
}

// Reaches reports whether a contract goes as far as a level. One that names none
// goes all the way.
func (d *Design) Reaches(level Level) bool {
	return d.Level == "" || slices.Index(Levels(), level) <= slices.Index(Levels(), d.Level)
}

// level reports elements that the contract's level does not have.
func (c *checker) level() {
	d := c.design
	if d.Level != "" && !slices.Contains(Levels(), d.Level) {
		c.report("level: expected one of %v, found %s", Levels(), d.Level)
		return
	}
	beyond := func(level Level, what string, is bool) {
		if is && !d.Reaches(level) {
			c.report("%s: the contract's level is %s, and it begins with %s; raise the level or leave it out", what, d.Level, level)
		}
	}
	beyond(LevelItems, "entities", len(d.Entities)+len(d.Examples) > 0)
	for i := range d.Patterns {
		pattern := &d.Patterns[i]
		beyond(LevelReads, "pattern "+pattern.ID, true)
		writes := slices.ContainsFunc(pattern.Flow, func(step Step) bool { return len(step.Write) > 0 })
		beyond(LevelWrites, "pattern "+pattern.ID, writes)
	}
	beyond(LevelResilience, "invariants", len(d.Invariants) > 0)
	if len(d.Tables) == 0 {
		c.report("tables: expected at least one table, found none")
	}
	if d.Reaches(LevelReads) && d.AccessPatterns.First == 0 {
		c.report("access patterns: expected a citation of what the document says about them, found none")
	}
}
