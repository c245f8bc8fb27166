package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/markdown"
)

// claimsOfASummary is how many claims a Markdown list holds: a comment on a
// pull request is read, not searched.
const claimsOfASummary = 10

// summarize writes a short summary for a pull request: what failed first, from
// cause to consequence, then figures by design, waivers, and what the verdicts
// rest on.
func summarize(w io.Writer, run *evidence.Run) error {
	var text strings.Builder
	fmt.Fprintf(&text, "## dynaproof: %s\n\n", outcomeOf(run))
	counts := evidence.Count(run.Results())
	var figures []string
	for _, verdict := range evidence.Verdicts() {
		if counts[verdict] > 0 || verdict == evidence.Pass || verdict == evidence.Fail {
			figures = append(figures, fmt.Sprintf("%d %s", counts[verdict], verdict))
		}
	}
	fmt.Fprintf(&text, "%s: %s. Target: %s, %s.\n", Plural(len(run.Results()), "claim"), strings.Join(figures, ", "), run.Target.Kind, markdown.Text(engineOf(run)))
	if run.ID != "" {
		fmt.Fprintf(&text, "Run %s, %s.\n", run.ID, run.Signature())
	}
	text.WriteString("\n")
	for _, group := range bySubject(run.Results()) {
		fmt.Fprintf(&text, "- about %s: %s\n", group.Name, group.figures())
	}
	markdownOpen(&text, run)
	markdownTable(&text, run)
	markdownObjections(&text, run)
	markdownWaivers(&text, run)
	markdownNotCheckable(&text, run)
	for i, what := range noProof(run) {
		if i == 0 {
			text.WriteString("\nNo proof:\n\n")
		}
		fmt.Fprintf(&text, "- %s\n", markdown.Text(what))
	}
	markdownDepartures(&text, run)
	markdownRests(&text, run)
	_, err := io.WriteString(w, text.String())
	return err
}

// outcomeOf is the headline: what became of the run, and what is wrong with the documents.
func outcomeOf(run *evidence.Run) string {
	outcome := couldNotTell
	switch code := run.ExitCode(); {
	case code == evidence.Conforms:
		outcome = "conforms"
	case code == evidence.DoesNotConform:
		outcome = strings.TrimPrefix(failed(run), "the deployment ")
	case run.Interrupted:
		outcome = "interrupted, " + couldNotTell
	}
	return outcome + andFindings(run)
}

// andFindings continues a sentence with the findings that stand, "; the documents have 9 findings, 2 high"; "" where none does, as in a run
// that did not look.
func andFindings(run *evidence.Run) string {
	found, high := evidence.Findings(run.Results())
	if found == 0 {
		return ""
	}
	documents := 0
	for i := range run.Designs {
		if some, _ := evidence.Findings(run.Designs[i].Results); some > 0 {
			documents++
		}
	}
	return fmt.Sprintf("; the %s %s, %d high", either(documents, "document has", "documents have"), Plural(found, "finding"), high)
}

