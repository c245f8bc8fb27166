// Package own puts designs of the caller's in the place of the shipped ones: their
// contracts, fixtures and Pulumi programs, in one step.
package own

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/scratch"
	"dynaproof/fixtures"
)

// Design is a design of the caller's.
type Design struct {
	// Folder holds the contract (*.yaml) and beside it the fixtures (items.json,
	// cases.json and so on).
	Folder fs.FS
	// Program deploys it: deploy.Program of dynaproof/stacks/deploy makes one of a Pulumi program. Without one its tables are made
	// from the contract itself, and then no claim about a table rests on more than that.
	Program deploy.Program
}

// FixedRegion is the AWS region that a design's document fixes for its tables; empty where it fixes none.
func FixedRegion(design *accesspatterns.Design) (region string) {
	for _, table := range design.Tables {
		if table.Region != nil {
			region = table.Region.Region
		}
	}
	return region
}

// Use puts designs in the place of the shipped ones, until the function that it
// returns is called. Mistakes in a contract are errors, all of them joined.
func Use(brought ...Design) (restore func(), err error) {
	all, programs, err := opened(nil, brought)
	if err != nil {
		return nil, err
	}
	undo, stop := designs.Use(all...), deploy.Use(programs)
	return func() {
		stop()
		undo()
	}, nil
}

// Beside is [Use] with the designs that are in the catalog already, for what deploys nothing: the caller's must have other names.
func Beside(brought ...Design) (restore func(), err error) {
	all, _, err := opened(designs.Names(), brought)
	if err != nil {
		return nil, err
	}
	return designs.Beside(all...), nil
}

// opened reads designs, which have other names than those that are taken, and the programs that deploy them.
func opened(taken []string, brought []Design) (all []designs.Brought, programs map[string]deploy.Program, err error) {
	programs = map[string]deploy.Program{}
	for _, each := range brought {
		open, err := contract.Open(each.Folder)
		if err != nil {
			return nil, nil, err
		}
		name := open().Name
		if slices.Contains(taken, name) {
			return nil, nil, fmt.Errorf("design %s: expected each name once, found two contracts of that name; rename one", name)
		}
		taken, programs[name] = append(taken, name), each.Program
		all = append(all, designs.Brought{Contract: open, Fixtures: each.Folder})
	}
	if len(all) == 0 {
		return nil, nil, errors.New("expected at least one design, found none")
	}
	return all, programs, nil
}

// Readable reports what is wrong with the document in a folder of the disk, and with the
// fixtures of a design that is in use. A document that is not there is no mistake:
// citations are then not proven. Nor is what a further level would need.
func Readable(design *accesspatterns.Design, documents string) error {
	if _, err := coverage.Read(documents, design.Document); err != nil && !errors.Is(err, coverage.ErrNoDocument) {
		return err
	}
	set, err := fixtures.Load(design.Name, time.Now())
	if err != nil {
		return err
	}
	var mistakes []error
	for _, problem := range set.Problems(design) {
		if problem.Needs == "" {
			mistakes = append(mistakes, problem.Located())
		}
	}
	return errors.Join(mistakes...)
}

// Bring is [Use] with the documents, which it copies from the designs' folders to one on
// the disk. Everything that is wrong with a design is an error.
func Bring(brought ...Design) (documents string, restore func(), err error) {
	put, err := Use(brought...)
	if err != nil {
		return "", nil, err
	}
	documents, remove, err := scratch.Folder()
	restore = func() {
		put()
		if remove != nil {
			_ = remove() // a copy; what stays a later run removes
		}
	}
	for i, design := range designs.All() {
		if err != nil {
			break
		}
		var text []byte
		text, err = fs.ReadFile(brought[i].Folder, design.Document.File)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil // citations are not proven then
		} else if err == nil {
			err = os.WriteFile(filepath.Join(documents, filepath.Base(design.Document.File)), text, 0o600)
		}
		if err == nil {
			err = Readable(design, documents)
		}
	}
	if err != nil {
		restore()
		return "", nil, err
	}
	return documents, restore, nil
}
