// Package accesspatterns holds the types of the contract: what a design
// document promises about its DynamoDB tables, transcribed as plain data with
// the document's own lines as witnesses.
//
// A [Design] is one document. It lists tables and indexes, the entities that
// live in them, the attributes and rules of every entity, the access patterns,
// the guardrails and the findings (contradictions, gaps and hazards of the
// document itself). Every element carries a [Citation]: the lines of the
// document and the literal tokens that must stand on them.
//
// The package makes no AWS call and knows no other room of the project. It
// compiles an access pattern to the exact request of aws-sdk-go-v2
// ([Read.Compile]) and validates items ([Entity.Validate]); sending requests
// is the work of the conformance room.
//
// What is done with a contract has packages of its own, so that production code
// which uses package guard links none of it: package manifest lists the claims,
// package integrity checks that a contract fits together, package document/coverage
// accounts for the lines of a document, and package contract reads contracts from
// files. There is one package for each shipped document; package designs lists
// them.
package accesspatterns
