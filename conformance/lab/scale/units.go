package scale

import (
	"math"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
)

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

// SizeOf is the size of an item in bytes, after "DynamoDB item sizes and formats"
// in AWS's developer guide: names and texts count their bytes in UTF-8, Numbers
// about one byte for two significant digits and one more, Booleans and NULL one
// byte, maps and lists three bytes, and one for each of their members.
func SizeOf(item accesspatterns.Item) int {
	size := 0
	for name, value := range item {
		size += len(name) + sizeOfValue(value)
	}
	return size
}

func sizeOfValue(value types.AttributeValue) int {
	const container, member = 3, 1
	size := 0
	switch value := value.(type) {
	case *types.AttributeValueMemberS:
		return len(value.Value)
	case *types.AttributeValueMemberN:
		return sizeOfNumber(value.Value)
	case *types.AttributeValueMemberB:
		return len(value.Value)
	case *types.AttributeValueMemberBOOL, *types.AttributeValueMemberNULL:
		return 1
	case *types.AttributeValueMemberSS:
		for _, text := range value.Value {
			size += len(text)
		}
		return size
	case *types.AttributeValueMemberNS:
		for _, digits := range value.Value {
			size += sizeOfNumber(digits)
		}
		return size
	case *types.AttributeValueMemberBS:
		for _, bytes := range value.Value {
			size += len(bytes)
		}
		return size
	case *types.AttributeValueMemberM:
		size = container
		for name, inner := range value.Value {
			size += len(name) + sizeOfValue(inner) + member
		}
	case *types.AttributeValueMemberL:
		size = container
		for _, inner := range value.Value {
			size += sizeOfValue(inner) + member
		}
	}
	return size
}

// sizeOfNumber counts significant digits: leading and trailing zeros are not
// stored.
func sizeOfNumber(text string) int {
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	negative := strings.HasPrefix(mantissa, "-")
	digits := strings.Trim(strings.Replace(strings.TrimLeft(mantissa, "+-"), ".", "", 1), "0")
	size := 1 + (len(digits)+1)/2
	if negative {
		size++
	}
	return size
}

// writeUnits is what writing one item of so many bytes consumes. A transaction
// takes twice as much.
func writeUnits(bytes int) float64 { return math.Max(1, math.Ceil(float64(bytes)/writeBytes)) }
