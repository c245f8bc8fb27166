// Package faults finds out whether verdicts survive trouble on the way to the
// engine. Each run replays one claim while the wire injects faults by a seed:
// throttling, server errors, connections that break before and after the engine
// acted, slow answers, short pages, unprocessed writes, conflicts, indexes that
// lag, an unexpected item that shows late, a clock that is wrong, a permission that is
// missing, answers that never come whole, an engine that dies or is exchanged. The deployment is right, or one
// item that the claim needs is taken away first; either is known beforehand, so
// that a verdict can be wrong. A lost answer may make a claim undecided. It may
// never make it fail, a missing item may never let it pass, and afterwards every
// table holds what it held before, byte for byte.
package faults
