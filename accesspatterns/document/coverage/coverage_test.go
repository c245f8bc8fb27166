package coverage_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/document/coverage"
)

const transcribed = `# title x

notes are listed by user
notes are scanned by admins
	read in pages of 25
---
why there are notes

{
  "id": "n-1",
  "note": "hello"
}
`

// covered is a contract that accounts for every line of the transcribed text.
func covered(t *testing.T) (*accesspatterns.Design, *coverage.Source) {
	t.Helper()
	document := source(t, transcribed)
	design := designtest.Whole()
	design.Document = accesspatterns.Document{File: "d.md", SHA256: document.SHA256}
	design.Patterns[0].Cite = designtest.Line(3, "listed by user")
	design.Patterns[1].Cite = designtest.Line(4, "scanned")
	design.Waivers[0].Cite = designtest.Lines(4, 5, "pages of 25")
	design.Examples = []accesspatterns.Example{{ID: "n-1", Entity: "note", Cite: designtest.Lines(9, 12, "n-1")}}
	design.Narrative = []accesspatterns.NarrativeLines{{First: 7, Last: 7, Reason: "purpose"}}
	return design, document
}

func TestCoverAccountsForEveryLine(t *testing.T) {
	design, document := covered(t)
	covered := coverage.Of(design, document, document.LineDigests())
	require.NoError(t, covered.Err(), "expected every line to be accounted for")
	var got []string
	for _, line := range covered.Lines[1:] { // line 1 is cited by everything else
		got = append(got, fmt.Sprintf("%d %s %s%s", line.Line, line.Status, line.Reason, strings.Join(line.Claims, " ")))
	}
	want := []string{
		"2 layout blank line",
		"3 cited whole/pattern/list",
		"4 cited whole/pattern/scan",
		"5 cited whole/pattern/scan", // by its waiver
		"6 layout separator",
		"7 narrative purpose",
		"8 layout blank line",
		"9 layout brackets of a code block",
		"10 cited whole/example/n-1",
		"11 cited whole/example/n-1", // no token, but part of an example
		"12 layout brackets of a code block",
	}
	assert.Empty(t, cmp.Diff(want, got), "accounts (-want +got)")
	counts := covered.Count()
	if counts[coverage.LineCited] != 6 || counts[coverage.LineLayout] != 5 || counts[coverage.LineNarrative] != 1 {
		t.Errorf("expected 6 cited, 5 layout and 1 narrative, found %v", counts)
	}
}

func TestCoverFails(t *testing.T) {
	for _, row := range []struct {
		name, wantErr string
		damage        func(*accesspatterns.Design)
	}{
		{"a citation that is dropped", "d.md:3: unaccounted: no claim cites it", func(d *accesspatterns.Design) {
			d.Patterns[0].Cite = designtest.Line(1, "x")
		}},
		{"a line swallowed by a wide range", "d.md:3: unaccounted: within a cited range, but none of the cited tokens stands on it first", func(d *accesspatterns.Design) {
			d.Patterns[0].Cite = designtest.Lines(1, 4, "x")
		}},
		{"lines accounted for by one word", "d.md:4: unaccounted: within a cited range, but none of the cited tokens stands on it first", func(d *accesspatterns.Design) {
			d.Patterns[0].Cite, d.Patterns[1].Cite = designtest.Line(1, "x"), designtest.Lines(3, 4, "notes are")
		}},
		{"a citation that does not stand", `whole/pattern/list: d.md:3: expected "gone" on these lines`, func(d *accesspatterns.Design) {
			d.Patterns[0].Cite = designtest.Line(3, "listed", "gone")
		}},
		{"narrative that is dropped", "d.md:7: unaccounted", func(d *accesspatterns.Design) { d.Narrative = nil }},
		{"narrative that a claim cites", "d.md:3: narrative: line 3 is cited by whole/pattern/list", func(d *accesspatterns.Design) {
			d.Narrative = append(d.Narrative, accesspatterns.NarrativeLines{First: 3, Last: 3, Reason: "r"})
		}},
		{"narrative behind the end", "d.md:13: narrative: expected lines 1 to 12, found 13", func(d *accesspatterns.Design) {
			d.Narrative = append(d.Narrative, accesspatterns.NarrativeLines{First: 13, Last: 13, Reason: "r"})
		}},
		{"narrative of a blank line", "d.md:8: narrative: line 8 needs no reason (blank line)", func(d *accesspatterns.Design) {
			d.Narrative = append(d.Narrative, accesspatterns.NarrativeLines{First: 8, Last: 8, Reason: "r"})
		}},
		{"another document", "expected SHA-256 0000", func(d *accesspatterns.Design) { d.Document.SHA256 = "0000" }},
	} {
		t.Run(row.name, func(t *testing.T) {
			design, document := covered(t)
			row.damage(design)
			err := coverage.Of(design, document, document.LineDigests()).Err()
			if err == nil || !strings.Contains(err.Error(), row.wantErr) {
				t.Errorf("expected an error with %q, got %v", row.wantErr, err)
			}
		})
	}
}

