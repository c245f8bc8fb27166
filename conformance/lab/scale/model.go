package scale

import (
	"slices"
	"time"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/prices"
	"dynaproof/conformance/target"
)

// Version is the version of the report's form.
const Version = 3

// Report is what a scale proof has seen.
type Report struct {
	Version  int                `json:"version"`
	Command  string             `json:"command,omitempty"`
	Started  time.Time          `json:"started"`
	Finished time.Time          `json:"finished"`
	Target   target.Description `json:"target"`
	Seed     uint64             `json:"seed"`
	// Prices says which prices costs are estimated with, Calls at which traffic:
	// calls of each pattern in a month.
	Prices  Prices   `json:"prices"`
	Calls   float64  `json:"callsPerMonth"`
	Designs []Design `json:"designs"`
}

// Prices names the prices of an estimate.
type Prices struct {
	Date     string `json:"date"`
	Source   string `json:"source"`
	Currency string `json:"currency"`
	Region   string `json:"region"`
	prices.Price
}

// Figures are what requests cost, as the wire saw it.
type Figures struct {
	ReadUnits  float64 `json:"readUnits"`
	WriteUnits float64 `json:"writeUnits"`
	Scanned    int     `json:"scanned"`
	Count      int     `json:"count"`
	Pages      int     `json:"pages"`
}

func (f Figures) units() float64 { return f.ReadUnits + f.WriteUnits }

// Design is the proof of one design.
type Design struct {
	Name string `json:"name"`
	// About says what the population models.
	About string `json:"about"`
	// Sizes are the numbers of others' items at which was measured, the first
	// being none.
	Sizes []int `json:"sizes"`
	// Bytes is the size of all items of others at the last size.
	Bytes    int       `json:"bytes"`
	Patterns []Pattern `json:"patterns"`
	Spreads  []Spread  `json:"spreads"`
	// Neighbours is the number of cases that were replayed while another pattern's
	// result was large in the partition that they read.
	Neighbours int `json:"neighbours"`
	// Notes do not decide: growth that the contract expects and that did not show.
	Notes []string `json:"notes,omitempty"`
	// Failure says why the design could not be measured.
	Failure string `json:"failure,omitempty"`
}

// Verdict says what became of a pattern.
type Verdict string

// The verdicts on a pattern.
const (
	// Flat: it costs the same however much data others have.
	Flat Verdict = "flat"
	// Explained: it grows with the data of others, and a finding says why.
	Explained Verdict = "explained"
	// Grows: it grows, or returns others' items, and no finding says why.
	Grows Verdict = "grows"
)

// Pattern is the proof of one access pattern.
type Pattern struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Cite is where the document states the pattern.
	Cite    string  `json:"cite"`
	Verdict Verdict `json:"verdict"`
	// Finding is the claim that explains the growth, Waiver the one that allows a
	// Scan.
	Finding string `json:"finding,omitempty"`
	Waiver  string `json:"waiver,omitempty"`
	// Beside says how the growth of another pattern's result in the same partition
	// makes this one dearer, where a finding explains that.
	Beside string `json:"beside,omitempty"`
	// Problems are what is wrong, in words.
	Problems []string `json:"problems,omitempty"`
	Cases    []Case   `json:"cases"`
	// Own is the growth of the pattern's own result; empty where it cannot grow
	// or is not tried, with the reason.
	Own    []OwnPoint `json:"own,omitempty"`
	NotOwn string     `json:"notOwn,omitempty"`
	Cost   Cost       `json:"cost"`
	// Limits are set for patterns that grow.
	Limits *Limits `json:"limits,omitempty"`
}

// Case is a case of a pattern at every size.
type Case struct {
	Name   string  `json:"name,omitempty"`
	Points []Point `json:"points"`
}

// Point is what a case cost at one size.
type Point struct {
	// Others is the number of others' items.
	Others int `json:"others"`
	Figures
}

// OwnPoint is what a case cost when its own result was larger.
type OwnPoint struct {
	// Own is the number of items by which the result was made larger.
	Own int `json:"own"`
	Figures
}

// Cost is what one call of a pattern costs: the first case that succeeds, beside
// the data of others at 1x.
type Cost struct {
	Case string `json:"case,omitempty"`
	Figures
	// Amplification is the number of units written in all for each one written to
	// the table; the rest goes to indexes. 0 where nothing is written.
	Amplification float64 `json:"amplification,omitempty"`
	// Monthly is the price at the report's traffic.
	Monthly float64 `json:"monthly"`
	// CallsPerSecond is how often the same call can be made until a partition is at
	// its limit, at least: all that one request does to a table or index is taken
	// to meet in one partition. Shared says that everybody's calls meet there.
	CallsPerSecond float64 `json:"callsPerSecond"`
	Shared         bool    `json:"shared,omitempty"`
}

// Limits say, on paper, at which size a growing pattern meets the limits of
// DynamoDB. Items are those of the partition that it reads, or of the table that
// it scans.
type Limits struct {
	// PageItems is where one page of 1 MB no longer holds them.
	PageItems float64 `json:"pageItems"`
	// PartitionItems is where one call a second takes all 3,000 read units of a
	// partition. 0 for a Scan, which reads all partitions.
	PartitionItems float64 `json:"partitionItems,omitempty"`
	// WritesPerSecond is how many such items can be written in a second, by
	// everybody together, to the one partition. 0 for a Scan.
	WritesPerSecond float64 `json:"writesPerSecond,omitempty"`
	// Pages and Price are those of one call beside a billion items.
	Pages float64 `json:"pagesOfABillion"`
	Price float64 `json:"priceOfABillion"`
}

// ExitCode is the exit code of the command.
func (r *Report) ExitCode() evidence.ExitCode {
	code := evidence.Conforms
	for _, design := range r.Designs {
		if slices.ContainsFunc(design.Patterns, func(pattern Pattern) bool { return len(pattern.Problems) > 0 }) {
			return evidence.DoesNotConform // something grew without a reason
		}
		if design.Failure != "" {
			code = evidence.CouldNotTell
		}
	}
	return code
}

// ends are what the case cost beside the fewest items of others, and beside the most.
func (c *Case) ends() (first, last Point) { return c.Points[0], c.Points[len(c.Points)-1] }

// steepest returns the case that grew most.
func (p *Pattern) steepest() *Case {
	var worst *Case
	most := -1.0
	for i := range p.Cases {
		first, last := p.Cases[i].ends()
		if grown := last.units() - first.units() + float64(last.Scanned-first.Scanned)/1e6; grown > most {
			worst, most = &p.Cases[i], grown
		}
	}
	return worst
}
