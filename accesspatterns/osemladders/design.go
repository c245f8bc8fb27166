// Package osemladders is the contract of osem-ladders.md: six tables and eight
// indexes of an assessment platform with users, teams, plans, assessments,
// reports and versioned career ladders.
package osemladders

import (
	"embed"

	"dynaproof/accesspatterns/contract"
)

//go:embed *.yaml
var files embed.FS

// Design returns the contract, one of its own at every call.
var Design = contract.Embedded(files)
