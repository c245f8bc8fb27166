// Package suite decides the claims of a design against a deployment of it.
//
// specs.go names the check of each kind of claim, which is driven by the contract's data. A check asks a
// [dynaproof/conformance/suite/session.Session] and tells an
// [dynaproof/conformance/suite/observe.Observation] what it sees. Checks that share
// a subject share a package: schema, policies, patterns, races, cloud; those that
// look at items or back on the whole run stand here.
//
// Imports run one way: failures and recorder, then session, remedy, observe, the
// checks, and suite on top.
//
// [Plan.Replay] decides them one after the other, which is what `dynaproof verify` does. [Decide] decides one claim on its own:
// each is a spec of Ginkgo for `go test ./conformance`, and tests break a deployment on purpose and see the right claims fail.
package suite
