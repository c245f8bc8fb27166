package explain

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The members of maps within an item come in order, so that two explanations of one claim
// are the same text.
func TestItemsAreTheSameTextEachTime(t *testing.T) {
	at := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	first := ""
	for range 20 {
		explained, err := New(Options{Environment: "dev", Items: true, At: at}).Claim("roll-model/example/entry-abc")
		require.NoError(t, err)
		text := string(explained.Items["entry-abc"])
		if first == "" {
			first = text
		}
		if text == "" || text != first {
			t.Fatalf("expected the same text each time, found\n%s\nand\n%s", first, text)
		}
	}
}
