// Package evidence holds what a run of the suite has seen: a verdict and a grade
// for every claim, the problems that were found, and the ledger of requests that
// they rest on. It is what `dynaproof verify` writes as evidence.json.gz.
//
// Verdicts are never blended. Only [Pass] counts as pass; a claim that an engine
// cannot answer, an observation that failed and a harness that broke each have a
// verdict of their own, and so has a finding of a document.
package evidence
