package guard_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/guard"
)

// A reader who treats expired items as absent, or reads items of several schema versions, has to be told when an item expires and of which
// version it is: whatever else a projection leaves out, not these. A refusal says what to add.
func TestWhatIsJudgedByIsProjected(t *testing.T) {
	for _, row := range []struct {
		name, projection string
		change           func(*ap.Read)
		expected         string // "" passes
	}{
		{"no projection", "", nil, ""},
		{"a projection of all that matters", "id, #t", nil, ""},
		{"a projection without the expiry", "id", nil, "a projection with ttl, by which the reader judges each item; add it"},
		{"a member of the name", "id, meta.#t", nil, "a projection with ttl, by which the reader judges each item; add it"},
		{"a read that takes every item as it comes", "id", func(r *ap.Read) { r.Expires = "" }, ""},
		{"a schema version", "id, v", func(r *ap.Read) { r.Expires, r.Versions = "", &ap.Versions{Attribute: "v"} }, ""},
		{"a projection without the schema version", "id, #t", func(r *ap.Read) { r.Versions = &ap.Versions{Attribute: "v"} }, "a projection with ttl and v, by which the reader judges each item; add it"},
		{"some of a declared projection", "id, #t", func(r *ap.Read) { r.Projection, r.OrFewer = []string{"id", "body", "ttl"}, true }, ""},
		{"some of a declared projection without the expiry", "id", func(r *ap.Read) { r.Projection, r.OrFewer = []string{"id", "body", "ttl"}, true }, "ttl, and any of id, body, ttl"},
	} {
		t.Run(row.name, func(t *testing.T) {
			design := designtest.Whole()
			read := design.Patterns[0].Steps[0].Read
			if read.Expires = "ttl"; row.change != nil {
				row.change(read)
			}
			g, err := guard.New(design, guard.ForRole("user"))
			require.NoError(t, err)
			name := design.Tables[0].Name.In("")
			in := query(name, "PK = :p", "USER#u", "", func(q *dynamodb.QueryInput) {
				if row.projection != "" {
					q.ProjectionExpression = aws.String(row.projection)
				}
				if strings.Contains(row.projection, "#t") {
					q.ExpressionAttributeNames = map[string]string{"#t": "ttl"}
				}
			})
			_, err = g.Check(t.Context(), in)
			var refusal *guard.Refusal
			switch {
			case row.expected == "" && err != nil:
				t.Errorf("expected it to pass, found %v", err)
			case row.expected != "" && (!errors.As(err, &refusal) || refusal.Rule != guard.RuleProjection || refusal.Expected != row.expected):
				t.Errorf("expected %q, found %v", row.expected, err)
			}
		})
	}
}
