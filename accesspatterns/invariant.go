package accesspatterns

// Invariant is what must stay true of the items that a flow writes when several
// clients run it at once, when a client dies in the middle, and when it is run
// again. Attempts to break it stand in the fixtures.
type Invariant struct {
	// ID is unique within the design.
	ID string
	// Rule says the invariant in the project's words.
	Rule string
	Cite Citation
	// Flow is the id of the access pattern whose writes must keep it.
	Flow string
	// Layer names what enforces the rule: LayerEngine for a condition or a
	// transaction, LayerContract for the order of the flow's steps.
	Layer Layer
	// Law is the invariant as a formula; nil where the contract gives none.
	Law *Law
}
