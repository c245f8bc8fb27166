package report

import (
	"slices"
	"strings"

	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
)

// cause is a claim that does not hold by itself, with the claims that probably
// do not hold because of it.
type cause struct {
	Claim        *claimView
	Consequences []*claimView
	// Brief says that the cause stands on the first screen without its problems.
	Brief bool
}

// causesInFull is how many causes are shown with their problems on the first screen.
const causesInFull = 20

// rootCauses orders the claims without a pass from cause to consequence. A claim
// follows from another when its problems only point at that claim, or when it
// reads a table, an index or an entity that another failed claim says is not as
// documented, or when it could not be decided for the same reason. Every claim without a pass is in the answer exactly once.
func rootCauses(run *evidence.Run, claims []claimView) []cause {
	open := lists.Which(claims, func(claim *claimView) bool { return !claim.Verdict.Held() })
	byID := lists.Index(open, func(claim *claimView) (string, *claimView) { return claim.ID, claim })
	slices.SortStableFunc(open, func(a, b *claimView) int { return depth(a.Result) - depth(b.Result) })
	under := map[*claimView]*claimView{}
	first := map[undecidedFor]*claimView{} // stands for all that could not be decided for the same reason, such as an engine that was lost
	for _, claim := range open {
		found := pointedAt(claim, byID)
		if len(found) == 0 {
			for _, other := range open {
				if other != claim && other.Design == claim.Design && other.Verdict == evidence.Fail && follows(run, claim, other) {
					found = append(found, other)
				}
			}
		}
		claim.Causes = lists.Map(found, func(other *claimView) string { return other.ID })
		why, undecided := reasonOf(claim.Result)
		if undecided && first[why] == nil {
			first[why] = claim
		}
		switch {
		case len(found) > 0:
			under[claim] = found[0]
		case undecided && first[why] != claim:
			under[claim] = first[why]
		}
	}
	consequences := map[*claimView][]*claimView{}
	for _, claim := range open {
		if root := rootOf(claim, under); root != claim {
			consequences[root] = append(consequences[root], claim)
		}
	}
	var causes []cause
	for _, claim := range open {
		if under[claim] == nil {
			causes = append(causes, cause{Claim: claim, Consequences: consequences[claim]})
		}
	}
	slices.SortStableFunc(causes, func(a, b cause) int { return causeRank(run, a) - causeRank(run, b) })
	return causes
}

// causeRank puts first, of the differences of a deployment that an audit found, what is most at risk.
func causeRank(run *evidence.Run, c cause) int {
	if !audited(run) || c.Claim.Verdict != evidence.Fail {
		return riskNone.rank
	}
	return riskOf(c.Claim.Result).rank
}

// rootOf follows causes to the first one. Claims that name each other would lead
// in a circle: the last step of one is dropped.
func rootOf(claim *claimView, under map[*claimView]*claimView) *claimView {
	seen := map[*claimView]bool{claim: true}
	for under[claim] != nil {
		next := under[claim]
		if seen[next] {
			under[claim] = nil
			return claim
		}
		seen[next] = true
		claim = next
	}
	return claim
}

// pointedAt returns the failed claims that all problems of a claim point at; none
// when a problem stands for itself.
func pointedAt(claim *claimView, byID map[string]*claimView) []*claimView {
	var found []*claimView
	for _, problem := range claim.Problems {
		text := problem.Where
		if claim.Verdict != evidence.Fail {
			text = problem.Found
		}
		other := named(claim, text, byID)
		if other == nil {
			return nil
		}
		found = lists.With(found, other)
	}
	return found
}

// named finds the failed claim that a text begins with: "claim pattern/x" within
// the design, or "design/pattern/x, request 12".
func named(claim *claimView, text string, byID map[string]*claimView) *claimView {
	text = strings.TrimPrefix(text, "claim ")
	id, _, _ := strings.Cut(text, " ")
	id = strings.TrimSuffix(id, ",")
	for _, candidate := range []string{id, claim.Design + "/" + id} {
		if other := byID[candidate]; other != nil && other != claim {
			return other
		}
	}
	return nil
}

