// Package document is the room of the design documents: package coverage accounts
// for their lines, package reader reads them by machine, package review says what is
// wrong with what was read, package drafter drafts a contract from it, and package
// witness compares a contract with it.
package document
