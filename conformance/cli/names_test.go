//go:build unix

package cli_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// namedRefusal is an endpoint of AWS's shape that says who calls, lists a table of somebody else's, and refuses every other
// request in words that name account, role and person.
func namedRefusal(t *testing.T) (url string, names []string) {
	t.Helper()
	const caller = "arn:aws:sts::123456789012:assumed-role/ProdAdmin/jane.doe@corp.example"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		switch operation {
		case "":
			w.Header().Set("Content-Type", "text/xml")
			fmt.Fprintf(w, `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Arn>%s</Arn><UserId>AROA:jane</UserId><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`, caller)
		case "ListTables":
			w.Header().Set("Content-Type", "application/x-amz-json-1.0")
			fmt.Fprint(w, `{"TableNames":["osem-prod-Users","osem-prod-payroll-secret"]}`)
		default:
			w.Header().Set("Content-Type", "application/x-amz-json-1.0")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"__type":"com.amazon.coral.service#AccessDeniedException","message":"User: %s is not authorized to perform: dynamodb:%s on resource: arn:aws:dynamodb:us-east-1:123456789012:table/osem-prod-Users because jane.doe@corp.example may not"}`, caller, operation)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, []string{"123456789012", "ProdAdmin", "jane.doe", "corp.example", "payroll-secret"}
}

// said returns all that a command printed and wrote, by where it stands.
func said(t *testing.T, c *child) map[string]string {
	t.Helper()
	texts := map[string]string{"standard output": c.stdout.String(), "error output": c.stderr.String()}
	err := filepath.WalkDir(c.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		texts[path] = string(text)
		return err
	})
	require.NoError(t, err)
	return texts
}

// An audit whose role lacks permissions names nobody: not on the terminal, not in a file, not in what is rendered from it.
func TestAuditNamesNobody(t *testing.T) {
	t.Parallel()
	url, names := namedRefusal(t)
	folder := t.TempDir()
	outputs := []map[string]string{}
	for _, args := range [][]string{
		{"audit", "osem-ladders", "--target", "aws", "--env", "prod"},
		{"audit", "osem-ladders", "--target", "aws", "--env", "prod", "--json"},
		{"report", "build/report/audit.json", "--all"},
		{"report", "build/report/audit.json", "--out", "rendered"},
		{"verify", "osem-ladders", "--target", "aws", "--existing", "--env", "prod", "--confirm", "prod", "--yes"},
	} {
		c := prepare(t, awsEnvironment(url, "us-east-1"), args...)
		c.Dir = folder
		c.starts(t)
		if code := c.ends(t); code == 0 {
			t.Errorf("%v: expected it not to conform, found exit code %d", args, code)
		}
		outputs = append(outputs, said(t, c))
	}
	for _, texts := range outputs {
		for where, text := range texts {
			for _, name := range names {
				if at := strings.Index(text, name); at >= 0 {
					t.Errorf("%s: expected no %s, found it in …%s…", where, name, text[max(0, at-120):min(len(text), at+80)])
				}
			}
		}
	}
	says(t, "summary", outputs[0]["standard output"], "AccessDenied")
	for _, file := range []string{"build/report/audit.json", "build/report/audit.html", "rendered/junit.xml", "rendered/summary.md"} {
		info, err := os.Stat(filepath.Join(folder, file))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: expected a file for its owner alone, found %v, %v", file, info, err)
		}
	}

	c := prepare(t, awsEnvironment(url, "us-east-1"), "audit", "osem-ladders", "--target", "aws", "--env", "prod", "--unredacted")
	c.Dir = folder
	c.starts(t)
	c.ends(t)
	says(t, "evidence with names", said(t, c)[filepath.Join(folder, "build/report/audit.json")], names...)
}
