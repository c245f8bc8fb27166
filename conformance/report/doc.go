// Package report renders evidence for people and machines. It decides nothing:
// every figure comes from the evidence.
package report
