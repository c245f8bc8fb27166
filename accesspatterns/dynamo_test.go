package accesspatterns_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns/dynamo"
)

func TestTableName(t *testing.T) {
	for given, expected := range map[string]string{
		"users": "users",
		"arn:aws:dynamodb:us-east-1:000000000000:table/users":               "users",
		"arn:aws:dynamodb:us-east-1:000000000000:table/users/index/by-name": "users",
		"arn:aws:s3:::bucket": "",
	} {
		assert.Equal(t, expected, dynamo.TableName(given), given)
	}
}
