package replay

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"mvdan.cc/sh/v3/syntax"

	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
)

// staysHere refuses a command that calls a tool which would ask AWS and not the engine. It knows the tools that it names, called by the command
// itself; what a script of the caller's calls it does not see.
func staysHere(command string) error {
	parsed, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil {
		return nil // the shell says what is wrong with it
	}
	folder := "."
	var problem error
	syntax.Walk(parsed, func(node syntax.Node) bool {
		call, is := node.(*syntax.CallExpr)
		if !is || problem != nil {
			return problem == nil
		}
		words := lists.Map(call.Args, unquoted)
		for len(words) > 0 && slices.Contains([]string{"exec", "env", "nice", "time", "command", "npx"}, words[0]) {
			words = words[1:]
			for len(words) > 0 && (strings.Contains(words[0], "=") || strings.HasPrefix(words[0], "-")) {
				words = words[1:]
			}
		}
		if len(words) > 1 && words[0] == "cd" {
			folder = below(folder, words[1])
		}
		if len(words) > 0 {
			problem = callStaysHere(folder, filepath.Base(words[0]), words[1:])
		}
		return true
	})
	return problem
}

// filledIn stands in a word for what the shell fills in.
const filledIn = "$"

// unquoted is the text of a word, as far as it stands in the command.
func unquoted(word *syntax.Word) string {
	var text strings.Builder
	syntax.Walk(word, func(node syntax.Node) bool {
		switch part := node.(type) {
		case *syntax.Lit:
			text.WriteString(part.Value)
		case *syntax.SglQuoted:
			text.WriteString(part.Value)
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ArithmExp:
			text.WriteString(filledIn)
			return false
		}
		return true
	})
	return text.String()
}

func below(folder, other string) string {
	if filepath.IsAbs(other) {
		return other
	}
	return filepath.Join(folder, other)
}

// callStaysHere judges one call of a tool in a folder.
func callStaysHere(folder, tool string, arguments []string) error {
	option := func(names ...string) string {
		for i, argument := range arguments {
			for _, name := range names {
				if value, is := strings.CutPrefix(argument, name+"="); is {
					return value
				}
				if argument == name && i+1 < len(arguments) {
					return arguments[i+1]
				}
			}
		}
		return ""
	}
	does := func(words ...string) bool {
		return slices.ContainsFunc(arguments, func(argument string) bool { return slices.Contains(words, argument) })
	}
	switch {
	case slices.Contains([]string{"terraform", "tofu", "terragrunt"}, tool) && does("apply", "plan", "destroy", "refresh", "import", "test"):
		return terraformStaysHere(tool, below(folder, option("-chdir", "--terragrunt-working-dir")))
	case tool == "pulumi" && does("up", "update", "preview", "destroy", "refresh", "watch"):
		return pulumiStaysHere(below(folder, option("-C", "--cwd")), arguments)
	case tool == "cdk" && does("deploy", "destroy"), tool == "sam" && does("deploy", "delete", "sync"), (tool == "serverless" || tool == "sls") && does("deploy", "remove"), tool == "aws" && does("cloudformation"):
		return fmt.Errorf("%s deploys by CloudFormation, which the engine does not have; leave --deploy out, and hold what it deploys by `dynaproof audit`", tool)
	case tool == "aws":
		if at := option("--endpoint-url"); at != "" && !onLoopback(at) {
			return fmt.Errorf("aws: expected no --endpoint-url, because AWS_ENDPOINT_URL stands in its environment, found %s; leave it out", at)
		}
		if option("--profile") != "" {
			return errors.New("aws: expected no --profile, because the command gets credentials of no account, found one; leave it out")
		}
	}
	return nil
}

