// Command dynaproof proves deployments of DynamoDB against documented data models.
package main

import (
	"os"

	"dynaproof/conformance/cli"
)

func main() { os.Exit(cli.Main()) }
