// Package access asks AWS, beside DynamoDB, who may reach tables and by which keys they are
// encrypted: KMS who manages a key, IAM which policies a stack made for its roles, and IAM's
// policy simulator how it would decide a request. It changes nothing, but for [Sweeper],
// which deletes the policies that lost runs left.
package access
