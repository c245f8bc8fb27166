package catalog_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
	"dynaproof/stacks/catalog"
	"dynaproof/stacks/dryrun"
	"dynaproof/stacks/environment"
	"dynaproof/stacks/policy"
)

// roles are those that each document names or implies, by design.
var roles = map[string][]string{
	"roll-model":     {"athlete", "coach", "system", "user"},
	"commit-collect": {"operator", "system", "user"},
	"fus-main":       {"admin", "everyone", "manager", "squash-member", "superadmin", "user"},
	"osem-ladders":   {"admin", "manager", "team_member"},
	"personal-os":    {"user"},
}

// demanded are the designs whose document forbids scans (commit-collect.md:18, 175).
var demanded = []string{"commit-collect"}

func TestGuardrailsByDefault(t *testing.T) {
	for _, design := range catalog.Designs() {
		for setting, want := range map[string]bool{"": slices.Contains(demanded, design), "enforce": true, "off": false} {
			result := dryRun(t, design, "dev", map[string]string{"dynaproof:guardrails": setting})
			policies, tables := 0, 0
			if want {
				policies, tables = len(roles[design]), len(result.Tables)
			}
			assert.True(t, len(result.Policies) == policies && len(result.TablePolicies) == tables,
				"%s with %q: expected %d policies of roles and %d of tables, found %d and %d", design, setting, policies, tables, len(result.Policies), len(result.TablePolicies))
			assert.Equal(t, map[bool]string{true: "enforce", false: "off"}[want], result.Outputs["guardrails"], "%s with %q", design, setting)
		}
	}
}

// TestPolicies looks at what is easy to get wrong in every statement of every program.
func TestPolicies(t *testing.T) {
	for _, design := range catalog.Designs() {
		result := dryRun(t, design, "dev", map[string]string{"dynaproof:guardrails": "enforce"})
		outputs, _ := result.Outputs["rolePolicies"].(map[string]any)
		for _, role := range roles[design] {
			registered := result.Policies[design+"-"+role]
			if registered == nil || registered["policy"] != outputs[role] {
				t.Errorf("%s: expected the policy of role %s, and it among the outputs, found %v and %v", design, role, registered, outputs[role])
				continue
			}
			assert.Equal(t, "/dynaproof/"+design+".dev/", registered["path"], "%s, role %s: expected the stack in the path", design, role)
			examine(t, design+" "+role, registered["policy"].(string), result)
		}
		for id := range result.Tables {
			arn := result.TablePolicies[id]["resourceArn"]
			assert.True(t, strings.HasSuffix(arn.(string), ":table/"+result.Tables[id]["name"].(string)), "%s: expected the policy of %s on its table, found %v", design, id, arn)
		}
	}
}

// examine reads a role's policy statement by statement.
func examine(t *testing.T, owner, text string, result *dryrun.Result) {
	t.Helper()
	var document struct {
		Statement []struct {
			Sid              string
			Effect           string
			Action, Resource []string
			Condition        map[string]map[string][]string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text), &document))
	seen := map[string]bool{}
	for _, statement := range document.Statement {
		where := owner + ", statement " + statement.Sid
		assert.True(t, !seen[statement.Sid] && statement.Sid != "" && statement.Effect == "Allow", "%s: expected a Sid of its own and Allow", where)
		seen[statement.Sid] = true
		for _, action := range statement.Action {
			assert.NotContains(t, action, "*", where)
		}
		for _, resource := range statement.Resource {
			_, name, _ := strings.Cut(resource, ":table/")
			name, _, _ = strings.Cut(name, "/")
			known := false
			for _, table := range result.Tables {
				known = known || table["name"] == name
			}
			assert.True(t, known, "%s: expected a table or an index of the stack", where)
			assert.NotContains(t, resource, "*", "%s: expected a table or an index of the stack", where)
		}
		for operator, keys := range statement.Condition {
			for key := range keys {
				conditioned := slices.Equal(statement.Condition["Null"][key], []string{"false"})
				assert.False(t, strings.HasPrefix(operator, "ForAllValues:") && !conditioned,
					"%s: expected a Null condition on %s, because %s is true when the key is absent", where, key, operator)
			}
		}
	}
}

