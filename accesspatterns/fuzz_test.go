package accesspatterns_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		if err != nil {
			t.Fatalf("%q formats %q, and does not parse it: %v", text, key, err)
		}
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

// FuzzCitation proves any citation against any document: it never panics, and it
// holds exactly when the lines exist and hold the token.
func FuzzCitation(f *testing.F) {
	f.Add("one\ntwo\nthree\n", 1, 2, "two")
	f.Add("", 1, 1, "x")
	f.Add("one", -5, 1<<40, "")
	f.Add("a\r\nb", 2, 2, "b")
	f.Fuzz(func(t *testing.T, content string, first, last int, token string) {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "d.md"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		source, err := accesspatterns.ReadDocument(folder, accesspatterns.Document{File: "d.md"})
		if err != nil {
			t.Fatal(err)
		}
		err = source.Prove(accesspatterns.Lines(first, last, token))
		var cited []string
		for number := first; number <= last && number <= source.Len(); number++ {
			cited = append(cited, source.Line(number))
		}
		stands := first >= 1 && last >= first && last <= source.Len() && strings.Contains(strings.Join(cited, "\n"), token)
		if stands != (err == nil) {
			t.Fatalf("lines %d-%d of %q, token %q: expected it to stand %v, found %v", first, last, content, token, stands, err)
		}
	})
}
