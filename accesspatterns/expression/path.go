package expression

import (
	"regexp"
	"strings"

	"dynaproof/accesspatterns/lists"
)

// CheckPath reports a path that is malformed or whose aliases are unknown.
func (s Source) CheckPath(path string) error {
	if path == "" {
		return ErrSyntax
	}
	if s.literal && path[0] == '"' {
		return nil // a name of any characters
	}
	for segment := range strings.SplitSeq(path, ".") {
		name, index, indexed := strings.Cut(segment, "[")
		if indexed && !isIndex(index) {
			return ErrSyntax
		}
		if _, ok := s.resolve(name); !ok {
			if strings.HasPrefix(name, "#") {
				return ErrAlias
			}
			return ErrSyntax
		}
	}
	return nil
}

// isIndex accepts what stands behind the first '[': "0]" or "0][1]".
var isIndex = regexp.MustCompile(`^[0-9]+\](\[[0-9]+\])*$`).MatchString

// resolve returns the attribute name of one segment.
func (s Source) resolve(segment string) (string, bool) {
	if strings.HasPrefix(segment, "#") {
		name, given := s.Names[segment]
		return name, given && name != ""
	}
	if s.literal && strings.HasPrefix(segment, "{") {
		return segment, strings.IndexByte(segment, '}') == len(segment)-1
	}
	if segment == "" || !isLetter(segment[0]) {
		return "", false
	}
	for i := range len(segment) {
		if !isLetter(segment[i]) && !isDigit(segment[i]) && !(s.literal && segment[i] == '-') {
			return "", false
		}
	}
	return segment, true
}

// SamePath reports whether a path names the place that the segments name. A dot
// within an aliased name is part of the name.
func (s Source) SamePath(path string, segments []string) bool {
	for i, more := 0, true; more; i++ {
		var segment string
		segment, path, more = strings.Cut(path, ".")
		name, ok := s.resolve(segment)
		if !ok || i >= len(segments) || name != segments[i] || more != (i+1 < len(segments)) {
			return false
		}
	}
	return true
}

// IsAttribute reports whether a path is that attribute and nothing within it.
func (s Source) IsAttribute(path, attribute string) bool {
	name, ok := s.resolve(path)
	return ok && name == attribute
}

// Same reports whether two paths name one place, whatever aliases they use.
func (s Source) Same(a, b string) bool {
	if a == b {
		return true
	}
	for more, further := true, true; more || further; {
		var one, other string
		one, a, more = strings.Cut(a, ".")
		other, b, further = strings.Cut(b, ".")
		oneName, oneIndex, _ := strings.Cut(one, "[")
		otherName, otherIndex, _ := strings.Cut(other, "[")
		oneName, known := s.resolve(oneName)
		if otherName, also := s.resolve(otherName); !known || !also || oneName != otherName || oneIndex != otherIndex || more != further {
			return false
		}
	}
	return true
}

// TopLevel returns the attribute that a path is in or is.
func (s Source) TopLevel(path string) (string, bool) {
	segment, _, _ := strings.Cut(path, ".")
	segment, _, _ = strings.Cut(segment, "[")
	return s.resolve(segment)
}

// Split returns the attribute names of a path's segments, each with the [n] behind
// it: "#a.#b[0]" is sections and private[0].
func (s Source) Split(path string) ([]string, error) {
	if err := s.CheckPath(path); err != nil {
		return nil, err
	}
	segments := strings.Split(path, ".")
	for i, segment := range segments {
		name, _, _ := strings.Cut(segment, "[")
		resolved, _ := s.resolve(name)
		segments[i] = resolved + segment[len(name):]
	}
	return segments, nil
}

// NextPath cuts the first path off a projection expression. It does not look at
// the path; more says that another one follows.
func NextPath(projection string) (path, rest string, more bool) {
	path, rest, more = strings.Cut(projection, ",")
	return trimSpace(path), rest, more
}

// ParseProjection returns the paths of a projection expression, as written.
func ParseProjection(text string, from Source) ([]string, error) {
	var paths []string
	for more := true; more; {
		var path string
		path, text, more = NextPath(text)
		if err := from.CheckPath(path); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// Attributes returns the top-level attributes that a request's expression speaks
// of, sorted, whatever its grammar: an expression that no parser of this package
// takes has attributes too. Its operators and functions must not be the names of
// attributes without an alias.
func (s Source) Attributes(text string) []string {
	var found []string
	words := lexer{rest: text}
	for words.next(); words.at != "" && !words.bad; words.next() {
		if words.token == "" || words.token[0] == ':' || keywords[strings.ToUpper(words.token)] || words.calls() && isLetter(words.token[0]) {
			continue
		}
		if name, ok := s.TopLevel(words.token); ok {
			found = append(found, name)
		}
	}
	return lists.Sorted(found)
}

// keywords are the words of expressions that name no attribute and call no
// function.
var keywords = map[string]bool{"AND": true, "OR": true, "NOT": true, "BETWEEN": true, "IN": true, "SET": true, "REMOVE": true, "ADD": true, "DELETE": true}
