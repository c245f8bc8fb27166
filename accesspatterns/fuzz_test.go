package accesspatterns_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
)

// FuzzKeyTemplate formats any ids by any template. What can be formatted is parsed
// back to the same ids.
func FuzzKeyTemplate(f *testing.F) {
	for _, template := range []string{"ENTRY#{a}#{b}", "USER#{a}", "{a}", "KW#{a}#TS#{b}", "A#{a}#B#{a}", "{a}{b}", "{}", "{a", "a}", "CONSTANT", ""} {
		for _, ids := range [][2]string{{"1", "2"}, {"a#b", "c"}, {"c", "a#b"}, {"", "x"}, {"é\u0000", "日本#"}, {"{a}", "#"}, {"\xff", strings.Repeat("x", 2048)}} {
			f.Add(template, ids[0], ids[1])
		}
	}
	f.Fuzz(func(t *testing.T, text, a, b string) {
		template := accesspatterns.KeyTemplate(text)
		params := accesspatterns.Params{"a": a, "b": b}
		key, err := template.Format(params)
		if err != nil {
			return
		}
		parsed, err := template.Parse(key)
		require.NoError(t, err, "%q formats %q, and does not parse it", text, key)
		for name, value := range parsed {
			if params[name] != value {
				t.Fatalf("%q formats %q: expected %s to be parsed back to %q, found %q", text, key, name, params[name], value)
			}
		}
		if len(parsed) != len(template.Parameters()) {
			t.Fatalf("%q: expected the parameters %v, found %v", text, template.Parameters(), parsed)
		}
	})
}
