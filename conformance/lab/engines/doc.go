// Package engines runs all designs on several engines that nobody here wrote, and says which claims each of them can
// answer, so that no verdict rests on the word of one engine where a second one can be asked.
//
// Every engine is started by the run itself at a pinned version: [All] lists them. What an engine lacks is
// `unsupported`, as in every run. What it accepts or answers wrongly is a [Deviation]: named, written down in
// deviations.json with every problem that it shows, and compared with what was seen in both directions. A problem that no
// deviation tells of is unexpected; a deviation that no longer shows is mended and has to be removed. Either fails the
// matrix, so the list can neither hide a failure nor outlive its cause.
//
// The matrix says nothing about AWS.
package engines
