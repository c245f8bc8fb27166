package deploy_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	require.NoError(t, os.MkdirAll(folder, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "pulumi-resource-aws"), nil, 0o700))
	assert.NoError(t, deploy.CheckPlugin(), "expected the plugin to be found")

	// The digest is that of no bytes, the well-known one of an empty text.
	t.Setenv(deploy.PluginDigest, "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855")
	if err := deploy.CheckPlugin(); err != nil || deploy.UnverifiedPlugin() != "" {
		t.Errorf("expected the plugin to be verified, found %v, %q", err, deploy.UnverifiedPlugin())
	}
	require.NoError(t, os.WriteFile(filepath.Join(home, "pulumi-resource-aws"), []byte("#!/bin/sh\n"), 0o700))
	if err := deploy.CheckPlugin(); err == nil || !strings.Contains(err.Error(), "expected Pulumi's aws plugin with the SHA-256") {
		t.Errorf("expected the plugin on the path, which Pulumi takes, to be refused, found %v", err)
	}
	t.Setenv(deploy.PluginDigest, "")
	assert.Contains(t, deploy.UnverifiedPlugin(), "not verified")
}
