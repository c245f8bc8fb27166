package suite

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/suite/ledgertest"
	"dynaproof/conformance/suite/session"
)

// The client of an audit's session sends nothing but Describe and List.
func TestReadOnlySession(t *testing.T) {
	design, err := designs.Find("fus-main")
	if err != nil {
		t.Fatal(err)
	}
	session, err := session.Open(t.Context(), session.Input{Design: design, Endpoint: "http://127.0.0.1:1", Deployment: session.Deployment{Region: "us-east-1"}, Ledger: ledgertest.Entries{}, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = session.Client.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("fus-main")})
	var refused *safewrite.WriteError
	if !errors.As(err, &refused) {
		t.Errorf("expected the client to refuse DeleteTable, found %v", err)
	}
}
