// Package contract reads the contract of a design from the files of a folder.
//
// A contract is YAML: any number of files that end in .yaml, read together. What
// stands in which file is for the reader alone, usually one file for the tables and
// one for each topic, with its entities, patterns, invariants and findings
// together. Lists are reported in the order of the document's lines, not of the
// files. The README of package accesspatterns explains the form; [Schema] describes
// it to editors.
//
// Reading is strict: an unknown name, a reference to nothing and an expression
// that cannot be read are mistakes, each with its file and line.
package contract

import (
	_ "embed"
	"errors"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract/file"
	"dynaproof/accesspatterns/integrity"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/must"
	"dynaproof/accesspatterns/strict"
)

// Mistake is what is wrong at one line of a contract's files. Every error about
// the content of files is one, or several joined.
type Mistake = strict.Mistake

//go:embed contract.schema.json
var schema []byte

// Schema returns the JSON Schema of a contract's files.
func Schema() []byte { return slices.Clone(schema) }

// Load reads the contract of a folder. It reports every mistake that it finds,
// in the files and in how what they say fits together.
func Load(folder fs.FS) (*ap.Design, error) {
	_, design, err := checked(folder)
	return design, err
}

// Open reads the contract of a folder as [Load] does and returns a function that
// gives a contract of its own at every call, which the caller may change.
func Open(folder fs.FS) (design func() *ap.Design, err error) {
	written, _, err := checked(folder)
	if err != nil {
		return nil, err
	}
	return func() *ap.Design { return build(written).design }, nil
}

// checked reads a folder, and gives what its files say with a design of it in which nothing is wrong.
func checked(folder fs.FS) (*file.Contract, *ap.Design, error) {
	written, err := read(folder)
	if err != nil {
		return nil, nil, err
	}
	b := build(written)
	if err := b.err(); err != nil {
		return nil, nil, err
	}
	b.compile()
	b.check()
	if err := b.err(); err != nil {
		return nil, nil, err
	}
	return written, b.design, nil
}

// Embedded is [Open] for files that are part of the program: they are read at the
// first call. Tests hold the files to what [Load]
// demands; files that cannot be read panic.
func Embedded(folder fs.FS) func() *ap.Design {
	once := sync.OnceValue(func() *file.Contract { return must.Have(read(folder)) })
	return func() *ap.Design {
		b := build(once())
		must.Do(b.err())
		return b.design
	}
}

// StatusFile may lie beside a contract's files and is none of them: it says which open points of runs somebody has accepted.
const StatusFile = "status.yaml"

// read decodes all files of a folder and puts them together.
func read(folder fs.FS) (*file.Contract, error) {
	names, err := fs.Glob(folder, "*.yaml")
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == StatusFile })
	if len(names) == 0 {
		found := "none in this folder"
		if below, err := fs.Glob(folder, "*/*.yaml"); err == nil && len(below) > 0 {
			found += ", and some in " + path.Dir(below[0]) + "; name that folder, in Go by fs.Sub"
		}
		return nil, errors.New("expected the contract's files, which end in .yaml, found " + found)
	}
	var whole file.Contract
	var problems []error
	if others, err := fs.Glob(folder, "[^.]*.[yY][mM][lL]"); err == nil {
		for _, name := range others {
			if text, err := fs.ReadFile(folder, name); err == nil && isPart(text) {
				problems = append(problems, file.At{File: name, Line: 1}.Errorf("", "expected the contract's files to end in .yaml; give it that end, or take it out of the folder"))
			}
		}
	}
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		part := file.Contract{At: file.At{File: name, Line: 1}}
		if err := strict.YAML(name, text, &part); err != nil {
			problems = append(problems, err)
		}
		problems = append(problems, merge(&whole, &part)...)
	}
	if len(problems) > 0 {
		return nil, strict.Ordered(problems)
	}
	return &whole, nil
}

// isPart reports whether a file of another name, such as a template that lies beside, has the members of a contract and no others.
func isPart(text []byte) bool {
	var members map[string]any
	if err := yaml.Unmarshal(text, &members); err != nil || len(members) == 0 {
		return false
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[file.Contract]()) {
		name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		delete(members, name)
	}
	return len(members) == 0
}

// merge adds a part to the whole: lists are joined, and everything else stands
// in one file.
func merge(whole, part *file.Contract) (problems []error) {
	into, from := reflect.ValueOf(whole).Elem(), reflect.ValueOf(part).Elem()
	if whole.File == "" || part.Name != "" {
		whole.At = part.At
	}
	for _, field := range reflect.VisibleFields(into.Type()) {
		name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch into, from := into.FieldByIndex(field.Index), from.FieldByIndex(field.Index); {
		case name == "" || name == "-" || from.IsZero():
		case into.Kind() == reflect.Slice:
			into.Set(reflect.AppendSlice(into, from))
		case !into.IsZero():
			problems = append(problems, part.Errorf(name, "%s stands in another file of this folder too; keep one", name))
		default:
			into.Set(from)
		}
	}
	return problems
}

func (b *builder) report(err error) { b.problems = append(b.problems, err) }

// refuse reports what is wrong at a place when it is.
func (b *builder) refuse(wrong bool, at file.At, field, format string, args ...any) {
	if wrong {
		b.report(at.Errorf(field, format, args...))
	}
}

// err returns all mistakes.
func (b *builder) err() error { return strict.Ordered(b.problems) }

// check reports what does not fit together.
func (b *builder) check() {
	b.reasons()
	err := integrity.Check(b.design)
	if err == nil {
		return
	}
	for _, problem := range strict.Each(err) {
		if !errors.As(problem, new(*Mistake)) { // it is of the contract as a whole
			problem = b.written.Errorf("", "%s", strings.TrimPrefix(problem.Error(), b.design.Name+": "))
		}
		b.report(problem)
	}
}

// elements reports names that stand twice.
func elements[T any](b *builder, what string, all []T) {
	places := map[string]file.At{}
	for _, entry := range named(all) {
		if at, twice := places[entry.Name]; twice {
			b.report(entry.Errorf("", "%s %s stands twice, first in %s; keep one", what, entry.Name, at))
		}
		places[entry.Name] = entry.At
	}
}

// named are the names of a list's elements with their places.
func named[T any](all []T) (entries []file.Pair) {
	place, placed := reflect.TypeFor[T]().FieldByName("Written")
	if !placed {
		place, placed = reflect.TypeFor[T]().FieldByName("At")
	}
	for i := range all {
		element, entry := reflect.ValueOf(&all[i]).Elem(), file.Pair{}
		if entry.Name, _ = strict.Named(element); placed {
			entry.At = element.FieldByIndex(place.Index).Interface().(strict.At).OfName()
		}
		entries = append(entries, entry)
	}
	return entries
}

// names are those of a list's elements.
func names[T any](all []T) (names []string) {
	return lists.Map(named(all), func(entry file.Pair) string { return entry.Name })
}
