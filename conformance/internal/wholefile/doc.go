// Package wholefile writes files that appear whole or not at all, so that a run
// that is killed or a disk that is full leaves what was there before: reports,
// evidence and the journals that clean-up rests on.
//
// It is not for files that grow by a line at a time.
package wholefile
