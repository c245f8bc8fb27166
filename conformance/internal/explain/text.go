package explain

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/columns"
)

// requestsShown is how many requests of one claim are written out, unless all are
// asked for.
const requestsShown = 3

//go:embed text.tmpl
var layout string

// Text writes the explanation for a terminal. all writes out every request.
func (e *Explanation) Text(w io.Writer, all bool) error {
	shown := len(e.Requests)
	if !all && shown > requestsShown+1 {
		shown = requestsShown
	}
	text, err := template.New("explanation").Funcs(template.FuncMap{
		"join": strings.Join, "ranges": evidence.Ranges, "sequence": sequence,
		"next":  func(n int) int { return n + 1 },
		"trim":  func(line string) string { return strings.TrimRight(line, "\r") },
		"shown": func(requests []Request) []Request { return requests[:shown] },
		"left":  func(requests []Request) int { return len(requests) - shown },
		"pretty": func(input json.RawMessage) (string, error) {
			var text bytes.Buffer
			err := json.Indent(&text, input, "  ", "  ")
			return text.String(), err
		},
		"widest": func(facts []Fact) (width int) { // of the names that leave room for what they name
			for _, fact := range facts {
				if len(fact.Name) <= widestName {
					width = max(width, len(fact.Name))
				}
			}
			return width
		},
		"column": func(width int, name string) string {
			if len(name) > widestName {
				return name + ": "
			}
			return fmt.Sprintf("%-*s  ", width, name)
		},
	}).Parse(layout)
	var out strings.Builder
	if err == nil {
		err = text.Execute(&out, e)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", e.Claim.ID, err)
	}
	_, err = io.WriteString(w, out.String())
	return err
}

// widestName is the width of the column of names, in bytes: what a longer one names follows it in its line.
const widestName = 24

// sequence draws the requests of racing clients in the order in which they were
// sent, a column for each client.
func sequence(sent []evidence.Sent) string {
	clients := 0
	for _, one := range sent {
		clients = max(clients, one.Client)
	}
	header := []string{"    "}
	for client := range clients {
		header = append(header, fmt.Sprintf("| client %d", client+1))
	}
	rows := [][]string{header}
	for i, one := range sent {
		words := "| " + strings.TrimSpace(one.Operation+" "+one.Place)
		if one.Refused != "" {
			words += ": " + one.Refused
		}
		row := append([]string{fmt.Sprintf("%4d", i+1)}, slices.Repeat([]string{"|"}, clients)...)
		if one.Client > 0 {
			row[one.Client] = words
		}
		rows = append(rows, row)
	}
	return columns.Left(rows)
}
