package exploretest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/explore"
	"dynaproof/accesspatterns/requests"
	"dynaproof/accesspatterns/tabletest"
)

// hole is one change of a contract by which a promise can be broken.
type hole struct {
	Hole string
	// In is the pattern, role or entity in which From becomes To.
	In, From, To string
	// Claim is broken then by the pattern By, by so many requests.
	Claim, By string
	Requests  int
	// OneClient says that the flow of By keeps the claim still while one client at a time goes through it.
	OneClient bool `yaml:"one-client"`
}

// small is a contract of a few entities that keeps its promises, and holes.
type small struct {
	Contract string
	Items    map[string][]map[string]any
	Holes    []hole
}

func valueOf(v any) types.AttributeValue {
	switch v := v.(type) {
	case string:
		return &types.AttributeValueMemberS{Value: v}
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}
	case []any:
		list := &types.AttributeValueMemberL{}
		for _, element := range v {
			list.Value = append(list.Value, valueOf(element))
		}
		return list
	case map[string]any: // a set
		return &types.AttributeValueMemberSS{Value: slices.Sorted(maps.Keys(v))}
	}
	return &types.AttributeValueMemberN{Value: fmt.Sprint(v)}
}

// read is a contract of one file.
func read(t *testing.T, text string) *ap.Design {
	t.Helper()
	return tabletest.Must(contract.Load(fstest.MapFS{"contract.yaml": &fstest.MapFile{Data: []byte(text)}}))(t)
}

// explored is what was found of some claims of a contract with the items, or of all where none is named.
func (s *small) explored(t *testing.T, d *ap.Design, claims ...string) *explore.Report {
	t.Helper()
	var items []explore.Item
	for _, e := range d.Entities {
		for _, attributes := range s.Items[e.ID] {
			item := ap.Item{}
			for name, value := range attributes {
				item[name] = valueOf(value)
			}
			items = append(items, explore.Item{Entity: e.ID, Item: item})
		}
	}
	if claims == nil {
		claims = explore.Claims(d)
	}
	bases, report := explore.BasesOf(d, items), &explore.Report{Design: d.Name}
	for _, claim := range claims {
		report.Laws = append(report.Laws, tabletest.Must(explore.One(d, bases, explore.Usual, claim))(t))
	}
	return report
}

// with is the contract with a hole.
func (h *hole) with(text string) (string, error) {
	start := strings.Index(text, "\n  "+h.In+":")
	if start < 0 {
		return "", fmt.Errorf("no %s", h.In)
	}
	if n := strings.Count(text[start:], h.From); n == 0 {
		return "", fmt.Errorf("%s: no %q", h.In, h.From)
	}
	return text[:start] + strings.Replace(text[start:], h.From, h.To, 1), nil
}

// Of small contracts of several shapes nothing is said where they keep their promises; of each hole the claim is that breaks, and the shortest
// list of requests.
func TestHolesAreFound(t *testing.T) {
	files := tabletest.Must(filepath.Glob("testdata/holes/*.yaml"))(t)
	require.NotEmpty(t, files)
	for _, file := range files {
		text := tabletest.Must(os.ReadFile(file))(t)
		var s small
		require.NoError(t, yaml.Unmarshal(text, &s), file)
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			d := read(t, s.Contract)
			for _, problem := range s.explored(t, d).Problems(d) {
				t.Error(problem)
			}
			for _, e := range d.Entities { // without items nothing is said of what was not found
				less := small{Items: maps.Clone(s.Items)}
				delete(less.Items, e.ID)
				report := less.explored(t, d)
				for _, problem := range report.Problems(d) {
					t.Errorf("without items of %s: %s", e.ID, problem)
				}
				lacking := slices.DeleteFunc(report.Laws, func(law *explore.Law) bool { return !strings.Contains(law.String(), "no item of "+e.ID+" ") })
				assert.NotEmpty(t, lacking, "expected a claim to say that there is no item of %s", e.ID)
			}
		})
		for _, h := range s.Holes {
			t.Run(name+"/"+h.Hole, func(t *testing.T) {
				d := read(t, tabletest.Must(h.with(s.Contract))(t))
				report := s.explored(t, d, h.Claim)
				problems := report.Problems(d)
				t.Log(strings.Join(problems, "\n"))
				for _, law := range report.Laws {
					all := law.Broken
					if h.OneClient {
						all = law.Alone
					} else if slices.ContainsFunc(law.Alone, func(one explore.Counterexample) bool { return slices.Contains(one.Patterns, h.By) }) {
						t.Errorf("expected that the flow of %s does not keep it either", h.By)
					}
					for _, one := range all {
						if law.Claim == h.Claim && slices.Contains(one.Patterns, h.By) {
							assert.Len(t, one.Requests, h.Requests, "expected %d requests, found %s", h.Requests, one)
							return
						}
					}
				}
				t.Errorf("expected %s among those that break %s, found %d problems", h.By, h.Claim, len(problems))
			})
		}
	}
}

// The evidence names an entity of which a formula reads so many attributes that may be missing that not each combination of them is a start.
func TestEvidenceNamesWhatWasNotLeftOutInEveryCombination(t *testing.T) {
	text := string(tabletest.Must(os.ReadFile("testdata/form.txt"))(t))
	for n, want := range map[int]bool{3: false, 4: true} {
		var attributes, terms []string
		for i := range n {
			attributes = append(attributes, fmt.Sprintf("      field%d: {type: S, presence: optional, cite: 1}", i))
			terms = append(terms, fmt.Sprintf("f.?field%d.orValue('') != 'forbidden'", i))
		}
		s := small{Items: map[string][]map[string]any{"form": {{"PK": "FORM#form1", "field0": "a", "field1": "a", "field2": "a", "field3": "a"}}}}
		changed := strings.NewReplacer("FIELDS", strings.Join(attributes, "\n"), "TERMS", strings.Join(terms, " && ")).Replace(text)
		law := s.explored(t, read(t, changed)).Laws[0]
		said := slices.ContainsFunc(law.Evidence(), func(line string) bool {
			return strings.Contains(line, "not left out in every combination") && strings.HasSuffix(line, "of form")
		})
		assert.True(t, law.Claim == "invariant/filled" && said == want,
			"%d attributes: expected of invariant/filled that the line is there: %v, found of %s\n%s", n, want, law.Claim, strings.Join(law.Evidence(), "\n"))
	}
}

