// Package witness compares a contract with what the reader finds in the design
// document by itself. Contract and stack are written by people; where both share
// a misreading, the document is the only other witness.
//
// The witness objects, with lines. It never passes a claim.
package witness
