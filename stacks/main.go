// Command stacks is the program that `pulumi up` runs. The stack's name, <design>.<environment>, says which of the
// documented designs it deploys and for which environment: osem-ladders.dev, personal-os.prod.
package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/catalog"
	"dynaproof/stacks/environment"
)

func main() {
	pulumi.Run(program)
}

// program runs the design that the stack's name picks. Nothing is registered when the name is not understood.
func program(ctx *pulumi.Context) error {
	design, _, err := environment.ParseStackName(ctx.Stack())
	if err != nil {
		return err
	}
	entry, err := catalog.Find(design)
	if err != nil {
		return err
	}
	return entry.Program(ctx)
}
