// Package catalog lists the designs that can be deployed and gives the Pulumi program of each. It is the only place
// in which a further design is entered: `pulumi up` and the deployer without a CLI both take the programs from here.
package catalog

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/commitcollect"
	"dynaproof/stacks/environment"
	"dynaproof/stacks/fusmain"
	"dynaproof/stacks/osemladders"
	"dynaproof/stacks/personalos"
	"dynaproof/stacks/rollmodel"
)

// Entry is one design that can be deployed.
type Entry struct {
	// Document is what the design's document fixes, with the name of the design.
	Document environment.Document
	Program  pulumi.RunFunc
}

// shipped is in the order in which designs are listed and deployed.
var shipped = []Entry{
	{rollmodel.Document, rollmodel.Program},
	{commitcollect.Document, commitcollect.Program},
	{fusmain.Document, fusmain.Program},
	{osemladders.Document, osemladders.Program},
	{personalos.Document, personalos.Program},
}

// own are the entries that the caller brought, in place of the shipped ones.
var own atomic.Pointer[[]Entry]

// Use puts designs of the caller's in the place of the shipped ones, until the function that it returns is called.
func Use(brought ...Entry) (restore func()) {
	before := own.Swap(&brought)
	return func() { own.Store(before) }
}

func entries() []Entry {
	if brought := own.Load(); brought != nil {
		return *brought
	}
	return shipped
}

// Designs returns the names of all designs, always in the same order.
func Designs() []string {
	var names []string
	for _, e := range entries() {
		names = append(names, e.Document.Design)
	}
	return names
}

// Program returns the Pulumi program of a design. The error names the designs there are.
func Program(design string) (pulumi.RunFunc, error) {
	e, err := Find(design)
	if err != nil {
		return nil, err
	}
	return e.Program, nil
}

// Region returns the AWS region that the design's document fixes, or the empty text where the document leaves the
// region open. The error names the designs there are.
func Region(design string) (string, error) {
	e, err := Find(design)
	if err != nil {
		return "", err
	}
	return e.Document.Region, nil
}

// Check checks the settings of a stack of a design, by their full key (dynaproof:namePrefix), as its program does before it
// registers anything. The error is one line, and names the designs there are when this is none.
func Check(design, stack string, settings map[string]string) error {
	e, err := Find(design)
	if err != nil {
		return err
	}
	_, err = environment.Check(stack, e.Document, settings)
	return err
}

// Find returns the entry of a design. The error names the designs there are.
func Find(design string) (Entry, error) {
	for _, e := range entries() {
		if e.Document.Design == design {
			return e, nil
		}
	}
	names := Designs()
	return Entry{}, fmt.Errorf("unknown design: expected one of %s, found %q; name the stack after one of them, such as %s.dev",
		strings.Join(names, ", "), design, names[0])
}
