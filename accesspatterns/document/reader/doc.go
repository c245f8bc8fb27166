// Package reader reads a design document for DynamoDB by machine: Markdown, or
// plain text with the same marks. It knows nothing of contracts, stacks or
// deployments, so that it can witness against them.
//
// It holds no model of language. It knows the marks of Markdown (headings,
// lists, tables, code), the words of DynamoDB (partition key, global secondary
// index, projection, begins_with, ...), and the usual notations of key
// templates: USER#{id}, USER#<id>, user:${id}:profile, {date}_{id}. [Read]
// returns what it found as a [Document]. Every fact has its line and says how
// sure it is: [Said] in so many words, or [Guessed] from the place, the form or
// the name. What looked like a fact and could not be read is in
// [Document.Unread].
//
// It reads; it does not judge. Package review says what is wrong with a
// document, and package witness where a contract differs from it.
package reader
