// Package fusmain is the contract of fus-main.md: one table for a catalog of
// rated sites, custom groups, user profiles and squash matches.
package fusmain

import (
	"embed"

	"dynaproof/accesspatterns/contract"
)

//go:embed *.yaml
var files embed.FS

// Design returns the contract, one of its own at every call.
var Design = contract.Embedded(files)
