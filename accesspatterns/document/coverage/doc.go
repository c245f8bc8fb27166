// Package coverage accounts for every line of a design document: which claims rest on it, what lists it as one that promises nothing, what
// changed since it was transcribed, and whether every citation still stands.
package coverage
