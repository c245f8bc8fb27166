package document_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/accesspatterns/tabletest"
)

// covered is the contract that accounts for every line of notes.md, after a change, and that document.
func covered(t *testing.T, change map[string]any) (*accesspatterns.Design, *coverage.Source) {
	t.Helper()
	design, err := contract.Load(fstest.MapFS{"contract.yaml": {Data: tabletest.Changed(t, "notes.yaml", change)}})
	require.NoError(t, err)
	return design, edited(t, nil)
}

// edited is notes.md after a change.
func edited(t *testing.T, change map[string]string) *coverage.Source {
	t.Helper()
	text, err := os.ReadFile("testdata/notes.md")
	require.NoError(t, err)
	for from, to := range change {
		require.Contains(t, string(text), from)
		text = []byte(strings.Replace(string(text), from, to, 1))
	}
	return source(t, string(text))
}

func TestCoverAccountsForEveryLine(t *testing.T) {
	design, document := covered(t, nil)
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

func TestCover(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name                   string
		Change                 map[string]any
		Document               map[string]string
		Fails                  []string // what the error has; nil where it is not looked at
		Changes, Gone, Touched []string // gone are the elements whose tokens do not stand
		Unaccounted            []int
		Within                 []string // tokens of pattern list that stand within longer words alone; nil as above
	}](t, "covered.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			design, document := covered(t, row.Change)
			source := edited(t, row.Document)
			covered := coverage.Of(design, source, document.LineDigests())
			err := covered.Err()
			switch {
			case row.Document != nil:
				assert.ErrorContains(t, err, "found "+source.SHA256, "expected the digest to be refused")
			case len(row.Fails) == 0:
				assert.NoError(t, err)
			}
			for _, words := range row.Fails {
				assert.ErrorContains(t, err, words)
			}
			if row.Within != nil {
				at := slices.IndexFunc(covered.Citations, func(p coverage.CitationProof) bool { return p.Element == "whole/pattern/list" })
				assert.Equal(t, row.Within, append([]string{}, covered.Citations[at].Within...))
				return
			}
			if row.Document == nil {
				return
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
			assert.Equal(t, row.Changes, changes)
			assert.Equal(t, row.Gone, gone)
			assert.Equal(t, row.Touched, covered.Touched())
			assert.Equal(t, row.Unaccounted, unaccounted)
		})
	}
}

// Without the digests of its lines, a changed document is still noticed.
func TestCoverWithoutPinnedLines(t *testing.T) {
	design, _ := covered(t, nil)
	covered := coverage.Of(design, edited(t, map[string]string{"by user": "by team"}), nil)
	if err := covered.Err(); err == nil || !strings.Contains(err.Error(), "expected SHA-256") || len(covered.Broken()) != 1 {
		t.Errorf("expected another digest and one broken citation, got %v", err)
	}
}

func TestEveryCitationThatMovedIsSaidWhere(t *testing.T) {
	design, document := covered(t, nil)
	covered := coverage.Of(design, edited(t, map[string]string{"# title": "new\n# title"}), document.LineDigests())
	at := slices.IndexFunc(covered.Citations, func(p coverage.CitationProof) bool { return p.Element == "whole/waiver/w" })
	if proof := covered.Citations[at]; proof.Cite != "notes.md:4-5" || proof.Now != "notes.md:5-6" || proof.Problem != "" {
		t.Errorf("expected the waiver to stand at lines 5-6, found %+v", proof)
	}
}

// Below the last level a line that nobody has transcribed yet is counted, and no
// mistake. One that changed since somebody read it is.
func TestLinesAreDueAtTheLastLevel(t *testing.T) {
	design, document := covered(t, map[string]any{"patterns": map[string]any{"list": map[string]any{"cite": map[string]any{"4": "scanned"}}}})
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
		edited := edited(t, map[string]string{"why there are notes": "what notes cost"})
		assert.Equal(t, coverage.LineUnaccounted, coverage.Of(design, edited, document.LineDigests()).Lines[6].Status, "level %q: expected a changed line to be unaccounted", level)
	}
}

