package schema

import (
	"testing"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/suite/session"
)

// Among tables of others the name alone tells whose a table could be, whatever the form of the template.
func TestNamesOfOtherTables(t *testing.T) {
	const ours, elsewhere, theirs = "ours", "of another stage", "somebody else's"
	for _, row := range []struct {
		template accesspatterns.NameTemplate
		name     string
		want     string
	}{
		{"osem-{env}-Users", "osem-dev-Extra", ours},
		{"osem-{env}-Users", "osem-dev-Users-old", ours},
		{"osem-{env}-Users", "osem-prod-Users", elsewhere},
		{"osem-{env}-Users", "osem-prod-Extra", elsewhere},
		{"osem-{env}-Users", "osemble", theirs},
		{"osem-{env}Users", "osem-dev2Users", elsewhere},
		{"{env}-Users", "dev-Users2", ours},
		{"{env}-Users", "prod-Users", elsewhere},
		{"{env}-Users", "dev-payroll", theirs},
		{"Users", "UsersCopy", ours},
		{"Users", "payroll-Users", theirs},
	} {
		s := &session.Session{Input: session.Input{Design: &accesspatterns.Design{Tables: []accesspatterns.Table{{ID: "Users", Name: row.template}}}, Environment: "dev"}}
		found := theirs
		switch {
		case couldBeOurs(&s.Input, row.name):
			found = ours
		case inAnotherStage(row.template, row.name):
			found = elsewhere
		}
		if found != row.want {
			t.Errorf("%s in dev: expected table %s to be %s, found %s", row.template, row.name, row.want, found)
		}
	}
}
