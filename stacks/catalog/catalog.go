// Package catalog lists the designs that can be deployed and gives the Pulumi program of each. It is the only place
// that a further design is entered: `pulumi up` and the deployer without a CLI both take the programs from here.
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

// entry is one design that can be deployed.
type entry struct {
	document environment.Document
	program  pulumi.RunFunc
}

// entries is in the order in which designs are listed and deployed.
var entries = []entry{
	{rollmodel.Document, rollmodel.Program},
	{commitcollect.Document, commitcollect.Program},
	{fusmain.Document, fusmain.Program},
	{osemladders.Document, osemladders.Program},
	{personalos.Document, personalos.Program},
}

// Designs returns the names of all designs, always in the same order.
func Designs() []string {
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.document.Design)
	}
	return names
}

// Program returns the Pulumi program of a design. The error names the designs there are.
func Program(design string) (pulumi.RunFunc, error) {
	e, err := find(design)
	if err != nil {
		return nil, err
	}
	return e.program, nil
}

// Region returns the AWS region that the design's document fixes, or the empty text where the document leaves the
// region open. The error names the designs there are.
func Region(design string) (string, error) {
	e, err := find(design)
	if err != nil {
		return "", err
	}
	return e.document.Region, nil
}

// Check checks the settings of a stack of a design, by their full key (dynaproof:namePrefix), as its program does before it
// registers anything. The error is one line, and names the designs there are when this is none.
func Check(design, stack string, settings map[string]string) error {
	e, err := find(design)
	if err != nil {
		return err
	}
	_, err = environment.Check(stack, e.document, settings)
	return err
}

func find(design string) (entry, error) {
	for _, e := range entries {
		if e.document.Design == design {
			return e, nil
		}
	}
	return entry{}, fmt.Errorf("unknown design: expected one of %s, found %q; name the stack after one of them, such as %s.dev",
		strings.Join(Designs(), ", "), design, entries[0].document.Design)
}
