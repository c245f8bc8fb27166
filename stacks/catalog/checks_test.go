package catalog_test

import (
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

	"dynaproof/stacks/dryrun"
)

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
