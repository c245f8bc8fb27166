package review

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
	"dynaproof/accesspatterns/document/reader"
)

// want marks a line of a test document of which a rule must speak.
var want = regexp.MustCompile(`\s*(?:<!-- want -->|(?:#|//) want)$`)

var marks = regexp.MustCompile(`(?m)` + want.String())

// load reads a document of testdata, and returns the marked lines.
func load(t *testing.T, path string) (*reader.Document, []int) {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	var marked []int
	text := strings.Split(string(content), "\n")
	for n, line := range text {
		if want.MatchString(line) {
			marked = append(marked, n+1)
			text[n] = want.ReplaceAllString(line, "")
		}
	}
	document, err := reader.Read([]byte(strings.Join(text, "\n")))
	require.NoError(t, err, path)
	return document, marked
}

// seen is a document of testdata, the lines that it marks, and what all rules say of it.
type seen struct {
	lines  int
	marked []int
	hits   []Hit
}

// known are those that a test has looked at: several tests look at each document.
var known = map[string]seen{}

func look(t *testing.T, path string) seen {
	t.Helper()
	if _, is := known[path]; !is {
		document, marked := load(t, path)
		known[path] = seen{document.Lines, marked, Look(document)}
	}
	return known[path]
}

// TestRules: every rule speaks of the marked lines of the document that breaks
// it, and of none in the one that does not.
func TestRules(t *testing.T) {
	for _, rule := range Rules() {
		if rule.Contract {
			continue // package witness tests it
		}
		t.Run(rule.ID, func(t *testing.T) {
			folder := filepath.Join("testdata", rule.ID)
			lines := func(path string) (found, marked []int) {
				document := look(t, path)
				for _, hit := range document.hits {
					if hit.ID == rule.ID {
						found = append(found, hit.Line)
						t.Logf("%s:%d %v: %s", path, hit.Line, hit.Also, hit.Message)
						if strings.Contains(hit.Message, "%!") || hit.Line < 1 || hit.Line > document.lines {
							t.Errorf("malformed: %+v", hit)
						}
					}
				}
				return found, document.marked
			}
			breaks, _ := filepath.Glob(filepath.Join(folder, "breaks*.md"))
			if len(breaks) == 0 {
				t.Error("expected a document that breaks it")
			}
			for _, path := range breaks {
				if found, marked := lines(path); len(marked) == 0 || !slices.Equal(found, marked) {
					t.Errorf("%s: expected lines %v, found %v", path, marked, found)
				}
			}
			silent, _ := filepath.Glob(filepath.Join(folder, "silent*.md"))
			if len(silent) == 0 {
				t.Error("expected a document about which it is silent")
			}
			for _, path := range silent {
				if found, _ := lines(path); len(found) > 0 {
					t.Errorf("%s: expected silence, found lines %v", path, found)
				}
			}
		})
	}
}

// missing matches a message that may say that something is not there.
var missing = regexp.MustCompile(`(?m)^\S+ \[[^\]]*\] ([a-z-]+): .*\b(?:no|not|nothing|none|without|cannot|else|in between)\b`)

// TestWhatIsNotRead: a rule that says that something is missing is silent where a line that no form reads could say it.
func TestWhatIsNotRead(t *testing.T) {
	content, err := os.ReadFile("testdata/unread.yaml")
	require.NoError(t, err)
	var said map[string]yaml.Node
	require.NoError(t, yaml.Unmarshal(content, &said))
	hits, err := os.ReadFile("testdata/hits.txt")
	require.NoError(t, err)
	for _, found := range missing.FindAllStringSubmatch(string(hits), -1) {
		assert.Contains(t, said, found[1], "a message of this rule says that something is not there: write what could say it")
	}
	for id, line := range said {
		if line.Kind == yaml.MappingNode {
			continue // with the reason
		}
		paths, err := filepath.Glob(filepath.Join("testdata", id, "breaks*.md"))
		require.NoError(t, err)
		require.NotEmpty(t, paths, id)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			document, err := reader.Read([]byte(marks.ReplaceAllString(string(text), "") + "\n## Remarks\n\n" + line.Value + "\n"))
			require.NoError(t, err, path)
			assert.NotContains(t, ids(Look(document)), id, "%s, and below it %q", path, line.Value)
		}
	}
}

func ids(hits []Hit) (all []string) {
	for _, hit := range hits {
		all = append(all, hit.ID)
	}
	return all
}

// stride is how far a changed line is from the next one: near enough for a document to be read a few times and not once for each of its
// lines, and so far that each stands between lines that are as they were.
const stride = 8

// TestChangedDocuments: whatever lines of a document are gone or empty, every rule comes to an end.
func TestChangedDocuments(t *testing.T) {
	paths, err := filepath.Glob("testdata/*/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatal("expected documents in testdata", err)
	}
	for turn, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		lines := strings.SplitAfter(string(text), "\n")
		first := turn % stride // every document takes its turn in one of them
		for _, changed := range []string{"", "\n"} {
			all := slices.Clone(lines)
			for n := first; n < len(all); n += stride {
				all[n] = changed
			}
			document, err := reader.Read([]byte(strings.Join(all, "")))
			if err == nil {
				assert.NotPanics(t, func() { Look(document) }, "%s with every %dth line from %d as %q", path, stride, first+1, changed)
			}
		}
	}
}

var id = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

