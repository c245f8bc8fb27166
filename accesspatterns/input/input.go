// Package input opens the files that somebody hands to this program. All of them are read here, so that none is a device, a pipe or a
// socket, which may have no end, none is larger than its bound, and no file of a folder leads out of it.
//
// Files that the program wrote itself, such as its executable or its journals, are no input.
package input

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"unicode/utf8"
)

// The most bytes of a file: a text that somebody wrote, what other tools exported, and the evidence of a run.
const (
	Text     = 8 << 20
	Export   = 64 << 20
	Evidence = 1 << 30
)

// Refusal says why a file is not read. It is the caller's mistake, whatever a command wanted of the file.
type Refusal string

func (r Refusal) Error() string { return string(r) }

func refuse(format string, args ...any) error { return Refusal(fmt.Sprintf(format, args...)) }

// File reads a file of at most so many bytes.
func File(path string, most int64) ([]byte, error) {
	file, err := Open(path, most)
	if err != nil {
		return nil, err
	}
	return readAll(file, path, most)
}

// Open opens a file of at most so many bytes, in its present state.
func Open(path string, most int64) (*os.File, error) {
	return open(path, most, os.Stat, os.OpenFile)
}

// open opens a file that is a regular one before it is opened, which alone may wait for somebody or do something, and behind: somebody
// may have put another in its place, for which nobody waits.
func open(path string, most int64, stat func(string) (fs.FileInfo, error), as func(string, int, fs.FileMode) (*os.File, error)) (*os.File, error) {
	info, err := stat(path)
	if failed, is := errors.AsType[*fs.PathError](err); is {
		return nil, fmt.Errorf("%s: expected a file that can be read: %w", path, failed.Err)
	}
	if err == nil {
		err = regular(info, path, most)
	}
	if err != nil {
		return nil, err
	}
	file, err := as(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err = file.Stat(); err == nil {
		err = regular(info, path, most)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// regular refuses what is no file, and what is too large.
func regular(info fs.FileInfo, path string, most int64) error {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return refuse("%s: expected a file, found a folder; name one file", path)
	case !mode.IsRegular():
		return refuse("%s: expected a file, found a device, a pipe or a socket; write what it says to a file first", path)
	case info.Size() > most:
		return tooLarge(path, most)
	}
	return nil
}

func tooLarge(path string, most int64) error {
	return refuse("%s: expected at most %d MB, found more; name a smaller file", path, most>>20)
}

// readAll reads and closes a file, which may have grown.
func readAll(file *os.File, path string, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	if int64(len(text)) > most {
		return nil, tooLarge(path, most)
	}
	return text, nil
}

// Folder is a folder on the disk whose files are read as [File] reads one of at most so many bytes. A name or a link that leads out of the
// folder is refused, and so is one of a hidden file: what tools keep beside a design, such as .git, is no part of it.
func Folder(path string, most int64) fs.FS { return folder{path, most} }

type folder struct {
	path string
	most int64
}

// Open implements fs.FS.
func (f folder) Open(name string) (fs.File, error) {
	root, err := os.OpenRoot(f.path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // what it opened stays open
	info, err := root.Stat(name)
	switch {
	case err != nil && strings.Contains(err.Error(), "escapes"): // the error of package os is not exported
		return nil, refuse("%s: expected a file of the folder, found a name or a link that leads out of it; put the file itself there", name)
	case err != nil:
		return nil, err
	case info.IsDir():
		return root.Open(name)
	case f.hidden(name):
		return nil, refuse("%s: expected a file that is not hidden, found a name or a link with a part that begins with a dot; give it another name", name)
	}
	return open(name, f.most, root.Stat, root.OpenFile)
}

// hidden reports whether a part of a name, or of the name that its links lead to, begins with one dot.
func (f folder) hidden(name string) bool {
	real, err := filepath.EvalSymlinks(filepath.Join(f.path, name))
	base, wrong := filepath.EvalSymlinks(f.path)
	if err != nil || wrong != nil {
		return true
	}
	within, err := filepath.Rel(base, real)
	return err != nil || slices.ContainsFunc(strings.Split(filepath.ToSlash(within+"/"+name), "/"), func(part string) bool {
		return len(part) > 1 && part[0] == '.' && part[1] != '.'
	})
}

// ReadFile implements fs.ReadFileFS.
func (f folder) ReadFile(name string) ([]byte, error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	return readAll(file.(*os.File), name, f.most)
}

// Design is [Folder] for the folder of a design, or of documents. By fs.ReadFile and fs.ReadDir this process reads each of its files and
// lists it once: whoever replaces one while a run is under way changes neither what the run does, nor what it says and digests of the
// file. Open, as everywhere, opens what is there now.
func Design(path string) fs.FS {
	whole, err := filepath.Abs(path) // of another working folder the same name is another folder
	if err != nil {
		whole = path
	}
	return design{folder{path, Export}, whole}
}

type design struct {
	folder
	whole string
}

// seen are what designs' folders gave, by folder and name.
var seen sync.Map

type place struct {
	folder, name string
	list         bool
}

func first[T any](at place, read func() (T, error)) (T, error) {
	given, _ := seen.LoadOrStore(at, sync.OnceValues(read))
	return given.(func() (T, error))()
}

// ReadFile implements fs.ReadFileFS. The text is the caller's. A file of the contract is no larger than a text, and a document or a fixture may be.
func (d design) ReadFile(name string) ([]byte, error) {
	if filepath.Ext(name) == ".yaml" {
		d.most = Text
	}
	text, err := first(place{d.whole, name, false}, func() ([]byte, error) { return d.folder.ReadFile(name) })
	return slices.Clone(text), err
}

// ReadDir implements fs.ReadDirFS.
func (d design) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := first(place{d.whole, name, true}, func() ([]fs.DirEntry, error) { return fs.ReadDir(d.folder, name) })
	return slices.Clone(entries), err
}

// Strictly is [Exactly] without members that the type does not have.
func Strictly(text []byte, into any) error { return decode(text, into, true) }

// Exactly decodes one JSON value. It refuses a name that stands twice in an object, and one that differs in case alone from that of a member
// of the type: encoding/json takes both for the member, and other readers do not. What is kept as it is, a [json.RawMessage], it does not
// look into; a type that reads itself decides on its members. Where it returns an error, the value may hold a part.
func Exactly(text []byte, into any) error { return decode(text, into, false) }

func decode(text []byte, into any, closed bool) error {
	err := json.Unmarshal(text, into)
	if errors.As(err, new(*json.SyntaxError)) {
		return err
	}
	return cmp.Or(named(text, reflect.TypeOf(into), closed), err)
}

// Named is what [Exactly] says of the names of a well-formed text that is read into a value.
func Named(text []byte, into any) error { return named(text, reflect.TypeOf(into), false) }

// Twice returns the first name that stands twice in an object of a JSON text; "" when none does. Decoders take one of the two, and not all
// of them the same one. The text must be well-formed.
func Twice(text []byte) string {
	name, _ := errors.AsType[*misnamed](named(text, nil, false))
	if name == nil {
		return ""
	}
	return name.found
}

// misnamed is a name of a JSON text that readers take for different things.
type misnamed struct{ found, known string }

func (m *misnamed) Error() string {
	if m.known == "" {
		return fmt.Sprintf("expected each member once, found %q twice", m.found)
	}
	return fmt.Sprintf("expected the member %q, found %q", m.known, m.found)
}

// raw is the type of what is kept as it is.
var raw = reflect.TypeFor[json.RawMessage]()

// named looks at the names of a well-formed JSON text that is read into a type; nil is none. A closed type has no other members.
func named(text []byte, of reflect.Type, closed bool) error {
	type level struct {
		names map[string]bool // nil of a list
		of    reflect.Type    // nil where no name is known
		value reflect.Type    // of the member or element that comes
	}
	levels := []level{{value: of}}
	for at := 0; at < len(text); at++ {
		last := &levels[len(levels)-1]
		switch text[at] {
		case '{', '[':
			below := level{of: shape(last.value)}
			if text[at] == '{' {
				below.names = map[string]bool{}
			}
			if below.value = below.of; below.of != nil && below.of != raw && below.of.Kind() != reflect.Struct {
				below.value = below.of.Elem()
			}
			levels = append(levels, below)
		case '}', ']':
			levels = levels[:len(levels)-1]
		case '"':
			begin := at
			for at++; text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
			if behind := bytes.TrimLeft(text[at+1:], " \t\r\n"); !bytes.HasPrefix(behind, []byte(":")) || last.of == raw {
				continue
			}
			name := string(text[begin+1 : at])
			if strings.Contains(name, `\`) || !utf8.ValidString(name) {
				_ = json.Unmarshal(text[begin:at+1], &name) // well-formed
			}
			if last.names[name] {
				return &misnamed{found: name}
			}
			last.names[name] = true
			if last.of == nil || last.of.Kind() != reflect.Struct {
				continue
			}
			known := members(last.of)
			if last.value = known[name]; last.value != nil {
				continue
			}
			for other := range known {
				if strings.EqualFold(other, name) {
					return &misnamed{name, other}
				}
			}
			if closed {
				return fmt.Errorf("json: unknown field %q", name)
			}
		}
	}
	return nil
}

// shape is the type whose names an object has, or a list has below it; nil for what has none, or reads itself.
func shape(of reflect.Type) reflect.Type {
	for of != nil && of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch {
	case of == nil || of == raw:
		return of
	case reflect.PointerTo(of).Implements(reflect.TypeFor[json.Unmarshaler]()):
		return nil
	}
	switch of.Kind() {
	case reflect.Struct, reflect.Map, reflect.Slice, reflect.Array:
		return of
	}
	return nil
}

// known are the members of the types that were asked for.
var known sync.Map

// members are the types of the members of a struct in JSON, by name.
func members(of reflect.Type) map[string]reflect.Type {
	if found, is := known.Load(of); is {
		return found.(map[string]reflect.Type)
	}
	all := map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "-" && field.IsExported() && (name != "" || !field.Anonymous) {
			all[cmp.Or(name, field.Name)] = field.Type
		}
	}
	known.Store(of, all)
	return all
}
