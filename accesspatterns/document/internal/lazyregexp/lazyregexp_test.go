package lazyregexp

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What is known of a text changes nothing that is found in it, asked once or again, of a long one, or of more than are kept.
func TestFindsWhatRegexpFinds(t *testing.T) {
	texts := []string{"", "a", "ab", "b1 a22 b333", "ä", strings.Repeat("b", longest) + "a1", strings.Repeat("b", longest+1)}
	for n := range most + 1 {
		texts = append(texts, "n"+strconv.Itoa(n))
	}
	bracketed := func(text string) string { return "<" + text + ">" }
	for _, expression := range []string{`a`, `(a)(\d*)`, `x*`, `^$`, `(?i)\bB+\b`, `\d+$`} {
		lazy, other := New(expression), regexp.MustCompile(expression)
		for range 2 {
			for _, s := range texts {
				assert.Equal(t, other.MatchString(s), lazy.MatchString(s))
				assert.Equal(t, other.FindString(s), lazy.FindString(s))
				assert.Equal(t, other.FindStringIndex(s), lazy.FindStringIndex(s))
				assert.Equal(t, other.FindStringSubmatch(s), lazy.FindStringSubmatch(s))
				assert.Equal(t, other.FindStringSubmatchIndex(s), lazy.FindStringSubmatchIndex(s))
				assert.Equal(t, other.FindAllString(s, -1), lazy.FindAllString(s, -1))
				assert.Equal(t, other.FindAllStringIndex(s, 1), lazy.FindAllStringIndex(s, 1))
				assert.Equal(t, other.FindAllStringSubmatch(s, -1), lazy.FindAllStringSubmatch(s, -1))
				assert.Equal(t, other.FindAllStringSubmatchIndex(s, -1), lazy.FindAllStringSubmatchIndex(s, -1))
				assert.Equal(t, other.ReplaceAllString(s, "<$0>"), lazy.ReplaceAllString(s, "<$0>"))
				assert.Equal(t, other.ReplaceAllStringFunc(s, bracketed), lazy.ReplaceAllStringFunc(s, bracketed))
				assert.Equal(t, other.Split(s, -1), lazy.Split(s, -1))
			}
		}
	}
}
