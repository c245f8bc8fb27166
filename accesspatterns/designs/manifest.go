package designs

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/manifest"
)

// committed is the manifest as it was reviewed.
//
//go:embed manifest.json
var committed []byte

// Manifest returns the committed manifest: every claim of every design, in
// order. It is the denominator of every figure that is reported. A design that the
// caller brought has no committed manifest: then it is what its contract claims. The
// caller may change the list, and not what its claims refer to.
func Manifest() ([]manifest.Claim, error) {
	if brought := own.Load(); brought != nil {
		claims, err := brought.claims()
		return slices.Clone(claims), err
	}
	claims, err := shippedClaims()
	return slices.Clone(claims), err
}

// shippedClaims reads the committed manifest once: each audit asks for it.
var shippedClaims = sync.OnceValues(func() (claims []manifest.Claim, err error) {
	if err := input.Exactly(committed, &claims); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	return claims, nil
})

// GenerateManifest writes the manifest of the contracts as they are, one claim a
// line, so that a difference shows the claims that came and went.
func GenerateManifest() ([]byte, error) {
	var lines []string
	for _, design := range All() {
		for _, claim := range manifest.Claims(design) {
			line, err := dynamo.PlainJSON(claim, "")
			if err != nil {
				return nil, fmt.Errorf("manifest: %w", err)
			}
			lines = append(lines, line)
		}
	}
	return []byte("[\n" + strings.Join(lines, ",\n") + "\n]\n"), nil
}
