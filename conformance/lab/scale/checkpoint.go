package scale

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// header says of which load a checkpoint is. A load with another header cannot
// go on from it.
type header struct {
	Design string `json:"design"`
	Seed   uint64 `json:"seed"`
	// Items is the number of others' items at 1x.
	Items int `json:"items"`
	// Population is the digest of the population's file, and of the fixtures that
	// its items are like.
	Population string `json:"population"`
	// At is the moment to which relative times were resolved: a load that goes on
	// makes the items that the interrupted one would have made.
	At time.Time `json:"at"`
}

// line is one line of a checkpoint file: one member is set.
type line struct {
	Header *header `json:"header,omitempty"`
	// Begun and Done are numbers of batches, from 1.
	Begun int `json:"begun,omitempty"`
	Done  int `json:"done,omitempty"`
	// Curve is what was measured at a size that is loaded.
	Curve *sizeMeasured `json:"curve,omitempty"`
}

// checkpoint remembers what a load has written, so that the load can go on after
// its process was killed: a batch is written down before it is sent, and again
// when it is answered. Nil remembers nothing.
type checkpoint struct {
	mu     sync.Mutex
	file   *os.File
	begun  map[int]bool
	done   map[int]bool
	curves []sizeMeasured
	// resumed says that there was a load to go on from.
	resumed bool
}

const checkpointFile = "load.jsonl"

// openCheckpoint opens the checkpoint in a folder, and begins one where there is
// none. The header's moment is taken over from the load that goes on.
func openCheckpoint(folder string, of *header) (*checkpoint, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("checkpoint: %w; choose another folder with --state", err)
	}
	path := filepath.Join(folder, checkpointFile)
	kept := &checkpoint{begun: map[int]bool{}, done: map[int]bool{}}
	whole, err := kept.read(path, of)
	if err != nil {
		return nil, err
	}
	if kept.file, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	// What a killed process wrote half of a line is no line.
	err = kept.file.Truncate(whole)
	if err == nil && !kept.resumed {
		err = kept.write(line{Header: of})
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("checkpoint %s: %w", path, err), kept.file.Close())
	}
	return kept, nil
}

// read takes a checkpoint file in and returns the length of its whole lines, in
// bytes.
func (c *checkpoint) read(path string, of *header) (int64, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("checkpoint: %w", err)
	}
	defer file.Close()
	whole := int64(0)
	lines := bufio.NewReader(file)
	for {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			break // the end, or half a line
		}
		var one line
		if err := json.Unmarshal(text, &one); err != nil {
			return 0, fmt.Errorf("checkpoint %s: expected a line of JSON after %d bytes: %w; load anew with --anew", path, whole, err)
		}
		whole += int64(len(text))
		switch {
		case one.Header != nil:
			if err := one.Header.agrees(of); err != nil {
				return 0, fmt.Errorf("checkpoint %s: %w", path, err)
			}
			of.At, c.resumed = one.Header.At, true
		case one.Begun > 0:
			c.begun[one.Begun] = true
		case one.Done > 0:
			c.done[one.Done] = true
		case one.Curve != nil:
			c.curves = append(c.curves, *one.Curve)
		}
	}
	return whole, nil
}

// agrees reports why a load cannot go on from another.
func (h *header) agrees(of *header) error {
	same := *h
	same.At = of.At
	if same == *of {
		return nil
	}
	return ConfigError{fmt.Errorf("expected to go on with %s, seed %d, %d items and the population %.12s, was asked for %s, seed %d, %d items and %.12s; ask for the same, or load anew with --anew",
		h.Design, h.Seed, h.Items, h.Population, of.Design, of.Seed, of.Items, of.Population)}
}

func (c *checkpoint) write(one line) error {
	if c == nil {
		return nil
	}
	text, err := json.Marshal(one)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err = c.file.Write(append(text, '\n'))
	return err
}

// begin writes down that a batch is about to be sent.
func (c *checkpoint) begin(batch int) error { return c.write(line{Begun: batch}) }

// end writes down that a batch was answered.
func (c *checkpoint) end(batch int) error { return c.write(line{Done: batch}) }

// isDone says that a batch was answered in an earlier process, and inDoubt that
// it was sent and nobody saw the answer.
func (c *checkpoint) isDone(batch int) bool  { return c != nil && c.done[batch] }
func (c *checkpoint) inDoubt(batch int) bool { return c != nil && c.begun[batch] && !c.done[batch] }

// measured writes down what was measured at a size.
func (c *checkpoint) measured(curve sizeMeasured) error { return c.write(line{Curve: &curve}) }

// curveAt returns what an earlier process measured at a size.
func (c *checkpoint) curveAt(items int) (sizeMeasured, bool) {
	if c != nil {
		for _, curve := range c.curves {
			if curve.Items == items {
				return curve, true
			}
		}
	}
	return sizeMeasured{}, false
}

func (c *checkpoint) close() error {
	if c == nil {
		return nil
	}
	return c.file.Close()
}
