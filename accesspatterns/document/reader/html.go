package reader

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// htmlGrid is the table that a part in HTML has, from a line on: what <th> or the first row have is its header, and a cell that spans rows
// stands in each of them. It is nil where there is none, or more beside it.
func htmlGrid(source string, line int) *block {
	b, tables := &block{kind: gridBlock}, 0
	var row []inline
	var cell *inline
	spans := map[int]int{} // how many more rows the cell of a column spans
	var over []inline      // the row above
	above := func() {      // the cells that span this row
		for at := len(row); spans[at] > 0 && at < len(over); at = len(row) {
			row, spans[at] = append(row, over[at]), spans[at]-1
		}
	}
	own := 0 // the line of the first cell of the row itself
	end := func() {
		if own == 0 {
			return
		}
		above()
		for i := range row {
			row[i].line = own
		}
		if b.header == nil {
			b.line = own
		}
		b.row(row)
		over, row, own = row, nil, 0
	}
	for tokens := html.NewTokenizer(strings.NewReader(source)); ; {
		kind := tokens.Next()
		raw := string(tokens.Raw())
		switch token := tokens.Token(); {
		case kind == html.ErrorToken:
			if tables != 1 || len(b.rows) == 0 {
				return nil
			}
			return b
		case token.DataAtom == atom.Table && kind == html.StartTagToken:
			tables++
		case (token.DataAtom == atom.Td || token.DataAtom == atom.Th) && kind == html.StartTagToken:
			above()
			for _, a := range token.Attr {
				if n, err := strconv.Atoi(a.Val); a.Key == "rowspan" && err == nil && n > 1 && n < 1000 {
					spans[len(row)] = n - 1
				}
			}
			if row = append(row, inline{}); own == 0 {
				own = line
			}
			cell = &row[len(row)-1]
		case token.DataAtom == atom.Td, token.DataAtom == atom.Th:
			cell = nil
		case token.DataAtom == atom.Tr, token.DataAtom == atom.Thead:
			end()
		case cell != nil && kind == html.StartTagToken && token.DataAtom == atom.Code:
			cell.spans = append(cell.spans, span{len(cell.text), len(cell.text), true})
		case cell != nil && kind == html.EndTagToken && token.DataAtom == atom.Code && len(cell.spans) > 0:
			cell.spans[len(cell.spans)-1].to = len(cell.text)
		case cell != nil && token.DataAtom == atom.Br:
			cell.text += " "
		case cell != nil && kind == html.TextToken:
			text := strings.Join(strings.Fields(token.Data), " ")
			if text != "" && cell.text != "" && strings.TrimLeft(token.Data, " \t\n") != token.Data && !strings.HasSuffix(cell.text, " ") {
				text = " " + text
			}
			cell.text += text
		}
		line += strings.Count(raw, "\n")
	}
}