// What a line says of one attribute it does not say of its neighbours, and a list of attributes is none of values.
func TestOneOfSeveral(t *testing.T) {
	const format, list = "expected a format", "to be allowed alone"
	for line, want := range map[string]string{
		"`made` S (ISO-8601), `state` S":    "",
		"`made` S, `state` S (ISO-8601)":    format,
		"`state`: a moment as ISO-8601":     format,
		"`made` S, `state` S, `gone` S (N)": "",
		"| a parcel | `made`, `state` |":    "",
		"| `state` | `made`, `gone` |":      list,
	} {
		design := designtest.Whole()
		design.Entities = design.Entities[:1]
		design.Entities[0].Attributes = []accesspatterns.Attribute{{Name: "state", Type: "S", Cite: designtest.Line(1, "state")}}
		told := strings.Join(coverage.CitedFor(design, source(t, line+"\n")), "\n")
		for _, words := range []string{format, list} {
			assert.Equal(t, words == want, strings.Contains(told, words), "%s: %s", line, told)
		}
	}
}

// settings are settings of a table with their words, and citations.
type settings struct {
	Line     string
	Settings map[string]struct {
		Words string
		Says  map[string]any
	}
	Citations []struct {
		Name   string
		Lines  [2]int
		Tokens []string
		And    map[int]string
		Wrong  string
	}
}

// A setting of a table rests on words about it, or on its value. Other words of the same line are a mistake, unless the citation says that
// the line implies it.
func TestSettingsAreCitedByTheirWords(t *testing.T) {
	table := tabletest.Read[settings](t, "settings.yaml")
	document := source(t, table.Line+"\n")
	for setting, row := range table.Settings {
		text := string(tabletest.Changed(t, "notes.yaml", map[string]any{"tables": map[string]any{"notes": row.Says}}))
		mistaken := func(cite string) bool {
			design, err := contract.Load(fstest.MapFS{"contract.yaml": {Data: []byte(strings.ReplaceAll(text, "CITE", cite))}})
			require.NoError(t, err)
			return strings.Contains(strings.Join(coverage.CitedFor(design, document), "\n"), setting)
		}
		for words, wrong := range map[string]bool{row.Words: false, "Table notes": true, "true": false} {
			assert.Equal(t, wrong, mistaken(fmt.Sprintf("{1: %q}", words)), "%s cited by %q", setting, words)
			assert.False(t, mistaken(fmt.Sprintf("{1: %q, implied: the line lists what is set}", words)), "%s implied by %q", setting, words)
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
		require.NoError(t, os.WriteFile(filepath.Join(folder, "notes.md"), []byte(content), 0o600))
		source, err := coverage.Read(folder, accesspatterns.Document{File: "notes.md"})
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
	require.NoError(t, os.WriteFile(filepath.Join(folder, "notes.md"), []byte(content), 0o600))
	read, err := coverage.Read(folder, accesspatterns.Document{File: "notes.md"})
	require.NoError(t, err)
	return read
}

func TestProve(t *testing.T) {
	document := source(t, "first `PK`\nsecond `SK`\nthird\n")
	for _, row := range tabletest.Read[settings](t, "settings.yaml").Citations {
		cite := designtest.Lines(row.Lines[0], row.Lines[1], row.Tokens...)
		for line, token := range row.And {
			cite = cite.And(designtest.Line(line, token))
		}
		if err := document.Prove(cite); row.Wrong == "" {
			assert.NoError(t, err, row.Name)
		} else {
			assert.ErrorContains(t, err, row.Wrong, row.Name)
		}
	}
}

func TestReadDocumentThatIsNotThere(t *testing.T) {
	_, err := coverage.Read(t.TempDir(), accesspatterns.Document{File: "notes.md"})
	assert.ErrorIs(t, err, coverage.ErrNoDocument)
}
