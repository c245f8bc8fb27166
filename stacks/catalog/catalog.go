// Package catalog lists the designs that can be deployed and gives the Pulumi program of each. It is the only place
// in which a further design is entered: `pulumi up` and the deployer without a CLI both take the programs from here.
package catalog

import (
	"fmt"
	"strings"

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

// Designs returns the names of all designs, always in the same order.
func Designs() []string {
	var names []string
	for _, e := range shipped {
		names = append(names, e.Document.Design)
	}
	return names
}

// Find returns the entry of a design. The error names the designs there are.
func Find(design string) (Entry, error) {
	for _, e := range shipped {
		if e.Document.Design == design {
			return e, nil
		}
	}
	names := Designs()
	return Entry{}, fmt.Errorf("unknown design: expected one of %s, found %q; name the stack after one of them, such as %s.dev",
		strings.Join(names, ", "), design, names[0])
}

// Program runs the design that the stack's name picks. Nothing is registered when the name is not understood.
func Program(ctx *pulumi.Context) error {
	design, _, err := environment.ParseStackName(ctx.Stack())
	if err != nil {
		return err
	}
	entry, err := Find(design)
	if err != nil {
		return err
	}
	return entry.Program(ctx)
}
