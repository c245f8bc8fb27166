//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"

	"dynaproof/stacks/deploy"
	"dynaproof/stacks/localaws"
)

// findCLI returns where the Pulumi CLI is: what DYNAPROOF_PULUMI names, what
// `make takeover` built, or what is on the path.
func findCLI() (string, error) {
	for _, name := range []string{os.Getenv("DYNAPROOF_PULUMI"), filepath.Join("build", "pulumi"), "pulumi"} {
		if found, err := exec.LookPath(name); err == nil {
			return filepath.Abs(found)
		}
	}
	return "", errors.New("no Pulumi CLI, which make takeover builds")
}

// cliRow compares the deployment of all tables, which is done in this process, with
// Pulumi's Automation API, which runs the CLI for every step. Programs, engine and
// provider are the same on both sides.
func cliRow(ctx context.Context, tables int) (row, error) {
	cli, err := findCLI()
	if err != nil {
		return row{what: "deploy, beside the Automation API", theirs: "not measured: " + err.Error()}, nil
	}
	var s sides
	for range rounds {
		ours, err := deployed(ctx, nothing)
		if err != nil {
			return row{}, err
		}
		theirs, err := deployedByCLI(ctx, cli)
		if err != nil {
			return row{}, fmt.Errorf("the Automation API with %s: %w", cli, err)
		}
		s.ours, s.theirs = append(s.ours, ours), append(s.theirs, theirs)
	}
	return s.row(fmt.Sprintf("deploy, %d tables", tables), "Pulumi's engine in process", "Automation API with the CLI", 0), nil
}

// deployedByCLI deploys all designs through a proxy with the Automation API, and
// returns how long that took, in seconds.
func deployedByCLI(ctx context.Context, cli string) (seconds float64, err error) {
	folder, err := os.MkdirTemp("", "dynaproof-bench-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	// The Automation API looks for bin/pulumi below a folder.
	if err := os.Mkdir(filepath.Join(folder, "bin"), 0o700); err != nil {
		return 0, err
	}
	if err := os.Symlink(cli, filepath.Join(folder, "bin", "pulumi")); err != nil {
		return 0, err
	}
	command, err := auto.NewPulumiCommand(&auto.PulumiCommandOptions{Root: folder})
	if err != nil {
		return 0, err
	}
	provider, err := localaws.Serve()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, provider.Close()) }()
	state := "file://" + folder
	environment := map[string]string{
		"PULUMI_BACKEND_URL": state, "PULUMI_CONFIG_PASSPHRASE": deploy.EphemeralPassphrase, "PULUMI_HOME": filepath.Join(folder, "home"),
		"PULUMI_DEBUG_PROVIDERS":                      "aws:" + strconv.Itoa(provider.Port()),
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true", "PULUMI_SKIP_UPDATE_CHECK": "true",
	}
	return deployedBy(ctx, func(options deploy.Options) error {
		work := filepath.Join(folder, "work-"+options.Design)
		if err := os.Mkdir(work, 0o700); err != nil {
			return err
		}
		stack, err := auto.UpsertStackInlineSource(ctx, options.Design+".bench", deploy.Project, options.Program,
			auto.Pulumi(command), auto.WorkDir(work), auto.EnvVars(environment),
			auto.Project(workspace.Project{
				Name: tokens.PackageName(deploy.Project), Runtime: workspace.NewProjectRuntimeInfo("go", nil),
				Backend: &workspace.ProjectBackend{URL: state},
			}))
		if err != nil {
			return err
		}
		if err := stack.SetAllConfig(ctx, auto.ConfigMap{
			"aws:region": {Value: options.Region}, "aws:endpoints": {Value: fmt.Sprintf(`[{"dynamodb":%q}]`, options.Endpoint)},
			"aws:accessKey": {Value: "local"}, "aws:secretKey": {Value: "local"},
		}); err != nil {
			return err
		}
		_, err = stack.Up(ctx)
		return err
	}, nothing)
}
