// Package workflows holds the files that say what runs where no test of this project runs, the GitHub workflows, the GitLab
// example and the release configuration, against what reads them: workflows against actionlint, and everything against the
// published schemas of GitHub, GitLab and goreleaser. Scripts that call gh run against a gh of the test's own.
package workflows

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
)

// root is that of this project, seen from the package's folder.
const root = "../../../.."

func write(t *testing.T, folder, file, content string) {
	t.Helper()
	path := filepath.Join(folder, file)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

func read(t *testing.T, file string) string {
	t.Helper()
	return string(tabletest.Must(os.ReadFile(filepath.Join(root, file)))(t))
}

// broken returns a file's text with one thing changed.
func broken(t *testing.T, file, old, changed string) string {
	t.Helper()
	text := read(t, file)
	require.Contains(t, text, old, file)
	return strings.Replace(text, old, changed, 1)
}
