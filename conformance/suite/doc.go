// Package suite decides the claims of a design against a deployment of it.
//
// There is one [Spec] for each claim of the manifest, and each spec is driven by
// the contract's data. specs.go names the check of each kind. A check asks a
// [dynaproof/conformance/suite/session.Session] and tells an
// [dynaproof/conformance/suite/observe.Observation] what it sees. Checks that share
// a subject share a package: schema, policies, patterns, races, cloud; those that
// look at items or back on the whole run stand here.
//
// Imports run one way: failures and recorder, then session, remedy, observe, the
// checks, and suite on top.
//
// [Plan.Replay] decides them one after the other, which is what `dynaproof verify` does;
// package ginkgospecs declares the same to Ginkgo, for `go test` and `ginkgo`. [Spec.Run]
// decides one claim on its own, which is how the tests of this package break a deployment
// on purpose and see the right specs fail.
package suite
