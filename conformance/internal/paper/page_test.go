package paper_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/conformance/internal/page"
)

func TestAPageLoadsNothingAndRunsItsOwnScriptAlone(t *testing.T) {
	var text strings.Builder
	made := page.New(`{{define "title"}}of {{.}}{{end}}{{define "main"}}<p>{{.}}</p>{{end}}`, `run("</p>")`, nil)
	require.NoError(t, made.Write(&text, "<b>"))
	for _, want := range []string{"<title>of &lt;b&gt;</title>", "<p>&lt;b&gt;</p>", `<script>run("</p>")</script>`, "default-src &#39;none&#39;", "script-src &#39;sha256-", `href="#main"`} {
		assert.Contains(t, text.String(), want)
	}
	if policy := page.Policy("", ""); strings.Contains(policy, "script-src") || strings.Contains(policy, "unsafe") {
		t.Errorf("expected a policy that runs nothing, found %q", policy)
	}
}

// There is one layout: no other file begins a page, has a style sheet or sets a policy, and no element has a style of its own, which the
// policy would refuse.
func TestOneLayout(t *testing.T) {
	own := regexp.MustCompile(`(?i)<!doctype|<style|http-equiv|[\s<]style="`)
	seen := 0
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".tmpl") && !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if found := own.Find(text); found != nil && filepath.Base(path) != "layout.html.tmpl" {
			t.Errorf("%s: expected pages to be made by the layout, found %q", path, found)
		}
		seen++
		return nil
	})
	if err != nil || seen < 100 {
		t.Fatalf("expected the sources of the folder, found %d files (%v)", seen, err)
	}
}
