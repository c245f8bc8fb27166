// Package catalog lists the designs that can be deployed and gives the Pulumi program of each. It is the only place
// that a further design is entered: `pulumi up` and the deployer without a CLI both take the programs from here.
package catalog

import (
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/commitcollect"
	"dynaproof/stacks/fusmain"
	"dynaproof/stacks/osemladders"
	"dynaproof/stacks/personalos"
	"dynaproof/stacks/rollmodel"
)

// entry is one design that can be deployed.
type entry struct {
	design  string
	program pulumi.RunFunc
	// region is the AWS region that the document fixes, or empty.
	region string
}

// entries is in the order in which designs are listed and deployed.
var entries = []entry{
	{design: rollmodel.Design, program: rollmodel.Program},
	{design: commitcollect.Design, program: commitcollect.Program, region: commitcollect.Region},
	{design: fusmain.Design, program: fusmain.Program},
	{design: osemladders.Design, program: osemladders.Program},
	{design: personalos.Design, program: personalos.Program},
}

// Designs returns the names of all designs, always in the same order.
func Designs() []string {
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.design)
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
	return e.region, nil
}

func find(design string) (entry, error) {
	for _, e := range entries {
		if e.design == design {
			return e, nil
		}
	}
	return entry{}, fmt.Errorf("unknown design: expected one of %s, found %q; name the stack after one of them, such as %s.dev",
		strings.Join(Designs(), ", "), design, entries[0].design)
}
