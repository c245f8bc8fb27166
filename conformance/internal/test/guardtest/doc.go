// Package guardtest holds the tests of the guard that need fixtures: every
// documented case of every design passes the guard, and every mutation of one is
// refused or is another documented request. They stand here because
// accesspatterns, where the guard is, knows no other room.
package guardtest
