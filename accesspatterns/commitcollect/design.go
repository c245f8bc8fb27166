// Package commitcollect is the contract of commit-collect.md: a primary table
// for users, their Strava workouts and their milestones, and one table each for
// sessions, audit records and idempotency keys.
package commitcollect

import (
	"embed"

	"dynaproof/accesspatterns/contract"
)

//go:embed *.yaml
var files embed.FS

// Design returns the contract, one of its own at every call.
var Design = contract.Embedded(files)
