package paper_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/conformance/internal/columns"
)

func TestTable(t *testing.T) {
	for name, row := range map[string]struct {
		table func(*strings.Builder) *columns.Table
		want  string
	}{
		"left":  {func(out *strings.Builder) *columns.Table { return columns.Left(out) }, "design  claims\na       10\nlonger  -\n"},
		"right": {func(out *strings.Builder) *columns.Table { return columns.Right(out) }, "  design  claims\n       a      10\n  longer       -\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			table := row.table(&out)
			table.Row("design", "claims")
			table.Row("a", columns.Count(10))
			table.Row("longer", columns.Count(0))
			require.NoError(t, table.Flush())
			if out.String() != row.want {
				t.Errorf("expected\n%q\nfound\n%q", row.want, out.String())
			}
		})
	}
}

// What an engine said must not move the columns, begin a row, or steer the terminal.
func TestCellsStayInTheirPlace(t *testing.T) {
	var out strings.Builder
	table := columns.Left(&out)
	table.Row("a\tb\nc\x1b[31m", "d")
	require.NoError(t, table.Flush())
	assert.Equal(t, "a b c[31m  d\n", out.String())
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestFlushSaysWhatWasNotWritten(t *testing.T) {
	table := columns.Left(full{})
	table.Row("a")
	assert.Error(t, table.Flush(), "expected the error of the writer")
}
