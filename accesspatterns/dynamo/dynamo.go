// Package dynamo has the words of DynamoDB itself: data types and values, operations, projections and capacity modes.
package dynamo

import "strings"

// Type is a DynamoDB data type, by its descriptor on the wire.
type Type string

// The data types of DynamoDB that documents name.
const (
	String    Type = "S"
	Number    Type = "N"
	Binary    Type = "B"
	Boolean   Type = "BOOL"
	Null      Type = "NULL"
	Map       Type = "M"
	List      Type = "L"
	StringSet Type = "SS"
	NumberSet Type = "NS"
	BinarySet Type = "BS"
)

// Types are the types that an attribute may have.
var Types = []Type{String, Number, Binary, Boolean, Null, Map, List, StringSet, NumberSet, BinarySet}

// IsSet reports whether values of the type are sets.
func (t Type) IsSet() bool { return t == StringSet || t == NumberSet || t == BinarySet }

// Operation is a DynamoDB API operation.
type Operation string

// The operations that read and write items.
const (
	GetItem            Operation = "GetItem"
	Query              Operation = "Query"
	Scan               Operation = "Scan"
	BatchGetItem       Operation = "BatchGetItem"
	TransactGetItems   Operation = "TransactGetItems"
	PutItem            Operation = "PutItem"
	UpdateItem         Operation = "UpdateItem"
	DeleteItem         Operation = "DeleteItem"
	BatchWriteItem     Operation = "BatchWriteItem"
	TransactWriteItems Operation = "TransactWriteItems"
)

// Projection says which attributes an index carries.
type Projection string

// The projection types of DynamoDB.
const (
	ProjectAll      Projection = "ALL"
	ProjectKeysOnly Projection = "KEYS_ONLY"
	ProjectInclude  Projection = "INCLUDE"
)

// Billing is the read/write capacity mode of a table.
type Billing string

// The capacity modes of DynamoDB.
const (
	OnDemand    Billing = "PAY_PER_REQUEST"
	Provisioned Billing = "PROVISIONED"
)

// TableName is the name of a table that is given by its name or by its ARN,
// arn:aws:dynamodb:REGION:ACCOUNT:table/NAME, possibly with an index or a stream behind it; "" for any other ARN.
func TableName(given string) string {
	if !strings.HasPrefix(given, "arn:") {
		return given
	}
	_, resource, _ := strings.Cut(given, ":table/")
	name, _, _ := strings.Cut(resource, "/")
	return name
}
