// Package designs is the catalog: the contracts of all documents of this project, or those
// that the caller brings.
package designs

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/commitcollect"
	"dynaproof/accesspatterns/fusmain"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/osemladders"
	"dynaproof/accesspatterns/personalos"
	"dynaproof/accesspatterns/rollmodel"
)

// Brought is a design that the caller brings.
type Brought struct {
	// Contract gives a contract of its own at every call.
	Contract func() *accesspatterns.Design
	// Fixtures is the folder with the files that package fixtures lists. One that is absent is empty, because a contract that
	// stops at a level needs only some.
	Fixtures fs.FS
}

// entry is one design of the catalog. Those of this project have their fixtures in package fixtures.
type entry struct {
	name string
	Brought
}

// shipped are the designs of this project, in the order in which they are reported.
var shipped = []entry{
	{"roll-model", Brought{Contract: rollmodel.Design}},
	{"commit-collect", Brought{Contract: commitcollect.Design}},
	{"fus-main", Brought{Contract: fusmain.Design}},
	{"osem-ladders", Brought{Contract: osemladders.Design}},
	{"personal-os", Brought{Contract: personalos.Design}},
}

// catalog are the designs that the caller brought, in place of the shipped ones or beside them.
type catalog struct {
	entries []entry
	claims  func() ([]manifest.Claim, error)
}

// own is what the caller brought; nil where the catalog holds the shipped designs alone.
var own atomic.Pointer[catalog]

// Use puts designs of the caller's in the place of the shipped ones, until the
// function that it returns is called.
func Use(brought ...Brought) (restore func()) { return put(nil, brought) }

// Beside is [Use] with the designs that are in the catalog already, whose names the caller's must not have.
func Beside(brought ...Brought) (restore func()) {
	return put(entries(), brought)
}

func put(before []entry, brought []Brought) (restore func()) {
	var earlier []manifest.Claim
	if before != nil {
		earlier, _ = Manifest() // it is part of the program, and a test reads it
	}
	all := slices.Concat(before, lists.Map(brought, func(each Brought) entry { return entry{each.Contract().Name, each} }))
	claims := sync.OnceValues(func() ([]manifest.Claim, error) {
		claims := slices.Clone(earlier)
		for _, entry := range all[len(before):] {
			claims = append(claims, manifest.Claims(entry.Contract())...)
		}
		return claims, nil
	})
	was := own.Swap(&catalog{all, claims})
	return func() { own.Store(was) }
}

// Present tells the designs of one moment from those of another: it changes with [Use] and [Beside].
func Present() any { return own.Load() }

// Shipped reports whether the catalog holds the designs of this project, and not
// those that the caller brought.
func Shipped() bool { return own.Load() == nil }

func entries() []entry {
	if brought := own.Load(); brought != nil {
		return brought.entries
	}
	return shipped
}

// Fixtures returns the folder of the fixtures that the caller brought with a design; nil for those of this project.
func Fixtures(name string) (fs.FS, error) {
	if Shipped() {
		return nil, nil
	}
	for _, entry := range entries() {
		if entry.name == name {
			return entry.Fixtures, nil
		}
	}
	return nil, fmt.Errorf("fixtures of %s: expected the folder of one of %s", name, strings.Join(slices.Sorted(slices.Values(Names())), ", "))
}

// All returns the contracts in the order in which they are reported. Every call
// returns contracts of its own, which the caller may change.
func All() []*accesspatterns.Design {
	return lists.Map(entries(), func(entry entry) *accesspatterns.Design { return entry.Contract() })
}

// Names returns the names of all designs.
func Names() []string {
	return lists.Map(entries(), func(entry entry) string { return entry.name })
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
	for _, entry := range entries() {
		if entry.name == name {
			return entry.Contract(), nil
		}
	}
	return nil, fmt.Errorf("unknown design %q; expected one of %s", name, strings.Join(Names(), ", "))
}
