// Package designs lists the contracts of all documents.
package designs

import (
	"fmt"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/commitcollect"
	"dynaproof/accesspatterns/fusmain"
	"dynaproof/accesspatterns/osemladders"
	"dynaproof/accesspatterns/personalos"
	"dynaproof/accesspatterns/rollmodel"
)

// All returns the contracts in the order in which they are reported. Every call
// returns contracts of its own, which the caller may change.
func All() []*accesspatterns.Design {
	return []*accesspatterns.Design{
		rollmodel.Design(),
		commitcollect.Design(),
		fusmain.Design(),
		osemladders.Design(),
		personalos.Design(),
	}
}

// Names returns the names of all designs.
func Names() []string {
	var names []string
	for _, design := range All() {
		names = append(names, design.Name)
	}
	return names
}

// Chosen returns the contracts of the named designs, in that order, or all when
// none is named. A name that is unknown or stands twice is an error.
func Chosen(names []string) ([]*accesspatterns.Design, error) {
	if len(names) == 0 {
		return All(), nil
	}
	var chosen []*accesspatterns.Design
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("design %q is named twice; name each design once", name)
		}
		design, err := Find(name)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, design)
	}
	return chosen, nil
}

// Find returns the contract of that name.
func Find(name string) (*accesspatterns.Design, error) {
	for _, design := range All() {
		if design.Name == name {
			return design, nil
		}
	}
	return nil, fmt.Errorf("unknown design %q; expected one of %s", name, strings.Join(Names(), ", "))
}