// An edited document: which lines, which claims, and do their tokens still
// stand?
func TestCoverNamesWhatAnEditTouches(t *testing.T) {
	for _, row := range []struct {
		name        string
		edit        func(string) string
		changes     []string
		gone        []string // elements whose tokens do not stand
		touched     []string
		unaccounted []int
	}{
		{
			name: "a token is edited away", edit: replace("by user", "by team"),
			changes: []string{"changed 3 3 [whole/pattern/list]"}, gone: []string{"whole/pattern/list"},
			touched: []string{"whole/pattern/list"}, unaccounted: []int{3},
		},
		{
			name: "other words of a cited line are edited", edit: replace("notes are listed", "all notes are listed"),
			changes: []string{"changed 3 3 [whole/pattern/list]"}, touched: []string{"whole/pattern/list"},
		},
		{
			name: "narrative is edited", edit: replace("why there are", "what to do with"),
			changes: []string{"changed 7 7 []"}, unaccounted: []int{7},
		},
		{
			name: "an example's value is edited", edit: replace("hello", "goodbye"),
			changes: []string{"changed 11 11 [whole/example/n-1]"}, touched: []string{"whole/example/n-1"}, unaccounted: []int{11},
		},
		{
			name: "a line is added before all others", edit: func(text string) string { return "new\n" + text },
			changes: []string{"added 0 1 []"}, unaccounted: []int{1},
		},
		{
			name: "a line is added within a citation", edit: replace("\tread in", "and by nobody else\n\tread in"),
			changes: []string{"added 0 5 [whole/pattern/scan]"}, touched: []string{"whole/pattern/scan"}, unaccounted: []int{5},
		},
		{
			name: "a cited line is removed", edit: replace("notes are listed by user\n", ""),
			changes: []string{"removed 3 0 [whole/pattern/list]"}, gone: []string{"whole/pattern/list"}, touched: []string{"whole/pattern/list"},
		},
		{
			name: "a cited line is moved",
			edit: func(text string) string {
				return replace("notes are listed by user\n", "")(text) + "notes are listed by user\n"
			},
			changes: []string{"moved 3 12 [whole/pattern/list]"}, touched: []string{"whole/pattern/list"},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			design, document := covered(t)
			edited := source(t, row.edit(transcribed))
			covered := coverage.Of(design, edited, document.LineDigests())
			if err := covered.Err(); err == nil || !strings.Contains(err.Error(), "found "+edited.SHA256) {
				t.Errorf("expected the digest to be refused, got %v", err)
			}
			var changes, gone []string
			for _, change := range covered.Changes {
				changes = append(changes, fmt.Sprintf("%s %d %d %v", change.Kind, change.Was, change.Now, change.Claims))
			}
			for _, proof := range covered.Broken() {
				gone = append(gone, proof.Element)
			}
			var unaccounted []int
			for _, line := range covered.Lines {
				if line.Status == coverage.LineUnaccounted {
					unaccounted = append(unaccounted, line.Line)
				}
			}
			for _, diff := range []string{
				cmp.Diff(row.changes, changes), cmp.Diff(row.gone, gone),
				cmp.Diff(row.touched, covered.Touched()), cmp.Diff(row.unaccounted, unaccounted),
			} {
				if diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

// A token that stands only within a longer word may name something else.
func TestCoverNamesTokensWithinLongerWords(t *testing.T) {
	for _, row := range []struct {
		name, with string
		want       []string
	}{
		{"longer at its end", "notes are listed by users", []string{"listed by user"}},
		{"longer at its beginning", "notes are enlisted by user", []string{"listed by user"}},
		{"longer by a letter with an accent", "notes are listed by userè", []string{"listed by user"}},
		{"longer by an underscore", "notes are listed by user_ids", []string{"listed by user"}},
		{"whole beside a sign of Chinese", "notes are listed by user的", nil},
		{"whole in another place of the line", "enlisted by users, notes are listed by user", nil},
		{"beside punctuation", "notes are (listed by user)", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			design, document := covered(t)
			covered := coverage.Of(design, source(t, replace("notes are listed by user", row.with)(transcribed)), document.LineDigests())
			at := slices.IndexFunc(covered.Citations, func(p coverage.CitationProof) bool { return p.Element == "whole/pattern/list" })
			assert.Empty(t, cmp.Diff(row.want, covered.Citations[at].Within), "(-want +got)")
		})
	}
}

// Without the digests of its lines, a changed document is still noticed.
func TestCoverWithoutPinnedLines(t *testing.T) {
	design, _ := covered(t)
	covered := coverage.Of(design, source(t, replace("by user", "by team")(transcribed)), nil)
	if err := covered.Err(); err == nil || !strings.Contains(err.Error(), "expected SHA-256") || len(covered.Broken()) != 1 {
		t.Errorf("expected another digest and one broken citation, got %v", err)
	}
}

func TestEveryCitationThatMovedIsSaidWhere(t *testing.T) {
	design, document := covered(t)
	covered := coverage.Of(design, source(t, "new\n"+transcribed), document.LineDigests())
	at := slices.IndexFunc(covered.Citations, func(p coverage.CitationProof) bool { return p.Element == "whole/waiver/w" })
	if proof := covered.Citations[at]; proof.Cite != "d.md:4-5" || proof.Now != "d.md:5-6" || proof.Problem != "" {
		t.Errorf("expected the waiver to stand at lines 5-6, found %+v", proof)
	}
}

func replace(old, with string) func(string) string {
	return func(text string) string { return strings.Replace(text, old, with, 1) }
}

// Below the last level a line that nobody has transcribed yet is counted, and no
// mistake. One that changed since somebody read it is.
func TestLinesAreDueAtTheLastLevel(t *testing.T) {
	design, document := covered(t)
	design.Patterns[0].Cite = designtest.Line(4, "scanned")
	for level, want := range map[accesspatterns.Level]coverage.LineStatus{
		"": coverage.LineUnaccounted, accesspatterns.LevelResilience: coverage.LineUnaccounted,
		accesspatterns.LevelWrites: coverage.LinePending, accesspatterns.LevelSchema: coverage.LinePending,
	} {
		design.Level = level
		covered := coverage.Of(design, document, document.LineDigests())
		if found := covered.Lines[2].Status; found != want {
			t.Errorf("level %q: expected line 3 to be %s, found %s", level, want, found)
		}
		if err := covered.Err(); (err != nil) != (want == coverage.LineUnaccounted) {
			t.Errorf("level %q: expected an error for unaccounted lines alone, found %v", level, err)
		}
		edited := source(t, strings.Replace(transcribed, "why there are notes", "what notes cost", 1))
		assert.Equal(t, coverage.LineUnaccounted, coverage.Of(design, edited, document.LineDigests()).Lines[6].Status, "level %q: expected a changed line to be unaccounted", level)
	}
}

// TestFormatOfOneOfSeveral: what a line says of the format of one attribute it does not say of its neighbours.
func TestFormatOfOneOfSeveral(t *testing.T) {
	for line, want := range map[string]bool{
		"`made` S (ISO-8601), `state` S":    false,
		"`made` S, `state` S (ISO-8601)":    true,
		"`state`: a moment as ISO-8601":     true,
		"`made` S, `state` S, `gone` S (N)": false,
	} {
		design := designtest.Whole()
		design.Entities = design.Entities[:1]
		design.Entities[0].Attributes = []accesspatterns.Attribute{{Name: "state", Type: "S", Cite: designtest.Line(1, "state")}}
		told := strings.Join(coverage.CitedFor(design, source(t, line+"\n")), "\n")
		if strings.Contains(told, "expected a format") != want {
			t.Errorf("%s: expected a format to be asked for: %t, found %q", line, want, told)
		}
	}
}

// A setting of a table rests on words about it, or on its value. Other words of the same line are a mistake, unless the citation says that
// the line implies it.
func TestSettingsAreCitedByTheirWords(t *testing.T) {
	const line = "Table notes: pay per request, point-in-time recovery, encrypted, deletion protection, region eu-west-1, TTL on gone, a stream of NEW_AND_OLD_IMAGES, class STANDARD; true"
	for setting, row := range map[string]struct {
		set   func(table *accesspatterns.Table, cite accesspatterns.Citation)
		words string
	}{
		"is billed": {func(t *accesspatterns.Table, c accesspatterns.Citation) {
			t.Billing, t.BillingCite = "PAY_PER_REQUEST", c
		}, "pay per request"},
		"point-in-time recovery": {func(t *accesspatterns.Table, c accesspatterns.Citation) { t.PITR = &accesspatterns.Promise{Cite: c} }, "point-in-time recovery"},
		"encryption": {func(t *accesspatterns.Table, c accesspatterns.Citation) {
			t.Encryption = &accesspatterns.Promise{Cite: c}
		}, "encrypted"},
		"deletion protection": {func(t *accesspatterns.Table, c accesspatterns.Citation) {
			t.Protection = &accesspatterns.Promise{Cite: c}
		}, "deletion protection"},
		"the region": {func(t *accesspatterns.Table, c accesspatterns.Citation) {
			t.Region = &accesspatterns.RegionPromise{Region: "eu-west-1", Cite: c}
		}, "eu-west-1"},
		"the time to live": {func(t *accesspatterns.Table, c accesspatterns.Citation) {
			t.TTL = &accesspatterns.TTL{Attribute: "gone", Cite: c}
		}, "gone"},
		"the stream": {func(t *accesspatterns.Table, c accesspatterns.Citation) {
			t.Stream = &accesspatterns.StreamPromise{Cite: c}
		}, "NEW_AND_OLD_IMAGES"},
		"the class": {func(t *accesspatterns.Table, c accesspatterns.Citation) {
			t.Class = &accesspatterns.ClassPromise{Class: "STANDARD", Cite: c}
		}, "STANDARD"},
	} {
		for words, wrong := range map[string]bool{row.words: false, "Table notes": true, "true": false} {
			design := designtest.Whole()
			design.Entities, design.Patterns, design.Tables = nil, nil, []accesspatterns.Table{{ID: "notes", Name: "notes", Cite: designtest.Line(1, "Table notes")}}
			row.set(&design.Tables[0], designtest.Line(1, words))
			told := strings.Join(coverage.CitedFor(design, source(t, line+"\n")), "\n")
			if strings.Contains(told, setting) != wrong {
				t.Errorf("%s cited by %q: expected a mistake: %t, found %q", setting, words, wrong, told)
			}
			row.set(&design.Tables[0], designtest.Line(1, words).Implied("the line lists what is set"))
			if told := strings.Join(coverage.CitedFor(design, source(t, line+"\n")), "\n"); strings.Contains(told, setting) {
				t.Errorf("%s implied by %q: expected no mistake, found %q", setting, words, told)
			}
		}
	}
}

// FuzzCitation proves any citation against any document: it never panics, and it
// holds exactly when the lines exist and hold the token.
func FuzzCitation(f *testing.F) {
	f.Add("one\ntwo\nthree\n", 1, 2, "two")
	f.Add("", 1, 1, "x")
	f.Add("one", -5, 1<<40, "")
	f.Add("a\r\nb", 2, 2, "b")
	f.Fuzz(func(t *testing.T, content string, first, last int, token string) {
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "d.md"), []byte(content), 0o600))
		source, err := coverage.Read(folder, accesspatterns.Document{File: "d.md"})
		require.NoError(t, err)
		err = source.Prove(designtest.Lines(first, last, token))
		var cited []string
		for number := first; number <= last && number <= source.Len(); number++ {
			cited = append(cited, source.Line(number))
		}
		stands := first >= 1 && last >= first && last <= source.Len() && strings.Contains(strings.Join(cited, "\n"), token)
		if stands != (err == nil) {
			t.Fatalf("lines %d-%d of %q, token %q: expected it to stand %v, found %v", first, last, content, token, stands, err)
		}
	})
}

