// Command skipped shows what `go test -json` writes to its standard input as `go test` shows it, and at the end which tests were
// skipped, and why: a run that lacked an engine, a browser or the documents is not the run that it looks like.
//
// It exits with 1 when a test or a package failed, or when what it reads is cut short. The Makefile says so too where go test itself fails.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() { os.Exit(show(os.Stdin, os.Stdout)) }

// show returns the exit code.
func show(in io.Reader, out io.Writer) (code int) {
	said := map[string]string{} // by package and test, until it ends
	var skipped []string
	open := 0
	lines := bufio.NewReader(in)
	for {
		text, err := lines.ReadString('\n')
		var event struct{ Action, Package, ImportPath, Test, Output string }
		switch {
		case text == "" && err != nil:
			for _, line := range skipped {
				fmt.Fprintln(out, "skipped:", line)
			}
			fmt.Fprintf(out, "%d tests were skipped\n", len(skipped))
			if open > 0 {
				fmt.Fprintf(out, "FAIL: %d packages began and did not end\n", open)
				return 1
			}
			return code
		case json.Unmarshal([]byte(text), &event) != nil:
			fmt.Fprint(out, text) // of the compiler
			continue
		}
		of := event.Package + " " + event.Test
		switch event.Action {
		case "start":
			open++
		case "build-output":
			fmt.Fprint(out, event.Output)
		case "build-fail":
			code = 1
		case "output":
			said[of] += event.Output
		case "pass", "fail", "skip":
			if event.Package != "" && event.Test == "" {
				open--
			}
			switch {
			case event.Action == "fail":
				code = 1
				fmt.Fprint(out, said[of])
			case event.Test == "":
				fmt.Fprint(out, lastLine(said[of]))
			case event.Action == "skip":
				skipped = append(skipped, of+": "+reason(said[of]))
			}
			delete(said, of)
		}
	}
}

// lastLine is the verdict of a package: "ok", its name and its time.
func lastLine(said string) string {
	said = strings.TrimSuffix(said, "\n")
	return said[strings.LastIndexByte(said, '\n')+1:] + "\n"
}

// reason is what a skipped test said, without the frame that go test puts around it.
func reason(said string) string {
	var words []string
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
			words = append(words, line)
		}
	}
	return strings.Join(words, " ")
}
