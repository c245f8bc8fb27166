package manifest

import (
	"reflect"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
)

// Cited is an element of the contract with its citation.
type Cited struct {
	// Element names the element: the claim's id, or the claim's id with a part
	// behind it ("…/entity/entry, key SK").
	Element  string
	Citation accesspatterns.Citation
}

// Citations lists every citation of the contract: those of the claims and those
// of the parts that are no claims of their own. Proving them needs the document.
func Citations(d *accesspatterns.Design) []Cited {
	cited := lists.Map(Claims(d), func(claim Claim) Cited { return Cited{claim.ID, claim.Citation} })
	for i := range d.Entities {
		if owner := d.Entities[i].Owner; owner != nil {
			cited = append(cited, Cited{d.Name + "/entity/" + d.Entities[i].ID + ", owner", owner.Cite})
		}
		for _, key := range d.Entities[i].Keys {
			cited = append(cited, Cited{d.Name + "/entity/" + d.Entities[i].ID + ", key " + key.Attribute, key.Cite})
		}
	}
	for _, pattern := range d.Patterns {
		for _, step := range pattern.Steps {
			if step.Read != nil && step.Read.Versions != nil {
				cited = append(cited, Cited{d.Name + "/pattern/" + pattern.ID + ", versions that the reader of step " + step.Name + " knows", step.Read.Versions.Cite})
			}
		}
		for _, step := range pattern.Steps {
			if !same(step.Cite, pattern.Cite) { // else it is the pattern's
				cited = append(cited, Cited{d.Name + "/pattern/" + pattern.ID + ", step " + step.Name, step.Cite})
			}
		}
	}
	for _, waiver := range d.Waivers {
		cited = append(cited, Cited{d.Name + "/waiver/" + waiver.ID, waiver.Cite})
	}
	for _, promise := range d.NotCheckable {
		cited = append(cited, Cited{d.Name + "/not-checkable/" + promise.ID, promise.Cite})
	}
	return cited
}

// same reports whether two citations are of the same lines for the same tokens.
func same(a, b accesspatterns.Citation) bool {
	a.Basis, b.Basis = accesspatterns.Basis{}, accesspatterns.Basis{}
	return reflect.DeepEqual(a, b)
}
