package programtest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/dryrun/programtest"
)

// program asks for a table and a provider, exports a word, and fails where the setting says so.
func program(ctx *pulumi.Context) error {
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
		"as it should be": {programtest.Registers(program, "d.dev", bare, right, "elsewhere"), nil},
		"a table without the protection that the settings ask for": {programtest.Registers(program, "d.dev", nil, right, "elsewhere"), []string{"table T: expected protection true"}},
		"another key":             {programtest.Registers(program, "d.dev", bare, wrong, "elsewhere"), []string{"tables (-want +got)", `"pk"`}},
		"another provider":        {programtest.Registers(program, "d.dev", bare, right), []string{`found ["elsewhere"]`}},
		"a program that fails":    {programtest.Registers(program, "d.dev", late, right, "elsewhere"), []string{"too late"}},
		"the outputs":             {programtest.Exports(program, "d.dev", nil, map[string]any{"word": "here"}), nil},
		"another output":          {programtest.Exports(program, "d.dev", nil, map[string]any{"word": "there"}), []string{"outputs (-want +got)", `"there"`}},
		"no outputs":              {programtest.Exports(program, "d.dev", late, nil), []string{"too late"}},
		"refused at once":         {programtest.Refuses(early, "d.dev", nil, "region", "missing"), nil},
		"refused in other words":  {programtest.Refuses(early, "d.dev", nil, "region", "profile"), []string{`expected an error with "profile"`, "a region is missing"}},
		"refused after the table": {programtest.Refuses(program, "d.dev", late, "too late"), []string{"expected nothing registered, found map[T"}},
		"not refused":             {programtest.Refuses(program, "d.dev", nil, "too late"), []string{`expected an error with "too late", found <nil>`}},
	} {
		t.Run(name, func(t *testing.T) {
			if (row.err == nil) != (len(row.words) == 0) {
				t.Errorf("expected a problem with %q, found %v", row.words, row.err)
			}
			for _, word := range row.words {
				if row.err != nil && !strings.Contains(strings.ReplaceAll(row.err.Error(), "\u00a0", " "), word) {
					t.Errorf("expected %q, found %v", word, row.err)
				}
			}
		})
	}
}
