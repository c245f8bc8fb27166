package contract_test

import (
	"strings"
	"testing"

	"dynaproof/accesspatterns/manifest"
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
