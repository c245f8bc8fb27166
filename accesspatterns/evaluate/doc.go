// Package evaluate decides what DynamoDB would: whether an item fulfils a condition, and what an
// update makes of it. It is the one model of both beside an engine; whoever uses it is told where
// it does not know the answer.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.html
package evaluate
