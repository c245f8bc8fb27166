package explain

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/template"

	"dynaproof/conformance/evidence"
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
		"widest": func(facts []Fact) (width int) {
			for _, fact := range facts {
				width = max(width, len(fact.Name))
			}
			return width
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

// sequence draws the requests of racing clients in the order in which they were
// sent, a column for each client.
func sequence(sent []evidence.Sent) string {
	clients, width := 0, 0
	text := func(s evidence.Sent) string {
		words := strings.TrimSpace(s.Operation + " " + s.Place)
		if s.Refused != "" {
			words += ": " + s.Refused
		}
		return words
	}
	for _, one := range sent {
		clients = max(clients, one.Client)
		width = max(width, len([]rune(text(one))))
	}
	var out strings.Builder
	cells := func(number string, at int, cell string) {
		line := fmt.Sprintf("%4s", number)
		for client := 1; client <= clients; client++ {
			mark := ""
			if client == at {
				mark = cell
			} else if at == 0 {
				mark = fmt.Sprintf("client %d", client)
			}
			line += fmt.Sprintf("  | %-*s", width, mark)
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	cells("", 0, "")
	for i, one := range sent {
		cells(fmt.Sprint(i+1), one.Client, text(one))
	}
	return out.String()
}
