package importer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"dynaproof/accesspatterns/contract/importer"
	"dynaproof/accesspatterns/tabletest"
)

var everything = flag.Bool("everything", false, "change every part of a source with access patterns, which takes minutes, and not 40 of them")

// Nothing of a source is lost in silence: whatever value is changed or taken away, and whatever member is added, the import's files differ,
// it refuses the source, or it has told that it leaves the line out.
func TestNothingIsLostInSilence(t *testing.T) {
	inputs := map[string][2]string{"schema": {schema, usage}}
	for name, text := range sources {
		if strings.HasSuffix(name, ".json") {
			inputs[name] = [2]string{text}
		}
	}
	read := func(file string) string {
		return string(tabletest.Must(os.ReadFile(file))(t))
	}
	for _, file := range []string{"shop.json", "describe.json", "template.json", "globaltable.json", "plan.json", "state.json", "pulumi.json", "workbench.json"} {
		inputs["testdata/"+file] = [2]string{read("testdata/" + file)}
	}
	inputs["model"] = [2]string{model}
	inputs["desk"] = [2]string{read("testdata/desk.schema.json"), read("testdata/desk.usage_data.json")}
	models, _ := filepath.Glob("../../../../shared/models/*_schema.json")
	for _, file := range models {
		inputs[filepath.Base(file)] = [2]string{read(file), read(strings.Replace(file, "schema", "usage_data", 1))}
	}
	for name, texts := range inputs {
		t.Run(name, func(t *testing.T) {
			var laid [2]string
			for i := range laid {
				laid[i] = indented(t, texts[i])
			}
			base := outcome(laid)
			require.False(t, strings.HasPrefix(base.text, "refused"), base.text)
			for i := range laid {
				all, step := changes(t, laid[i]), 1
				if !*everything && strings.Contains(texts[0], "access_patterns") {
					step = 1 + len(all)/40
				}
				for at := 0; at < len(all); at += step {
					c := all[at]
					told := slices.ContainsFunc(c.lines, func(line int) bool { return base.lines[i][line] }) ||
						slices.ContainsFunc(c.beside, func(line int) bool { return base.patterns[line] && i == 0 }) ||
						slices.ContainsFunc(c.names, func(name string) bool { return slices.Contains(base.names, name) })
					seen := slices.ContainsFunc(c.texts, func(text string) bool {
						changed := laid
						changed[i] = text
						return outcome(changed).text != base.text
					})
					assert.True(t, told || seen, "file %d, %s: lost in silence", i+1, c.says)
				}
			}
		})
	}
}

// indented is JSON with every value on a line of its own; several texts one behind the other stay so.
func indented(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	for decoder := json.NewDecoder(strings.NewReader(text)); decoder.More(); out.WriteByte('\n') {
		var one json.RawMessage
		require.NoError(t, decoder.Decode(&one))
		require.NoError(t, json.Indent(&out, one, "", " "))
	}
	return out.String()
}

// imported is what an import says, and what it tells as left out: lines of each file, lines of access patterns, and names.
type imported struct {
	text     string
	lines    [2]map[int]bool
	patterns map[int]bool
	names    []string
}

var (
	toldLines = regexp.MustCompile(`; (usage.json )?line ([0-9, ]+)$`)
	toldNames = regexp.MustCompile(`left out, [^:]*: (.*)$`)
	places    = regexp.MustCompile(` \([a-z. ]*line [^)]*\)`)
)

