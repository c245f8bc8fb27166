package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"dynaproof/conformance/evidence"
)

// requestsShown is how many requests of one claim are written out, unless all are
// asked for.
const requestsShown = 3

// Text writes the explanation for a terminal. all writes out every request.
func (e *Explanation) Text(w io.Writer, all bool) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n  %s\n", e.Claim.ID, e.Claim.Title)
	e.lines(&out)
	width := 0
	for _, fact := range e.Facts {
		width = max(width, len(fact.Name))
	}
	if len(e.Facts) > 0 {
		out.WriteString("\ncontract\n")
	}
	for _, fact := range e.Facts {
		fmt.Fprintf(&out, "  %-*s  %s\n", width, fact.Name, fact.Text)
	}
	if err := e.requests(&out, all); err != nil {
		return err
	}
	if len(e.Decoys) > 0 {
		out.WriteString("\ndecoys, loaded and not to be returned\n")
	}
	for _, decoy := range e.Decoys {
		fmt.Fprintf(&out, "  %s (%s): %s\n", decoy.Item, decoy.Where, decoy.Why)
	}
	if len(e.RestsOn) > 0 {
		fmt.Fprintf(&out, "\nrests on\n  %s\n", strings.Join(e.RestsOn, "\n  "))
	}
	if len(e.Items) > 0 {
		out.WriteString("\nitems\n")
	}
	for _, name := range slices.Sorted(maps.Keys(e.Items)) {
		fmt.Fprintf(&out, "  %s  %s\n", name, e.Items[name])
	}
	e.verdict(&out)
	_, err := io.WriteString(w, out.String())
	return err
}

func (e *Explanation) lines(out *strings.Builder) {
	fmt.Fprintf(out, "\ndocument  %s\n", e.Claim.Cite)
	if e.Document.Problem != "" {
		for _, cited := range e.Document.Cited {
			lines := fmt.Sprint(cited.First)
			if cited.Last > cited.First {
				lines += fmt.Sprintf("-%d", cited.Last)
			}
			fmt.Fprintf(out, "  %s says: %s\n", lines, strings.Join(cited.Words, " … "))
		}
		fmt.Fprintf(out, "  the words are the contract's: %s\n", e.Document.Problem)
		return
	}
	if e.Document.Found != e.Document.SHA256 {
		fmt.Fprintf(out, "  the document changed since it was transcribed: expected SHA-256 %s, found %s; `dynaproof documents` says what it touches\n", e.Document.SHA256, e.Document.Found)
	}
	before := 0
	for _, line := range e.Document.Lines {
		if before > 0 && line.Number > before+1 {
			out.WriteString("       …\n")
		}
		before = line.Number
		fmt.Fprintf(out, "  %4d | %s\n", line.Number, strings.TrimRight(line.Text, "\r"))
	}
}

func (e *Explanation) requests(out *strings.Builder, all bool) error {
	for i, request := range e.Requests {
		if !all && i == requestsShown && len(e.Requests) > requestsShown+1 {
			fmt.Fprintf(out, "\n… and %d more requests; --all shows them\n", len(e.Requests)-i)
			return nil
		}
		fmt.Fprintf(out, "\nrequest  %s: %s\n", request.Where, request.Operation)
		if request.Why != "" {
			fmt.Fprintf(out, "  %s\n", request.Why)
		}
		if request.Input != nil {
			var pretty bytes.Buffer
			if err := json.Indent(&pretty, request.Input, "  ", "  "); err != nil {
				return fmt.Errorf("request of %s: %w", e.Claim.ID, err)
			}
			fmt.Fprintf(out, "  %s\n", pretty.String())
		}
		// A line of its own, without indentation, is easily copied whole.
		fmt.Fprintf(out, "\n%s\n\n", request.Command)
		if len(request.Expect) > 0 {
			order := "in any order"
			if request.Ordered {
				order = "in this order"
			}
			if len(request.Expect) == 1 {
				order = "alone"
			}
			fmt.Fprintf(out, "  expected  %s, %s\n", strings.Join(request.Expect, ", "), order)
		}
		if request.Outcome != "" {
			fmt.Fprintf(out, "  expected  %s\n", request.Outcome)
		}
	}
	return nil
}

func (e *Explanation) verdict(out *strings.Builder) {
	if e.Last == nil {
		out.WriteString("\nlast run  did not check this claim; `dynaproof verify` does\n")
		return
	}
	result := e.Last.Result
	fmt.Fprintf(out, "\nlast run  %s on evidence of grade %s, %s, %s (%s)\n", result.Verdict, result.Grade, e.Last.Engine,
		e.Last.Finished.UTC().Format(time.RFC3339), e.Last.Command)
	if len(result.Requests) > 0 {
		fmt.Fprintf(out, "  ledger    requests %s\n", evidence.Ranges(result.Requests))
	}
	for _, compared := range result.Compared {
		fmt.Fprintf(out, "  compared  %s: expected %s, found %s\n", compared.Where, compared.Expected, compared.Found)
	}
	if len(result.Departs) > 0 {
		fmt.Fprintf(out, "  departs   from the document's words, because of %s\n", strings.Join(result.Departs, ", "))
	}
	for _, problem := range result.Problems {
		fmt.Fprintf(out, "  at        %s\n  expected  %s\n  found     %s\n", problem.Where, problem.Expected, problem.Found)
		if problem.Do != "" {
			fmt.Fprintf(out, "  do        %s\n", problem.Do)
		}
	}
	for _, note := range result.Notes {
		fmt.Fprintf(out, "  note      %s\n", note)
	}
	if result.Invariant == nil {
		return
	}
	for i, attempt := range result.Invariant.Attempts {
		if len(attempt.Violation) > 0 {
			fmt.Fprintf(out, "\nattempt %d was broken by requests in this order\n%s", i+1, sequence(attempt.Violation))
		}
	}
}
