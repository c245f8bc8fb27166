package exploretest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/requests"
)

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
	text, err := os.ReadFile("testdata/followed.yaml")
	require.NoError(t, err)
	var all []followed
	strict := yaml.NewDecoder(strings.NewReader(string(text)))
	strict.KnownFields(true)
	require.NoError(t, strict.Decode(&all))
	for i := range all {
		f := &all[i]
		t.Run(f.Design+"/"+f.Finding, f.follow)
	}
}

// changed is the contract with the changes.
func (f *followed) changed(t *testing.T) *accesspatterns.Design {
	t.Helper()
	folder, err := f.copy()
	require.NoError(t, err)
	d, err := contract.Load(folder)
	require.NoError(t, err)
	return d
}

func (f *followed) follow(t *testing.T) {
	before := load(t, f.Design)
	if finding, known := before.Finding(f.Finding); !known || f.Says == "" || !strings.Contains(finding.Instead, f.Says) {
		t.Errorf("expected a finding whose remedy says %q", f.Says)
	}
	after := f.changed(t)
	for claim, patterns := range f.Keeps {
		then := one(t, after, claim)
		was, is := asWritten(t, f.Design, claim).Breakers(), then.Breakers()
		for _, pattern := range patterns {
			if !slices.Contains(was, pattern) || slices.Contains(is, pattern) {
				t.Errorf("%s: expected %s to break it before alone, found %v and then %v: %s", claim, pattern, was, is, shortest(then, pattern))
			}
		}
		for _, pattern := range is {
			assert.Contains(t, was, pattern, "%s: %s breaks it in the copy alone", claim, pattern)
		}
	}
	asked, err := designs.Requests(f.Design)
	require.NoError(t, err)
	missed, judge := slices.Clone(f.Lost), requests.NewJudge(after)
	for i := range asked {
		for _, problem := range judge.Problems(asked[i : i+1]) {
			named := func(words string) bool { return strings.Contains(problem, words) }
			if !slices.ContainsFunc(f.Lost, named) {
				t.Error(problem)
			}
			missed = slices.DeleteFunc(missed, named)
			if under := f.under(asked[i]); f.Under != "" && asked[i].Told == "" {
				for _, problem := range judge.Problems([]requests.Asked{under}) {
					t.Errorf("under %s: %s", f.Under, problem)
				}
			}
		}
	}
	if len(missed) > 0 {
		t.Errorf("expected requests that are decided otherwise: %q", missed)
	}
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
