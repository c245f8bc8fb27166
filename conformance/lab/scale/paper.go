package scale

import (
	"fmt"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/internal/paper"
)

// Paper says what each pattern costs, what grows and why, and how the items of others are spread.
func (r *Report) Paper() *paper.Paper {
	count := map[Verdict]int{}
	p := &paper.Paper{
		Title: "dynaproof scale", Classes: map[string]string{string(Flat): "pass", string(Explained): "waived", string(Grows): "fail"},
		Lead: []string{
			"Units, scanned counts and pages are those that the recording proxy saw in the engine's answers. Reads of a table are strongly consistent here; an eventually consistent read costs half. A transaction that is refused tells no capacity, though AWS bills it.",
			fmt.Sprintf("Prices: %s, on demand, looked up in %s: %g for a million read units, %g for a million write units. Storage, streams, recovery and data transfer are not in them.", r.Prices.Currency, r.Prices.Source, r.Prices.ReadPerMillion, r.Prices.WritePerMillion),
			"indexes: units written in all for each unit written to the table. calls/s, at least: how often the same call can be made until a partition is at its limit, all that one request does taken to meet in one; of all: everybody's calls meet there.",
		},
		Sections: []paper.Section{{Notes: []string{fmt.Sprintf("target: %s, %s %s; seed %d; %.0f calls of each pattern a month at the prices of %s in %s",
			r.Target.Kind, r.Target.Engine, r.Target.Version, r.Seed, r.Calls, r.Prices.Date, r.Prices.Region)}}},
	}
	if r.Command != "" {
		p.Lead = append(p.Lead, "Reproduce with "+r.Command)
	}
	for design := range lists.Each(r.Designs) {
		for _, pattern := range design.Patterns {
			count[pattern.Verdict]++
		}
		if design.Failure != "" {
			p.Sections = append(p.Sections, paper.Section{Heading: design.Name, Notes: []string{"  could not be measured: " + design.Failure}})
			continue
		}
		p.Sections = append(p.Sections, design.costs(r.Prices.Currency))
		if curves := design.curves(); len(curves.Rows) > 0 {
			p.Sections = append(p.Sections, curves)
		}
		p.Sections = append(p.Sections, design.own(), design.spread())
	}
	p.Conclusion = fmt.Sprintf("%d patterns cost the same however much data others have, %d grow and a finding says why, %d grow without a reason",
		count[Flat], count[Explained], count[Grows])
	return p
}

// costs is the table of what one call of each pattern costs.
func (d *Design) costs(currency string) paper.Section {
	others := d.Sizes[len(d.Sizes)-1]
	s := paper.Section{
		Heading: d.Name, Figures: true,
		Columns: []string{"  pattern", "read units", "write units", "indexes", "a month", "calls/s, at least", "verdict", fmt.Sprintf("beside %d others", others)},
		Notes:   []string{fmt.Sprintf("  measured beside %s items of others (%.1f MB): %s", strings.Trim(strings.Join(strings.Fields(fmt.Sprint(d.Sizes)), ", "), "[]"), float64(d.Bytes)/1e6, d.About)},
	}
	for pattern := range lists.Each(d.Patterns) {
		grown, amplified, calls := "", "-", fmt.Sprintf("%.0f", pattern.Cost.CallsPerSecond)
		if worst := pattern.steepest(); pattern.Verdict != Flat && worst != nil {
			first, last := worst.ends()
			grown = fmt.Sprintf("%g to %g units, %d to %d items", first.units(), last.units(), first.Scanned, last.Scanned)
		}
		if pattern.Cost.Amplification > 0 {
			amplified = fmt.Sprintf("x%.2g", pattern.Cost.Amplification)
		}
		if pattern.Cost.Shared {
			calls += " of all"
		}
		s.Rows = append(s.Rows, []string{
			"  " + pattern.ID, fmt.Sprintf("%g", pattern.Cost.ReadUnits), fmt.Sprintf("%g", pattern.Cost.WriteUnits), amplified, fmt.Sprintf("%.2f", pattern.Cost.Monthly), calls, string(pattern.Verdict), grown,
		})
		if pattern.Beside != "" {
			s.Notes = append(s.Notes, fmt.Sprintf("  %s grows: %s\n    %s", pattern.ID, pattern.Finding, pattern.Beside))
		}
		if pattern.Limits != nil {
			s.Notes = append(s.Notes, pattern.growth(currency))
		}
		for _, problem := range pattern.Problems {
			s.Alarms = append(s.Alarms, fmt.Sprintf("%s/pattern/%s (%s)\n    %s", d.Name, pattern.ID, pattern.Cite, problem))
		}
	}
	s.Notes = append(s.Notes, lists.Map(d.Notes, func(note string) string { return "  note: " + note })...)
	return s
}

