package catalog_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/stacks/environment"
)

func TestParseStackName(t *testing.T) {
	cases := []struct{ stack, design, env string }{
		{"osem-ladders.dev", "osem-ladders", "dev"},
		{"personal-os.prod", "personal-os", "prod"},
		{"roll-model.2", "roll-model", "2"},
		{"fus-main.pr-1234", "fus-main", "pr-1234"},
		{"fus-main.abcdefghij0123456789", "fus-main", "abcdefghij0123456789"},
	}
	for _, c := range cases {
		design, env, err := environment.ParseStackName(c.stack)
		if err != nil || design != c.design || env != c.env {
			t.Errorf("ParseStackName(%q) = %q, %q, %v; expected %q, %q", c.stack, design, env, err, c.design, c.env)
		}
	}
}

func TestParseStackNameRefuses(t *testing.T) {
	cases := []struct{ reason, stack, want string }{
		{"empty", "", `expected <design>.<environment>, found ""`},
		{"no dot", "osem-ladders", `expected <design>.<environment>, found "osem-ladders"`},
		{"no design", ".dev", `expected <design>.<environment>, found ".dev"`},
		{"no environment", "osem-ladders.", `found ""; name the stack like osem-ladders.dev`},
		{"placeholder of osem-ladders.md", "osem-ladders.{env}", `found "{env}"`},
		{"placeholder of personal-os.md", "personal-os.{stage}", `found "{stage}"`},
		{"placeholder of fus-main.md", "fus-main.<id>", `found "<id>"`},
		{"upper case", "osem-ladders.Dev", `found "Dev"`},
		{"underscore", "osem-ladders.dev_1", `found "dev_1"`},
		{"second dot", "osem-ladders.dev.eu", `found "dev.eu"`},
		{"21 characters", "osem-ladders.abcdefghij01234567890", "1 to 20 lower-case letters"},
		{"not ASCII", "osem-ladders.dév", `found "dév"`},
		{"line break", "osem-ladders.dev\n", `found "dev\n"`},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			_, _, err := environment.ParseStackName(c.stack)
			require.Error(t, err, "expected an error, found none")
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("expected one line with %q, found %q", c.want, err)
			}
		})
	}
}
