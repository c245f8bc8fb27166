// Package manifest lists what a contract promises, claim by claim: the ids that reports, waivers and the committed manifest speak of, the
// lines that each rests on, and the order in which they can be decided.
package manifest
