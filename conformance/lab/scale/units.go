package scale

// Limits of DynamoDB ("Quotas in Amazon DynamoDB", "Best practices for designing
// and using partition keys effectively" in the developer guide).
const (
	// readBytes are what one unit reads consistently.
	readBytes = 4096
	// partitionReads and partitionWrites are the units that one partition takes
	// in a second.
	partitionReads, partitionWrites = 3000, 1000
)
