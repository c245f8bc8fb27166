package exploretest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The evidence names an entity of which a formula reads so many attributes that may be missing that not each combination of them is a start.
func TestEvidenceNamesWhatWasNotLeftOutInEveryCombination(t *testing.T) {
	const text = `
design: form
title: Form
document: {file: form.md, sha256: '00'}
access-patterns: 1
policies: {cite: 1}
roles:
  clerk: {unconfined: a clerk acts for everybody, reaches: {everybody: a clerk acts for everybody}, cite: 1}
tables:
  Forms: {name: Forms, cite: 1, partition-key: {PK: S}, key-cite: 1, indexes-cite: 1}
entities:
  form:
    title: Form
    table: Forms
    cite: 1
    owner: {nobody: a clerk looks after it}
    keys:
      PK: {template: 'FORM#{formId}', cite: 1}
    attributes:
%s
patterns:
  put-form:
    title: A form
    cite: 1
    roles: clerk
    steps: [{put: form}]
invariants:
  filled:
    says: no field is forbidden
    cite: 1
    holds: items.form.all(f, %s)
    flow: put-form
    layer: contract
`
	for n, want := range map[int]bool{3: false, 4: true} {
		var attributes, terms []string
		for i := range n {
			attributes = append(attributes, fmt.Sprintf("      field%d: {type: S, presence: optional, cite: 1}", i))
			terms = append(terms, fmt.Sprintf("f.?field%d.orValue('') != 'forbidden'", i))
		}
		s := small{Items: map[string][]map[string]any{"form": {{"PK": "FORM#form1", "field0": "a", "field1": "a", "field2": "a", "field3": "a"}}}}
		law := s.explored(t, read(t, fmt.Sprintf(text, strings.Join(attributes, "\n"), strings.Join(terms, " && ")))).Laws[0]
		said := slices.ContainsFunc(law.Evidence(), func(line string) bool {
			return strings.Contains(line, "not left out in every combination") && strings.HasSuffix(line, "of form")
		})
		if law.Claim != "invariant/filled" || said != want {
			t.Errorf("%d attributes: expected of invariant/filled that the line is there: %v, found of %s\n%s", n, want, law.Claim, strings.Join(law.Evidence(), "\n"))
		}
	}
}
