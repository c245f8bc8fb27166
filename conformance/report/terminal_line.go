package report

import (
	"fmt"
	"io"

	"github.com/charmbracelet/lipgloss"
)

// Terminal writes the summary of a run: a table of verdicts and grades, then
// what failed with the root cause first and a reason that many claims share once,
// then what the verdicts rest on. Colours
// follow the renderer, which turns them off where the output is no terminal.
type Terminal struct {
	Out      io.Writer
	Renderer *lipgloss.Renderer
	// Problems is how many root causes are written out for each design; 0 means
	// every claim without a pass.
	Problems int
}

func (t *Terminal) line(format string, args ...any) { fmt.Fprintf(t.Out, format+"\n", args...) }
