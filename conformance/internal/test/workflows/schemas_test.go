package workflows

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"dynaproof/accesspatterns/tabletest"
)

// The schemas are fetched from packages, at exact versions, since they are not this project's to copy. goreleaser's lies in
// its Go module, up to this version; those of GitHub and GitLab in the package of the tool check-jsonschema.
const (
	goreleaser       = "github.com/goreleaser/goreleaser/v2@v2.14.0"
	goreleaserSum    = "h1:mruINcfD6UrNexpDUgNPsH9BPf7LTx7E8u1VgsaEKOU="
	goreleaserSchema = "www/docs/static/schema.json"

	checker       = "check-jsonschema==0.39.0"
	checkerWheel  = "check_jsonschema-0.39.0-py3-none-any.whl"
	checkerDigest = "14ce5c94871c551268ea948ffe21e9f1464dc48fb20bf9a4c13deeaaf756cf9b"
	gitlabSchema  = "check_jsonschema/builtin_schemas/vendor/gitlab-ci.json"
	githubSchema  = "check_jsonschema/builtin_schemas/vendor/github-workflows.json"
)

// fetchTime bounds one download.
const fetchTime = 3 * time.Minute

// cannotHave ends a test whose schema cannot be had. CI, and `make ci-files`, must have it.
func cannotHave(t *testing.T, err error) {
	t.Helper()
	message := fmt.Sprintf("nothing was checked: the published schema cannot be had: %v", err)
	require.NotEqual(t, "true", os.Getenv("CI"), message)
	t.Skip("skipped: " + message)
}

// moduleSchema reads goreleaser's schema from the Go module cache, where the module is put if it is not there.
var moduleSchema = sync.OnceValues(func() ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTime)
	defer cancel()
	download := exec.CommandContext(ctx, "go", "mod", "download", "-json", goreleaser)
	download.Dir = os.TempDir() // outside this module: it does not depend on goreleaser
	text, err := download.Output()
	if err != nil {
		return nil, fmt.Errorf("go mod download %s: %w: %s", goreleaser, err, text)
	}
	var had struct{ Dir, Sum string }
	if err := json.Unmarshal(text, &had); err != nil {
		return nil, err
	}
	if had.Sum != goreleaserSum {
		return nil, fmt.Errorf("%s: expected the sum %s, found %s", goreleaser, goreleaserSum, had.Sum)
	}
	return os.ReadFile(filepath.Join(had.Dir, goreleaserSchema))
})

// wheel returns the checker's package, which is kept in the user's cache.
var wheel = sync.OnceValues(func() ([]byte, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	kept := filepath.Join(cache, "dynaproof", checkerWheel)
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		return nil, err
	}
	lock := flock.New(kept + ".lock")
	if err := lock.Lock(); err != nil {
		return nil, err
	}
	defer func() { _ = lock.Unlock() }() // the process's end releases it too
	if content, err := os.ReadFile(kept); err == nil && hasDigest(content) == nil {
		return content, nil
	}
	folder, err := os.MkdirTemp("", "dynaproof-schemas-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	ctx, cancel := context.WithTimeout(context.Background(), fetchTime)
	defer cancel()
	text, err := exec.CommandContext(ctx, "python3", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", "--dest", folder, checker).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("pip download %s: %w: %s", checker, err, text)
	}
	content, err := os.ReadFile(filepath.Join(folder, checkerWheel))
	if err != nil {
		return nil, err
	}
	if err := hasDigest(content); err != nil {
		return nil, err
	}
	return content, os.WriteFile(kept, content, 0o644)
})

func hasDigest(content []byte) error {
	digest := sha256.Sum256(content)
	if found := hex.EncodeToString(digest[:]); found != checkerDigest {
		return fmt.Errorf("%s: expected the digest %s, found %s", checkerWheel, checkerDigest, found)
	}
	return nil
}

// wheelSchema reads a schema from the checker's package.
func wheelSchema(name string) func() ([]byte, error) {
	return func() ([]byte, error) {
		content, err := wheel()
		if err != nil {
			return nil, err
		}
		archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			return nil, err
		}
		file, err := archive.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return io.ReadAll(file)
	}
}

// validate holds a YAML text against a schema.
func validate(t *testing.T, schema func() ([]byte, error), text string) error {
	t.Helper()
	content, err := schema()
	if err != nil {
		cannotHave(t, err)
	}
	document := tabletest.Must(jsonschema.UnmarshalJSON(bytes.NewReader(content)))(t)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("schema.json", document))
	compiled := tabletest.Must(compiler.Compile("schema.json"))(t)
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		return err
	}
	return compiled.Validate(value)
}

// schemas are those that the files are held to.
var schemas = map[string]func() ([]byte, error){
	reusable: wheelSchema(githubSchema), caller: wheelSchema(githubSchema), ".ci/gitlab.yml": wheelSchema(gitlabSchema), ".goreleaser.yaml": moduleSchema,
}

func TestFilesFitPublishedSchemas(t *testing.T) {
	for file, schema := range schemas {
		t.Run(file, func(t *testing.T) {
			assert.NoError(t, validate(t, schema, read(t, file)))
		})
	}
}

func TestFilesThatDoNotFitPublishedSchemas(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name, File, Old, Changed string
		Says                     []string
	}](t, "unfit.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			err := validate(t, schemas[row.File], broken(t, row.File, row.Old, row.Changed))
			require.Error(t, err, "expected that it does not fit")
			for _, word := range row.Says {
				assert.Contains(t, err.Error(), word)
			}
		})
	}
}

func TestAnotherPackageIsRefused(t *testing.T) {
	err := hasDigest([]byte("another package"))
	assert.ErrorContains(t, err, "expected the digest "+checkerDigest, "expected an error that names the digest")
}