func outcome(texts [2]string) imported {
	source := importer.Source{Name: "source.json", Text: []byte(texts[0])}
	var usage *importer.Source
	if texts[1] != "" {
		usage = &importer.Source{Name: "usage.json", Text: []byte(texts[1])}
	}
	result, err := importer.Import("d", "", source, usage)
	if err != nil {
		return imported{text: "refused: " + err.Error()}
	}
	of := imported{lines: [2]map[int]bool{{}, {}}, patterns: map[int]bool{}}
	var said strings.Builder
	fmt.Fprint(&said, result.Level, result.Notes, result.NotCheckable, result.Listed, result.Deployed)
	for _, name := range slices.Sorted(maps.Keys(result.Files)) {
		if name != "source.json" && name != "contract.yaml" {
			said.WriteString(name + string(result.Files[name]))
		}
	}
	for _, note := range result.Notes {
		if found := toldLines.FindStringSubmatch(note); found != nil {
			for _, line := range strings.Split(found[2], ", ") {
				n, _ := strconv.Atoi(line)
				of.lines[len(found[1])/len("usage.json ")][n] = true
			}
		}
		if found := toldNames.FindStringSubmatch(note); found != nil {
			of.names = append(of.names, strings.Split(places.ReplaceAllString(found[1], ""), ", ")...)
		}
	}
	for _, note := range result.NotCheckable {
		line, _, _ := strings.Cut(strings.TrimPrefix(note, "source.json:"), ",")
		n, _ := strconv.Atoi(line)
		of.patterns[n] = true
	}
	var contract yaml.Node
	if err := yaml.Unmarshal(result.Files["contract.yaml"], &contract); err != nil {
		panic(errors.Join(err, errors.New(string(result.Files["contract.yaml"]))))
	}
	var plain func(node *yaml.Node)
	plain = func(node *yaml.Node) {
		if node.Kind == yaml.MappingNode {
			for i := 0; i+1 < len(node.Content); i += 2 {
				if name := node.Content[i].Value; name != "sha256" {
					said.WriteString("{" + name + ":")
					plain(node.Content[i+1])
					said.WriteString("}")
				}
			}
			return
		}
		said.WriteString(node.Value)
		for _, each := range node.Content {
			plain(each)
			said.WriteString(",")
		}
	}
	plain(&contract)
	of.text = said.String()
	return of
}

// change is a part of a source that was changed, in one way or another.
type change struct {
	says  string
	texts []string
	// lines are those of the part and of what it stands in, beside those of their members, and names are what may tell it.
	lines, beside []int
	names         []string
}

func changes(t *testing.T, text string) (all []change) {
	t.Helper()
	lines := strings.Split(text, "\n")
	var walk func(node *yaml.Node, keys []string, c change)
	walk = func(node *yaml.Node, keys []string, c change) {
		c.lines = append(slices.Clone(c.lines), node.Line)
		line := lines[node.Line-1]
		with := func(says string, replaced ...string) {
			one := c
			one.says = fmt.Sprintf("line %d, %s: %s", node.Line, strings.TrimSpace(line), says)
			for _, to := range replaced {
				one.texts = append(one.texts, strings.Join(slices.Concat(lines[:node.Line-1], []string{to}, lines[node.Line:]), "\n"))
			}
			all = append(all, one)
		}
		if node.Kind == yaml.MappingNode {
			c.beside, c.names = slices.Clone(c.beside), slices.Clone(c.names)
			for i := 1; i < len(node.Content); i += 2 {
				c.beside = append(c.beside, node.Content[i].Line)
				c.names = append(c.names, node.Content[i].Value)
			}
		}
		switch {
		case node.Kind == yaml.ScalarNode && node.Tag != "!!null":
			end := strings.TrimSuffix(line, ",")
			head, comma := end[:node.Column-1], line[len(end):]
			other := map[string]string{"!!bool": strconv.FormatBool(node.Value != "true"), "!!int": node.Value + "1", "!!float": node.Value + "1"}[node.Tag]
			if other == "" {
				quoted, _ := json.Marshal(node.Value + "Z")
				other = string(quoted)
			}
			with("changed to "+other, head+other+comma, head+"null"+comma)
		case node.Kind == yaml.MappingNode && len(node.Content) > 0:
			with("a member more", line+` "zz-unknown": "zz",`)
		}
		for i, child := range node.Content {
			switch {
			case node.Kind != yaml.MappingNode:
				walk(child, keys, c)
			case i%2 == 1:
				of, path := c, append(slices.Clone(keys), node.Content[i-1].Value)
				of.names = append(slices.Clone(c.names), path[len(path)-1], strings.Join(path[max(0, len(path)-2):], "."))
				walk(child, path, of)
			}
		}
	}
	from := 0
	for decoder := json.NewDecoder(strings.NewReader(text)); decoder.More(); {
		var one json.RawMessage
		require.NoError(t, decoder.Decode(&one))
		end := int(decoder.InputOffset())
		var document yaml.Node
		require.NoError(t, yaml.Unmarshal([]byte(strings.Repeat("\n", strings.Count(text[:from], "\n"))+text[from:end]), &document))
		walk(document.Content[0], nil, change{})
		from = end + 1
	}
	return all
}
