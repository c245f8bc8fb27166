package explain

import (
	"fmt"
	"strings"

	"dynaproof/conformance/evidence"
)

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
