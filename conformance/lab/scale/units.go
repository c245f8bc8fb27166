package scale

import "math"

// Limits of DynamoDB ("Quotas in Amazon DynamoDB", "Best practices for designing
// and using partition keys effectively" in the developer guide).
const (
	// readBytes and writeBytes are what one unit reads consistently, or writes.
	readBytes, writeBytes = 4096, 1024
	// pageBytes is where a page of a Query or Scan ends.
	pageBytes = 1 << 20
	// partitionReads and partitionWrites are the units that one partition takes
	// in a second.
	partitionReads, partitionWrites = 3000, 1000
)

// writeUnits is what writing one item of so many bytes consumes. A transaction
// takes twice as much.
func writeUnits(bytes int) float64 { return math.Max(1, math.Ceil(float64(bytes)/writeBytes)) }