// attached is what a stack with a table T attaches for these guardrails.
func attached(guardrails policy.Guardrails) (*dryrun.Result, error) {
	return dryrun.Run(func(ctx *pulumi.Context) error {
		settings, err := environment.Read(ctx, closed)
		if err != nil {
			return err
		}
		table, err := dynamodb.NewTable(ctx, "T", &dynamodb.TableArgs{Name: pulumi.String("T")})
		if err != nil {
			return err
		}
		return policy.Attach(ctx, settings, map[string]*dynamodb.Table{"T": table}, guardrails)
	}, "closed.dev", map[string]string{"dynaproof:guardrails": "enforce"})
}

func TestConditions(t *testing.T) {
	got := policy.Partitions("USER#" + policy.UserTag).And(policy.Projected()).And(policy.Written("PK", "SK"))
	want := tabletest.Read[policy.Condition](t, "condition.yaml")
	assert.Empty(t, cmp.Diff(want, got), "condition (-want +got)")
}

func TestDocument(t *testing.T) {
	role := func(statements ...policy.Statement) policy.Guardrails {
		return policy.Guardrails{Roles: []policy.Role{{Name: "r", Statements: func(policy.Tables) []policy.Statement { return statements }}}}
	}
	guardrails := map[string]policy.Guardrails{
		"no scans":                       {},
		"no scans but by one role":       {ScannedBy: map[string]string{"T": "admin"}},
		"a table that the stack has not": role(policy.Permit("S", "Query", nil, policy.Tables{}.Index("U", "I"))),
		"more than AWS takes":            role(policy.Statement{Sid: strings.Repeat("s", 6144)}),
	}
	for _, row := range tabletest.Read[[]struct{ Name, Want, Refused string }](t, "documents.yaml") {
		result, err := attached(guardrails[row.Name])
		if row.Refused != "" {
			assert.ErrorContains(t, err, row.Refused, row.Name)
			continue
		}
		require.NoError(t, err, row.Name)
		got, _ := result.TablePolicies["T"]["policy"].(string)
		assert.Equal(t, row.Want, strings.ReplaceAll(got, "arn:aws:dynamodb:"+dryrun.Region+":111122223333:table/T", "T"), row.Name)
	}
}

// The checks hold a design's program against what a test wrote out from the document. Every check returns an error that
// says what differs, nil when nothing does.

// registers checks that a stack of a program asks for exactly these tables, with exactly these inputs and the protection
// that the settings ask for, and for exactly these providers, by their names, beside the default one. Settings go by their full key (dynaproof:namePrefix).
func registers(program pulumi.RunFunc, stack string, settings map[string]string, tables map[string]map[string]any, providers ...string) error {
	result, err := dryrun.Run(program, stack, settings)
	if err != nil {
		return err
	}
	var problems []error
	protect := settings["dynaproof:protect"] != "false"
	for id, inputs := range result.Tables {
		if on, _ := inputs["deletionProtectionEnabled"].(bool); on != protect || result.Protected[id] != protect {
			problems = append(problems, fmt.Errorf("table %s: expected protection %t, found deletionProtectionEnabled %t and protect %t", id, protect, on, result.Protected[id]))
		}
		if !protect {
			if _, given := inputs["deletionProtectionEnabled"]; given {
				problems = append(problems, fmt.Errorf("table %s: expected no word on deletion protection, which would turn it off, found some", id))
			}
		}
		delete(inputs, "deletionProtectionEnabled") // what is left is what the document says
	}
	if diff := cmp.Diff(tables, result.Tables); diff != "" {
		problems = append(problems, fmt.Errorf("tables (-want +got):\n%s", diff))
	}
	if found := slices.Sorted(maps.Keys(result.Providers)); !slices.Equal(providers, found) {
		problems = append(problems, fmt.Errorf("expected the providers %q beside the default one, found %q", providers, found))
	}
	return errors.Join(problems...)
}

