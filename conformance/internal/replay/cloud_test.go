package replay

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/session"
	"dynaproof/conformance/target"
)

// On AWS a run's tag and path are put on what it creates; what deploys puts them beside those of the program. Elsewhere nothing is.
func TestRunTagIsAskedFor(t *testing.T) {
	account := &target.Account{ID: "111122223333"}
	run := &Replay{places: map[string]*place{}, cloud: account, id: "0123", evidence: evidence.Run{}, options: Options{Environment: "dev", Region: "eu-west-1"}}
	run.target = account
	design := designs.All()[0]
	asked := run.stackOptions(design)
	if d := cmp.Diff(map[string]string{RunTag: run.runTag()}, asked.Tags); d != "" || asked.PolicyPath != "/dynaproof/run/0123/" {
		t.Errorf("expected the run's tag and path, found %v and %q", asked.Tags, asked.PolicyPath)
	}
}

// An account is opened in the region that the documents fix, where all that are chosen fix the same.
func TestCloudRegion(t *testing.T) {
	for _, row := range []struct {
		names       []string
		given, want string
		refused     bool
	}{
		{[]string{"commit-collect"}, "", "ap-southeast-2", false},
		{[]string{"commit-collect"}, "ap-southeast-2", "ap-southeast-2", false},
		{[]string{"commit-collect"}, "us-east-1", "", true},
		{[]string{"fus-main"}, "", "", false},
		{[]string{"fus-main"}, "us-east-1", "us-east-1", false},
		{[]string{"commit-collect", "fus-main"}, "", "", false},
		{[]string{"fus-main", "commit-collect"}, "us-east-1", "", true},
		{nil, "", "", false},
		{nil, "us-east-1", "us-east-1", false},
	} {
		region, err := CloudRegion(row.names, row.given)
		if region != row.want || errors.As(err, new(ConfigError)) != row.refused {
			t.Errorf("%v, given %q: expected %q, refused %t, found %q, %v", row.names, row.given, row.want, row.refused, region, err)
		}
	}
}

// A table is not ready before its indexes are: reads of an index that is being filled
// would lack items.
func TestAwaitsIndexes(t *testing.T) {
	states := []string{
		`"TableStatus":"CREATING","KeySchema":[{}]`,
		`"TableStatus":"ACTIVE","KeySchema":[{}],"GlobalSecondaryIndexes":[{"IndexName":"byDay","IndexStatus":"CREATING"}]`,
		`"TableStatus":"ACTIVE","KeySchema":[{}],"GlobalSecondaryIndexes":[{"IndexName":"byDay","IndexStatus":"ACTIVE","Backfilling":true}]`,
		`"TableStatus":"ACTIVE","KeySchema":[{}],"GlobalSecondaryIndexes":[{"IndexName":"byDay","IndexStatus":"ACTIVE"}]`,
	}
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		state := states[min(asked, len(states)-1)]
		asked++
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		fmt.Fprintf(w, `{"Table":{"TableName":"Orders","TableArn":"arn:aws:dynamodb:eu-west-1:111122223333:table/Orders",%s}}`, state)
	}))
	defer server.Close()
	run := &Replay{options: Options{Bounds: session.Bounds{Poll: time.Nanosecond}}}
	arns, err := run.awaitActive(t.Context(), target.NewClient(server.URL, "eu-west-1"), []string{"Orders"})
	if err != nil || arns["Orders"] != "arn:aws:dynamodb:eu-west-1:111122223333:table/Orders" || asked != len(states) {
		t.Errorf("expected the table's ARN after %d questions, found %v, %v after %d", len(states), arns, err, asked)
	}
}

