// Package suite decides the claims of a design against a deployment of it.
//
// There is one [Spec] for each claim of the manifest, and each spec is driven by
// the contract's data: learn one file of this package and you know what every
// claim of that kind means. The files are named after the kinds: document.go,
// schema.go, index.go, example.go, entity.go (attributes and rules too),
// pattern.go, finding.go, guardrail.go, invariant.go, policy.go, ledger.go.
//
// Specs run in two ways. [Describe] declares them as Ginkgo specs, which is what
// `dynaproof verify`, `go test` and `ginkgo` run. [Spec.Run] decides one claim
// on its own, which is how the tests of this package break a deployment on
// purpose and see the right specs fail.
package suite
