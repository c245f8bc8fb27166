package deploy

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/env"
	"github.com/pulumi/pulumi/sdk/v3/go/common/version"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
)

// PluginVariable names the executable of Pulumi's aws plugin, which then deploys to loopback in place of localaws. Its name has to be
// that of Pulumi's plugins, pulumi-resource-aws.
const PluginVariable = "DYNAPROOF_AWS_PLUGIN"

// takePlugin puts a plugin before all others: Pulumi's engine takes the one on the path.
func takePlugin(file string) error {
	file, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	if found, err := exec.LookPath(file); err != nil || filepath.Base(found) != pluginFile {
		return fmt.Errorf("deploy: expected in %s the path of Pulumi's aws plugin, an executable called %s, found %q: correct or unset it", PluginVariable, pluginFile, file)
	}
	if first, err := exec.LookPath(pluginFile); err == nil && first == file {
		return nil
	}
	return os.Setenv("PATH", filepath.Dir(file)+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// endpointsOf is aws:endpoints for a deployment to loopback. localaws asks for DynamoDB alone; the plugin asks for more, and none
// of its requests may leave this machine.
func endpointsOf(endpoint string) string {
	return asJSON([]map[string]string{{"dynamodb": endpoint, "iam": endpoint, "sts": endpoint}})
}

// asJSON writes texts, which has no error.
func asJSON(texts any) string {
	written, _ := json.Marshal(texts)
	return string(written)
}

const pluginFile = "pulumi-resource-aws"

// PluginDigest is the environment variable with the SHA-256 of the plugin's executable, 64 hexadecimal digits. The plugin runs
// with credentials that create and delete, and nothing else says that it is Pulumi's.
const PluginDigest = "DYNAPROOF_AWS_PLUGIN_SHA256"

// CheckPlugin returns an error that says what to install when the plugin that deploys to AWS itself is not where Pulumi looks for
// it: on the path, or among its plugins. Where [PluginDigest] is set, it returns an error when the plugin is another one. It sends
// no request.
func CheckPlugin() error {
	path, err := pluginPath()
	if err != nil {
		return err
	}
	want := os.Getenv(PluginDigest)
	if want == "" {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("deploy to AWS: Pulumi's aws plugin: %w", err)
	}
	defer file.Close()
	digest := sha256.New()
	if _, err := io.Copy(digest, file); err != nil {
		return fmt.Errorf("deploy to AWS: Pulumi's aws plugin %s: %w", path, err)
	}
	if found := hex.EncodeToString(digest.Sum(nil)); !strings.EqualFold(found, want) {
		return fmt.Errorf("deploy to AWS: expected Pulumi's aws plugin with the SHA-256 %s (%s), found %s in %s: install it again, or correct the digest", want, PluginDigest, found, path)
	}
	return nil
}

// UnverifiedPlugin says that nothing verifies the plugin, or is empty when [PluginDigest] does.
func UnverifiedPlugin() string {
	if os.Getenv(PluginDigest) != "" {
		return ""
	}
	return "Pulumi's aws plugin is not verified: set " + PluginDigest + " to the SHA-256 of its executable"
}

// pluginPath returns the executable that Pulumi runs: one on the path goes before those that it installed.
func pluginPath() (string, error) {
	version := pluginVersion()
	folder, err := workspace.GetPluginDir()
	if err != nil {
		return "", fmt.Errorf("deploy to AWS: cannot find the folder of Pulumi's plugins: %w; set %s", err, env.Home.Var().Name())
	}
	if path, err := exec.LookPath(pluginFile); err == nil {
		return path, nil
	}
	path := filepath.Join(folder, "resource-aws-"+version, pluginFile)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("deploy to AWS: expected Pulumi's aws plugin %s in %s, found none: install the Pulumi CLI (https://www.pulumi.com/docs/install), run `pulumi plugin install resource aws %[1]s`, then try again",
			version, folder)
	}
	return path, nil
}

// pluginVersion is the version of the SDK that the programs were built with, which is the plugin's.
func pluginVersion() string { return cmp.Or(builtWith("github.com/pulumi/pulumi-aws/sdk/"), "v6") }

// builtWith is the version of the module, whose path begins so, that this process was built with; empty for none.
func builtWith(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dependency := range info.Deps {
			if strings.HasPrefix(dependency.Path, module) {
				return dependency.Version
			}
		}
	}
	return ""
}

// The version of Pulumi stands in the state that its engine writes. Pulumi's own builds set it by the linker.
func init() {
	version.Version = cmp.Or(version.Version, builtWith("github.com/pulumi/pulumi/sdk/v3"))
}
