// Package rollmodel is the contract of roll-model.md: one table in which
// athletes keep training entries, coaches comment on them, and an AI chat and a
// keyword index stand beside them.
package rollmodel

import (
	"embed"

	"dynaproof/accesspatterns/contract"
)

//go:embed *.yaml
var files embed.FS

// Design returns the contract, one of its own at every call.
var Design = contract.Embedded(files)
