// Package wire is a recording HTTP proxy in front of a DynamoDB engine on this machine. It is the witness that no client
// can bypass: whatever an SDK, a Pulumi provider or a program under test sends passes through it and goes on record.
//
// It does three things, each in files of its own:
//
//   - The [Ledger] holds one [Entry] for every request, in the order in which they were answered: the operation, the
//     tables, the index, the expressions, the region that the client signed for, the status, the counts, the consumed
//     capacity and both bodies. What is no DynamoDB request is recorded too.
//   - Overlays answer operations that the engine behind does not know, so that a design that needs them can be deployed
//     at all: point-in-time recovery, resource policies and time to live. An overlay is asked only after the engine itself has answered
//     UnknownOperationException, and only for tables that were created through this proxy; from then on it answers
//     for that table. Its answers are marked Emulated in the ledger and carry the header named by [EmulatedHeader]. For
//     every other table the engine's own answer is passed on.
//   - A [Fault] can answer in the engine's place, drop the connection before or after the engine acted, hold a request back
//     or change an answer, so that error handling can be tried. What it touched is marked Injected.
//
// Apart from that nothing is changed: bodies, statuses and headers pass through as they are, and the signature stays
// valid because the Host header is kept. Signatures are not checked and credentials are not recorded.
//
// The proxy listens on 127.0.0.1 only and refuses an engine that is not on loopback. It speaks HTTP/1.1 on both sides.
// It reads bodies whole, so it is not for streaming.
package wire
