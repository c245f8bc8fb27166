//go:build unix

package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// refusing is an account whose caller has no permission for any table.
func refusing(t *testing.T) (url string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "Action=GetCallerIdentity") {
			w.Header().Set("Content-Type", "text/xml")
			fmt.Fprint(w, `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>`+
				`<Arn>arn:aws:sts::123456789012:assumed-role/ProdAdmin/jane.doe@corp.example</Arn><UserId>A:jane</UserId><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`)
			return
		}
		_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"__type":"com.amazon.coral.service#AccessDeniedException","Message":"User: arn:aws:sts::123456789012:assumed-role/ProdAdmin/jane.doe@corp.example `+
			`is not authorized to perform: dynamodb:%s on resource: arn:aws:dynamodb:eu-west-1:123456789012:table/osem-prod-Users because no identity-based policy allows the dynamodb:%[1]s action"}`, operation)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A caller without permissions learns which are missing. No table is said to differ
// from its document, and nobody is named.
func TestAuditWithoutPermissions(t *testing.T) {
	c := cloudRun(t, "", 3, refusing(t), "audit", "osem-ladders", "--target", "aws", "--env", "prod")
	out := c.stdout.String()
	says(t, "summary", out, "the permission dynamodb:DescribeTable on table/osem-prod-Users is missing: no identity-based policy allows it", "INDETERMINATE")
	lacks(t, "summary", out, "FAIL", "jane.doe", "123456789012")
	lacks(t, "errors", c.stderr.String(), "jane.doe", "123456789012")
}
