package report

import (
	"slices"
	"strings"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
)

// risk is what a difference between a deployment and its contract puts at risk. The lower the rank, the worse.
type risk struct {
	rank int
	Word string
}

// The risks, the worst first. What is not about a deployment has none.
var (
	riskData       = risk{1, "data: it may be lost, or cannot be read as documented"}
	riskDisclosure = risk{2, "disclosure: more may be read, or by others, than documented"}
	riskCost       = risk{3, "cost: more is billed, or less can be used, than documented"}
	riskNames      = risk{4, "names and tags alone"}
	riskNone       = risk{5, ""}
)

// riskOf says what a difference in the description of a table puts at risk.
func riskOf(result evidence.Result) risk {
	if result.Verdict.Held() {
		return riskNone
	}
	switch manifest.Kind(result.Kind) {
	case manifest.KindIndex:
		return riskData
	case manifest.KindPolicy:
		return riskDisclosure
	case manifest.KindSchema:
	default:
		return riskNone
	}
	switch result.ID[strings.LastIndexByte(result.ID, '/')+1:] {
	case "indexes":
		if !slices.ContainsFunc(result.Problems, lacksAName) {
			return riskCost // indexes too many lose nothing
		}
		return riskData
	case "exists", "key", "ttl", "pitr", "attributes":
		return riskData
	case "encryption", "stream", "region", "tables":
		return riskDisclosure
	case "billing":
		return riskCost
	case "tags", "extras":
		return riskNames
	}
	return riskData
}

// lacksAName reports whether a name of the expected list is not in the one that was found.
func lacksAName(problem evidence.Problem) bool {
	found := strings.Split(problem.Found, ", ")
	return problem.Expected != "none" && slices.ContainsFunc(strings.Split(problem.Expected, ", "), func(name string) bool { return !slices.Contains(found, name) })
}
