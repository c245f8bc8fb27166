package cli

import (
	"fmt"
	"io"
	"os"
	"testing"
)

// What Ginkgo prints past all its settings reaches no terminal, and what comes after it does.
func TestGinkgoIsQuiet(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = write
	err = quietly(func() { fmt.Printf("{{red}}Failed to generate progress report:{{/}}\n") })
	fmt.Print("PASS")
	os.Stdout = stdout
	if err != nil || write.Close() != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(read); err != nil || string(text) != "PASS" {
		t.Errorf("expected what follows alone, found %q, %v", text, err)
	}
}
