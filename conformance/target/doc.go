// Package target says where a run takes place: on an engine that the run starts for itself, or on a
// DynamoDB-compatible endpoint that already listens on this machine.
//
// [Embedded] starts dynoxide as a child process on a free loopback port, in memory, one per run. Its version,
// the digest of its npm package and the digest of its executable are pinned in this package (folder engine/ and
// pin.go); it is installed once into the user's cache folder. The process is gone when the run is gone, also
// when the run was ended with kill -9: see package watchdog.
//
// [Endpoint] takes the URL of an engine that somebody else runs. Only loopback addresses are accepted, so that
// no run on a "local" target can reach a real account by mistake; [CheckLoopback] and [NewTransport] are
// that rule, for every package that opens connections of its own.
//
// A target hands out the engine's own URL. Traffic that should be witnessed goes through a proxy of
// package wire, which the caller puts in front.
//
// Failures are of two types, so that a command can choose its exit code: [*ConfigError] when the request or this
// machine's set-up is at fault, [*UnavailableError] when the engine could not be observed.
package target
