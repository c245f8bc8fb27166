package accepted_test

import (
	"strings"
	"testing"

	"dynaproof/accesspatterns/contract"
	"dynaproof/conformance/internal/accepted"
)

func TestRead(t *testing.T) {
	read := func(text string) (int, error) {
		all, err := accepted.Read(contract.StatusFile, []byte(text), []string{"shop/finding/x", "shop/pattern/y"})
		return len(all), err
	}
	if n, err := read("accepted:\n  - {claim: shop/finding/x, by: Jane, since: 2026-01-01, until: 2026-12-31, note: ticket 1}\n  - {claim: shop/pattern/y, by: Jane, until: 2026-12-31}\n"); err != nil || n != 2 {
		t.Errorf("expected two, found %d, %v", n, err)
	}
	for text, want := range map[string]string{
		"accepted:\n  - {claim: shop/finding/x, by: Jane}\n":                                                                        "status.yaml:2: expected claim, by and until",
		"accepted:\n  - {claim: shop/finding/z, by: Jane, until: 2026-12-31}\n":                                                     "status.yaml:2: claim: expected the id of a claim, found shop/finding/z",
		"accepted:\n  - claim: shop/finding/x\n    who: Jane\n":                                                                     "status.yaml:3: unknown name who; expected one of by, claim",
		"accepted:\n  - claim: shop/finding/x\n    until: soon\n    by: Jane\n":                                                     "status.yaml:3: until: expected a day of the calendar",
		"accepted:\n  - {claim: shop/finding/x, by: Jane, until: 2026-02-30}\n":                                                     "status.yaml:2: until: expected a day of the calendar",
		"accepted:\n  - {claim: shop/finding/x, by: Jane, since: 2026-02-02, until: 2026-02-01}\n":                                  "status.yaml:2: until: expected a day from 2026-02-02 on",
		"accepted:\n  - {claim: shop/pattern/y, by: J, until: 2026-12-31}\n  - {claim: shop/pattern/y, by: J, until: 2026-12-31}\n": "status.yaml:3: claim shop/pattern/y stands twice",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("expected %q, found %v", want, err)
		}
	}
}
