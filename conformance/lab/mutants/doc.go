// Package mutants tests the suite: it breaks one thing at a time and expects a
// claim that the contract names beforehand to fail.
//
// Mutants are generated from the contract and the fixtures, so that a new design
// gets its own without new code. What is broken, a [Kind] says.
//
// The verdicts are those of the suite's own specs. A mutant that no expected
// claim notices has survived, which is a failure of the suite, unless
// fixtures/<design>/equivalents.json gives a reason why nothing can notice it.
package mutants
