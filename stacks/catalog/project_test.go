package catalog_test

import (
	"testing"

	"github.com/pulumi/esc"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/stacks/catalog"
	"dynaproof/stacks/dryrun"
	"dynaproof/stacks/environment"
)

// loadProject reads Pulumi.yaml as the Pulumi CLI does, its JSON schema included.
func loadProject(t *testing.T) *workspace.Project {
	t.Helper()
	project, err := workspace.LoadProject("../../Pulumi.yaml")
	require.NoError(t, err)
	return project
}

func TestProjectFile(t *testing.T) {
	project := loadProject(t)
	assert.NoError(t, project.Validate())
	if project.Name != environment.Project {
		t.Errorf("name: expected %s, the namespace that the programs read, found %s", environment.Project, project.Name)
	}
	if project.Runtime.Name() != "go" || project.Main != "stacks" {
		t.Errorf("expected runtime go and main stacks, found %s and %s", project.Runtime.Name(), project.Main)
	}
	if project.Description == nil || *project.Description == "" {
		t.Error("expected a description, found none")
	}
	if project.Backend != nil || project.Plugins != nil {
		t.Error("expected neither backend nor plugins: the file is for ordinary use against AWS")
	}
	assert.Len(t, project.Config, 5, "expected the 5 settings that the programs read")
	for _, key := range []string{"dynaproof:tableName", "dynaproof:billingMode", "dynaproof:namePrefix", "dynaproof:guardrails", "dynaproof:protect"} {
		setting, ok := project.Config[key]
		if !ok || !setting.IsExplicitlyTyped() || setting.Description == "" {
			t.Errorf("%s: expected it typed and described, found %+v", key, setting)
		}
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
		values, err := merged.Decrypt(config.NopDecrypter)
		require.NoError(t, err)
		settings := map[string]string{}
		for key, value := range values {
			settings[key.String()] = value
		}
		if _, ok := settings["dynaproof:namePrefix"]; !ok {
			t.Errorf("%s: expected the project's defaults, found %v", stack, settings)
		}
		if _, err := dryrun.Run(catalog.Program, stack, settings); err != nil {
			t.Errorf("%s: %v", stack, err)
		}
	}
}
