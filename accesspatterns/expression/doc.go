// Package expression reads and writes the expressions of DynamoDB: key
// conditions, filters, conditions of writes, updates and projections. It is the
// one parser of the project.
//
// An expression stands in one of two forms. In a request names may be #aliases
// and values are :placeholders, which [Source] resolves. In a contract
// ([Literal]) names are plain, and values stand where they are used:
//
//	PK = USER#{userId} AND begins_with(SK, ENTRY#)
//	SET title = {title}, done = true, note = 'text with spaces' REMOVE due
//
// A value of a contract ends at white space, a comma or a closing parenthesis;
// one that holds these, or should be text although it looks like a number, is
// quoted, and a quote within it is doubled. What a value's type is, is the
// contract's to say. A name of other characters stands in double quotes ("State#Date"),
// and so does an attribute in place of a value: spent <= "limit".
//
// # Grammar
//
// A key condition is a conjunction of comparisons with one value, BETWEEN and
// begins_with. A filter or condition has all of DynamoDB's grammar but a size on the
// right side, in normal form: clauses that all must hold, each of alternatives. An update has all of SET, REMOVE, ADD and DELETE. What the grammar does
// not know is an error, never a guess.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html
//
// Parsing a conjunction needs no allocation, because production's guard does it for
// each request.
package expression
