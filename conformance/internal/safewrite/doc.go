// Package safewrite lets a client replay a design on tables that hold the items of
// others, and touch none of them.
//
// A [Protection] is middleware at the SDK's Serialize step, behind everything that may
// still change or refuse a request as the caller's: no code path of the client
// goes around it. Before the first write it lets only reads through, with which the
// caller finds out whether one of the run's keys is taken and which partitions hold
// items of others. After [Protection.Begin] every write carries the condition that the
// key is free or holds exactly what this run wrote there; it goes to the journal on
// disk before it is sent; every item bears a random [Mark], so that no item of
// anybody else meets that condition; and reads whose answer could hold items of others are
// refused, because no verdict could rest on them.
//
// What cannot carry a condition (BatchWriteItem), reads a whole table (Scan), or
// changes anything but items is refused as a [Refusal].
//
// It protects the items of others from this client. It cannot protect the
// run from others: who writes under the run's own keys while it goes on makes its
// claims fail, and their items stay.
package safewrite
