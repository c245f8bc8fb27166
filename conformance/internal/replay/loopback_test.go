package replay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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
