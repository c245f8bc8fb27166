package dynamo

import (
	"strings"
	"unicode/utf16"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Size is the size of an item in bytes, after "DynamoDB item sizes and formats"
// in AWS's developer guide: names and texts count their bytes in UTF-8, Numbers
// about one byte for two significant digits and one more, Booleans and NULL one
// byte, maps and lists three bytes, and one for each of their members.
func Size(of item) int {
	size := 0
	for name, value := range of {
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

// Length is what the function size of an expression says of a value: of a String the code units of UTF-16, which AWS's guide calls its length, the
// bytes of a Binary, the members of any other. A value of another type has none. DynamoDB was asked, by
// https://github.com/ExtendDB/extenddb/pull/67: "é𝄞" has 3, and not the 6 of its bytes.
func Length(value types.AttributeValue) (length int, has bool) {
	switch value := value.(type) {
	case *types.AttributeValueMemberS:
		for _, r := range value.Value {
			length += max(utf16.RuneLen(r), 1)
		}
		return length, true
	case *types.AttributeValueMemberB:
		return len(value.Value), true
	case *types.AttributeValueMemberSS:
		return len(value.Value), true
	case *types.AttributeValueMemberNS:
		return len(value.Value), true
	case *types.AttributeValueMemberBS:
		return len(value.Value), true
	case *types.AttributeValueMemberL:
		return len(value.Value), true
	case *types.AttributeValueMemberM:
		return len(value.Value), true
	}
	return 0, false
}
