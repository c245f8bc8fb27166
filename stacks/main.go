// Command stacks is the program that `pulumi up` runs. The stack's name, <design>.<environment>, says which of the
// documented designs it deploys and for which environment: osem-ladders.dev, personal-os.prod.
package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/catalog"
)

func main() {
	pulumi.Run(catalog.Program)
}
