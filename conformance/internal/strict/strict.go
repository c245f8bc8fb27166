// Package strict reads small YAML files of users: each mistake is named with the file and its line, and what is not known is refused.
package strict

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"dynaproof/accesspatterns/input"
)

// Text is a value: where it goes, its form, and what is expected of it in words.
type Text struct {
	Into *string
	Form *regexp.Regexp
	Want string
}

// Reader reads one file and gathers its mistakes.
type Reader struct {
	file     string
	problems []error
}

// List reads a file that is one list under a name, and hands over its entries one by one.
func List(path, name string, entry func(*Reader, *yaml.Node)) error {
	content, err := input.File(path, input.Text)
	if err != nil {
		return err
	}
	r := &Reader{file: filepath.Base(path)}
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		return fmt.Errorf("%s: expected YAML: %w", r.file, err)
	}
	if len(document.Content) != 1 {
		return fmt.Errorf("%s:1: expected a list under %s:, found nothing", r.file, name)
	}
	found := false
	r.Members(document.Content[0], "", map[string]func(*yaml.Node){name: func(node *yaml.Node) {
		found = true
		if node.Kind != yaml.SequenceNode || len(node.Content) == 0 {
			r.Report(node, "%s: expected a list with an entry for each, found none", name)
			return
		}
		for _, one := range node.Content {
			entry(r, one)
		}
	}})
	if !found && r.problems == nil {
		r.Report(document.Content[0], "expected a list under %s:, found none", name)
	}
	return errors.Join(r.problems...)
}

// Report notes a mistake at a node.
func (r *Reader) Report(node *yaml.Node, format string, args ...any) {
	r.problems = append(r.problems, fmt.Errorf("%s:%d: %s", r.file, node.Line, fmt.Sprintf(format, args...)))
}

// Members decodes the known keys of a mapping, each by its function, and reports every other; of says what the mapping describes.
func (r *Reader) Members(node *yaml.Node, of string, known map[string]func(*yaml.Node)) {
	if node.Kind != yaml.MappingNode {
		r.Report(node, "expected names with values%s, found something else", of)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		take, is := known[key.Value]
		switch {
		case !is:
			r.Report(key, "%s is not known%s; expected one of %s", key.Value, of, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		case seen[key.Value]:
			r.Report(key, "%s stands twice; keep one", key.Value)
		default:
			take(value)
		}
		seen[key.Value] = true
	}
}

// Texts reads the members of a mapping that are texts, and hands others over as [Reader.Members] does. It reports whether all was right.
func (r *Reader) Texts(node *yaml.Node, of string, texts map[string]Text, others map[string]func(*yaml.Node)) bool {
	known := map[string]func(*yaml.Node){}
	maps.Copy(known, others)
	for name, text := range texts {
		known[name] = func(value *yaml.Node) {
			if value.Kind != yaml.ScalarNode || !text.Form.MatchString(value.Value) {
				r.Report(value, "%s: expected %s, found %q", name, text.Want, value.Value)
				return
			}
			*text.Into = value.Value
		}
	}
	before := len(r.problems)
	r.Members(node, of, known)
	return len(r.problems) == before
}