// onLoopback says that an address leads to this machine. What is left of a word that the shell fills in is not judged.
func onLoopback(address string) bool {
	at, err := url.Parse(address)
	if err != nil || at.Host == "" || strings.Contains(address, filledIn) {
		return true
	}
	ip := net.ParseIP(at.Hostname())
	return at.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// terraformWrite is what keeps the provider on the engine.
const terraformWrite = `write: variable "dynamodb_endpoint" { default = null }, and in provider "aws": endpoints { dynamodb = var.dynamodb_endpoint }, skip_credentials_validation = var.dynamodb_endpoint != null, skip_requesting_account_id = var.dynamodb_endpoint != null (the variable is set for the command)`

// terraformStaysHere looks for what keeps Terraform's aws provider on the engine: its endpoints. Not every version of it reads AWS_ENDPOINT_URL.
func terraformStaysHere(tool, folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.tf*"))
	if err != nil {
		return err
	}
	parser, found := hclparse.NewParser(), 0
	for _, path := range files {
		parse := parser.ParseHCL
		switch {
		case strings.HasSuffix(path, ".tf.json"):
			parse = parser.ParseJSON
		case !strings.HasSuffix(path, ".tf"):
			continue
		}
		text, err := input.File(path, input.Text)
		if err != nil {
			return err
		}
		file, wrong := parse(text, path)
		if wrong.HasErrors() || file == nil {
			continue // the tool says what is wrong with it
		}
		content, _, _ := file.Body.PartialContent(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: "provider", LabelNames: []string{"name"}}}})
		for _, provider := range content.Blocks {
			if provider.Labels[0] != "aws" {
				continue
			}
			found++
			if lacks := providerLacks(provider.Body); lacks != "" {
				return fmt.Errorf("%s would ask AWS: %s:%d: provider \"aws\" has no %s; %s", tool, path, provider.DefRange.Start.Line, lacks, terraformWrite)
			}
		}
	}
	if found == 0 {
		return fmt.Errorf("%s would ask AWS: expected provider \"aws\" with an endpoints block in %s, found none; %s", tool, filepath.Join(folder, "*.tf"), terraformWrite)
	}
	return nil
}

// providerLacks says what a provider's block lacks; nothing where it stays here.
func providerLacks(body hcl.Body) string {
	content, _, _ := body.PartialContent(&hcl.BodySchema{
		Blocks:     []hcl.BlockHeaderSchema{{Type: "endpoints"}},
		Attributes: []hcl.AttributeSchema{{Name: "skip_credentials_validation"}, {Name: "skip_requesting_account_id"}},
	})
	named := map[string]bool{}
	for _, block := range content.Blocks {
		attributes, _ := block.Body.JustAttributes()
		for name, attribute := range attributes {
			value, _ := attribute.Expr.Value(nil) // unknown where a variable says it
			here := value.IsNull() || !value.IsWhollyKnown() || value.Type().FriendlyName() != "string" || onLoopback(value.AsString())
			named[name] = here
		}
	}
	switch {
	case !named["dynamodb"]:
		return "endpoints block with dynamodb on this machine"
	case !named["sts"] && (content.Attributes["skip_credentials_validation"] == nil || content.Attributes["skip_requesting_account_id"] == nil):
		return "skip_credentials_validation and skip_requesting_account_id, without which it asks STS who calls"
	}
	return ""
}

// pulumiStaysHere looks for the endpoints of Pulumi's aws provider, in the stacks' configuration or in the command.
func pulumiStaysHere(folder string, arguments []string) error {
	const option = "aws:endpoints"
	if os.Getenv("PULUMI_DEBUG_PROVIDERS") != "" || slices.ContainsFunc(arguments, func(argument string) bool { return strings.Contains(argument, option) }) {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(folder, "Pulumi.*.yaml"))
	for _, path := range files {
		if text, err := input.File(path, input.Text); err == nil && strings.Contains(string(text), option) {
			return nil
		}
	}
	return errors.Join(err, fmt.Errorf("pulumi would ask AWS: expected %s in a stack's configuration in %s or in the command, found none; add to the command: "+
		"--config-path -c \"%s[0].dynamodb=$AWS_ENDPOINT_URL\" -c aws:skipCredentialsValidation=true -c aws:skipRequestingAccountId=true", option, folder, option))
}
