package scale

import (
	"fmt"
	"io"
	"strings"

	"dynaproof/conformance/internal/columns"
)

// WriteTerminal prints the proof for people: a line for each pattern, what grows
// and why, and the ways in which the engine counts otherwise than AWS.
func WriteTerminal(out io.Writer, report *Report) {
	fmt.Fprintf(out, "target: %s, %s %s; seed %d; %.0f calls of each pattern a month at the prices of %s in %s\n",
		report.Target.Kind, report.Target.Engine, report.Target.Version, report.Seed, report.Calls, report.Prices.Date, report.Prices.Region)
	for i := range report.Designs {
		design := &report.Designs[i]
		fmt.Fprintf(out, "\n%s\n", design.Name)
		if design.Failure != "" {
			fmt.Fprintf(out, "  could not be measured: %s\n", design.Failure)
			continue
		}
		fmt.Fprintf(out, "  measured beside %s items of others (%.1f MB)\n\n", list(design.Sizes), float64(design.Bytes)/1e6)
		writePatterns(out, design)
		writeGrowth(out, design, report.Prices.Currency)
		for _, deviation := range design.Deviations {
			fmt.Fprintf(out, "  the engine counts otherwise than AWS documents, %d times in %d: %s; %s\n", deviation.Times, design.Calculated, deviation.Rule, deviation.Example)
		}
		if len(design.Deviations) == 0 {
			fmt.Fprintf(out, "  all %d figures that can be calculated from the sizes of the items are those that the engine reports\n", design.Calculated)
		}
		for _, note := range design.Notes {
			fmt.Fprintf(out, "  note: %s\n", note)
		}
		for _, pattern := range design.Patterns {
			for _, problem := range pattern.Problems {
				fmt.Fprintf(out, "  FAIL  %s/pattern/%s (%s)\n    %s\n", design.Name, pattern.ID, pattern.Cite, problem)
			}
		}
	}
	fmt.Fprintf(out, "\n%s\n", report.conclusion())
}

// conclusion counts patterns by verdict.
func (r *Report) conclusion() string {
	count := map[Verdict]int{}
	for _, design := range r.Designs {
		for _, pattern := range design.Patterns {
			count[pattern.Verdict]++
		}
	}
	return fmt.Sprintf("%d patterns cost the same however much data others have, %d grow and a finding says why, %d grow without a reason",
		count[Flat], count[Explained], count[Grows])
}

func list(numbers []int) string {
	var words []string
	for _, number := range numbers {
		words = append(words, fmt.Sprint(number))
	}
	return strings.Join(words, ", ")
}

func writePatterns(out io.Writer, design *Design) {
	table := columns.Right(out)
	table.Row("  pattern", "read units", "write units", "indexes", "a month", "calls/s, at least", fmt.Sprintf("beside %d others", design.Sizes[len(design.Sizes)-1]))
	for _, pattern := range design.Patterns {
		verdict := string(pattern.Verdict)
		if worst := pattern.steepest(); pattern.Verdict != Flat && worst != nil {
			first, last := worst.Points[0], worst.Points[len(worst.Points)-1]
			verdict = fmt.Sprintf("%s: %g to %g units, %d to %d items",
				pattern.Verdict, first.ReadUnits+first.WriteUnits, last.ReadUnits+last.WriteUnits, first.Scanned, last.Scanned)
		}
		amplified := "-"
		if pattern.Cost.Amplification > 0 {
			amplified = fmt.Sprintf("x%.2g", pattern.Cost.Amplification)
		}
		calls := fmt.Sprintf("%.0f", pattern.Cost.CallsPerSecond)
		if pattern.Cost.Shared {
			calls += " of all"
		}
		table.Row("  "+pattern.ID, fmt.Sprintf("%g", pattern.Cost.ReadUnits), fmt.Sprintf("%g", pattern.Cost.WriteUnits), amplified, fmt.Sprintf("%.2f", pattern.Cost.Monthly), calls, verdict)
	}
	_ = table.Flush() // what it writes to reports its own errors
	fmt.Fprintln(out)
}

// steepest returns the case that grew most.
func (p *Pattern) steepest() *Case {
	var worst *Case
	most := -1.0
	for i := range p.Cases {
		points := p.Cases[i].Points
		if len(points) == 0 {
			continue
		}
		first, last := points[0], points[len(points)-1]
		grown := last.ReadUnits + last.WriteUnits - first.ReadUnits - first.WriteUnits + float64(last.Scanned-first.Scanned)/1e6
		if grown > most {
			worst, most = &p.Cases[i], grown
		}
	}
	return worst
}

// writeGrowth says what each growing pattern comes to on paper.
func writeGrowth(out io.Writer, design *Design, currency string) {
	for _, pattern := range design.Patterns {
		if pattern.Beside != "" {
			fmt.Fprintf(out, "  %s grows: %s\n    %s\n", pattern.ID, pattern.Finding, pattern.Beside)
		}
		if pattern.Limits == nil {
			continue
		}
		reason := pattern.Finding
		if pattern.Waiver != "" {
			reason += ", waiver " + pattern.Waiver
		}
		limits := pattern.Limits
		fmt.Fprintf(out, "  %s grows: %s\n    a page is full at %s items", pattern.ID, reason, grouped(limits.PageItems))
		if limits.PartitionItems > 0 {
			fmt.Fprintf(out, "; at %s one call a second takes the partition's 3,000 read units; everybody together can write %s such items a second",
				grouped(limits.PartitionItems), grouped(limits.WritesPerSecond))
		}
		last := limits.Paper[len(limits.Paper)-1]
		fmt.Fprintf(out, "; at %s items one call takes %s pages and costs %.4g %s\n", grouped(last.Items), grouped(last.Pages), last.Price, currency)
	}
}

// grouped writes a large number so that it can be read.
func grouped(number float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, " billion"}, {1e6, " million"}} {
		if number >= unit.size {
			return fmt.Sprintf("%.3g%s", number/unit.size, unit.name)
		}
	}
	digits := fmt.Sprintf("%.0f", number)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
