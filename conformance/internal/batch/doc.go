// Package batch sends what DynamoDB left undone again. A batch of which a part was
// left unprocessed is no error to the SDK, so that its retryer does nothing about
// it: whoever does not look at the answer loses items without a word.
//
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html
// asks for a pause before the next attempt that grows each time.
package batch
