// Package elements breaks one element of a contract at a time and expects a witness to notice that needs no engine.
//
// Mutants are made by one walk over the contract's own types: what is there is taken out, a value becomes each other one, a list
// loses each member and gains one. Each is judged by the cheapest witness first, until one notices.
//
// Tables are not among them: what a contract says of a table, a program that does not know the contract is deployed
// to contradict, see package mutants.
package elements