// followed is a remedy that is written into a copy of the contract.
type followed struct {
	Design, Finding string
	Says            string // words of the remedy
	// Change is what becomes other text; In is a file, or a pattern, in which every From becomes To.
	Change []struct{ In, From, To string }
	Drop   []string // patterns that go, and what names them
	// Keeps are the claims that patterns break in the contract as it is, and keep in the copy.
	Keeps map[string][]string
	// Lost are words of the requests that are decided otherwise in the copy, or of why.
	Lost []string
	// Under is the condition under which those of them pass that have none.
	Under string
}

// TestRemediesAreFollowed writes remedies into copies of the contracts: the copy is taken, what broke a promise keeps it, nothing
// else breaks one, and no honest request is refused but those that the row names.
func TestRemediesAreFollowed(t *testing.T) {
	all := tabletest.Read[[]followed](t, "followed.yaml")
	for i := range all {
		f := &all[i]
		t.Run(f.Design+"/"+f.Finding, f.follow)
	}
}

// changed is the contract with the changes.
func (f *followed) changed(t *testing.T) *ap.Design {
	t.Helper()
	folder := tabletest.Must(f.copy())(t)
	return tabletest.Must(contract.Load(folder))(t)
}

func (f *followed) follow(t *testing.T) {
	before := load(t, f.Design)
	finding, known := before.Finding(f.Finding)
	assert.True(t, known && f.Says != "" && strings.Contains(finding.Instead, f.Says), "expected a finding whose remedy says %q", f.Says)
	after := f.changed(t)
	for claim, patterns := range f.Keeps {
		then := one(t, after, claim)
		was, is := asWritten(t, f.Design, claim).Breakers(), then.Breakers()
		for _, pattern := range patterns {
			assert.True(t, slices.Contains(was, pattern) && !slices.Contains(is, pattern),
				"%s: expected %s to break it before alone, found %v and then %v: %s", claim, pattern, was, is, shortest(then, pattern))
		}
		for _, pattern := range is {
			assert.Contains(t, was, pattern, "%s: %s breaks it in the copy alone", claim, pattern)
		}
	}
	asked := tabletest.Must(designs.Requests(f.Design))(t)
	missed, judge := slices.Clone(f.Lost), requests.NewJudge(after)
	for i := range asked {
		for _, problem := range judge.Problems(asked[i : i+1]) {
			named := func(words string) bool { return strings.Contains(problem, words) }
			assert.True(t, slices.ContainsFunc(f.Lost, named), problem)
			missed = slices.DeleteFunc(missed, named)
			if under := f.under(asked[i]); f.Under != "" && asked[i].Told == "" {
				for _, problem := range judge.Problems([]requests.Asked{under}) {
					t.Errorf("under %s: %s", f.Under, problem)
				}
			}
		}
	}
	assert.Empty(t, missed, "expected requests that are decided otherwise: %q", missed)
}

// under is a request with the condition of the remedy.
func (f *followed) under(a requests.Asked) requests.Asked {
	a.Transact = slices.Clone(a.Transact)
	for i := range a.Transact {
		if one := &a.Transact[i]; one.If == "" && one.Put+one.Update != "" {
			one.If = f.Under
		}
	}
	if a.If == "" {
		a.If = f.Under
	}
	return a
}

// copy is the contract's folder with the remedy.
func (f *followed) copy() (fstest.MapFS, error) {
	files, err := filepath.Glob("../../../../accesspatterns/" + strings.ReplaceAll(f.Design, "-", "") + "/*.yaml")
	if err != nil {
		return nil, err
	}
	folder := fstest.MapFS{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		folder[filepath.Base(file)] = &fstest.MapFile{Data: text}
	}
	for _, change := range f.Change {
		in, block := regexp.MustCompile(`(?s)^.*$`), folder[change.In]
		if block == nil {
			in = blockOf(change.In)
		}
		found := 0
		for name, file := range folder {
			if block != nil && file != block {
				continue
			}
			file.Data = in.ReplaceAllFunc(file.Data, func(text []byte) []byte {
				found += strings.Count(string(text), change.From)
				return []byte(strings.ReplaceAll(string(text), change.From, change.To))
			})
			folder[name] = file
		}
		if found == 0 {
			return nil, fmt.Errorf("%s: no %q", change.In, change.From)
		}
	}
	for _, pattern := range f.Drop {
		named := regexp.MustCompile(`(?:pattern/)?\b` + regexp.QuoteMeta(pattern) + `\b, *|,? *(?:pattern/)?\b` + regexp.QuoteMeta(pattern) + `\b(\])`)
		for _, file := range folder {
			file.Data = blockOf(pattern).ReplaceAll(file.Data, nil)
			file.Data = named.ReplaceAll(file.Data, []byte("$1"))
		}
	}
	return folder, nil
}

// blockOf finds what stands under the id of a pattern.
func blockOf(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^  ` + regexp.QuoteMeta(pattern) + `:\n(?:    .*\n|\n)+`)
}
