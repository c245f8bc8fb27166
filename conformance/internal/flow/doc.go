// Package flow runs the access patterns of a design against DynamoDB: reads page
// by page to their documented end, writes as single requests, transactions or
// batches, and flows of several steps. It is the one executor of the contract's
// patterns; what an answer means is judged elsewhere.
package flow