func source(t *testing.T, content string) *coverage.Source {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "d.md"), []byte(content), 0o600))
	read, err := coverage.Read(folder, accesspatterns.Document{File: "d.md"})
	require.NoError(t, err)
	return read
}

func TestProve(t *testing.T) {
	document := source(t, "first `PK`\nsecond `SK`\nthird\n")
	for _, row := range []struct {
		name, wantErr string
		cite          accesspatterns.Citation
	}{
		{"token on its line", "", designtest.Line(1, "PK")},
		{"tokens on different lines of a range", "", designtest.Lines(1, 2, "PK", "SK")},
		{"further place", "", designtest.Line(1, "PK").And(designtest.Line(3, "third"))},
		{"token on another line", `expected "SK" on these lines, found it on line 2`, designtest.Line(1, "SK")},
		{"further place that fails", `expected "fourth"`, designtest.Line(1, "PK").And(designtest.Line(3, "fourth"))},
		{"no token", "names no token", designtest.Line(1)},
		{"line behind the end", "the document has lines 1 to 3", designtest.Line(4, "x")},
		{"no line", "the document has lines", accesspatterns.Citation{Tokens: []string{"x"}}},
		{"range backwards", "the document has lines", designtest.Lines(2, 1, "x")},
	} {
		t.Run(row.name, func(t *testing.T) {
			err := document.Prove(row.cite)
			if row.wantErr == "" && err != nil || row.wantErr != "" && (err == nil || !strings.Contains(err.Error(), row.wantErr)) {
				t.Errorf("expected an error with %q, got %v", row.wantErr, err)
			}
		})
	}
}

func TestReadDocumentThatIsNotThere(t *testing.T) {
	_, err := coverage.Read(t.TempDir(), accesspatterns.Document{File: "d.md"})
	assert.ErrorIs(t, err, coverage.ErrNoDocument)
}
