package scale

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
)

// The size of a chart, and of the room around it for labels, in SVG units.
const (
	chartWidth, chartHeight     = 640.0, 260.0
	marginLeft, marginRight     = 66.0, 190.0
	marginTop, marginBottom     = 22.0, 34.0
	labelHeight                 = 13.0
	plotWidth                   = chartWidth - marginLeft - marginRight
	plotHeight                  = chartHeight - marginTop - marginBottom
	smallestUnits, wholeDecades = 0.25, 1
)

// chart collects the elements of an SVG picture.
type chart struct{ elements strings.Builder }

func (c *chart) add(format string, args ...any) { fmt.Fprintf(&c.elements, format, args...) }

// picture closes the chart. Everything in it is made of numbers and escaped
// texts.
func (c *chart) picture(title string) template.HTML {
	return template.HTML(fmt.Sprintf(`<svg viewBox="0 0 %g %g" role="img" aria-label="%s">%s</svg>`,
		chartWidth, chartHeight, template.HTMLEscapeString(title), c.elements.String())) // #nosec G203 -- escaped above and in label
}

func (c *chart) label(x, y float64, anchor, class, text string) {
	c.add(`<text x="%.1f" y="%.1f" text-anchor="%s" class="%s">%s</text>`, x, y, anchor, class, template.HTMLEscapeString(text))
}

// logarithmic maps values to heights, a decade being as high as any other.
type logarithmic struct{ low, high float64 }

func decades(least, most float64) logarithmic {
	low, high := math.Floor(math.Log10(least)), math.Ceil(math.Log10(most))
	return logarithmic{low, math.Max(high, low+wholeDecades)}
}

func (l logarithmic) share(value float64) float64 {
	return (math.Log10(math.Max(value, math.Pow(10, l.low))) - l.low) / (l.high - l.low)
}

func (l logarithmic) height(value float64) float64 { return marginTop + plotHeight*(1-l.share(value)) }

// axis draws a line for each decade, with its number.
func (c *chart) axis(scale logarithmic, unit string) {
	for decade := scale.low; decade <= scale.high; decade++ {
		y := scale.height(math.Pow(10, decade))
		c.add(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="grid"/>`, marginLeft, y, marginLeft+plotWidth, y)
		c.label(marginLeft-6, y+4, "end", "tick", tickOf(decade))
	}
	c.label(4, marginTop-10, "start", "tick", unit)
}

func tickOf(decade float64) string {
	if decade < 0 {
		return fmt.Sprintf("%g", math.Pow(10, decade))
	}
	return grouped(math.Pow(10, decade))
}

// curves draws what one call of each pattern costs beside more and more data of
// others: grey where it stays the same.
func curves(design Design) template.HTML {
	var c chart
	most := 1.0
	for _, pattern := range design.Patterns {
		if worst := pattern.steepest(); worst != nil {
			for _, point := range worst.Points {
				most = max(most, point.units())
			}
		}
	}
	scale := decades(smallestUnits, most)
	c.axis(scale, "units")
	for i, size := range design.Sizes {
		c.label(column(i, len(design.Sizes)), marginTop+plotHeight+16, "middle", "tick", "+"+grouped(float64(size)))
	}
	c.label(marginLeft+plotWidth/2, chartHeight-4, "middle", "tick", "items of others")
	var ends []ending
	for _, pattern := range design.Patterns {
		worst := pattern.steepest()
		if worst == nil || len(worst.Points) != len(design.Sizes) {
			continue
		}
		var path []string
		y := 0.0
		for i, point := range worst.Points {
			y = scale.height(max(smallestUnits, point.units()))
			path = append(path, fmt.Sprintf("%.1f,%.1f", column(i, len(worst.Points)), y))
		}
		c.add(`<polyline points="%s" class="%s"><title>%s</title></polyline>`, strings.Join(path, " "), pattern.Verdict, template.HTMLEscapeString(pattern.ID))
		if pattern.Verdict != Flat {
			ends = append(ends, ending{y, pattern.ID, string(pattern.Verdict)})
		}
	}
	c.endings(ends)
	return c.picture(design.Name + ": units of one call beside the data of others")
}

func column(i, columns int) float64 {
	if columns < 2 {
		return marginLeft
	}
	return marginLeft + plotWidth*float64(i)/float64(columns-1)
}

// ending is where a curve ends, and what it is called there.
type ending struct {
	y           float64
	text, class string
}

// endings writes the names of curves at their ends, none over another.
func (c *chart) endings(ends []ending) {
	slices.SortFunc(ends, func(a, b ending) int { return int(math.Copysign(1, a.y-b.y)) })
	lowest := marginTop - labelHeight
	for i, end := range ends {
		y := max(end.y, lowest+labelHeight)
		// What comes below must fit in too.
		y = min(y, chartHeight-float64(len(ends)-i)*labelHeight)
		lowest = y
		x := marginLeft + plotWidth
		c.add(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="lead"/>`, x, end.y, x+10, y)
		c.label(x+13, y+4, "start", "name "+end.class, end.text)
	}
}
