package designs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
)

// TestFindingsNameWhatIsThere holds the words of findings to the contract: what looks like the id of an access pattern is one, and a
// pattern that the resolution names is among the claims that the finding rests on.
func TestFindingsNameWhatIsThere(t *testing.T) {
	id := regexp.MustCompile(`[a-z0-9]+(-[a-z0-9]+)+(-?\.\.\.)?`)
	for _, design := range designs.All() {
		verbs, known := map[string]bool{}, map[string]bool{}
		for _, pattern := range design.Patterns {
			verb, _, _ := strings.Cut(pattern.ID, "-")
			verbs[verb], known[pattern.ID] = true, true
		}
		for _, finding := range design.Findings {
			known[finding.ID] = true
		}
		for _, entity := range design.Entities {
			known[entity.ID] = true
		}
		for _, finding := range design.Findings {
			for _, word := range id.FindAllString(finding.Title+"\n"+finding.Literal+"\n"+finding.Resolved, -1) {
				if verb, _, _ := strings.Cut(word, "-"); verbs[verb] && !known[word] && word != "soft-deleted" && !strings.HasSuffix(word, "...") {
					t.Errorf("%s: finding %s names %q, which is no access pattern", design.Name, finding.ID, word)
				}
			}
			for _, word := range id.FindAllString(finding.Resolved, -1) {
				is := slices.ContainsFunc(design.Patterns, func(p accesspatterns.Pattern) bool { return p.ID == word })
				assert.False(t, is && !slices.Contains(finding.Claims, "pattern/"+word),
					"%s: finding %s says what %s does, and does not rest on pattern/%s", design.Name, finding.ID, word, word)
			}
		}
	}
}

// TestRequiredIsMarked holds what an item must carry to a reason: a line that marks it, a key or a rule that is made of it, an access pattern that
// uses it, or the words of its citation. An example, or a name in a list, makes nothing required.
func TestRequiredIsMarked(t *testing.T) {
	mark := regexp.MustCompile(`Yes|: str|always|TTL|same as|\?`)
	for _, design := range designs.All() {
		for _, entity := range design.Entities {
			for _, attribute := range entity.Attributes {
				name := attribute.Name
				if attribute.Presence != accesspatterns.Required || strings.ContainsAny(name, ".[") || attribute.Cite.Basis.Kind != accesspatterns.Stated {
					continue
				}
				marked := slices.ContainsFunc(attribute.Cite.AllTokens(), mark.MatchString)
				for _, key := range entity.Keys {
					marked = marked || slices.ContainsFunc(key.Template.Parameters(), func(parameter string) bool { return key.Bound(parameter) == name })
				}
				for _, rule := range entity.Rules {
					marked = marked || rule.Attribute == name || rule.EqualTo == name || strings.Contains(rule.CEL, "item."+name)
				}
				assert.True(t, marked, "%s: entity %s requires %s, and no line marks it, nor is it part of a key or a rule", design.Name, entity.ID, name)
			}
		}
	}
}

// TestFindingsNameAttributes holds the words of findings to the contract: a word in camelCase, or one in backticks, is an attribute, a key,
// an index or a parameter of the contract, or stands on the lines that the finding cites. What an author is told to write may be new.
func TestFindingsNameAttributes(t *testing.T) {
	word := regexp.MustCompile("`[^`]+`|\\b[a-z]+[0-9]?[A-Z][A-Za-z0-9]*\\b")
	segments := regexp.MustCompile(`\w+`)
	for _, design := range designs.All() {
		var here strings.Builder
		for _, table := range design.Tables {
			fmt.Fprintln(&here, table.ID, table.Name, table.Keys())
			for _, index := range table.Indexes {
				fmt.Fprintln(&here, index.Name, index.PartitionKey, index.SortKey)
			}
		}
		for _, entity := range design.Entities {
			for _, key := range entity.Keys {
				fmt.Fprintln(&here, key.Attribute, key.Template)
			}
			for _, attribute := range entity.Attributes {
				fmt.Fprintln(&here, attribute.Name, attribute.Allowed)
			}
		}
		for _, finding := range design.Findings {
			known := map[string]bool{}
			for _, segment := range segments.FindAllString(here.String()+strings.Join(finding.Lacks, " ")+fmt.Sprintf("%#v", finding.Cite), -1) {
				known[segment] = true
			}
			for _, named := range word.FindAllString(strings.Join([]string{finding.Title, finding.Literal, finding.Resolved}, "\n"), -1) {
				for _, segment := range segments.FindAllString(named, -1) {
					assert.True(t, known[segment],
						"%s: finding %s names %s, which is no attribute, key, index or parameter of the contract and stands on no cited line", design.Name, finding.ID, named)
				}
			}
		}
	}
}

