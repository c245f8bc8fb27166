package catalog_test

import (
	"strings"
	"testing"

	"github.com/pulumi/esc"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/stacks/catalog"
	"dynaproof/stacks/dryrun"
)

// dryRun says what a design's program asks for, by Pulumi's mocks.
func dryRun(t *testing.T, design, environment string, settings map[string]string) *dryrun.Result {
	t.Helper()
	entry := tabletest.Must(catalog.Find(design))(t)
	return tabletest.Must(dryrun.Run(entry.Program, design+"."+environment, settings))(t)
}

// TestLongestNames sees that no table name exceeds DynamoDB's 255 characters with the longest prefix and the longest
// environment that a stack may have. The settings rely on it to refuse before anything is registered.
func TestLongestNames(t *testing.T) {
	for _, design := range catalog.Designs() {
		result := dryRun(t, design, strings.Repeat("e", 20), map[string]string{"dynaproof:namePrefix": strings.Repeat("p", 200)})
		for id, inputs := range result.Tables {
			name, _ := inputs["name"].(string)
			assert.True(t, len(name) >= 3 && len(name) <= 255, "%s %s: expected a name of 3 to 255 characters, found %d", design, id, len(name))
		}
	}
}

func TestRegion(t *testing.T) {
	want := map[string]string{
		"roll-model": "", "commit-collect": "ap-southeast-2", "fus-main": "", "osem-ladders": "", "personal-os": "",
	}
	for design, region := range want {
		assert.Equal(t, region, tabletest.Must(catalog.Find(design))(t).Document.Region, design)
	}
}

func TestUnknownDesign(t *testing.T) {
	const want = `expected one of roll-model, commit-collect, fus-main, osem-ladders, personal-os, found "osem-ladder"; `
	_, err := catalog.Find("osem-ladder")
	assert.True(t, err != nil && strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "\n"), "expected one line with %q, found %v", want, err)
}

func TestProgramRefusesBadStackNames(t *testing.T) {
	cases := map[string]string{
		"dev":                `expected <design>.<environment>, found "dev"`,
		"osem-ladder.dev":    `found "osem-ladder"`,
		"osem-ladders.{env}": `found "{env}"`,
	}
	for stack, want := range cases {
		result, err := dryrun.Run(catalog.Program, stack, nil)
		assert.ErrorContains(t, err, want, "%s: expected an error with %q", stack, want)
		assert.Zero(t, len(result.Tables)+len(result.Providers), "%s: expected nothing registered, found %v and %v", stack, result.Tables, result.Providers)
	}
}

// loadProject reads Pulumi.yaml as the Pulumi CLI does, its JSON schema included.
func loadProject(t *testing.T) *workspace.Project {
	t.Helper()
	return tabletest.Must(workspace.LoadProject("../../Pulumi.yaml"))(t)
}

func TestProjectFile(t *testing.T) {
	project := loadProject(t)
	assert.NoError(t, project.Validate())
	assert.EqualValues(t, dynaproof.Project, project.Name, "name: expected the namespace that the programs read")
	assert.Equal(t, "go", project.Runtime.Name())
	assert.Equal(t, "stacks", project.Main, "expected runtime go and main stacks")
	require.NotNil(t, project.Description)
	assert.NotEmpty(t, *project.Description, "expected a description")
	assert.Nil(t, project.Backend)
	assert.Nil(t, project.Plugins, "expected neither backend nor plugins: the file is for ordinary use against AWS")
	assert.Len(t, project.Config, 5, "expected the 5 settings that the programs read")
	for _, key := range []string{"dynaproof:tableName", "dynaproof:billingMode", "dynaproof:namePrefix", "dynaproof:guardrails", "dynaproof:protect"} {
		setting, ok := project.Config[key]
		assert.True(t, ok && setting.IsExplicitlyTyped() && setting.Description != "", "%s: expected it typed and described, found %+v", key, setting)
	}
}

// TestNoConfigurationIsNeeded applies the project to a stack without configuration, as `pulumi up` does before it starts
// a program, and runs every program on the outcome: a key without default would be reported as missing, and a
// default that one of the designs refuses would stop its program.
func TestNoConfigurationIsNeeded(t *testing.T) {
	project := loadProject(t)
	for _, design := range catalog.Designs() {
		stack := design + ".dev"
		merged := config.Map{}
		if err := workspace.ValidateStackConfigAndApplyProjectConfig(t.Context(), stack, project, esc.Value{}, merged,
			config.NopEncrypter, config.NopDecrypter); err != nil {
			t.Errorf("%s: %v", stack, err)
			continue
		}
		values := tabletest.Must(merged.Decrypt(config.NopDecrypter))(t)
		settings := map[string]string{}
		for key, value := range values {
			settings[key.String()] = value
		}
		_, ok := settings["dynaproof:namePrefix"]
		assert.True(t, ok, "%s: expected the project's defaults, found %v", stack, settings)
		_, err := dryrun.Run(catalog.Program, stack, settings)
		assert.NoError(t, err, "%s", stack)
	}
}
