package accesspatterns

import "dynaproof/accesspatterns/internal/place"

// Invariant is what must stay true of the items that a flow writes when several
// clients run it at once, when a client dies in the middle, and when it is run
// again. Attempts to break it stand in the fixtures.
type Invariant struct {
	// ID is unique within the design.
	ID      string   `yaml:",name"`
	Written place.At `yaml:"-" json:"-"`
	// The invariant in the project's words.
	Rule string   `yaml:"says" jsonschema:"required"`
	Cite Citation `yaml:"cite" jsonschema:"required"`
	// The pattern whose writes must keep it.
	Flow string `yaml:"flow" jsonschema:"required"`
	// What enforces it: a condition or a transaction of the engine, or the order of the contract's steps.
	Layer Layer `yaml:"layer" jsonschema:"required,enum=engine,enum=contract"`
	// Law is the invariant as a formula; nil where the contract gives none.
	Law *Law `yaml:"-"`
	// Formula is the law as it is written.
	Formula `yaml:",inline" json:"-"`
}
