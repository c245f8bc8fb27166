package suite

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dynaproof/conformance/internal/policy"
)

// setKeys are the condition keys that hold several values at once. ForAllValues is met
// by a request that names none, and ForAnyValue by one that names a listed value beside
// any other, so both are tried.
var setKeys = []string{leadingKeys, attributesKey}

// noEscape holds every set of partition keys and of attributes to what the policies
// decide about each value by itself: a value that is refused alone is refused beside
// others, and where a value that no policy mentions is refused, naming none is refused
// too. The sets are those of the role's own requests and each mentioned value, with each
// mentioned value and one that no policy mentions.
func (o *Observation) noEscape(p *principal) {
	documents := p.documents()
	mentioned := map[string][]string{leadingKeys: slices.Collect(maps.Values(p.keys))}
	for _, request := range p.requests {
		mentioned[attributesKey] = append(mentioned[attributesKey], request.Context[attributesKey]...)
	}
	for _, key := range setKeys {
		for _, document := range documents {
			mentioned[key] = append(mentioned[key], document.Values(key)...)
		}
		slices.Sort(mentioned[key])
		mentioned[key] = slices.Compact(append(mentioned[key], policy.Fresh))
	}
	tried, said := 0, map[string]bool{}
	looked := map[string]bool{} // whether sets of one mentioned value were tried with such a request
	for _, name := range slices.Sorted(maps.Keys(p.requests)) {
		request := p.requests[name]
		for _, key := range setKeys {
			if !slices.ContainsFunc(documents, func(d *policy.Document) bool { return d.Tells(key, request.Action, request.Resource) }) {
				continue // the policies do not look at it
			}
			own := request.Context[key]
			denied := func(values ...string) bool {
				tried++
				return p.outcome(request.with(key, values), request.user).Denied()
			}
			values := mentioned[key]
			if key == leadingKeys {
				values = append(slices.Clone(values), own...) // those of the user
			}
			alone := map[string]bool{}
			for _, value := range values {
				alone[value] = denied(value)
			}
			bases := [][]string{own}
			if once := fmt.Sprint(request.seen, request.user, key, request.Context[otherKey(key)]); !looked[once] {
				looked[once] = true
				for _, value := range values {
					if !alone[value] {
						bases = append(bases, []string{value})
					}
				}
			}
			o.saw()
			escaped := ""
			if alone[policy.Fresh] && !denied() {
				escaped = "naming none"
			}
			for _, base := range bases {
				for _, value := range values {
					if escaped == "" && alone[value] && !slices.Contains(base, value) && !denied(append(slices.Clone(base), value)...) {
						escaped = fmt.Sprintf("naming %s beside %s, although %s alone is denied", value, strings.Join(base, ", "), value)
					}
				}
			}
			what := request.authorisation.String() + " " + key
			if escaped == "" || said[what] {
				continue
			}
			said[what] = true
			o.fail("role "+p.role.ID+", condition key "+key+", "+escaped, request.authorisation.String()+" to be denied", "allowed", repairPolicy)
		}
	}
	o.note("%d sets of partition keys and attributes were tried: none is allowed that holds one which is denied by itself", tried)
}

// otherKey is the other one of setKeys.
func otherKey(key string) string {
	if key == leadingKeys {
		return attributesKey
	}
	return leadingKeys
}

// with is a request with other values of a condition key; none leave it absent.
func (a authorisation) with(key string, values []string) authorisation {
	a.Context = maps.Clone(a.Context)
	if a.Context[key] = values; len(values) == 0 {
		delete(a.Context, key)
	}
	return a
}