// A tool that --deploy names is started where something keeps it on the engine, and nowhere else.
func TestToolsStayHere(t *testing.T) {
	const skips = "skip_credentials_validation = var.e != null\nskip_requesting_account_id = var.e != null\n"
	const none = `variable "e" {}` + "\n" + `provider "aws" { region = "eu-west-1" }`
	for name, row := range map[string]struct {
		file, text, command, refused string
	}{
		"no provider":            {"", "", "terraform apply -auto-approve", `terraform would ask AWS: expected provider "aws" with an endpoints block in `},
		"no endpoints":           {"main.tf", none, "terraform apply", `main.tf:2: provider "aws" has no endpoints block with dynamodb on this machine; write: variable "dynamodb_endpoint"`},
		"in another folder":      {"infra/main.tf", none, "terraform -chdir=infra apply", "infra/main.tf:2"},
		"after cd":               {"infra/main.tf", none, "cd infra && tofu apply", "tofu would ask AWS: "},
		"in a script":            {"main.tf", none, "set -e; for i in 1; do FOO=1 /usr/bin/terraform apply; done", "main.tf:2"},
		"not asked":              {"main.tf", none, "terraform version && terraform fmt", ""},
		"endpoints of others":    {"main.tf", "provider \"aws\" {\n" + skips + "endpoints { s3 = var.e }\n}", "terraform apply", "no endpoints block"},
		"endpoints on AWS":       {"main.tf", "provider \"aws\" {\n" + skips + "endpoints { dynamodb = \"https://dynamodb.eu-west-1.amazonaws.com\" }\n}", "terraform apply", "dynamodb on this machine"},
		"it asks who calls":      {"main.tf", "provider \"aws\" {\nendpoints { dynamodb = var.e }\n}", "terraform apply", "asks STS who calls"},
		"one of two":             {"main.tf", "provider \"aws\" {\n" + skips + "endpoints { dynamodb = var.e }\n}\nprovider \"aws\" {\nalias = \"b\"\n}", "terraform apply", "main.tf:6"},
		"a variable":             {"main.tf", "provider \"aws\" {\n" + skips + "endpoints { dynamodb = var.e }\n}", "terraform apply", ""},
		"this machine":           {"main.tf", "provider \"aws\" {\n" + skips + "endpoints { dynamodb = \"http://127.0.0.1:8000\" }\n}", "terraform apply", ""},
		"STS here too":           {"main.tf", "provider \"aws\" {\nendpoints {\ndynamodb = var.e\nsts = var.e\n}\n}", "terraform apply", ""},
		"JSON":                   {"main.tf.json", `{"provider": {"aws": {"endpoints": {"dynamodb": "${var.e}"}, "skip_credentials_validation": true, "skip_requesting_account_id": true}}}`, "terraform apply", ""},
		"JSON without":           {"main.tf.json", `{"provider": {"aws": {"region": "eu-west-1"}}}`, "terraform apply", "no endpoints block"},
		"pulumi":                 {"Pulumi.dev.yaml", "config: {aws:region: eu-west-1}", "pulumi up --yes", "pulumi would ask AWS: expected aws:endpoints"},
		"pulumi's configuration": {"Pulumi.dev.yaml", "config:\n  aws:endpoints: [{dynamodb: http://127.0.0.1:8000}]", "pulumi up --yes", ""},
		"pulumi's option":        {"", "", `pulumi up --config-path -c "aws:endpoints[0].dynamodb=$AWS_ENDPOINT_URL"`, ""},
		"pulumi in a folder":     {"infra/Pulumi.dev.yaml", "config:\n  aws:endpoints: []", "pulumi -C infra up", ""},
		"cdk":                    {"", "", "npx cdk synth && npx --yes cdk deploy --all", "cdk deploys by CloudFormation, which the engine does not have"},
		"sam":                    {"", "", "sam deploy", "sam deploys by CloudFormation"},
		"aws":                    {"", "", "aws dynamodb create-table --cli-input-json file://table.json", ""},
		"aws elsewhere":          {"", "", "aws dynamodb create-table --endpoint-url https://dynamodb.eu-west-1.amazonaws.com", "found https://dynamodb.eu-west-1.amazonaws.com; leave it out"},
		"aws here":               {"", "", `aws --endpoint-url "$AWS_ENDPOINT_URL" dynamodb list-tables && aws --endpoint-url=http://$HOST:8000 dynamodb list-tables`, ""},
		"aws of somebody":        {"", "", "aws --profile prod dynamodb list-tables", "aws: expected no --profile"},
		"a script":               {"", "", "./deploy.sh", ""},
		"no shell":               {"", "", "terraform apply (", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if row.file != "" {
				require.NoError(t, os.MkdirAll(filepath.Dir(row.file), 0o700))
				require.NoError(t, os.WriteFile(row.file, []byte(row.text), 0o600))
			}
			t.Setenv("PULUMI_DEBUG_PROVIDERS", "")
			err := staysHere(row.command)
			if (err == nil) != (row.refused == "") || err != nil && !strings.Contains(err.Error(), row.refused) {
				t.Errorf("%s: expected a refusal with %q, found %v", row.command, row.refused, err)
			}
		})
	}
}
