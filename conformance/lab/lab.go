// Package lab is the frame of the laboratories, which test the tests: what each of them is told, how it works side by side, and which of
// many mutants it tries.
package lab

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"dynaproof/accesspatterns"
)

// Options are what every laboratory is told.
type Options struct {
	// Designs are names; empty means all. Documents is the folder of their documents.
	Designs   []string
	Documents string
	// Command is what reproduces the run.
	Command string
	// Workers is how much is tried at the same time; 0 means one for each processor.
	Workers int
	// Progress is told what is going on, a line with each call. What is done side by side calls it side by side.
	Progress func(string)
}

// Note tells what is going on.
func (o *Options) Note(format string, args ...any) {
	if o.Progress != nil {
		o.Progress(fmt.Sprintf(format, args...))
	}
}

// SideBySide does the jobs, as many at a time as there are workers. Behind an interrupt, and behind the first error, none begins; the error is that one.
func (o *Options) SideBySide(ctx context.Context, jobs []func(context.Context) error) error {
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(cmp.Or(max(o.Workers, 0), runtime.GOMAXPROCS(0)))
	for _, job := range jobs {
		group.Go(func() error {
			if within.Err() != nil {
				return nil
			}
			return job(within)
		})
	}
	return group.Wait()
}

// Elsewhere returns a copy of an item under another primary key, in the same partition where the table has a sort key; nil where the last key
// attribute is no text.
func Elsewhere(table *accesspatterns.Table, item accesspatterns.Item) accesspatterns.Item {
	keys := table.Keys()
	last := keys[len(keys)-1].Attribute
	text, is := item[last].(*types.AttributeValueMemberS)
	if !is {
		return nil
	}
	copied := maps.Clone(item)
	copied[last] = &types.AttributeValueMemberS{Value: text.Value + "-extra"}
	return copied
}
