// Package faults finds out whether verdicts survive trouble on the way to the
// engine. Each run replays one claim while the wire injects faults of each [Kind]
// by a seed. The deployment is right, or one
// item that the claim needs is taken away first; either is known beforehand, so
// that a verdict can be wrong. A lost answer may make a claim undecided. It may
// never make it fail, a missing item may never let it pass, and afterwards every
// table holds what it held before, byte for byte.
package faults