// TestRulesAreDocumented: a rule answers three questions in a sentence each.
func TestRulesAreDocumented(t *testing.T) {
	seen, contracts := map[string]bool{}, 0
	for _, rule := range Rules() {
		if seen[rule.ID] || !id.MatchString(rule.ID) || rule.Title == "" || !slices.Contains(Kinds(), rule.Kind) {
			t.Errorf("%q: expected an id of its own, a title and a kind", rule.ID)
		}
		seen[rule.ID] = true
		if rule.Contract {
			contracts++
		}
		for _, sentence := range []string{rule.What, rule.Why, rule.Instead} {
			if !strings.HasSuffix(sentence, ".") || strings.Contains(sentence, ". ") {
				t.Errorf("%s: expected one sentence, found %q", rule.ID, sentence)
			}
		}
		if !strings.HasPrefix(rule.Page, "https://") {
			t.Errorf("%s: expected a page, found %q", rule.ID, rule.Page)
		}
	}
	folders, _ := filepath.Glob("testdata/*/breaks.md")
	if len(folders) != len(seen)-contracts {
		t.Errorf("expected a folder of testdata for each of %d rules, found %d", len(seen)-contracts, len(folders))
	}
}

// TestEveryWordIsLookedFor: the code asks for every expression of rules.yaml, and for no other.
func TestEveryWordIsLookedFor(t *testing.T) {
	asked, written := map[string]bool{}, map[string]bool{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`l\.word\("([^"]+)"\)`).FindAllStringSubmatch(string(text), -1) {
			asked[found[1]] = true
		}
	}
	for _, rule := range Rules() {
		for name := range rule.Words {
			assert.False(t, written[name], "words %s of rule %s: another rule has words of this name", name, rule.ID)
			written[name] = true
		}
	}
	if len(written) == 0 || !maps.Equal(asked, written) {
		t.Errorf("asked for %v\nwritten %v", slices.Sorted(maps.Keys(asked)), slices.Sorted(maps.Keys(written)))
	}
}

// TestKeysNeedNoLines: a contract is looked at as a document without lines, and no rule that is for contracts too may want any, whether
// patterns are listed or stand in code.
func TestKeysNeedNoLines(t *testing.T) {
	paths, err := filepath.Glob("testdata/*/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		document, _ := load(t, path)
		document.Text = nil
		for _, listed := range []bool{true, false} {
			for _, p := range document.Patterns {
				p.Listed = listed
			}
			assert.NotPanics(t, func() { OfKeys(document) }, path)
		}
	}
}

var update = flag.Bool("update", false, "write testdata/hits.txt anew")

// TestHits: what all rules say of all documents of testdata is what is frozen.
func TestHits(t *testing.T) {
	paths, err := filepath.Glob("testdata/*/*.md")
	require.NoError(t, err)
	var found strings.Builder
	for _, path := range paths {
		for _, hit := range look(t, path).hits {
			fmt.Fprintf(&found, "%s:%d %v %s: %s\n", strings.TrimPrefix(path, "testdata/"), hit.Line, hit.Also, hit.ID, hit.Message)
		}
	}
	const frozen = "testdata/hits.txt"
	if *update {
		require.NoError(t, os.WriteFile(frozen, []byte(found.String()), 0o600))
	}
	want, err := os.ReadFile(frozen)
	require.NoError(t, err)
	assert.Equal(t, string(want), found.String(), "run with -update, and say in the commit which line changed and why")
}

// TestLongDocuments: the rules look at a document once, and not once more for each of its lines: four times as many cost four times as much. What it
// costs is counted in bytes that expressions are asked about, for time differs from run to run.
func TestLongDocuments(t *testing.T) {
	const head = "# Mill\n\n## Table: `mill`\n\n- Partition key: `PK` (S)\n- Sort key: `SK` (S)\n\n"
	for name, line := range map[string]string{
		"lines of words":        "A mill has %d sacks.\n\n",
		"examples":              "```json\n{\"PK\": \"SACK#%d\", \"SK\": \"META\", \"n\": %d}\n```\n\n",
		"expressions":           "- FilterExpression: \"weight%d = :weight\"\n",
		"names in placeholders": "- UpdateExpression: \"SET #w = :w\", '#w': 'weight%d'\n",
		"keys of kinds":         "- Sack%d: PK=SACK%d#{id}, SK=META\n",
	} {
		cost := func(lines int) int64 {
			text := head
			for n := range lines {
				text += strings.ReplaceAll(line, "%d", fmt.Sprint(1000+n))
			}
			document, err := reader.Read([]byte(text))
			require.NoError(t, err, name)
			from := lazyregexp.Asked()
			Look(document)
			return lazyregexp.Asked() - from
		}
		few, many := cost(100), cost(400)
		assert.Less(t, many, 5*few, name)
	}
}

// FuzzReview reads whatever comes and applies every rule. A message is whole, and its
// line is one of the document.
func FuzzReview(f *testing.F) {
	for _, pattern := range []string{"testdata/*/breaks.md", "../reader/testdata/*.md", "../reader/testdata/*.txt"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			f.Fatalf("%s: expected documents, found none (%v)", pattern, err)
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			require.NoError(f, err)
			f.Add(content)
		}
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		document, err := reader.Read(content)
		if err != nil {
			assert.NotContains(t, err.Error(), "\n")
			return
		}
		for _, hit := range Look(document) {
			if hit.Line < 1 || hit.Line > document.Lines || strings.Contains(hit.Message, "%!") && !strings.Contains(string(content), "%!") {
				t.Errorf("malformed: %+v", hit)
			}
		}
	})
}
