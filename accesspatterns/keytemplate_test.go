package accesspatterns_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/internal/template"
	"dynaproof/accesspatterns/tabletest"
)

func TestBeginningOfKey(t *testing.T) {
	for _, row := range []struct {
		template, beginning string
		want                accesspatterns.Params
	}{
		{"KW#{token}#TS#{createdAt}", "KW#guard#TS#", accesspatterns.Params{"token": "guard"}},
		{"KW#{token}#TS#{createdAt}", "KW#gua", accesspatterns.Params{}},
		{"ENTRY#{ISODate}#{entryId}", "ENTRY#", accesspatterns.Params{}},
		{"{status}#{createdAt}", "InProgress#", accesspatterns.Params{"status": "InProgress"}},
	} {
		got := tabletest.Must(accesspatterns.KeyTemplate(row.template).ParseBeginning(row.beginning))(t)
		assert.Equal(t, row.want, got, "%s, %s", row.template, row.beginning)
	}
}

func TestKeyTemplateFormat(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name, Template, Want, Refused string
		Params                        accesspatterns.Params
	}](t, "formatted.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			got, err := accesspatterns.KeyTemplate(row.Template).Format(row.Params)
			if row.Refused != "" {
				require.ErrorContains(t, err, row.Refused)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, row.Want, got)
		})
	}
}

func TestKeyTemplateParseRefuses(t *testing.T) {
	for _, row := range tabletest.Read[[]struct{ Name, Template, Key string }](t, "keys_refused.yaml") {
		params, err := accesspatterns.KeyTemplate(row.Template).Parse(row.Key)
		assert.Error(t, err, "%s: expected %s to refuse %q, got %v", row.Name, row.Template, row.Key, params)
	}
}

// Parse undoes Format for every template of three segments and every id that
// the template accepts, separators in the last one included.
func TestKeyTemplateFormatAndParseAreInverse(t *testing.T) {
	template := accesspatterns.KeyTemplate("KW#{token}#TS#{createdAt}#ENTRY#{entryId}")
	inner := rapid.StringMatching(`[^#]{1,40}`)
	last := rapid.StringN(1, 40, -1)
	rapid.Check(t, func(t *rapid.T) {
		params := accesspatterns.Params{
			"token": inner.Draw(t, "token"), "createdAt": inner.Draw(t, "createdAt"), "entryId": last.Draw(t, "entryId"),
		}
		key := tabletest.Must(template.Format(params))(t)
		got := tabletest.Must(template.Parse(key))(t)
		assert.Empty(t, cmp.Diff(params, got), "parameters (-formatted +parsed)")
	})
}

// Two different parameter sets never format to the same key.
func TestKeyTemplateIsInjective(t *testing.T) {
	template := accesspatterns.KeyTemplate("A#{a}#B#{b}")
	value := rapid.StringMatching(`[#AB]{1,6}`)
	rapid.Check(t, func(t *rapid.T) {
		x := accesspatterns.Params{"a": value.Draw(t, "a"), "b": value.Draw(t, "b")}
		y := accesspatterns.Params{"a": value.Draw(t, "a"), "b": value.Draw(t, "b")}
		keyX, errX := template.Format(x)
		keyY, errY := template.Format(y)
		assert.False(t, errX == nil && errY == nil && keyX == keyY && !maps.Equal(x, y), "%v and %v both format to %q", x, y, keyX)
	})
}

func FuzzKeyTemplateParse(f *testing.F) {
	f.Add("ENTRY#{date}#{entryId}", "ENTRY#2026#e#1")
	f.Add("{status}#{createdAt}", "Done#2026-01-01T00:00:00Z")
	f.Add("{a}{b}", "")
	f.Fuzz(func(t *testing.T, text, key string) {
		template := accesspatterns.KeyTemplate(text)
		params, err := template.Parse(key)
		if err != nil {
			return
		}
		formatted, err := template.Format(params)
		assert.True(t, err == nil && formatted == key, "%s parses %q to %v, which formats to %q, %v", text, key, params, formatted, err)
	})
}

// Whatever stands in braces in a documented name is the environment.
func TestNameTemplate(t *testing.T) {
	for name, want := range map[accesspatterns.NameTemplate]string{
		"osem-{env}-Users": "osem-dev-Users", "personal-os-{stage}": "personal-os-dev", "{project_name}-KnowledgeGraph": "dev-KnowledgeGraph", "Orders": "Orders",
	} {
		require.Equal(t, want, name.In("dev"), "%s", name)
		assert.Equal(t, want != string(name), name.HasEnvironment(), "%s", name)
	}
}

// FuzzKeyTemplate formats any ids by any template. What can be formatted is parsed
// back to the same ids.
func FuzzKeyTemplate(f *testing.F) {
	for _, template := range []string{"ENTRY#{a}#{b}", "USER#{a}", "{a}", "KW#{a}#TS#{b}", "A#{a}#B#{a}", "{a}{b}", "{}", "{a", "a}", "CONSTANT", ""} {
		for _, ids := range [][2]string{{"1", "2"}, {"a#b", "c"}, {"c", "a#b"}, {"", "x"}, {"é\u0000", "日本#"}, {"{a}", "#"}, {"\xff", strings.Repeat("x", 2048)}} {
			f.Add(template, ids[0], ids[1])
		}
	}
	f.Fuzz(func(t *testing.T, text, a, b string) {
		template := accesspatterns.KeyTemplate(text)
		params := accesspatterns.Params{"a": a, "b": b}
		key, err := template.Format(params)
		if err != nil {
			return
		}
		parsed, err := template.Parse(key)
		require.NoError(t, err, "%q formats %q, and does not parse it", text, key)
		for name, value := range parsed {
			require.Equal(t, value, params[name], "%q formats %q: expected %s to be parsed back to %q", text, key, name, params[name])
		}
		require.Len(t, parsed, len(template.Parameters()), "%q: expected the parameters %v", text, template.Parameters())
	})
}

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
				assert.Equal(t, found[1], found[0], "%v and %v: %s", a, b, what)
			}
		}
	}
}
