package report

import (
	"fmt"
	"html"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
)

// Sizes of the picture, in SVG user units. A letter of the key templates is
// about letterWidth wide at the font size in style.css.
const (
	letterWidth  = 6.7
	boxPadding   = 10
	lineHeight   = 15
	boxGap       = 8
	columnGap    = 48
	headerHeight = 46
)

type box struct {
	class string
	lines []string
}

func (b box) height() int { return len(b.lines)*lineHeight + boxPadding }

func (b box) width() int {
	longest := 0
	for _, line := range b.lines {
		longest = max(longest, utf8.RuneCountInString(line))
	}
	return int(float64(longest)*letterWidth) + 2*boxPadding
}

// picture draws which entity lives under which key: the table on the left, with
// entities that share the form of a partition key in one frame, and each index
// on the right, joined to the entities that appear in it. All that it shows
// stands in the table below it too.
func picture(view tableView) template.HTML {
	headers := []box{{"table", []string{"table " + view.ID, showKeys(view.Keys)}}}
	for _, index := range view.Indexes {
		headers = append(headers, box{"index", []string{"index " + index.Name, showKeys(index.Keys) + " · " + index.Projection}})
	}
	partitions := lists.With(nil, lists.Map(view.Entities, partitionOf)...)
	widths := lists.Map(headers, box.width)
	widths[0] = max(widths[0], box{lines: partitions}.width())
	for _, row := range view.Entities {
		for i, b := range rowBoxes(row) {
			widths[i] = max(widths[i], b.width())
		}
	}

	var body strings.Builder
	left := make([]int, len(headers))
	x := 1
	for i, header := range headers {
		left[i] = x
		draw(&body, x, 1, widths[i], headerHeight, header)
		x += widths[i] + columnGap
	}
	y := headerHeight + boxGap + 1
	for _, partition := range partitions {
		y += boxGap
		fmt.Fprintf(&body, `<text class="partition" x="%d" y="%d">%s</text>`, left[0], y+lineHeight-4, html.EscapeString(partition))
		y += lineHeight + 4
		for _, row := range view.Entities {
			if partitionOf(row) != partition {
				continue
			}
			boxes := rowBoxes(row)
			height, last := 0, 0
			for column, b := range boxes {
				height = max(height, b.height())
				if b.lines != nil {
					last = column
				}
			}
			if last > 0 {
				middle := y + height/2
				fmt.Fprintf(&body, `<path class="join" d="M%d %dH%d"/>`, left[0]+widths[0], middle, left[last])
			}
			for column, b := range boxes {
				if b.lines != nil {
					draw(&body, left[column], y, widths[column], height, b)
				}
			}
			y += height + boxGap
		}
	}
	total := x - columnGap + 1
	title := fmt.Sprintf("Entities and keys of table %s with %d indexes", view.ID, len(view.Indexes))
	return template.HTML(fmt.Sprintf(`<svg role="img" aria-label="%s" viewBox="0 0 %d %d" width="%d" height="%d">%s</svg>`,
		html.EscapeString(title), total, y, total, y, body.String()))
}

// rowBoxes are the boxes of an entity, one for each column.
func rowBoxes(row entityRow) []box {
	own := box{class: "entity", lines: []string{row.Title}}
	for i, key := range row.Own {
		if i > 0 {
			own.lines = append(own.lines, key.Attribute+" = "+key.Template)
		}
	}
	boxes := []box{own}
	for _, keys := range row.Index {
		b := box{class: "entry"}
		for _, key := range keys {
			line := key.Attribute + " = " + key.Template
			if key.Optional {
				b.class = "entry sparse"
				line += "  (may be absent)"
			}
			b.lines = append(b.lines, line)
		}
		boxes = append(boxes, b)
	}
	return boxes
}

func partitionOf(row entityRow) string {
	if len(row.Own) == 0 {
		return "key unknown"
	}
	return row.Own[0].Attribute + " = " + row.Own[0].Template
}

func showKeys(keys []evidence.Key) string {
	words := lists.Map(keys, func(key evidence.Key) string { return key.Attribute + " " + key.Type })
	return strings.Join(words, " · ")
}

func draw(out *strings.Builder, x, y, width, height int, b box) {
	fmt.Fprintf(out, `<g class="%s"><rect x="%d" y="%d" width="%d" height="%d" rx="5"/>`, b.class, x, y, width, height)
	for i, line := range b.lines {
		class := ""
		if i == 0 && b.class != "entry" && b.class != "entry sparse" {
			class = ` class="name"`
		}
		fmt.Fprintf(out, `<text%s x="%d" y="%d">%s</text>`, class, x+boxPadding, y+boxPadding/2+(i+1)*lineHeight-4, html.EscapeString(line))
	}
	out.WriteString("</g>")
}

func newTableView(design *evidence.Design, table evidence.Table) tableView {
	view := tableView{
		Table: table, Deployed: design.Tables[table.ID],
		Claims: claimsHref(url.Values{"design": {design.Name}, "q": {"table/" + table.ID}}),
	}
	for _, entity := range design.Model.Entities {
		if entity.Table != table.ID {
			continue
		}
		row := entityRow{Entity: entity, Href: knownHref(design, design.Name+"/entity/"+entity.ID), Own: keysIn(entity, table.Keys)}
		for _, index := range table.Indexes {
			row.Index = append(row.Index, keysIn(entity, index.Keys))
		}
		view.Entities = append(view.Entities, row)
	}
	view.Picture = picture(view)
	return view
}

// keysIn returns the entity's forms of the given key attributes, or nothing when
// the entity lacks one of them: then it does not appear there.
func keysIn(entity evidence.Entity, keys []evidence.Key) []evidence.EntityKey {
	var found []evidence.EntityKey
	for _, key := range keys {
		at := slices.IndexFunc(entity.Keys, func(k evidence.EntityKey) bool { return k.Attribute == key.Attribute })
		if at < 0 {
			return nil
		}
		found = append(found, entity.Keys[at])
	}
	return found
}

// tableView is a documented table with its entities and its picture.
type tableView struct {
	evidence.Table
	Deployed string
	Picture  template.HTML
	Entities []entityRow
	Claims   template.URL
}

// entityRow is an entity with its keys in the table and in each index; an index
// without the entity has none.
type entityRow struct {
	evidence.Entity
	Href  template.URL
	Own   []evidence.EntityKey
	Index [][]evidence.EntityKey
}
