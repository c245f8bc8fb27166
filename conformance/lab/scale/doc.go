// Package scale proves that what an access pattern costs does not depend on the
// data of others.
//
// It loads a population beside the fixtures and replays every case while the
// population grows: consumed capacity, scanned count and pages may change only
// where a finding of the contract says so. Then it lets the pattern's own result
// grow, and expects the cost to grow with it. Every figure is taken from the
// wire's ledger. That the embedded engine counts as AWS documents is a test of its own.
package scale
