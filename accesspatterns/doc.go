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
// The package makes no AWS call and knows no other room of the project.
//
// What is done with a contract has packages of its own. Package sdk compiles an access
// pattern to the exact requests of aws-sdk-go-v2, package validate holds items to their
// entities, and package expression parses DynamoDB's expressions; package guard, which
// services link, uses these three. It links none of the others: package manifest lists
// the claims, package integrity checks that a contract fits together, package document/coverage
// accounts for the lines of a document, and package contract reads contracts from
// files. There is one package for each shipped document; package designs lists
// them.
package accesspatterns
