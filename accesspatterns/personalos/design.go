// Package personalos is the contract of personal-os.md: a planner of tasks,
// goals, metrics, habits and rewards, with all of its items in one table.
package personalos

import (
	"embed"

	"dynaproof/accesspatterns/contract"
)

//go:embed *.yaml
var files embed.FS

// Design returns the contract, one of its own at every call.
var Design = contract.Embedded(files)
