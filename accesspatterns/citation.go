package accesspatterns

import (
	"cmp"
	"fmt"
	"slices"

	"dynaproof/accesspatterns/lists"
)

// Citation points at the lines of a design's document from which an element of
// the contract was transcribed.
type Citation struct {
	// First and Last are line numbers, counted from 1, both included.
	First, Last int
	// Tokens must stand literally on those lines, each on at least one of
	// them. They are the transcribed facts: names, types, key templates,
	// numbers.
	Tokens []string
	// Also cites further places that the same element rests on.
	Also []Citation
	// Basis says how the cited lines carry the element. That of the outermost
	// citation counts.
	Basis Basis
}

// Basis says where an obligation comes from. Its zero value is [Stated].
type Basis struct {
	Kind BasisKind
	// Because is the reason of what is implied, and the ruling or the finding that
	// decided what is chosen. Empty for what is stated.
	Because string
}

// BasisKind tells what the text says from what a reader concludes and from what
// the project decided.
type BasisKind string

// The kinds of basis.
const (
	// Stated: the text says it.
	Stated BasisKind = ""
	// Implied: the text cannot mean anything else.
	Implied BasisKind = "implied"
	// Chosen: the text is silent or contradicts itself, and the project decided. A
	// deployment that decided otherwise does not fail for it.
	Chosen BasisKind = "chosen"
)

// BasisKinds lists the kinds, strongest first.
func BasisKinds() []BasisKind { return []BasisKind{Stated, Implied, Chosen} }

func (k BasisKind) String() string {
	if k == Stated {
		return "stated"
	}
	return string(k)
}

// MarshalText writes the kind as reports and the manifest spell it.
func (k BasisKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (k *BasisKind) UnmarshalText(text []byte) error {
	for _, known := range BasisKinds() {
		if string(text) == known.String() {
			*k = known
			return nil
		}
	}
	return fmt.Errorf("expected a basis (stated, implied or chosen), found %q", text)
}

// Weaker returns the weaker of two bases: a conclusion stands as firm as that.
func (b Basis) Weaker(other Basis) Basis {
	if slices.Index(BasisKinds(), other.Kind) > slices.Index(BasisKinds(), b.Kind) {
		return other
	}
	return b
}

// Places are the lines of the citation and its further ones, each by itself and without the basis.
func (c Citation) Places() []Citation {
	places := []Citation{{First: c.First, Last: c.Last, Tokens: c.Tokens}}
	for _, other := range c.Also {
		places = append(places, other.Places()...)
	}
	return places
}

// AllTokens are the tokens of all places.
func (c Citation) AllTokens() (tokens []string) {
	return slices.Concat(lists.Map(c.Places(), func(place Citation) []string { return place.Tokens })...)
}

// Covers reports whether a place holds one of the lines from first to last.
func (c Citation) Covers(first, last int) bool {
	return slices.ContainsFunc(c.Places(), func(place Citation) bool { return place.First <= last && first <= place.Last })
}

// And returns the citation with further places added.
func (c Citation) And(others ...Citation) Citation {
	c.Also = slices.Concat(c.Also, others)
	return c
}

// Join returns the places of the citations by their lines, each line once, with the reason of the first that is implied.
func (c Citation) Join(others ...Citation) Citation {
	var places []Citation
	because := ""
	for _, each := range append([]Citation{c}, others...) {
		if each.Basis.Kind == Implied {
			because = cmp.Or(because, each.Basis.Because)
		}
		for _, place := range each.Places() {
			at := slices.IndexFunc(places, func(p Citation) bool { return p.First == place.First })
			if at < 0 && place.First > 0 {
				places = append(places, Citation{First: place.First, Last: place.Last, Tokens: slices.Clone(place.Tokens)})
			}
			if at >= 0 {
				places[at].Tokens = lists.With(places[at].Tokens, place.Tokens...)
			}
		}
	}
	slices.SortFunc(places, func(a, b Citation) int { return a.First - b.First })
	if len(places) == 0 {
		return Citation{}
	}
	joined := places[0].And(places[1:]...)
	if because != "" {
		joined = joined.Implied(because)
	}
	return joined
}

// Implied returns the citation as that of an element that the cited lines imply,
// with the reason.
func (c Citation) Implied(because string) Citation {
	c.Basis = Basis{Kind: Implied, Because: because}
	return c
}

// Chosen returns the citation as that of an element that the project decided
// where the cited lines are silent or contradict themselves. by names the ruling
// or the finding.
func (c Citation) Chosen(by string) Citation {
	c.Basis = Basis{Kind: Chosen, Because: by}
	return c
}

// Named gives the name of the element that cites them to lines without tokens.
func (c *Citation) Named(name string) {
	for i := range c.Also {
		c.Also[i].Named(name)
	}
	if c.Tokens == nil && c.First > 0 {
		c.Tokens = []string{name}
	}
}

// String writes the cited lines as "24" or "24-26, 61".
func (c Citation) String() string {
	text := fmt.Sprintf("%d", c.First)
	if c.Last != c.First {
		text = fmt.Sprintf("%d-%d", c.First, c.Last)
	}
	for _, other := range c.Also {
		text += ", " + other.String()
	}
	return text
}

// Document names the file that a design was transcribed from and pins its
// content.
type Document struct {
	// The file name, without a folder.
	File string `yaml:"file" jsonschema:"required"`
	// The SHA-256 digest of the file, in lower-case hexadecimal.
	SHA256 string `yaml:"sha256" jsonschema:"required"`
	// The document describes what is deployed, as describe-table or a state does: it is no independent witness of that deployment.
	Deployed bool `yaml:"deployed" json:",omitempty"`
}

// Cite writes a citation of this document as "roll-model.md:24-26".
func (d Document) Cite(c Citation) string { return d.File + ":" + c.String() }
