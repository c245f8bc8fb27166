package dynamo

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// TypeOf returns the type descriptor of a value; empty for nil.
func TypeOf(value types.AttributeValue) Type {
	switch value.(type) {
	case *types.AttributeValueMemberS:
		return String
	case *types.AttributeValueMemberN:
		return Number
	case *types.AttributeValueMemberB:
		return Binary
	case *types.AttributeValueMemberBOOL:
		return Boolean
	case *types.AttributeValueMemberNULL:
		return Null
	case *types.AttributeValueMemberM:
		return Map
	case *types.AttributeValueMemberL:
		return List
	case *types.AttributeValueMemberSS:
		return StringSet
	case *types.AttributeValueMemberNS:
		return NumberSet
	case *types.AttributeValueMemberBS:
		return BinarySet
	}
	return ""
}

// PartOf reports whether all of a part is in the whole; a map within the part may lack members too.
func PartOf(part, whole map[string]types.AttributeValue) bool {
	for name, value := range part {
		some, is := value.(*types.AttributeValueMemberM)
		all, also := whole[name].(*types.AttributeValueMemberM)
		if !Equal(value, whole[name]) && !(is && also && PartOf(some.Value, all.Value)) {
			return false
		}
	}
	return true
}

// Equal reports whether two values have the same type and the same value.
// Numbers compare by value, as DynamoDB normalises them, and sets compare
// without order.
func Equal(a, b types.AttributeValue) bool {
	if TypeOf(a) != TypeOf(b) {
		return false
	}
	switch a := a.(type) {
	case *types.AttributeValueMemberN:
		return EqualNumbers(a.Value, b.(*types.AttributeValueMemberN).Value)
	case *types.AttributeValueMemberM:
		return EqualItems(a.Value, b.(*types.AttributeValueMemberM).Value)
	case *types.AttributeValueMemberL:
		return slices.EqualFunc(a.Value, b.(*types.AttributeValueMemberL).Value, Equal)
	case *types.AttributeValueMemberSS:
		return equalSets(a.Value, b.(*types.AttributeValueMemberSS).Value, func(x, y string) bool { return x == y })
	case *types.AttributeValueMemberNS:
		return equalSets(a.Value, b.(*types.AttributeValueMemberNS).Value, EqualNumbers)
	case *types.AttributeValueMemberBS:
		return equalSets(a.Value, b.(*types.AttributeValueMemberBS).Value, bytes.Equal)
	case *types.AttributeValueMemberB:
		return bytes.Equal(a.Value, b.(*types.AttributeValueMemberB).Value)
	case *types.AttributeValueMemberS:
		return a.Value == b.(*types.AttributeValueMemberS).Value
	case *types.AttributeValueMemberBOOL:
		return a.Value == b.(*types.AttributeValueMemberBOOL).Value
	}
	return true // NULL, or nil
}

// Compare compares two Strings, Numbers or Binaries as DynamoDB does.
func Compare(a, b types.AttributeValue) (by int, comparable bool) {
	if TypeOf(a) != TypeOf(b) {
		return 0, false
	}
	switch a := a.(type) {
	case *types.AttributeValueMemberS:
		return strings.Compare(a.Value, b.(*types.AttributeValueMemberS).Value), true
	case *types.AttributeValueMemberB:
		return bytes.Compare(a.Value, b.(*types.AttributeValueMemberB).Value), true
	case *types.AttributeValueMemberN:
		x, isNumber := Decimal(a.Value)
		if y, both := Decimal(b.(*types.AttributeValueMemberN).Value); isNumber && both {
			return x.Cmp(y), true
		}
	}
	return 0, false
}

type item = map[string]types.AttributeValue

// EqualItems reports whether two items have the same attributes with equal
// values.
func EqualItems(a, b item) bool { return maps.EqualFunc(a, b, Equal) }

// CloneItem copies an item with all maps and lists in it. Scalars and sets stay shared:
// nothing changes them in place.
func CloneItem(of item) item {
	copied := make(item, len(of))
	for name, value := range of {
		copied[name] = cloneValue(value)
	}
	return copied
}

func cloneValue(value types.AttributeValue) types.AttributeValue {
	switch value := value.(type) {
	case *types.AttributeValueMemberM:
		return &types.AttributeValueMemberM{Value: CloneItem(value.Value)}
	case *types.AttributeValueMemberL:
		copied := make([]types.AttributeValue, len(value.Value))
		for i, element := range value.Value {
			copied[i] = cloneValue(element)
		}
		return &types.AttributeValueMemberL{Value: copied}
	}
	return value
}

// EqualNumbers reports whether the texts of two Numbers have the same value; what is no Number equals none.
func EqualNumbers(a, b string) bool {
	x, okX := Decimal(a)
	y, okY := Decimal(b)
	return okX && okY && x.Cmp(y) == 0
}

// Decimal is the value of the text of a Number, exactly: at most 38 digits and, where it is not 0, from 1E-130 to 9.99E+125 above or below 0,
// as DynamoDB keeps them.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html#HowItWorks.DataTypes.Number
func Decimal(text string) (*big.Rat, bool) {
	if whole, err := strconv.ParseInt(text, 10, 64); err == nil {
		return new(big.Rat).SetInt64(whole), true // most are
	}
	digits, power, scaled := strings.Cut(strings.ToLower(text), "e")
	exponent, err := strconv.Atoi(power)
	significant := strings.Trim(strings.Replace(strings.TrimLeft(digits, "+-"), ".", "", 1), "0")
	if scaled && (err != nil || exponent < -2*maxPower || exponent > 2*maxPower) || len(digits) > maxPower || len(significant) > maxDigits || strings.Trim(significant, "0123456789") != "" {
		return nil, false
	}
	value, is := new(big.Rat).SetString(text)
	if is && value.Sign() != 0 {
		size := new(big.Rat).Abs(value)
		is = size.Cmp(leastNumber) >= 0 && size.Cmp(beyondNumber) < 0
	}
	return value, is
}

