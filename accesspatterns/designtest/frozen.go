package designtest

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"slices"
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

// FrozenIDs compares ids with a committed file, which holds how many each group has and the digest of them, sorted. None may stand twice.
func FrozenIDs(t *testing.T, file string, groups map[string][]string, update bool) {
	t.Helper()
	var lines []string
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		ids := slices.Sorted(slices.Values(groups[group]))
		if once := slices.Compact(slices.Clone(ids)); len(once) != len(ids) {
			t.Errorf("%s: an id stands twice", group)
		}
		lines = append(lines, fmt.Sprintf("%s: %d %.8x", group, len(ids), sha256.Sum256([]byte(strings.Join(ids, "\n")))))
	}
	Frozen(t, file, lines, update)
}
