// Package explore tries the laws of a contract against every documented write, with the values of a small
// universe, in memory: without an engine, a file, a network or a clock, and the same to the byte in every run.
//
// A law is the formula of an invariant or a guardrail. A move is one request that the guard admits. From several
// small starts every move is tried in every state that the moves before it lead to; a law that a move breaks
// gives the shortest list of requests. The pattern of that move is set aside, and the search goes on, until
// what is left keeps the law.
//
// The universe, the moves and how far the search went are part of the result: it says "every documented write
// with these values", and never "every request".
package explore
