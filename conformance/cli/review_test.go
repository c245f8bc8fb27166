package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const shop = "# Shop\n\nTable name: `shop`\nPartition key: **PK** (String). Sort key: **SK** (String).\n\n" +
	"## Access patterns\n\n- Get a user: `GetItem(PK=USER#{id}, SK=PROFILE)`\n"

// A review reads one file, sends nothing, and its exit code says whether
// something cannot work.
func TestReview(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	broken := strings.Replace(shop, ", SK=PROFILE", "", 1)
	for name, text := range map[string]string{"shop.md": shop, "broken.md": broken, "poem.md": "# Roses\n\nare red.\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	right := run(t, folder, 0, "review", "shop.md")
	says(t, "review", right.stdout.String(), "table shop", "PK (S) / SK (S)", "GetItem PK = USER#{id}, SK = PROFILE")

	wrong := run(t, folder, 1, "review", "broken.md", "--json", "--html", "out/review.html", "--sarif", "out/review.sarif")
	var found struct {
		Hits []struct {
			Rule string `json:"rule"`
			Line int    `json:"line"`
		} `json:"hits"`
	}
	if err := json.Unmarshal(wrong.stdout.Bytes(), &found); err != nil || len(found.Hits) == 0 || found.Hits[0].Rule != "get-without-whole-key" || found.Hits[0].Line != 8 {
		t.Errorf("expected the broken GetItem on line 8, found %+v, %v", found, err)
	}
	for _, name := range []string{"out/review.html", "out/review.sarif"} {
		if text, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !strings.Contains(string(text), "get-without-whole-key") {
			t.Errorf("%s: expected the rule in it, found %v", name, err)
		}
	}
	run(t, folder, 2, "review", "poem.md").oneError(t, "poem.md", "no table, key, index or access pattern", "expected a design document")
	rules := run(t, folder, 0, "review", "--rules")
	says(t, "review --rules", rules.stdout.String(), "range-on-partition-key", "https://docs.aws.amazon.com/")
}
