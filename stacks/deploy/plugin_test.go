package deploy_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"dynaproof/stacks/deploy"
)

// Without the plugin a deployment to AWS says what to install, before anything else.
func TestMissingPlugin(t *testing.T) {
	home := t.TempDir()
	t.Setenv("PULUMI_HOME", home)
	t.Setenv("PATH", home)
	err := deploy.CheckPlugin()
	var missing *deploy.MissingPluginError
	if !errors.As(err, &missing) || missing.Folder != filepath.Join(home, "plugins") {
		t.Fatalf("expected the plugin to be missing in %s, found %v", home, err)
	}
	folder := filepath.Join(home, "plugins", "resource-aws-"+missing.Version)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "pulumi-resource-aws"), nil, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := deploy.CheckPlugin(); err != nil {
		t.Errorf("expected the plugin to be found, found %v", err)
	}
}