// exports checks that a stack of a program has exactly these outputs.
func exports(program pulumi.RunFunc, stack string, settings map[string]string, outputs map[string]any) error {
	result, err := dryrun.Run(program, stack, settings)
	if err != nil {
		return err
	}
	if diff := cmp.Diff(outputs, result.Outputs); diff != "" {
		return fmt.Errorf("outputs (-want +got):\n%s", diff)
	}
	return nil
}

// refuses checks that a program ends with an error that holds all of these words, before it has asked for a table or a
// provider.
func refuses(program pulumi.RunFunc, stack string, settings map[string]string, words ...string) error {
	result, err := dryrun.Run(program, stack, settings)
	var problems []error
	for _, word := range words {
		if err == nil || !strings.Contains(err.Error(), word) {
			problems = append(problems, fmt.Errorf("expected an error with %q, found %v", word, err)) //nolint:errorlint // there may be no error
		}
	}
	if len(result.Tables)+len(result.Providers) != 0 {
		problems = append(problems, fmt.Errorf("expected nothing registered, found %v and %v", result.Tables, result.Providers))
	}
	return errors.Join(problems...)
}

// small asks for a table and a provider, exports a word, and fails where the setting says so.
func small(ctx *pulumi.Context) error {
	if _, err := dynamodb.NewTable(ctx, "T", &dynamodb.TableArgs{HashKey: pulumi.String("id")}); err != nil {
		return err
	}
	if _, err := aws.NewProvider(ctx, "elsewhere", &aws.ProviderArgs{}); err != nil {
		return err
	}
	ctx.Export("word", pulumi.String("here"))
	if _, late := ctx.GetConfig("dynaproof:late"); late {
		return errors.New("too late")
	}
	return nil
}

func TestChecks(t *testing.T) {
	right, wrong := map[string]map[string]any{"T": {"hashKey": "id"}}, map[string]map[string]any{"T": {"hashKey": "pk"}}
	bare := map[string]string{"dynaproof:protect": "false"}
	late := map[string]string{"dynaproof:late": "true", "dynaproof:protect": "false"}
	early := func(*pulumi.Context) error { return errors.New("a region is missing") }
	for name, row := range map[string]struct {
		err   error
		words []string // none where nothing is wrong
	}{
		"as it should be": {registers(small, "d.dev", bare, right, "elsewhere"), nil},
		"a table without the protection that the settings ask for": {registers(small, "d.dev", nil, right, "elsewhere"), []string{"table T: expected protection true"}},
		"another key":             {registers(small, "d.dev", bare, wrong, "elsewhere"), []string{"tables (-want +got)", `"pk"`}},
		"another provider":        {registers(small, "d.dev", bare, right), []string{`found ["elsewhere"]`}},
		"a program that fails":    {registers(small, "d.dev", late, right, "elsewhere"), []string{"too late"}},
		"the outputs":             {exports(small, "d.dev", nil, map[string]any{"word": "here"}), nil},
		"another output":          {exports(small, "d.dev", nil, map[string]any{"word": "there"}), []string{"outputs (-want +got)", `"there"`}},
		"no outputs":              {exports(small, "d.dev", late, nil), []string{"too late"}},
		"refused at once":         {refuses(early, "d.dev", nil, "region", "missing"), nil},
		"refused in other words":  {refuses(early, "d.dev", nil, "region", "profile"), []string{`expected an error with "profile"`, "a region is missing"}},
		"refused after the table": {refuses(small, "d.dev", late, "too late"), []string{"expected nothing registered, found map[T"}},
		"not refused":             {refuses(small, "d.dev", nil, "too late"), []string{`expected an error with "too late", found <nil>`}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, row.err == nil, len(row.words) == 0, "expected a problem with %q, found %v", row.words, row.err)
			for _, word := range row.words {
				assert.True(t, row.err == nil || strings.Contains(strings.ReplaceAll(row.err.Error(), "\u00a0", " "), word), "expected %q, found %v", word, row.err)
			}
		})
	}
}
