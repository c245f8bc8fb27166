package contract_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
)

// A contract of which any line is gone, or says something else, is a contract or a
// mistake, and never a panic.
func TestNoDamagedLinePanics(t *testing.T) {
	lines := strings.Split(notes(t), "\n")
	for i, line := range lines {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		name, _, _ := strings.Cut(line, ":")
		for _, instead := range []string{"", indent + "x: y", indent + "- x", name + ":", name + ": {}", name + ": []", name + ": ''", name + ": '{'", name + ": {x: {y: z}}"} {
			changed := append([]string{}, lines...)
			changed[i] = instead
			design, err := load(t, map[string]string{"contract.yaml": strings.Join(changed, "\n")})
			if err == nil {
				manifest.Claims(design)
			}
		}
	}
}

// Whatever stands in a file, it is a contract or a mistake, and never a panic. A
// contract that is read gives its claims.
func FuzzLoad(f *testing.F) {
	text := tabletest.Must(os.ReadFile("testdata/notes/contract.yaml"))(f)
	f.Add(string(text))
	for _, change := range []string{"", "title: [", "{", "1", "a: &b 1\nc: *b", "steps:", "get: note", "key: {}", "'", "tables: {T: }", "design: x\n---\n"} {
		f.Add(change)
		f.Add(strings.Replace(string(text), "      - use: notes-of-customer\n", "      - {"+change+"}\n", 1))
	}
	f.Fuzz(func(_ *testing.T, text string) {
		if design, err := contract.Load(fstest.MapFS{"contract.yaml": {Data: []byte(text)}}); err == nil {
			manifest.Claims(design)
		}
	})
}