// follows reports whether a failed claim probably fails because of another one,
// which stands nearer to the deployment.
func follows(run *evidence.Run, claim, other *claimView) bool {
	parts := strings.Split(other.Short, "/")
	if parts[0] == "table" && len(parts) == 3 && strings.HasPrefix(claim.Short, "table/"+parts[1]+"/") {
		return describes(parts[2], strings.TrimPrefix(claim.Short, "table/"+parts[1]+"/"))
	}
	if claim.Short == "tables" && len(parts) == 3 && parts[2] == "exists" {
		return !slices.ContainsFunc(claim.Problems, func(p evidence.Problem) bool { return p.Found != evidence.NotListed })
	}
	if depth(other.Result) >= depth(claim.Result) {
		return false
	}
	switch {
	case parts[0] == "table" && len(parts) == 3 && slices.Contains([]string{"exists", "key", "attributes", "indexes"}, parts[2]):
		return claim.Kind != "schema" && (strings.HasPrefix(claim.Short, "index/"+parts[1]+"/") || reads(run, claim, parts[1], ""))
	case parts[0] == "index" && len(parts) >= 3: // its key, or its projection
		return reads(run, claim, parts[1], parts[2])
	case slices.Contains([]string{"entity", "attribute", "rule"}, parts[0]) && len(parts) >= 2:
		return concerns(claim, parts[1])
	case parts[0] == "example":
		return mentions(claim, strings.TrimPrefix(other.Short, "example/"))
	}
	return false
}

// describes reports whether one property of a table decides another: a table that is not there has none, and its attribute definitions
// are those of its keys.
func describes(cause, consequence string) bool {
	switch cause {
	case "exists":
		return consequence != "exists"
	case "key", "indexes":
		return consequence == "attributes"
	}
	return false
}

// reads reports whether a request of the claim names the table and, unless it is
// empty, the index. The logical id of a table becomes its deployed name.
func reads(run *evidence.Run, claim *claimView, table, index string) bool {
	deployed := ""
	if design := run.Design(claim.Design); design != nil {
		deployed = design.Tables[table]
	}
	return slices.ContainsFunc(claim.Requests, func(seq int) bool {
		entry := run.Request(seq)
		return entry != nil && slices.Contains(entry.Tables, deployed) && (index == "" || entry.Index == index)
	})
}

// concerns reports whether a claim speaks of an entity or returns it.
func concerns(claim *claimView, entity string) bool {
	if parts := strings.Split(claim.Short, "/"); slices.Contains([]string{"entity", "attribute", "rule"}, parts[0]) {
		return len(parts) > 1 && parts[1] == entity
	}
	return claim.Pattern != nil && slices.Contains(claim.Pattern.Returns, entity)
}

// mentions reports whether the problems of a claim name an item.
func mentions(claim *claimView, item string) bool {
	return slices.ContainsFunc(claim.Problems, func(p evidence.Problem) bool {
		words := strings.FieldsFunc(p.Where+" "+p.Expected+" "+p.Found, func(r rune) bool { return strings.ContainsRune(" ,;:[]", r) })
		return slices.Contains(words, item)
	})
}

// undecidedFor is why claims could not be decided.
type undecidedFor struct {
	Verdict evidence.Verdict
	Found   string
}

// reasonOf returns why a claim could not be decided. A claim that failed was
// decided and has none.
func reasonOf(result evidence.Result) (undecidedFor, bool) {
	switch result.Verdict {
	case evidence.Error, evidence.Indeterminate, evidence.Unsupported:
		if len(result.Problems) == 1 {
			return undecidedFor{result.Verdict, result.Problems[0].Found}, true
		}
	}
	return undecidedFor{}, false
}

// openClaims returns the claims without a pass that no shared reason explains.
func openClaims(run *evidence.Run, shared map[undecidedFor]bool) []claimView {
	var open []claimView
	for _, result := range run.Results() {
		if why, undecided := reasonOf(result); result.Verdict.Held() || undecided && shared[why] || unasked(result) {
			continue
		}
		open = append(open, claimView{Result: result, Short: strings.TrimPrefix(result.ID, result.Design+"/")})
	}
	return open
}

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
