// Package document is the room of the design documents: package coverage accounts
// for their lines, package reader reads them by machine, package review says what is
// wrong with what was read, package drafter drafts a contract from it, and package
// witness compares a contract with it. The tests of coverage, drafter and witness
// stand here, for one program of tests is linked sooner than three.
package document
