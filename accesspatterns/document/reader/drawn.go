package reader

import (
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// Tables that are drawn: between bars, or in columns of which each begins at one place. In a fence, or in the text with the signs for boxes, they say
// what tables of Markdown say.

const boxSigns = `+|:=─━═│┃║┌┬┐├┼┤└┴┘╔╦╗╠╬╣╚╩╝╒╤╕╞╪╡╘╧╛╟╫╢`

var (
	// ruled matches a line between the rows of a drawn table, and barred a row between bars.
	ruled  = lazyregexp.New(`^[\s` + boxSigns + `-]*(?:[─━═=-]\s*){3}[\s` + boxSigns + `-]*$`)
	barred = lazyregexp.New(`^\s*[|│┃║].*[|│┃║]\s*$`)
	// openRule matches the rule below the header of a table between whose columns alone there are bars.
	openRule = lazyregexp.New(`^\s*[─━═-]{3,}\s*(?:[|│┼+]\s*[─━═-]{3,}\s*)+$`)
	// gap matches what parts two columns without bars.
	gap = lazyregexp.New(`\s{2,}`)
)

// drawn takes a fence apart that has tables: each of them, the title right above it, and what else it has as fences. It is nil for any other.
func (b *block) drawn() (all []*block) {
	if !outlined[b.lang] || definesTable(b) {
		return nil
	}
	from, found := 0, false
	code := func(to int) {
		if part := b.code[from:to]; strings.TrimSpace(strings.Join(part, "")) != "" {
			all = append(all, &block{kind: codeBlock, line: b.line + from, level: b.level, lang: b.lang, code: part})
		}
	}
	lines := make([]inline, len(b.code))
	open := false // within a table whose lines begin and end without a bar
	for n, text := range b.code {
		open = strings.ContainsAny(text, "|│┼") && (open || n+1 < len(b.code) && openRule.MatchString(b.code[n+1]))
		if lines[n] = (inline{line: b.line + n, text: text}); open {
			lines[n].text = "|" + text + "|"
		}
	}
	forms := []func([]inline) (*block, int){drawnGrid, alignedGrid}
	none := make([]int, len(forms)) // up to these lines no table of the form begins
	for n := 0; n < len(b.code); n++ {
		var grid *block
		used := 0
		for i, form := range forms {
			if grid == nil && n >= none[i] {
				grid, used = form(lines[n:])
				none[i] = n + used
			}
		}
		if grid == nil {
			continue
		}
		if title := strings.TrimSpace(b.code[max(n-1, 0)]); n > from && strings.HasSuffix(title, ":") {
			code(n - 1)
			all = append(all, &block{kind: textBlock, line: b.line + n - 1, level: b.level, first: true, alone: true, text: inline{line: b.line + n - 1, text: title}})
		} else {
			code(n)
		}
		grid.level, grid.inFence, found = b.level, true, true
		all, n = append(all, grid), n+used-1
		from = n + 1
	}
	if !found {
		return nil
	}
	code(len(b.code))
	return all
}

// drawnGrid reads the table between bars with which lines begin, and returns how many of them it takes, or in how many no table begins. A table that
// has rules between its rows has rows of several lines.
func drawnGrid(lines []inline) (grid *block, used int) {
	var groups [][][]inline // the rows of cells between rules
	columns, open := 0, false
	for _, line := range lines {
		rule := ruled.MatchString(line.text) && strings.Trim(line.text, " \t=:-") != "" // one of - alone is none of a table with bars
		if !rule && !barred.MatchString(line.text) {
			break
		}
		if used++; rule {
			open = false
			continue
		}
		cells := line.betweenBars()
		if columns == 0 {
			columns = len(cells)
		}
		switch {
		case columns < 2:
			return nil, used
		case len(cells) != columns:
			return nil, used - 1 // a table may begin here
		case open:
			groups[len(groups)-1] = append(groups[len(groups)-1], cells)
		default:
			groups, open = append(groups, [][]inline{cells}), true
		}
	}
	if len(groups) < 2 {
		return nil, used
	}
	if len(groups) == 2 { // one rule, below the header
		rows := groups[1]
		groups = groups[:1]
		for _, row := range rows {
			groups = append(groups, [][]inline{row})
		}
	}
	grid = &block{kind: gridBlock, line: groups[0][0][0].line}
	for _, group := range groups {
		row := group[0]
		for _, more := range group[1:] {
			for i, cell := range more {
				if cell.text != "" {
					row[i] = joined([]inline{row[i], cell})
				}
			}
		}
		grid.row(row)
	}
	return grid, used
}

// betweenBars are the cells of a row between bars.
func (i inline) betweenBars() []inline {
	sign := "|"
	for _, bar := range []string{"│", "┃", "║"} {
		if strings.Contains(i.text, bar) {
			sign = bar
			break
		}
	}
	cells := i.split(sign)
	return cells[1 : len(cells)-1]
}

// alignedGrid reads the table with which lines begin, up to an empty one, where each column begins right below its head, and returns how many of
// them it takes, or in how many no table begins. Its head has the words of the field.
func alignedGrid(lines []inline) (grid *block, used int) {
	head := strings.TrimRight(lines[0].text, " \t")
	names := gap.Split(strings.TrimLeft(head, " "), -1)
	grid = &block{kind: gridBlock, line: lines[0].line}
	var starts []int // in characters
	at := 0
	for _, name := range names {
		at += strings.Index(head[at:], name)
		starts = append(starts, len([]rune(head[:at])))
		at += len(name)
		grid.header = append(grid.header, inline{line: lines[0].line, text: name})
	}
	c := columnsOf(grid)
	if known := len(slices.DeleteFunc(slices.Clone(c), func(w word) bool { return w == "" })); len(c) < 2 || known < 2 || strings.HasSuffix(names[0], ":") || !c.has(wHash) && !c.has(wRange) && !c.has(wPrimary) {
		return nil, 0
	}
	for used = 1; used < len(lines) && strings.TrimSpace(lines[used].text) != ""; used++ {
		text := []rune(lines[used].text)
		if ruled.MatchString(lines[used].text) {
			continue
		}
		var row []inline
		for i, start := range starts {
			end := len(text)
			if i+1 < len(starts) {
				end = min(end, starts[i+1])
			}
			cell := ""
			if start < end {
				if cell = string(text[start:end]); start > 0 && text[start-1] != ' ' || text[start] == ' ' && strings.TrimSpace(cell) != "" {
					return nil, used // begins elsewhere
				}
			}
			if cell = strings.TrimSpace(cell); gap.MatchString(cell) {
				return nil, used // or has two
			}
			row = append(row, inline{line: lines[used].line, text: cell})
		}
		if strings.TrimSpace(string(text[:min(starts[0], len(text))])) != "" {
			return nil, used
		}
		grid.row(row)
	}
	if len(grid.rows) == 0 {
		return nil, used
	}
	return grid, used
}