const (
	maxDigits = 38
	maxPower  = 130
)

// The absolute value of a Number is 0, or at least the first of these and below the second.
var (
	leastNumber, _  = new(big.Rat).SetString("1e-130")
	beyondNumber, _ = new(big.Rat).SetString("1e126")
)

func equalSets[T any](a, b []T, equal func(T, T) bool) bool {
	if len(a) != len(b) {
		return false
	}
	rest := slices.Clone(b)
	for _, x := range a {
		at := slices.IndexFunc(rest, func(y T) bool { return equal(x, y) })
		if at < 0 {
			return false
		}
		rest = slices.Delete(rest, at, at+1)
	}
	return true
}

// Read reads a value in DynamoDB's JSON. The SDK's decoder takes one of several types that a value has; DynamoDB takes none.
func Read(text []byte) (types.AttributeValue, error) {
	value, err := attributevalue.UnmarshalJSON(text)
	if err != nil {
		return nil, err
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		return nil, err
	}
	return value, oneType(plain)
}

// ReadItem reads an item in DynamoDB's JSON, as [Read] reads a value.
func ReadItem(text []byte) (item, error) {
	of, err := attributevalue.UnmarshalMapJSON(text)
	if err != nil {
		return nil, err
	}
	var plain map[string]any
	if err := json.Unmarshal(text, &plain); err != nil {
		return nil, err
	}
	return of, oneTypeEach(plain)
}

// oneType reports a value, or the first one in it, that has not one type with its value.
func oneType(value any) error {
	types, _ := value.(map[string]any)
	if len(types) != 1 {
		return fmt.Errorf("expected one type with its value, found %s", cmp.Or(strings.Join(slices.Sorted(maps.Keys(types)), " and "), "none"))
	}
	elements, _ := types["L"].([]any)
	for _, element := range elements {
		if err := oneType(element); err != nil {
			return err
		}
	}
	members, _ := types["M"].(map[string]any)
	return oneTypeEach(members)
}

// oneTypeEach is [oneType] of each member, in the order of their names.
func oneTypeEach(members map[string]any) error {
	for _, name := range Names(members) {
		if err := oneType(members[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// Show writes a value in DynamoDB's JSON with the members of its maps in order, for
// messages.
func Show(value types.AttributeValue) string {
	if value == nil {
		return "nothing"
	}
	text, err := attributevalue.MarshalJSON(value)
	if err != nil {
		return fmt.Sprintf("%v", value)
	}
	var ordered any
	if of := TypeOf(value); of != Map && of != List || json.Unmarshal(text, &ordered) != nil {
		return string(text)
	}
	written, _ := PlainJSON(ordered, "") // read from JSON
	return written
}

// PlainJSON writes JSON without escapes that only HTML needs; without an indent, on one line.
func PlainJSON(value any, indent string) (string, error) {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	err := encoder.Encode(value)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// ShowItem writes an item in DynamoDB's JSON with its attributes in order.
func ShowItem(of item) string {
	members := map[string]json.RawMessage{}
	for name, value := range of {
		members[name] = json.RawMessage(Show(value))
	}
	text, err := json.Marshal(members)
	if err != nil {
		return fmt.Sprintf("%v", of)
	}
	return string(text)
}

// Differences lists, attribute by attribute, how an item differs from the
// expected one.
func Differences(expected, found item) []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(expected)), maps.Keys(found))
	slices.Sort(names)
	var differences []string
	for _, name := range slices.Compact(names) {
		if !Equal(expected[name], found[name]) {
			differences = append(differences, fmt.Sprintf("%s: expected %s, found %s", name, Show(expected[name]), Show(found[name])))
		}
	}
	return differences
}

// KeyText is the value of a key attribute as text, the same for equal values and no others: a Number is its value, however it is written.
func KeyText(of types.AttributeValue) string { return Show(plain(of)) }

// KeyID is a primary key as text, the same for equal keys and no others.
func KeyID(key item) string {
	all := item{}
	for name, value := range key {
		all[name] = plain(value)
	}
	return ShowItem(all)
}

// plain is a Number as its value is written without an exponent and without zeros that say nothing, and every other value as it is.
func plain(of types.AttributeValue) types.AttributeValue {
	number, is := of.(*types.AttributeValueMemberN)
	if !is {
		return of
	}
	value, valid := Decimal(number.Value)
	if !valid {
		return of
	}
	text := value.RatString()
	if digits, exact := value.FloatPrec(); !value.IsInt() && exact {
		text = value.FloatString(digits)
	}
	return &types.AttributeValueMemberN{Value: text}
}

// Scalar is a text as a value of a type: a Number, a Boolean, and a String for any other.
func Scalar(of Type, text string) types.AttributeValue {
	switch of {
	case Number:
		return &types.AttributeValueMemberN{Value: text}
	case Boolean:
		return &types.AttributeValueMemberBOOL{Value: text == "true"}
	}
	return &types.AttributeValueMemberS{Value: text}
}

// ScalarText returns the text of a String or Number, and an empty string for
// every other type.
func ScalarText(value types.AttributeValue) string {
	switch member := value.(type) {
	case *types.AttributeValueMemberS:
		return member.Value
	case *types.AttributeValueMemberN:
		return member.Value
	}
	return ""
}

// Names are the names of what a map holds by name, in order. Exploration asks for them of each item: the list is made once, and does not grow.
func Names[V any](of map[string]V) []string {
	names := slices.AppendSeq(make([]string, 0, len(of)), maps.Keys(of))
	slices.Sort(names)
	return names
}
