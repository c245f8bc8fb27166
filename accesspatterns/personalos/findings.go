package personalos

import (
	"slices"

	ap "dynaproof/accesspatterns"
)

func findings() []ap.Finding {
	return slices.Concat(indexFindings(), keyFindings(), readFindings(), itemFindings(), rewardFindings(), wordingFindings(), capacityFindings())
}
