package accesspatterns_test

import (
	"strings"
	"testing"

	"dynaproof/accesspatterns/internal/template"
)

// Every two forms of a few pieces meet, begin and cover one another exactly where the texts of a few letters say so that [template.Template.Take] takes.
func TestFormsMeetAsTheirTextsDo(t *testing.T) {
	var texts []string
	for all := []string{""}; len(all[0]) < 8; {
		var longer []string
		for _, text := range all {
			for _, letter := range []string{"a", "#", "b"} {
				longer = append(longer, text+letter)
			}
		}
		all, texts = longer, append(texts, longer...)
	}
	var forms []template.Template
	for _, text := range strings.Fields("a # a# #a ab {p} a{p} {p}a #{p} {p}# a#{p} {p}#a {p}ab {p}aba {p}## {p}#{q} {p}a{q} a{p}#{q} {p}#{q}#b {p}##{q} {p}#{q}a #{p}#{q} {p}ab{q} {p}aa{q}") {
		form, err := template.Parse(text)
		if err != nil {
			t.Fatal(text, err)
		}
		forms = append(forms, form)
	}
	has := func(form template.Template, text string) bool {
		rest, ok := form.Take(text, new(template.Values))
		return ok && rest == ""
	}
	begins := func(form template.Template, text string) bool {
		for end := range len(text) + 1 {
			if has(form, text[:end]) {
				return true
			}
		}
		return false
	}
	for _, a := range forms {
		for _, b := range forms {
			meet, beginning, covers, coversBeginning := false, false, true, true
			for _, text := range texts {
				if has(b, text) {
					meet, beginning = meet || has(a, text), beginning || begins(a, text)
					covers, coversBeginning = covers && has(a, text), coversBeginning && begins(a, text)
				}
			}
			for what, found := range map[string][2]bool{
				"meet": {meet, template.Meet(a, b)}, "begins": {beginning, template.MeetBeginning(a, b)}, "covers": {covers, template.Covers(a, b, false)}, "covers beginnings": {coversBeginning, template.Covers(a, b, true)},
			} {
				if found[0] != found[1] {
					t.Errorf("%v and %v: %s: expected %t, found %t", a, b, what, found[0], found[1])
				}
			}
		}
	}
}
