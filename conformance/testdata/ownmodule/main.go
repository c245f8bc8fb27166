// Command ownmodule is dynaproof with a design of this module in place of the shipped
// ones: its contract and document lie in the folder orders, its Pulumi program in this
// package. Every command works as it does for them: `ownmodule verify`, `ownmodule audit
// orders --target aws`.
package main

import (
	"embed"
	"io/fs"
	"os"

	"dynaproof/conformance/cli"
	"dynaproof/stacks/deploy"
)

//go:embed orders
var files embed.FS

// design is the design of this module.
func design() cli.Design {
	folder, err := fs.Sub(files, "orders")
	if err != nil {
		panic(err) // the name stands above
	}
	return cli.Design{Folder: folder, Program: deploy.Program(program)}
}

func main() { os.Exit(cli.Main(cli.With(design()))) }
