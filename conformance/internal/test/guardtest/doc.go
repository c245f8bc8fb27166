// Package guardtest holds the tests of the guard, and of what it is there for, that need fixtures or an engine: every documented
// case of every design passes the guard, and every mutation of one is refused or is another documented request; an engine takes every
// honest request; and the flows of every design are raced for many seeds, also under the race detector, on tables that a test creates from
// the contract itself: Pulumi, which would take minutes to compile with the detector, is not linked. They stand here because
// accesspatterns, where the guard is, knows no other room.
package guardtest