// growth says what a pattern that grows comes to on paper.
func (p *Pattern) growth(currency string) string {
	reason, limits := p.Finding, p.Limits
	if p.Waiver != "" {
		reason += ", waiver " + p.Waiver
	}
	text := fmt.Sprintf("  %s grows: %s\n    a page is full at %s items", p.ID, reason, grouped(limits.PageItems))
	if limits.PartitionItems > 0 {
		text += fmt.Sprintf("; at %s one call a second takes the partition's 3,000 read units; everybody together can write %s such items a second",
			grouped(limits.PartitionItems), grouped(limits.WritesPerSecond))
	}
	return text + fmt.Sprintf("; at %s items one call takes %s pages and costs %.4g %s", grouped(billion), grouped(limits.Pages), limits.Price, currency)
}

// curves says what one call of each pattern that grows costs beside more and more data of others.
func (d *Design) curves() paper.Section {
	s := paper.Section{Heading: d.Name + ": units of one call beside the data of others", Only: paper.Page, Figures: true, Columns: []string{"pattern"}}
	s.Columns = append(s.Columns, lists.Map(d.Sizes, func(size int) string { return "+" + grouped(float64(size)) })...)
	for pattern := range lists.Each(d.Patterns) {
		worst := pattern.steepest()
		if pattern.Verdict == Flat || worst == nil {
			continue
		}
		units := lists.Map(worst.Points, func(point Point) string { return fmt.Sprintf("%g", point.units()) })
		s.Rows = append(s.Rows, append([]string{pattern.ID}, units...))
	}
	return s
}

// own says what a call costs when its own result grows.
func (d *Design) own() paper.Section {
	s := paper.Section{Heading: d.Name + ": a pattern's own result grows", Only: paper.Page, Folded: true, Columns: []string{"pattern", "more items: read units"}}
	for _, pattern := range d.Patterns {
		words := lists.Map(pattern.Own, func(point OwnPoint) string { return fmt.Sprintf("+%d: %g", point.Own, point.ReadUnits) })
		s.Rows = append(s.Rows, []string{pattern.ID, pattern.NotOwn + strings.Join(words, "; ")})
	}
	return s
}

// spread says where the items of others stand.
func (d *Design) spread() paper.Section {
	s := paper.Section{
		Heading: d.Name + ": how the items of others are spread", Only: paper.Page, Folded: true, Figures: true,
		Columns: []string{"table", "index", "items", "partition keys", "most under one", "share", "which", "bytes of an item there", "items in a page", "writes/s to it"},
	}
	for _, one := range d.Spreads {
		s.Rows = append(s.Rows, []string{
			one.Table, one.Index, fmt.Sprint(one.Items), fmt.Sprint(one.Partitions), fmt.Sprint(one.Largest), fmt.Sprintf("%.1f%%", 100*one.Share), one.Key, fmt.Sprint(one.ItemBytes), fmt.Sprint(one.PageItems), grouped(one.WritesPerSecond),
		})
	}
	return s
}

func grouped(number float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, " billion"}, {1e6, " million"}} {
		if number >= unit.size {
			return fmt.Sprintf("%.3g%s", number/unit.size, unit.name)
		}
	}
	return message.NewPrinter(language.English).Sprintf("%.0f", number)
}
