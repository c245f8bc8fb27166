// Package mutants tests the suite: it breaks one thing at a time and expects a
// claim that the contract names beforehand to fail.
//
// Mutants are generated from the contract and the fixtures, so that a new design
// gets its own without new code. Four things are broken:
//
//   - the deployment, by other inputs of the program, and once more behind Pulumi's back
//     by the SDK;
//   - the items, in memory before they are loaded;
//   - the access patterns, in the contract that is replayed, while the fixtures
//     stay as they are;
//   - the guardrails: the conditions, transactions and batches of the flows, the rules
//     of the guard, and the statements of the policies.
//
// The verdicts are those of the suite's own specs. A mutant that no expected
// claim notices has survived, which is a failure of the suite, unless
// fixtures/<design>/equivalents.json gives a reason why nothing can notice it.
package mutants