// either chooses the word for one or for several.
func either(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// Plural writes a number and what is counted: "1 claim", "3 claims".
func Plural(n int, what string) string {
	return strconv.Itoa(n) + " " + what + either(n, "", "s")
}

// markdownOpen lists what did not pass, causes first.
func markdownOpen(text *strings.Builder, run *evidence.Run) {
	var open []evidence.Result
	for i := range run.Designs {
		if failure := run.Designs[i].Failure; failure != "" {
			fmt.Fprintf(text, "\n**%s could not be examined:** %s\n", markdown.Text(run.Designs[i].Name), markdown.Text(failure))
		}
	}
	for _, result := range run.Results() {
		if !result.Verdict.Held() {
			open = append(open, result)
		}
	}
	slices.SortStableFunc(open, func(a, b evidence.Result) int { return depth(a) - depth(b) })
	if len(open) == 0 {
		return
	}
	text.WriteString("\n### Not passed\n\n")
	for i, result := range open {
		if i == claimsOfASummary {
			fmt.Fprintf(text, "- … and %d more in the evidence\n", len(open)-i)
			return
		}
		fmt.Fprintf(text, "- **%s** %s: %s (%s)\n", result.Verdict, markdown.Code(result.ID), markdown.Text(result.Title), markdown.Text(result.Cite))
		if len(result.Problems) == 0 {
			continue
		}
		first := result.Problems[0]
		fmt.Fprintf(text, "  - at %s: expected %s, found %s", markdown.Text(first.Where), markdown.Code(first.Expected), markdown.Code(first.Found))
		if more := len(result.Problems) - 1; more > 0 {
			fmt.Fprintf(text, "; and %d more", more)
		}
		text.WriteString("\n")
		if first.Do != "" {
			fmt.Fprintf(text, "  - %s\n", markdown.Text(first.Do))
		}
	}
}

func markdownTable(text *strings.Builder, run *evidence.Run) {
	text.WriteString("\n| design | claims |")
	for _, verdict := range evidence.Verdicts() {
		fmt.Fprintf(text, " %s |", verdict)
	}
	for _, grade := range evidence.Grades() {
		fmt.Fprintf(text, " pass by %s |", grade)
	}
	fmt.Fprintf(text, "\n|---|%s\n", strings.Repeat("--:|", 1+len(evidence.Verdicts())+len(evidence.Grades())))
	row := func(name string, results []evidence.Result) {
		counts := evidence.Count(results)
		fmt.Fprintf(text, "| %s | %d |", markdown.Text(name), len(results))
		for _, verdict := range evidence.Verdicts() {
			fmt.Fprintf(text, " %d |", counts[verdict])
		}
		for _, grade := range evidence.Grades() {
			fmt.Fprintf(text, " %d |", passedBy(results, grade))
		}
		text.WriteString("\n")
	}
	for i := range run.Designs {
		row(run.Designs[i].Name, run.Designs[i].Results)
	}
	if len(run.Designs) > 1 {
		row("total", run.Results())
	}
}

func passedBy(results []evidence.Result, grade evidence.Grade) int {
	return howMany(results, func(r evidence.Result) bool { return r.Verdict == evidence.Pass && r.Grade == grade })
}

func markdownWaivers(text *strings.Builder, run *evidence.Run) {
	first := true
	for _, design := range run.Designs {
		for _, waiver := range design.Waivers {
			if first {
				text.WriteString("\nWaivers:\n\n")
				first = false
			}
			fmt.Fprintf(text, "- %s (%s): %s; %s\n", markdown.Code(design.Name+"/"+waiver.ID), markdown.Text(waiver.Cite), Plural(waiver.Requests, "request"), markdown.Text(waiver.Reason))
			if who := answersFor(waiver); who != "" {
				fmt.Fprintf(text, "  - %s\n", markdown.Text(who))
			}
		}
	}
}

// markdownNotCheckable lists what the documents promise and no check decides.
func markdownNotCheckable(text *strings.Builder, run *evidence.Run) {
	if count := countNotCheckable(run); count > 0 {
		fmt.Fprintf(text, "\nNot checkable, %s of the documents that no check decides:\n\n", Plural(count, "promise"))
	}
	for _, design := range run.Designs {
		for _, promise := range design.NotCheckable {
			fmt.Fprintf(text, "- %s (%s): %s; %s\n", markdown.Code(design.Name+"/"+promise.ID), markdown.Text(promise.Cite), markdown.Text(promise.Says), markdown.Text(promise.Because))
		}
	}
}

// markdownObjections lists the open objections of the machine that read the documents.
func markdownObjections(text *strings.Builder, run *evidence.Run) {
	open := run.OpenObjections()
	if open == 0 {
		return
	}
	fmt.Fprintf(text, "\n%s of the machine that read the documents%s:\n\n", Plural(open, "objection"), onlyWarnings(run))
	for i := range run.Designs {
		for _, objection := range openObjections(&run.Designs[i]) {
			fmt.Fprintf(text, "- %s %s: %s\n", markdown.Text(placeOf(run.Designs[i].Document, objection)), markdown.Code(objection.ID), markdown.Text(objection.Message))
		}
	}
}

// markdownDepartures lists what passed in another form than the documents'.
func markdownDepartures(text *strings.Builder, run *evidence.Run) {
	all := departed(run.Results())
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(text, "\nDepartures, %s that passed in another form than the document's:\n\n", Plural(len(all), "claim"))
	for _, result := range all {
		fmt.Fprintf(text, "- %s (%s), because of %s\n", markdown.Code(result.ID), markdown.Text(result.Cite), markdown.Code(strings.Join(shortOf(result), ", ")))
	}
}

func markdownRests(text *strings.Builder, run *evidence.Run) {
	passed := evidence.Count(run.Results())[evidence.Pass]
	fmt.Fprintf(text, "\n%d of %d passed claims lack evidence from AWS. What passed is, in the documents: %s.", passed-passedBy(run.Results(), evidence.AWS), passed, bases(run.Results()))
	for _, design := range run.Designs {
		if !design.Read && design.Failure == "" {
			fmt.Fprintf(text, " %s was not read, so its citations are unproven.", markdown.Text(design.Document))
		}
	}
	if run.Guardrails != "" {
		fmt.Fprintf(text, " The stacks were deployed with %s, whatever the default of their documents.", markdown.Code("guardrails: "+run.Guardrails))
	}
	fmt.Fprintf(text, "\n\nReproduce: %s\n", markdown.Code(reproduce(run)))
}
