// Package document is the room of the design documents: package coverage accounts
// for their lines, package reader reads them by machine, and package witness
// compares a contract with what the reader found.
package document
