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
	riskData       = risk{1, "data: the table's items, or some of them, may be lost"}
	riskReads      = risk{1, "answers: documented requests are refused, or return other items than documented"}
	riskDisclosure = risk{2, "disclosure: more may be read, or by others, than documented"}
	riskCost       = risk{3, "cost: more is billed, or less can be used, than documented"}
	riskNames      = risk{4, "names and tags alone"}
	riskNone       = risk{5, ""}
)

// risks says what a difference of an aspect of a table puts at risk, where what is expected lacks, and where there is more than expected.
var risks = map[string][2]risk{
	manifest.AspectExists: {riskData, riskData}, manifest.AspectKey: {riskReads, riskReads}, manifest.AspectAttributes: {riskReads, riskReads},
	manifest.AspectIndexes: {riskReads, riskCost}, manifest.AspectTTL: {riskCost, riskData}, manifest.AspectPITR: {riskData, riskCost},
	manifest.AspectEncryption: {riskDisclosure, riskDisclosure}, manifest.AspectStream: {riskReads, riskDisclosure}, manifest.AspectRegion: {riskDisclosure, riskDisclosure},
	manifest.AspectBilling: {riskCost, riskCost}, manifest.AspectClass: {riskCost, riskCost}, manifest.AspectProtection: {riskData, riskData},
	manifest.AspectTags: {riskNames, riskNames}, manifest.AspectExtras: {riskDisclosure, riskDisclosure}, "tables": {riskDisclosure, riskDisclosure},
}

// riskOf says what a difference in the description of a table puts at risk.
func riskOf(result evidence.Result) risk {
	switch kind := manifest.Kind(result.Kind); {
	case result.Verdict.Held():
		return riskNone
	case kind == manifest.KindIndex:
		return riskReads
	case kind == manifest.KindPolicy:
		return riskDisclosure
	case kind != manifest.KindSchema:
		return riskNone
	}
	of := risks[result.ID[strings.LastIndexByte(result.ID, '/')+1:]]
	if slices.ContainsFunc(result.Problems, lacksAName) {
		return of[0]
	}
	return of[1]
}

// lacksAName reports whether what was found lacks a name of the expected list.
func lacksAName(problem evidence.Problem) bool {
	found := strings.Split(problem.Found, ", ")
	return problem.Expected != "none" && problem.Expected != "off" && slices.ContainsFunc(strings.Split(problem.Expected, ", "), func(name string) bool { return !slices.Contains(found, name) })
}
