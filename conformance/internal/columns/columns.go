// Package columns prints the tables of a terminal: all look alike, and no cell can break a row.
package columns

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"
)

// Table is a table that is being written. Its rows appear when it is flushed, because the widest cell decides a column's width.
type Table struct {
	rows *tabwriter.Writer
	end  string
}

// Left makes a table whose columns begin under each other: words.
func Left(out io.Writer) *Table {
	return &Table{rows: tabwriter.NewWriter(out, 0, 0, 2, ' ', 0), end: "\n"}
}

// Right makes a table whose columns end under each other: figures.
func Right(out io.Writer) *Table {
	return &Table{rows: tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight), end: "\t\n"}
}

// Row adds a row. White space in a cell, line ends and tabs among it, becomes one blank space each, and other control characters
// are left out: a cell may hold what an engine or a document said.
func (t *Table) Row(cells ...string) {
	clean := make([]string, len(cells))
	for i, cell := range cells {
		clean[i] = strings.Map(func(r rune) rune {
			switch {
			case unicode.IsSpace(r):
				return ' '
			case unicode.IsControl(r):
				return -1
			}
			return r
		}, cell)
	}
	fmt.Fprint(t.rows, strings.Join(clean, "\t")+t.end) // what it writes to is a buffer until Flush
}

// Flush prints the rows. A table may be filled again afterwards; the columns of the next rows have widths of their own.
func (t *Table) Flush() error { return t.rows.Flush() }

// Text makes the text of rows, as a template takes it.
func Text(kind func(io.Writer) *Table) func(rows [][]string) (string, error) {
	return func(rows [][]string) (string, error) {
		var text strings.Builder
		table := kind(&text)
		for _, row := range rows {
			table.Row(row...)
		}
		err := table.Flush()
		return text.String(), err
	}
}

// Count is a cell with a number, and "-" for none, so that what is there is seen at once.
func Count(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}
