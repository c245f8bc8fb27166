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

// Reaches reports whether a contract of this level goes as far as another. One that
// names none goes all the way.
func (l Level) Reaches(level Level) bool {
	return l == "" || slices.Index(Levels(), level) <= slices.Index(Levels(), l)
}

// Reaches reports whether a contract goes as far as a level.
func (d *Design) Reaches(level Level) bool { return d.Level.Reaches(level) }
