// Package localaws serves the Pulumi provider "aws" in process, for DynamoDB-compatible endpoints on loopback.
//
// It exists so that the programs in dynaproof/stacks, which are written against the real AWS provider (v6) and are
// valid for an ordinary `pulumi up` against AWS, can be deployed unchanged on an engine on the same machine: no
// account, no container, no plugin download. Pulumi's engine attaches to it through the documented variable
// PULUMI_DEBUG_PROVIDERS=aws:PORT; nothing about it appears in a program or in Pulumi.yaml.
//
// # What it serves
//
//   - the resource aws:dynamodb/table:Table, for the inputs that the programs use (schema.go lists them);
//   - the resource aws:dynamodb/resourcePolicy:ResourcePolicy, for policies of tables, which it puts, reads and deletes;
//   - the resource aws:iam/policy:Policy, which lives in the state alone, because a loopback endpoint has no IAM: nothing
//     enforces it, and a deployment that writes one says so; where the configuration names an account
//     (aws:allowedAccountIds), it is created and deleted at the endpoint of IAM;
//   - the provider pulumi:providers:aws, for the configuration that a loopback endpoint needs.
//
// Everything else is refused with a sentence that names it. An input that is not implemented is never ignored: what
// passes here must not mean something else on AWS.
//
// # What it refuses for safety
//
// An endpoint that is not on loopback (127.0.0.0/8, ::1, localhost) is refused in CheckConfig and again in Configure,
// and so is a missing endpoint or missing credentials: the provider never falls back to the endpoint of AWS or to
// the credentials of the machine. A table that exists already is never adopted and never changed.
//
// # How it behaves
//
// As the real provider: defaults, replacement on a changed name or key, which deletes first where the program gave the name,
// unordered sets of attributes and indexes, the order of update requests, capacity 0/0 for on-demand tables, partial state
// after a create that failed half-way. Tags, streams, deletion protection, the table class and indexes that the program does
// not mention have a known value, the default: a refresh sees what was changed behind Pulumi's back, and the next update
// repairs it. Server-side encryption is neither read nor changed. stacks/README.md says what stays as it is, and what the real
// provider takes and this one refuses.
//
// # Why the protocol is implemented directly
//
// github.com/pulumi/pulumi-go-provider v1.0.0 does not compile against github.com/pulumi/pulumi/sdk/v3 v3.250.0 (the
// type of aliases in the protocol changed), and the server of pkg/v3 has no stable API. The generated
// pulumirpc.ResourceProviderServer is the protocol itself: versioned, embedded with defaults for calls of the future,
// and the only layer that lets each connection keep its own configuration, which is what makes one server enough for
// several stacks with different endpoints in one process.
package localaws
