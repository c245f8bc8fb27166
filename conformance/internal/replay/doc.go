// Package replay runs the suite end to end: it starts the target, puts the wire in
// front of it, deploys each design with its Pulumi program, loads the fixtures,
// hands the session to the specs, removes everything again, and returns the
// evidence.
//
// On embedded engines several designs are replayed at once, each on an engine of its own; see [Options].Apart.
//
// The command line, `go test` and `ginkgo` all come through here, so that they
// run the same thing.
package replay
