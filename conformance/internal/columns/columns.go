// Package columns makes the tables of a terminal: all look alike, and no cell can break a row.
package columns

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"dynaproof/accesspatterns/lists"
)

// Left is a table whose columns begin under each other: words.
func Left(rows [][]string) string { return table(rows, 0, "\n") }

// Right is a table whose columns end under each other: figures.
func Right(rows [][]string) string { return table(rows, tabwriter.AlignRight, "\t\n") }

// table writes rows. White space in a cell, line ends and tabs among it, becomes one blank space each, and other control characters
// are left out: a cell may hold what an engine or a document said.
func table(rows [][]string, flags uint, end string) string {
	clean := func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}
	var text strings.Builder
	out := tabwriter.NewWriter(&text, 0, 0, 2, ' ', flags)
	for _, row := range rows {
		cells := lists.Map(row, func(cell string) string { return strings.Map(clean, cell) })
		fmt.Fprint(out, strings.Join(cells, "\t")+end)
	}
	_ = out.Flush() // the text is in memory
	return text.String()
}

// Count is a cell with a number, and "-" for none, so that what is there is seen at once.
func Count(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}
