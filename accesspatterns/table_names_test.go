package accesspatterns_test

import (
	"testing"

	"dynaproof/accesspatterns"
)

// Whatever stands in braces in a documented name is the environment.
func TestNameTemplate(t *testing.T) {
	for name, want := range map[accesspatterns.NameTemplate]string{
		"osem-{env}-Users": "osem-dev-Users", "personal-os-{stage}": "personal-os-dev", "{project_name}-KnowledgeGraph": "dev-KnowledgeGraph", "Orders": "Orders",
	} {
		if got := name.In("dev"); got != want || name.HasEnvironment() != (want != string(name)) {
			t.Errorf("%s: expected %s, found %s", name, want, got)
		}
	}
}
