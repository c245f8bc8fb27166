package suite_test

import (
	"cmp"
	"os"
)

// documents is the folder of the design documents.
func documents() string {
	return cmp.Or(os.Getenv("DYNAPROOF_DOCUMENTS"), "../../../shared/designs")
}
