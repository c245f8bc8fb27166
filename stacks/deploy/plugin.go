package deploy

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/env"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
)

// MissingPluginError says that Pulumi's aws plugin, which deploys to AWS itself, is not on this machine.
type MissingPluginError struct {
	// Version is the version that the programs were built with, and Folder where it was looked for.
	Version, Folder string
}

func (e *MissingPluginError) Error() string {
	return fmt.Sprintf("deploy to AWS: expected Pulumi's aws plugin %s in %s, found none: install the Pulumi CLI (https://www.pulumi.com/docs/install), run `pulumi plugin install resource aws %s`, then try again",
		e.Version, e.Folder, e.Version)
}

const pluginFile = "pulumi-resource-aws"

// CheckPlugin returns a [*MissingPluginError] when the plugin that deploys to AWS itself is not where Pulumi looks for it:
// among its plugins, or on the path. It sends no request.
func CheckPlugin() error {
	version := pluginVersion()
	folder, err := workspace.GetPluginDir()
	if err != nil {
		return fmt.Errorf("deploy to AWS: cannot find the folder of Pulumi's plugins: %w; set %s", err, env.Home.Var().Name())
	}
	if _, err := os.Stat(filepath.Join(folder, "resource-aws-"+version, pluginFile)); err == nil {
		return nil
	}
	if _, err := exec.LookPath(pluginFile); err == nil {
		return nil
	}
	return &MissingPluginError{version, folder}
}

// pluginVersion is the version of the SDK that the programs were built with, which is the plugin's.
func pluginVersion() string {
	const module = "github.com/pulumi/pulumi-aws/sdk/"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dependency := range info.Deps {
			if strings.HasPrefix(dependency.Path, module) {
				return dependency.Version
			}
		}
	}
	return "v6"
}
