// Package watchdog runs programs that end with the run, however the run ends: engines, and the commands that deploy to them.
//
// Between the run and the program stands the run's own executable, started once more as the program's watchdog. Its standard
// input is a pipe whose only writing end is the run's; the kernel closes that when the run is gone, for whatever reason. At this
// end of file, or when the program has ended, the watchdog ends all that the program has started. On Linux that is every process
// that descends from it, wherever it went, and the program ends also with a watchdog that is killed. Elsewhere it is the
// program's process group, and what is killed together with the watchdog is the run's to end.
package watchdog
