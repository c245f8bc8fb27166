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
	"dynaproof/stacks/policy"
	"dynaproof/stacks/rollmodel"
)

// Entry is one design that can be deployed.
type Entry struct {
	// Document is what the design's document fixes, with the name of the design.
	Document environment.Document
	Program  pulumi.RunFunc
}

// design is what the package of a design says of it.
type design struct {
	document   environment.Document
	tables     func(*environment.Settings) []environment.Table
	guardrails policy.Guardrails
	// options gives the options of all its resources; nil where there are none.
	options func(*pulumi.Context) ([]pulumi.ResourceOption, error)
}

// shipped is in the order in which designs are listed and deployed.
var shipped = []design{
	{rollmodel.Document, rollmodel.Tables, rollmodel.Guardrails(), nil},
	{commitcollect.Document, commitcollect.Tables, commitcollect.Guardrails(), commitcollect.InRegion},
	{fusmain.Document, fusmain.Tables, fusmain.Guardrails(), nil},
	{osemladders.Document, osemladders.Tables, osemladders.Guardrails(), nil},
	{personalos.Document, personalos.Tables, personalos.Guardrails(), nil},
}

// program is the Pulumi program of a design: it registers the tables, and the policies where the stack enforces them.
func (d design) program(ctx *pulumi.Context) error {
	settings, err := environment.Read(ctx, d.document)
	if err != nil {
		return err
	}
	var options []pulumi.ResourceOption
	if d.options != nil {
		if options, err = d.options(ctx); err != nil {
			return err
		}
	}
	tables, err := settings.NewTables(ctx, d.tables(settings), options...)
	if err != nil {
		return err
	}
	settings.Export(ctx, tables)
	return policy.Attach(ctx, settings, tables, d.guardrails, options...)
}

// Designs returns the names of all designs, always in the same order.
func Designs() []string {
	var names []string
	for _, d := range shipped {
		names = append(names, d.document.Design)
	}
	return names
}

// Find returns the entry of a design. The error names the designs there are.
func Find(design string) (Entry, error) {
	for _, d := range shipped {
		if d.document.Design == design {
			return Entry{d.document, d.program}, nil
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
