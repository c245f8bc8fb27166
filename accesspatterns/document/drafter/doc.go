// Package drafter drafts a contract from a design document, as package reader reads
// it: tables, entities and the access patterns that read, each with the lines that it
// was taken from.
//
// A draft is a beginning. It holds what a form of the reader gives for certain, each line with the
// mark of the machine, and everything else is a TODO with its line. It is a contract alone, never
// a stack: whoever deploys must read the document too.
package drafter
