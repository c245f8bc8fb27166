package reader

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPhrases holds the law that the code asks for the lists of phrases that words.yaml has, each of them and no other.
func TestPhrases(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	asked := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, match := range regexp.MustCompile(`\bphrase\("([^"]*)"\)`).FindAllStringSubmatch(string(text), -1) {
			asked[match[1]] = asked[match[1]] || !strings.HasSuffix(file, "_test.go")
		}
	}
	assert.Equal(t, slices.Sorted(maps.Keys(phraseForms())), slices.Sorted(maps.Keys(asked)))
}

// TestPhrasesMatch holds where the phrases of each kind of list stand in a text.
func TestPhrasesMatch(t *testing.T) {
	for list, texts := range map[string][2]string{
		"warning":  {"Avoid scans", "How to avoid scans"},
		"noneOf":   {"Streams are off", "Offers"},
		"ofSystem": {"Audit console", "Console of audits"},
		"apart":    {"Backfills:", "Backfills of a day"},
		"ttlTold":  {"an automatic item expiry", "an export"},
	} {
		assert.True(t, phrase(list).MatchString(texts[0]), texts[0])
		assert.False(t, phrase(list).MatchString(texts[1]), texts[1])
	}
}
