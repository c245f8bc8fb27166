package designtest

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Frozen compares lines with a committed file, or with update writes the file anew. A change of the product
// that moves a line changes the file, and its commit says why.
func Frozen(t *testing.T, file string, lines []string, update bool) {
	t.Helper()
	if update {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	committed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(string(committed)), "\n"), lines); diff != "" {
		t.Errorf("%s (-committed +found): `make frozen` writes it anew; the commit says why each line changed\n%s", file, diff)
	}
}
