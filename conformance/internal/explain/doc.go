// Package explain says what stands behind a claim: the document's lines, the
// requests that decide it, as JSON and as a line for the AWS CLI, the items that
// they must return and the decoys that they must not, the text of a finding or a
// guardrail, and the verdict of the last run.
//
// Nothing is sent. Requests are compiled from the contract and the fixtures as the
// suite compiles them, and serialised by the SDK itself. Relative times in fixtures
// are resolved to the moment of the call, so that a request that holds one differs
// from the request of an earlier run.
package explain