// TestRemediesAgree looks for two findings of a design that write different things instead of one, or keys of different forms that begin
// alike: who follows both has two forms of one key.
func TestRemediesAgree(t *testing.T) {
	instead := regexp.MustCompile("`([^`]+)`[^`.]* instead of `([^`]+)`")
	key := regexp.MustCompile(`((?:[A-Z][A-Z_]*#)+)[{<][^` + "`" + `",]*`)
	apart := map[string]string{ // what is no other form of a key that begins alike
		"personal-os date-bounds-lose-last-day": "the bound of a range",
		"personal-os gsi1-mixes-users":          "the partition key of another index",
		"personal-os gsi2-mixes-users":          "the partition key of another index",
	}
	for _, design := range designs.All() {
		written, by, begins := map[string]string{}, map[string]string{}, map[string][2]string{}
		for _, finding := range design.Findings {
			for _, m := range instead.FindAllStringSubmatch(finding.Instead, -1) {
				if other, is := written[m[2]]; is && other != m[1] {
					t.Errorf("%s: instead of %s finding %s writes %s, and finding %s %s", design.Name, m[2], by[m[2]], other, finding.ID, m[1])
				}
				written[m[2]], by[m[2]] = m[1], finding.ID
			}
			if apart[design.Name+" "+finding.ID] != "" {
				continue
			}
			now, _, _ := strings.Cut(finding.Instead, " instead of ")
			for _, m := range key.FindAllStringSubmatch(now, -1) {
				if other, is := begins[m[1]]; is && other[0] != m[0] {
					t.Errorf("%s: finding %s writes %s, and finding %s %s", design.Name, other[1], other[0], finding.ID, m[0])
				}
				begins[m[1]] = [2]string{m[0], finding.ID}
			}
		}
	}
}

// TestSilenceIsDecidedAlike lists what an item must carry, by what the document says of it: the same silence is the same presence in all
// contracts. What one finding or ruling decides of attributes of one name is decided alike, too.
//
// testdata/presences.txt has the attributes of items, by design, presence and what the lines say of it, with their number. Two kinds of silence
// are decided apart: where a list marks some attributes as optional the others are required, but for personal-os, whose example leaves out
// some that no row marks (finding presence-not-documented). The 17 are of links, profiles, dependencies and logs, which examples and tables
// contradict (findings links-hold-keys-only, base-attributes-contradicted).
func TestSilenceIsDecidedAlike(t *testing.T) {
	mark := regexp.MustCompile(`^(Yes|always.*|same as.*|.*: str)$|\(same as`)
	optional := regexp.MustCompile(`^No$|\?$|[Oo]ptional`)
	presence := map[accesspatterns.Presence]string{accesspatterns.Required: "required", accesspatterns.Optional: "optional", accesspatterns.Nullable: "nullable"}
	found := map[string]int{}
	for _, design := range designs.All() {
		decided := map[string]string{}
		for _, entity := range design.Entities {
			for _, attribute := range entity.Attributes {
				cite, name, is := attribute.Cite, attribute.Name, presence[attribute.Presence]
				if strings.ContainsAny(name, ".[") {
					continue
				}
				said := func(of *regexp.Regexp) bool { return slices.ContainsFunc(cite.AllTokens(), of.MatchString) }
				keyed := slices.ContainsFunc(entity.Keys, func(key accesspatterns.KeyAttribute) bool {
					return slices.ContainsFunc(key.Template.Parameters(), func(parameter string) bool { return key.Bound(parameter) == name })
				})
				class := "silent"
				switch {
				case said(optional) && !strings.Contains(cite.Basis.Because, "mark"):
					class = "called optional"
				case said(mark):
					class = "called required"
				case keyed:
					class = "part of a key"
				case cite.Basis.Kind != accesspatterns.Stated && attribute.Presence == accesspatterns.Required:
					class = string(cite.Basis.Kind) + ": " + cite.Basis.Because
				}
				found[fmt.Sprintf("%s %s: %s", design.Name, is, class)]++
				if cite.Basis.Kind == accesspatterns.Chosen {
					by := name + " " + cite.Basis.Because
					other := decided[by]
					assert.True(t, other == "" || other == is, "%s: %s of %s is %s, and %s elsewhere by the same %s", design.Name, name, entity.ID, is, other, cite.Basis.Because)
					decided[by] = is
				}
			}
		}
	}
	var lines []string
	for line, count := range found {
		lines = append(lines, fmt.Sprintf("%s: %d", line, count))
	}
	slices.Sort(lines)
	presences := tabletest.Must(os.ReadFile(filepath.Join("testdata", "presences.txt")))(t)
	assert.Empty(t, cmp.Diff(strings.Split(strings.TrimSpace(string(presences)), "\n"), lines), "what the lines say of presence, and what the contracts require (-want +got)")
}

// TestDeparturesAreNotStated: where an access pattern departs from its lines, they do not state it.
func TestDeparturesAreNotStated(t *testing.T) {
	for _, design := range designs.All() {
		for _, finding := range design.Findings {
			for _, pattern := range design.Patterns {
				assert.False(t, slices.Contains(finding.Departs, "pattern/"+pattern.ID) && pattern.Cite.Basis.Kind == accesspatterns.Stated,
					"%s: %s departs from its lines by finding %s, and cites them as stating it", design.Name, pattern.ID, finding.ID)
			}
		}
	}
}

