package suite

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/suite/ledgertest"
	"dynaproof/conformance/suite/session"
)

// The client of an audit's session sends nothing but Describe and List.
func TestReadOnlySession(t *testing.T) {
	design, err := designs.Find("fus-main")
	require.NoError(t, err)
	session, err := session.Open(t.Context(), session.Input{Design: design, Endpoint: "http://127.0.0.1:1", Deployment: session.Deployment{Region: "us-east-1"}, Ledger: ledgertest.Entries{}, ReadOnly: true})
	require.NoError(t, err)
	_, err = session.Client.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("fus-main")})
	var refused *safewrite.WriteError
	assert.ErrorAs(t, err, &refused)
}
