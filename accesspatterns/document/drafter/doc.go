// Package drafter drafts a contract from a design document, as package reader reads
// it: tables, entities and the access patterns that read, each with the lines that it
// was taken from.
//
// A draft is a beginning. What was guessed is marked, and what could not be read, or
// does not fit together, stands as a TODO in its place. It is a contract alone, never
// a stack: whoever deploys must read the document too.
package drafter
