package reader

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// linesOf are the lines of a file in testdata/lines, each with what stands behind an arrow.
func linesOf(t *testing.T, name string, look func(text inline) string) {
	t.Helper()
	path := "testdata/lines/" + name
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	var got strings.Builder
	for line := range strings.Lines(string(content)) {
		text, _, _ := strings.Cut(strings.TrimSpace(line), " => ")
		read := ""
		if !strings.HasPrefix(text, "#") {
			read = look(parse([]byte("- " + text + "\n"))[0].text)
		}
		if got.WriteString(text); read != "" {
			got.WriteString(" => " + read)
		}
		got.WriteString("\n")
	}
	if os.Getenv("UPDATE_WANT") != "" {
		require.NoError(t, os.WriteFile(path, []byte(got.String()), 0o600))
	}
	assert.Equal(t, string(content), got.String())
}

// TestKeyOrder: the name, type and role of a key stand in any order, and are read in one.
func TestKeyOrder(t *testing.T) {
	linesOf(t, "keyorder.txt", func(text inline) string {
		if read := ticked(text.inKeyOrder()); read != ticked(text) {
			return read
		}
		return ""
	})
}

// TestIndexLine: an index and its keys are read however a line says them.
func TestIndexLine(t *testing.T) {
	linesOf(t, "indexes.txt", func(text inline) string {
		told := nameAndKeys(ticked(text))
		if len(told.keys) == 0 {
			return ""
		}
		said := strings.Join(append([]string{told.name}, told.also...), ", ")
		for _, key := range told.keys {
			said += fmt.Sprintf(" [%s %s %s]", key.role, key.name, key.kind)
		}
		return strings.TrimRight(fmt.Sprintf("%s %s | %s", said, told.projection, strings.Trim(told.behind, " ,;.:()—–-")), " |")
	})
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
