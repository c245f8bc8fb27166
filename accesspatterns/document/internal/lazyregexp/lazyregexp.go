// Package lazyregexp has regular expressions that are compiled when they are first used.
// The reader of documents has more than a hundred; a program that reads no document
// should not wait for them at its start. It follows internal/lazyregexp of Go's own commands.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
)

// Regexp is a [regexp.Regexp] that is compiled when it is first used. Its methods are
// those of the same names.
type Regexp struct {
	compiled func() *regexp.Regexp
	known    *known
}

// known says of short texts whether they match. Two of three that are asked for were asked for before: a document has the same cells, names
// and titles again and again, and each form asks anew of which kind a line is.
type known struct {
	sync.Mutex
	texts map[string]bool
}

// longest bounds the texts that are known, most how many there are.
const (
	longest = 200
	most    = 1000
)

// tested is set in tests, which then find every mistake in an expression, used or not.
var tested = len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")

// New returns an expression. One that has a mistake panics where it is first used, and
// in tests at once.
func New(text string) *Regexp {
	r := &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) }), &known{texts: map[string]bool{}}}
	if tested {
		r.compiled()
	}
	return r
}

// UnmarshalText takes the expression's text.
func (r *Regexp) UnmarshalText(text []byte) error {
	*r = *New(string(text))
	return nil
}

// asked counts the bytes of the texts that all expressions are asked about, in tests.
var asked atomic.Int64

// Asked is how many bytes all expressions were asked about so far, and 0 outside of tests. What a text costs is told by it and not by a clock: a
// loop over lines within one over lines asks about each of them again.
func Asked() int64 { return asked.Load() }

// MatchString is [regexp.Regexp.MatchString].
func (r *Regexp) MatchString(s string) bool {
	if tested {
		asked.Add(int64(len(s)))
	}
	if len(s) > longest {
		return r.compiled().MatchString(s)
	}
	r.known.Lock()
	is, has := r.known.texts[s]
	r.known.Unlock()
	if has {
		return is
	}
	is = r.compiled().MatchString(s)
	r.known.Lock()
	defer r.known.Unlock()
	if len(r.known.texts) >= most {
		clear(r.known.texts)
	}
	r.known.texts[strings.Clone(s)] = is // and not the document that it is of
	return is
}

// found is what a method of the expression finds in a text: nothing where it is known not to match.
func found[T any](r *Regexp, s string, find func(*regexp.Regexp) []T) []T {
	if !r.MatchString(s) {
		return nil
	}
	return find(r.compiled())
}

// FindString is [regexp.Regexp.FindString].
func (r *Regexp) FindString(s string) string { return r.compiled().FindString(s) }

// SubexpIndex returns the number of the group of that name, -1 for none.
func (r *Regexp) SubexpIndex(name string) int { return r.compiled().SubexpIndex(name) }

// FindStringIndex is [regexp.Regexp.FindStringIndex].
func (r *Regexp) FindStringIndex(s string) []int {
	return found(r, s, func(re *regexp.Regexp) []int { return re.FindStringIndex(s) })
}

// FindStringSubmatch is [regexp.Regexp.FindStringSubmatch].
func (r *Regexp) FindStringSubmatch(s string) []string {
	return found(r, s, func(re *regexp.Regexp) []string { return re.FindStringSubmatch(s) })
}

// FindStringSubmatchIndex is [regexp.Regexp.FindStringSubmatchIndex].
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return found(r, s, func(re *regexp.Regexp) []int { return re.FindStringSubmatchIndex(s) })
}

// FindAllString is [regexp.Regexp.FindAllString].
func (r *Regexp) FindAllString(s string, n int) []string {
	return found(r, s, func(re *regexp.Regexp) []string { return re.FindAllString(s, n) })
}

// FindAllStringIndex is [regexp.Regexp.FindAllStringIndex].
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return found(r, s, func(re *regexp.Regexp) [][]int { return re.FindAllStringIndex(s, n) })
}

// FindAllStringSubmatch is [regexp.Regexp.FindAllStringSubmatch].
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return found(r, s, func(re *regexp.Regexp) [][]string { return re.FindAllStringSubmatch(s, n) })
}

// FindAllStringSubmatchIndex is [regexp.Regexp.FindAllStringSubmatchIndex].
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return found(r, s, func(re *regexp.Regexp) [][]int { return re.FindAllStringSubmatchIndex(s, n) })
}

// ReplaceAllString is [regexp.Regexp.ReplaceAllString].
func (r *Regexp) ReplaceAllString(s, with string) string {
	if !r.MatchString(s) {
		return s
	}
	return r.compiled().ReplaceAllString(s, with)
}

// ReplaceAllStringFunc is [regexp.Regexp.ReplaceAllStringFunc].
func (r *Regexp) ReplaceAllStringFunc(s string, with func(string) string) string {
	if !r.MatchString(s) {
		return s
	}
	return r.compiled().ReplaceAllStringFunc(s, with)
}

// Split is [regexp.Regexp.Split].
func (r *Regexp) Split(s string, n int) []string { return r.compiled().Split(s, n) }
