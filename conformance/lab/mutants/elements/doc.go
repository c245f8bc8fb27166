// Package elements breaks one element of a contract at a time and expects a witness to notice that needs no engine.
//
// Mutants are made by one walk over the contract's own types: what is there is taken out, a value becomes each other one, a list
// loses each member and gains one. Each is judged by the cheapest witness first, until one notices:
//
//   - the contract's own rules, as they are held when it is loaded;
//   - requests that were written from the document alone;
//   - the cases, in memory, and the items written by hand;
//   - the trials, as far as the guard decides them;
//   - the document, where it is there: citations, certain readings and declared ones;
//   - exploration of the promises that the element touches.
//
// Tables are not among them: what a contract says of a table, a program that does not know the contract is deployed
// to contradict, see package mutants.
package elements
