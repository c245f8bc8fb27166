package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What is skipped is named with its reason, what fails is shown and fails the command, and what passes is a line.
func TestShow(t *testing.T) {
	const skip = `{"Action":"start","Package":"p"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: no browser; set X\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- SKIP: TestA (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"noise\n"}
{"Action":"pass","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}
`
	const fail = `{"Action":"start","Package":"q"}
{"Action":"output","Package":"q","Test":"TestC","Output":"    c_test.go:9: wrong\n"}
{"Action":"fail","Package":"q","Test":"TestC"}
{"Action":"output","Package":"q","Output":"FAIL\tq\t0.1s\n"}
{"Action":"fail","Package":"q"}
`
	for _, row := range []struct {
		name, in, want string
		code           int
	}{
		{"skipped", skip, "ok  \tp\t0.1s\nskipped: p TestA: a_test.go:3: no browser; set X\n1 tests were skipped\n", 0},
		{"failed", skip + fail, "ok  \tp\t0.1s\n    c_test.go:9: wrong\nFAIL\tq\t0.1s\nskipped: p TestA: a_test.go:3: no browser; set X\n1 tests were skipped\n", 1},
		{"not compiled", `{"ImportPath":"p","Action":"build-output","Output":"p.go:1: no\n"}` + "\n" + `{"ImportPath":"p","Action":"build-fail"}` + "\n", "p.go:1: no\n0 tests were skipped\n", 1},
		{"cut short", `{"Action":"start","Package":"p"}` + "\n", "0 tests were skipped\nFAIL: 1 packages began and did not end\n", 1},
		{"no JSON", "cannot find a package\n", "cannot find a package\n0 tests were skipped\n", 0},
	} {
		var out strings.Builder
		assert.Equal(t, row.code, show(strings.NewReader(row.in), &out), "%s", row.name)
		assert.Equal(t, row.want, out.String(), "%s", row.name)
	}
}
