//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"
)

func TestServe(t *testing.T) {
	needsProc(t)
	c := prepare(t, nil, "serve", "fus-main", "--env", "test")
	c.Stdout = nil
	pipe, err := c.StdoutPipe()
	require.NoError(t, err)
	c.starts(t)
	lines := bufio.NewScanner(pipe)
	if !lines.Scan() {
		t.Fatalf("expected a line to export, found none: %s", c.stderr.String())
	}
	exported, ok := strings.CutPrefix(lines.Text(), "export ")
	if !ok {
		t.Fatalf("expected a line to export, found %q", lines.Text())
	}
	// What a shell would make of the line is all that a client gets.
	for _, word := range strings.Fields(exported) {
		name, value, _ := strings.Cut(word, "=")
		t.Setenv(name, value)
	}
	t.Setenv("AWS_CONFIG_FILE", os.DevNull)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", os.DevNull)
	settings, err := config.LoadDefaultConfig(t.Context())
	require.NoError(t, err)
	page, err := dynamodb.NewFromConfig(settings).Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("fus-main")})
	if err != nil || page.Count == 0 {
		t.Errorf("expected the fixtures in the table, found %v, %v", page, err)
	}
	running := engines(t, c)
	if len(running) != 1 {
		t.Fatalf("expected one engine, found %v", running)
	}
	require.NoError(t, c.Process.Signal(os.Interrupt))
	if code := c.ends(t); code != 0 {
		t.Errorf("expected exit code 0, found %d: %s", code, c.stderr.String())
	}
	if !gone(running[0]) {
		t.Errorf("expected engine %d to be gone", running[0])
	}
	if bytes.ContainsRune(c.stderr.Bytes(), '\x1b') {
		t.Errorf("expected no colours, found %q", c.stderr.String())
	}
}

// An engine that dies under serve ends it, with a word.
func TestServeWithoutItsEngine(t *testing.T) {
	t.Parallel()
	needsProc(t)
	c := prepare(t, nil, "serve", "fus-main")
	c.starts(t)
	var running []int
	eventually(t, "an engine with a loaded table", func() bool { // an engine whose port is taken is started again
		running = engines(t, c)
		return len(running) == 1 && replaying(t, running[0])
	})
	require.NoError(t, syscall.Kill(running[0], syscall.SIGKILL))
	if code := c.ends(t); code != 3 {
		t.Errorf("expected exit code 3, found %d: %s", code, c.stderr.String())
	}
	says(t, "error output", c.stderr.String(), "ended by")
}
