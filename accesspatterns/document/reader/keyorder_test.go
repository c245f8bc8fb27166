package reader

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestKeyOrder: the name, type and role of a key stand in any order, and are read in one.
func TestKeyOrder(t *testing.T) {
	content, err := os.ReadFile("testdata/lines/keyorder.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(content)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		text, want, changes := strings.Cut(strings.TrimSpace(line), " => ")
		text, ofIndex := strings.CutPrefix(text, "index ")
		given := parse([]byte("- " + text + "\n"))[0].text
		got := given.inKeyOrder()
		if ofIndex {
			got = given.indexInOrder()
		}
		if !changes {
			want = ticked(given)
		}
		assert.Equal(t, want, ticked(got), text)
	}
}

// TestUnmarked: what a text without Markdown draws and indents gets marks, line by line, and a fence stays as it is.
func TestUnmarked(t *testing.T) {
	for text, want := range map[string]string{
		"━━━━━━━━\nTABLE 1: depot\n━━━━━━━━\n":              "\n## TABLE 1: depot\n\n",
		"Primary Key:\n  PK: van (String)\n  by van\n":      "Primary Key:\n- PK: van (String)\n- by van\n",
		"~~~~~~~~\nTABLE 1: depot\n~~~~~~~~\n":              "~~~~~~~~\nTABLE 1: depot\n~~~~~~~~\n",
		"```\n════════\nTABLE 1: depot\n════════\n```\n":    "```\n════════\nTABLE 1: depot\n════════\n```\n",
		"```\nPrimary Key:\n  PK: van (String)\n```\n":      "```\nPrimary Key:\n  PK: van (String)\n```\n",
		"════════\n| a | b |\n════════\n━━━━━━━━\n━━━━━━━━": "════════\n| a | b |\n════════\n━━━━━━━━\n━━━━━━━━",
	} {
		assert.Equal(t, want, string(unmarked([]byte(text))), text)
	}
}
