// Package reads replays the cases of a design on items in memory, without any engine, and lists the wrong forms of a read that a
// design's fixtures must tell from the right one. `dynaproof mutants` tries the forms on an engine; [Missing] says before that
// which of them return the same from the loaded items, and which item would tell them apart.
package reads
