package policy

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dynaproof/accesspatterns/input"
)

// Document is a policy document that consists of known elements alone.
type Document struct {
	statements []statement
}

// Kind says what a policy is attached to.
type Kind int

// The kinds of policies.
const (
	// Identity policies are attached to a role, and name no principal.
	Identity Kind = iota
	// Resource policies are attached to a table, and name principals: here everybody alone.
	Resource
)

type statement struct {
	sid  string
	deny bool
	// actions and resources are those that the statement speaks of, or those that it leaves out.
	actions      []pattern
	notActions   bool
	resources    []resourcePattern
	notResources bool
	conditions   []condition
	// unknown says why nobody here can say of whom the statement speaks; empty where it speaks of everybody.
	unknown string
}

// document and statementText are the grammar of policies, as far as it is known here.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html
type document struct {
	Version   string
	Id        string
	Statement oneOrMany[statementText]
}

type statementText struct {
	Sid       string
	Effect    string
	Principal json.RawMessage
	Condition map[string]map[string]oneOrMany[value] // by operator and key

	Action, NotAction, Resource, NotResource oneOrMany[string]

	NotPrincipal json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler.
func (d *document) UnmarshalJSON(text []byte) error {
	type plain document
	return cmp.Or(valued(text), input.Strictly(text, (*plain)(d)))
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *statementText) UnmarshalJSON(text []byte) error {
	type plain statementText
	return cmp.Or(valued(text), input.Strictly(text, (*plain)(t)))
}

// valued refuses what is no object, and members that have no value.
func valued(text []byte) error {
	var members map[string]json.RawMessage
	if len(text) == 0 || text[0] != '{' {
		return fmt.Errorf("expected an object, found %.40s", text)
	}
	if err := input.Exactly(text, &members); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if string(members[name]) == "null" {
			return fmt.Errorf("expected a value of element %q, found null", name)
		}
	}
	return nil
}

// oneOrMany is an element or a list of elements.
type oneOrMany[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (o *oneOrMany[T]) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '[' {
		return input.Strictly(text, (*[]T)(o))
	}
	*o = make([]T, 1)
	return input.Strictly(text, &(*o)[0])
}

// value is a text, or a number or truth value in the text's place.
type value string

// UnmarshalJSON implements json.Unmarshaler.
func (v *value) UnmarshalJSON(text []byte) error {
	var any any
	if err := input.Exactly(text, &any); err != nil {
		return err
	}
	switch known := any.(type) {
	case string:
		*v = value(known)
	case bool, float64:
		*v = value(text)
	default:
		return fmt.Errorf("expected a text, a number, true or false, found %s", text)
	}
	return nil
}

// Parse reads a policy document. Its error names everything that IAM refuses, one line each. What is not implemented here is no
// error: it leaves requests undecided.
func Parse(text string, kind Kind) (*Document, error) {
	var read document
	if err := input.Strictly([]byte(text), &read); err != nil {
		return nil, fmt.Errorf("policy document: %w", err)
	}
	var problems []error
	if read.Version != "2012-10-17" && read.Version != "2008-10-17" && read.Version != "" {
		problems = append(problems, fmt.Errorf("policy document: expected Version 2012-10-17, found %q", read.Version))
	}
	if len(read.Statement) == 0 {
		problems = append(problems, errors.New("policy document: expected a Statement, found none"))
	}
	parsed, sids := &Document{}, map[string]bool{}
	for i, text := range read.Statement {
		where := fmt.Sprintf("statement %d", i+1)
		if text.Sid != "" {
			where = "statement " + text.Sid
			if sids[text.Sid] {
				problems = append(problems, fmt.Errorf("%s: expected a Sid that no other statement has, found it twice", where))
			}
			sids[text.Sid] = true
		}
		one, err := text.parse(kind, read.Version == "2012-10-17") // older versions know no policy variables
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", where, err))
		}
		one.sid = where
		parsed.statements = append(parsed.statements, one)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return parsed, nil
}

func (t statementText) parse(kind Kind, variables bool) (statement, error) {
	s := statement{deny: t.Effect == "Deny", notActions: len(t.NotAction) > 0, notResources: len(t.NotResource) > 0}
	var problems []error
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if t.Effect != "Allow" && t.Effect != "Deny" {
		wrong("expected Effect Allow or Deny, found %q", t.Effect)
	}
	switch {
	case kind == Identity && (t.Principal != nil || t.NotPrincipal != nil):
		wrong("expected no Principal in the policy of a role, found %s%s", t.Principal, t.NotPrincipal)
	case kind == Resource && (t.Principal == nil) == (t.NotPrincipal == nil):
		wrong(`expected a Principal, found %s`, cmp.Or(string(t.Principal), "none"))
	case kind == Resource && !everybody(t.Principal):
		s.unknown = fmt.Sprintf("principals other than everybody are not known here, found %s%s", t.Principal, t.NotPrincipal)
	}
	if s.notActions == (len(t.Action) > 0) {
		wrong("expected an Action or a NotAction, found %d and %d", len(t.Action), len(t.NotAction))
	}
	for _, action := range slices.Concat(t.Action, t.NotAction) {
		if !strings.Contains(action, ":") && action != "*" {
			wrong("expected an action behind its service's name, found %q", action)
		}
		s.actions = append(s.actions, literal(strings.ToLower(action), true))
	}
	if s.notResources == (len(t.Resource) > 0) {
		wrong("expected a Resource or a NotResource, found %d and %d", len(t.Resource), len(t.NotResource))
	}
	for _, resource := range slices.Concat(t.Resource, t.NotResource) {
		parsed, err := parseResource(resource, variables)
		if err != nil {
			problems = append(problems, err)
		}
		s.resources = append(s.resources, parsed)
	}
	for _, operator := range slices.Sorted(maps.Keys(t.Condition)) {
		for _, key := range slices.Sorted(maps.Keys(t.Condition[operator])) {
			parsed, err := parseCondition(operator, key, t.Condition[operator][key], variables)
			if err != nil {
				problems = append(problems, err)
			}
			s.conditions = append(s.conditions, parsed)
		}
	}
	return s, errors.Join(problems...)
}

// names reports whether a statement speaks of an action, in lower case.
func (s *statement) names(action string) bool {
	return slices.ContainsFunc(s.actions, func(p pattern) bool { return p.match(action, nil) }) != s.notActions
}

// about reports whether a statement speaks of an action, in lower case, on a resource.
func (s *statement) about(action string, resource []string) truth {
	if !s.names(action) {
		return no
	}
	found := no
	for _, r := range s.resources {
		found = max(found, r.match(resource))
	}
	if s.notResources {
		found = yes - found
	}
	if s.unknown != "" {
		return min(found, maybe)
	}
	return found
}

// everybody reports whether a Principal is "*" or {"AWS": "*"}, which mean the same.
func everybody(principal json.RawMessage) bool {
	var text string
	if input.Exactly(principal, &text) == nil {
		return text == "*"
	}
	var kinds map[string]oneOrMany[string]
	return input.Exactly(principal, &kinds) == nil && len(kinds) == 1 && slices.Equal(kinds["AWS"], []string{"*"})
}
