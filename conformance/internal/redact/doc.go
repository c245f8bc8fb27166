// Package redact keeps names of others out of what a run writes: accounts, callers and people, and tables that are not the
// run's own. It is the one place that knows how: evidence is copied through [Copy] before it is written or rendered, and
// the streams of the command line pass a [Writer].
//
// What an account, a role, a session or an address looks like is known beforehand, from the form of ARNs and of mail
// addresses. The caller's own names are also replaced where they stand alone, once [Redactor.Learn] has been told.
//
// It does not stop somebody who wants a name to be read: text that is split, encoded or misspelt passes.
package redact