// The table of obligations by basis in the README says what the contracts say.
func TestFiguresByBasisAreCommitted(t *testing.T) {
	const readme, begin, end = "../README.md", "<!-- obligations by basis -->\n", "<!-- end -->"
	var table strings.Builder
	table.WriteString("| design | stated | implied | chosen | in all |\n|---|--:|--:|--:|--:|\n")
	whole := map[accesspatterns.BasisKind]int{}
	row := func(name string, of map[accesspatterns.BasisKind]int) {
		all := 0
		fmt.Fprintf(&table, "| %s |", name)
		for _, kind := range accesspatterns.BasisKinds() {
			fmt.Fprintf(&table, " %d |", of[kind])
			all += of[kind]
		}
		fmt.Fprintf(&table, " %d |\n", all)
	}
	for _, design := range designs.All() {
		of := map[accesspatterns.BasisKind]int{}
		for _, claim := range manifest.Claims(design) {
			if claim.Kind != manifest.KindFinding {
				of[claim.Basis]++
				whole[claim.Basis]++
			}
		}
		row(design.Name, of)
	}
	row("all", whole)
	before, rest, found := strings.Cut(string(tabletest.Must(os.ReadFile(readme))(t)), begin)
	written, after, closed := strings.Cut(rest, end)
	require.True(t, found, "%s: expected the table between %q and %q", readme, begin, end)
	require.True(t, closed, "%s: expected the table between %q and %q", readme, begin, end)
	if *update {
		require.NoError(t, os.WriteFile(readme, []byte(before+begin+table.String()+end+after), 0o644))
		return
	}
	assert.Equal(t, table.String(), written,
		"%s: the figures by basis differ from the contracts; run `make manifest`\nexpected\n%sfound\n%s", readme, table.String(), written)
}

// Every claim says what it asserts, in more than its title: types and values, key forms, the formula of a rule, the steps of a flow.
func TestEveryClaimSaysWhatItAsserts(t *testing.T) {
	for _, design := range designs.All() {
		for _, claim := range manifest.Claims(design) {
			facts := map[string]string{}
			for _, fact := range manifest.Says(design, claim, "") {
				facts[fact.Name] += fact.Text
			}
			var want []string
			switch claim.Kind {
			case manifest.KindExample:
				continue // what its fixture holds
			case manifest.KindAttribute:
				want = []string{"type", "presence"}
				for name, text := range facts {
					assert.Contains(t, claim.Title, text, "%s: %s", claim.ID, name)
				}
			case manifest.KindEntity:
				entity, _ := design.Entity(claim.Subject)
				for _, key := range entity.Keys {
					want = append(want, "key "+key.Attribute)
				}
			case manifest.KindRule:
				want = []string{"rule", "attribute"}
				assert.NotEmpty(t, facts["has the form"]+facts["equals"]+facts["holds when"], "%s: expected what decides the rule, found %v", claim.ID, facts)
			case manifest.KindPattern:
				pattern, _ := design.Pattern(claim.Subject)
				for _, step := range pattern.Steps {
					want = append(want, "step "+step.Name)
				}
			case manifest.KindInvariant:
				want = []string{"rule", "enforced by", "flow"}
			case manifest.KindGuardrail:
				want = []string{"rule", "enforced by", "shown by"}
			default:
				assert.NotEmpty(t, facts, "%s: expected what the claim asserts", claim.ID)
			}
			for _, name := range want {
				assert.NotEmpty(t, facts[name], "%s: expected it to say its %s, found %v", claim.ID, name, facts)
			}
		}
	}
}

// What a flow demands stands in its steps: the condition of a write, the key of a read and its bounds.
func TestStepsSayWhatTheyDemand(t *testing.T) {
	for _, design := range designs.All() {
		for _, claim := range manifest.Claims(design) {
			if claim.Kind != manifest.KindPattern {
				continue
			}
			pattern, _ := design.Pattern(claim.Subject)
			said := ""
			for _, fact := range manifest.Says(design, claim, "") {
				said += fact.Name + " " + fact.Text + "\n"
			}
			demand := func(conditions []accesspatterns.Condition) {
				for _, condition := range conditions {
					for _, one := range condition.Alternatives() {
						assert.Contains(t, said, one.Attribute, claim.ID)
					}
				}
			}
			for _, step := range pattern.Steps {
				for _, action := range step.Write {
					demand(action.Condition)
				}
				assert.False(t, step.Read == nil && !strings.Contains(said, "step "+step.Name+" "+string(step.WriteOperations()[0])),
					"%s: expected the operations of step %s before its actions, found %s", claim.ID, step.Name, said)
				if read := step.Read; read != nil {
					demand(read.Filter)
					assert.True(t, read.Partition == nil || strings.Contains(said, read.Partition.Attribute+" = "),
						"%s: expected the partition of step %s, found %s", claim.ID, step.Name, said)
				}
			}
		}
	}
}
