package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/itchyny/gojq"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"mvdan.cc/sh/v3/shell"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
)

//go:embed testdata/shop.json
var shop []byte

// sample is a run of two designs with every verdict, a waiver, findings, a
// pattern, and a failure with its consequences.
func sample() *evidence.Run { return stored[evidence.Run](shop) }

//go:embed testdata/shop.document.json
var shopText []byte

// shopDocument is the document of the first design, with what each line of it is to the run.
var shopDocument = *stored[HTMLOptions](shopText)

// stored reads a file of testdata.
func stored[T any](text []byte) *T {
	var read T
	if err := input.Strictly(text, &read); err != nil {
		panic(err)
	}
	return &read
}

func render(t *testing.T, run *evidence.Run, options HTMLOptions) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, HTML(&out, run, options))
	return out.String()
}

// elements returns all elements for which keep holds.
func elements(t *testing.T, page string, keep func(*html.Node) bool) []*html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	var found []*html.Node
	for node := range root.Descendants() {
		if node.Type == html.ElementNode && keep(node) {
			found = append(found, node)
		}
	}
	return found
}

func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func content(node *html.Node) string {
	var text strings.Builder
	for part := range node.Descendants() {
		if part.Type == html.TextNode {
			text.WriteString(part.Data)
		}
	}
	return strings.TrimSpace(text.String())
}

// jqLines returns the value and the jq expression of every figure that a page
// says how to recompute.
func jqLines(t *testing.T, page string) (values, expressions []string) {
	t.Helper()
	marked := func(name string) []*html.Node {
		return elements(t, page, func(n *html.Node) bool {
			return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
		})
	}
	for _, cell := range marked("data-value") {
		values = append(values, content(cell))
	}
	command := regexp.MustCompile(`^gzip -dc evidence\.json\.gz \| jq -r ('.+'|[A-Za-z0-9_.%+,:@/-]+)$`)
	for _, line := range marked("data-jq") {
		match := command.FindStringSubmatch(content(line))
		require.NotNil(t, match, "expected a jq line, found %q", content(line))
		expressions = append(expressions, strings.ReplaceAll(strings.Trim(match[1], "'"), `'"'"'`, "'"))
	}
	require.Len(t, values, len(expressions), "expected a line for each value")
	return values, expressions
}

// jq computes an expression over the evidence as `jq -r` prints it.
func jq(t *testing.T, expression string, stored any) string {
	t.Helper()
	return strings.Join(spelled(tabletest.JQ(t, "["+expression+"]", stored).([]any)), "\n")
}

// differing returns the figures that their jq line does not give.
func differing(t *testing.T, page string, run *evidence.Run) (differences []string, checked int) {
	t.Helper()
	values, expressions := jqLines(t, page)
	from := tabletest.As[any](t, run)
	for i, expression := range expressions {
		if got := jq(t, expression, from); got != values[i] {
			differences = append(differences, fmt.Sprintf("%s: the report says %s, jq says %s", expression, values[i], got))
		}
	}
	return differences, len(expressions)
}

func TestEveryFigureCanBeRecomputed(t *testing.T) {
	run := sample()
	page := render(t, run, shopDocument)
	differences, checked := differing(t, page, run)
	assert.Empty(t, differences, "%s", strings.Join(differences, "\n"))
	figures := 0
	for _, table := range elements(t, page, func(n *html.Node) bool { return n.Data == "table" && attribute(n, "class") == "figures" }) {
		for cell := range table.Descendants() {
			if cell.Type == html.ElementNode && cell.Data == "td" && attribute(cell, "class") != "words" && cell.Parent.Parent.Data == "tbody" {
				figures++
			}
		}
	}
	// Beside the tables: one waiver, and the facts, which stand as often as
	// their lines.
	facts := len(factFigures(run))
	assert.Equal(t, figures+facts+1, checked, "expected a jq line for each of %d figures, %d facts and 1 waiver", figures, facts)
}

func TestAFigureThatDoesNotFollowFromTheEvidenceIsNoticed(t *testing.T) {
	run := sample()
	page := render(t, run, shopDocument)
	run.Designs[0].Results[0].Verdict = evidence.Pass
	run.Designs[0].Waivers[0].Requests++
	run.Finished = run.Finished.Add(time.Second)
	differences, _ := differing(t, page, run)
	for _, part := range []string{`.verdict=="fail"`, "scan-orders", ".finished", `.kind=="index"`} {
		assert.True(t, slices.ContainsFunc(differences, func(d string) bool { return strings.Contains(d, part) }), "expected a difference in a figure with %s, found %v", part, differences)
	}
}

func TestSecretsAndAccountsAreReplaced(t *testing.T) {
	run := sample()
	secrets := map[string]string{
		"123456789012":         "arn:aws:dynamodb:eu-west-1:123456789012:table/T",
		"AKIAIOSFODNN7EXAMPLE": "key AKIAIOSFODNN7EXAMPLE in use",
		"c2lnbmF0dXJl":         "AWS4-HMAC-SHA256 Credential=X/20260101/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=c2lnbmF0dXJl",
		"dG9rZW4tdmFsdWU":      "Authorization: Bearer dG9rZW4tdmFsdWU",
		"wJalrXUtnFEMI":        "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI",
		"FwoGZXIvYXdzE":        `{"SessionToken": "FwoGZXIvYXdzE"}`,
		"hunter2hunter2":       "http://me:hunter2hunter2@127.0.0.1:8000/",
	}
	for _, text := range secrets {
		run.Designs[0].Results[0].Problems[0].Found += " " + text + " ;"
		quoted, err := json.Marshal(map[string]string{"Note": text})
		require.NoError(t, err)
		run.Ledger = append(run.Ledger, wire.Entry{Seq: len(run.Ledger) + 1, Operation: "PutItem", Request: quoted})
		run.Designs[0].Results[0].Requests = append(run.Designs[0].Results[0].Requests, len(run.Ledger))
		run.Command += " # " + text + " ;"
	}
	options := HTMLOptions{Documents: map[string][]string{"shop.md": {secrets["123456789012"], secrets["wJalrXUtnFEMI"]}}}
	run.Designs[0].SHA256 = digestOf([]byte(strings.Join(options.Documents["shop.md"], "\n")))
	page := render(t, run, options)
	for secret := range secrets {
		assert.False(t, strings.Contains(page, secret), "expected %q to be replaced", secret)
	}
	holds(t, page, "arn:aws:dynamodb:us-east-1:000000000000:table/x", "arn:aws:dynamodb:eu-west-1:[account]:table/T")
	assert.Contains(t, string(run.Ledger[0].Response), "123456789012", "expected the evidence itself to stay as it is")
}

// The text of a document that is not the one that was transcribed is somebody else's: no report holds it.
func TestAnotherDocumentIsNotShown(t *testing.T) {
	folder := t.TempDir()
	const secret = "root:x:0:0:root"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "shop.md"), []byte(secret+"\n"), 0o600))
	run := sample()
	for name, options := range map[string]HTMLOptions{"from the folder": DocumentsIn(folder, run), "given": {Documents: map[string][]string{"shop.md": {secret, ""}}}} {
		page := render(t, run, options)
		require.NotContains(t, page, secret, name)
		assert.Contains(t, page, "The document was not the one that was transcribed", name)
	}
	assert.Nil(t, DocumentsIn(folder, run).Documents["shop.md"], "expected no text for the author's report")
}

// Every column, figure and word of the first screen, and of the tables that it leads to, has its meaning in the legend, and every heading
// of a column leads there.
func TestEveryWordOfTheFirstScreenIsExplained(t *testing.T) {
	run := sample()
	page := render(t, run, shopDocument)
	within := func(n *html.Node, is func(*html.Node) bool) bool {
		for ; n != nil; n = n.Parent {
			if is(n) {
				return true
			}
		}
		return false
	}
	figures := func(n *html.Node) bool {
		return n.Data == "table" && (slices.Contains([]string{"figures", "matrix"}, attribute(n, "class")) || attribute(n, "id") == "list")
	}
	seen := 0
	for _, cell := range elements(t, page, func(n *html.Node) bool { return n.Data == "th" && within(n, figures) }) {
		text := content(cell)
		heading := within(cell, func(n *html.Node) bool { return n.Data == "thead" })
		if text == "What it means" || slices.Contains([]string{"Pattern", "Operation", "Table / index"}, text) || !heading && within(cell, func(n *html.Node) bool { return attribute(n, "class") == "matrix" }) {
			continue // they say themselves what they are; the last is the name of a pattern
		}
		if slices.ContainsFunc(run.Designs, func(d evidence.Design) bool { return d.Name == text }) {
			continue
		}
		seen++
		_, is := explained(text)
		assert.True(t, is, "expected the legend to explain %q", text)
		listed := within(cell, func(n *html.Node) bool { return attribute(n, "id") == "list" }) // where a link in each heading would stand between the filters and the claims
		if first := cell.FirstChild; heading && !listed && (first == nil || attribute(first, "class") != "word") {
			t.Errorf("expected %q to lead to the legend", text)
		}
	}
	words := slices.Concat([]string{"observation"}, spelled(evidence.Verdicts()), spelled(evidence.Grades()), spelled(manifest.Kinds()),
		spelled(accesspatterns.BasisKinds()), spelled(accesspatterns.Severities()), spelled(manifest.Subjects()))
	for _, each := range words {
		assert.Contains(t, meanings, each, "expected the legend to explain it")
	}
	assert.GreaterOrEqual(t, seen, 40, "expected the tables of the first screen")
	for _, link := range elements(t, page, func(n *html.Node) bool { return n.Data == "a" && attribute(n, "class") == "word" }) {
		id := strings.TrimPrefix(attribute(link, "href"), "#")
		assert.Contains(t, page, `<dt id="`+id+`">`, "expected %s to be a word of the legend", id)
	}
}

// spelled are values as they are written.
func spelled[T any](values []T) (all []string) {
	for _, value := range values {
		all = append(all, fmt.Sprint(value))
	}
	return all
}

func TestNothingComesFromElsewhere(t *testing.T) {
	page := render(t, sample(), shopDocument)
	ids := map[string]bool{}
	for _, node := range elements(t, page, func(*html.Node) bool { return true }) {
		if id := attribute(node, "id"); id != "" {
			assert.False(t, ids[id], "the id %q stands twice", id)
			ids[id] = true
		}
		for _, a := range node.Attr {
			switch a.Key {
			case "style":
				t.Errorf("<%s> has an inline style, which the content policy refuses", node.Data)
			case "src", "srcset", "action", "data", "poster":
				t.Errorf("<%s> loads %q", node.Data, a.Val)
			case "href":
				assert.True(t, strings.HasPrefix(a.Val, "#") || a.Val == "data:,", "<%s> leads to %q", node.Data, a.Val)
			}
		}
	}
	for _, node := range elements(t, page, func(n *html.Node) bool { return n.Data == "a" && strings.HasPrefix(attribute(n, "href"), "#/") }) {
		path, _, _ := strings.Cut(strings.TrimPrefix(attribute(node, "href"), "#"), "?")
		assert.True(t, ids[path], "the link %q leads nowhere", path)
	}
}

// Names in evidence of unknown origin reach a shell as texts, and an operation that is not DynamoDB's not at all.
func TestPastedLinesRunNothingElse(t *testing.T) {
	const evil = `shop'; touch PWNED; '$(touch PWNED)\(1)"`
	run := sample()
	run.Designs[0].Name, run.Designs[0].Document, run.Designs[0].Results[0].Cite = evil, evil, evil
	run.Environment = map[string]string{evil: evil}
	run.Ledger[0].Request = []byte(`{"Key": "\u202e\u009b31m"}`)
	run.Modules = map[string]string{evil: "v1"}
	run.Ledger[0].Operation = "getitem;touch PWNED;"
	page := render(t, run, HTMLOptions{})
	lines := 0
	for _, node := range elements(t, page, func(n *html.Node) bool { return n.Data == "code" && strings.Contains(content(n), "jq -r") }) {
		command, piped := strings.CutPrefix(content(node), "gzip -dc evidence.json.gz | ")
		words, err := shell.Fields(command, func(name string) string {
			if name != "IFS" && name != "PWD" { // a shell looks for these by itself
				t.Errorf("%s: expected nothing to expand, found $%s", content(node), name)
			}
			return ""
		})
		require.NoError(t, err)
		require.True(t, piped && len(words) == 3, "expected gzip's output to go to jq, -r and an expression, found %q", words)
		if strings.Contains(words[2], "PWNED") {
			lines++
			_, err = gojq.Parse(words[2])
			assert.NoError(t, err)
			assert.Contains(t, words[2], `\\(1)`, "the name as a text")
		}
	}
	assert.NotZero(t, lines, "expected lines with the name")
	for _, node := range elements(t, page, func(n *html.Node) bool { return n.Data == "pre" }) {
		assert.NotContains(t, content(node), "getitem")
	}
}

// The operations that can be pasted are DynamoDB's own, under the CLI's names.
func TestOperationsAreDynamoDBs(t *testing.T) {
	for operation, want := range map[string]string{
		"Query": "query", "BatchGetItem": "batch-get-item", "DescribeTimeToLive": "describe-time-to-live", "ListTagsOfResource": "list-tags-of-resource",
		"Options": "", "query": "", "FilterLogEvents": "", "": "",
	} {
		if want != "" {
			want = "aws dynamodb " + want + " --region eu-west-1 --cli-input-json"
		}
		line := html.UnescapeString(string(commandLine(&wire.Entry{Operation: operation, SignedRegion: "eu-west-1", Request: []byte(`{}`)}, true)))
		assert.Equal(t, want, strings.TrimSuffix(line, " '{}'"), operation)
	}
}

// No text of the evidence reaches a page, a summary or a terminal with characters that these would obey, or with an account.
func TestControlCharactersAreDropped(t *testing.T) {
	run := sample()
	const evil = "a\x1b]0;title\x07b\u202egnirts\u2066c\u009b31m arn:aws:dynamodb:eu-west-1:123456789012:table/T"
	run.Command, run.Designs[0].Failure = evil, evil
	run.Designs[0].Results[0].Title, run.Designs[0].Results[0].Problems[0].Found = evil, evil
	run.Designs[0].Name = evil
	texts := map[string]string{"terminal": summary(run), "page": render(t, run, HTMLOptions{})}
	for _, format := range Formats() {
		var out bytes.Buffer
		require.NoError(t, format.Write(&out, run))
		texts[format.Name] = out.String()
	}
	for name, text := range texts {
		assert.False(t, strings.ContainsAny(text, "\x1b\x07\u202e\u2066\u009b"), "%s: expected no such character", name)
		assert.Contains(t, text, "gnirts", name)
		assert.NotContains(t, text, "123456789012", name)
	}
}

func TestALargeReportHasASecondFile(t *testing.T) {
	run := sample()
	assert.NotContains(t, render(t, run, HTMLOptions{}), `<p class="left">`)
	long, err := json.Marshal(strings.Repeat("a", mostBytes))
	require.NoError(t, err)
	run.Ledger[2].Request = long // of a finding that passed
	page := render(t, run, HTMLOptions{})
	assert.Less(t, len(page), mostBytes)
	holds(t, page, `<p class="left">1 trial, all requests in requests.html</p>`, "shows one case of each pattern", "aws dynamodb query")
	folder := t.TempDir()
	alone := filepath.Join(folder, "audit.html")
	require.NoError(t, WriteHTML(alone, run, HTMLOptions{}))
	whole, err := os.ReadFile(alone)
	require.NoError(t, err)
	assert.NotContains(t, string(whole), `<p class="left">`)
	assert.True(t, bytes.Contains(whole, long[1:mostBytes]), "expected a page with no other beside it to show all, found %d bytes", len(whole))
	require.NoError(t, WriteHTML(filepath.Join(folder, PageFile), run, HTMLOptions{}))
	all, err := os.ReadFile(filepath.Join(folder, RequestsFile))
	require.NoError(t, err)
	assert.True(t, bytes.Contains(all, long[1:mostBytes]), "expected every request in %s, found %d bytes", RequestsFile, len(all))
	for _, result := range run.Results() { // nothing is lost: each case, trial and request is in the second file
		if result.Pattern != nil || len(result.Trials) > 0 {
			assert.True(t, bytes.Contains(all, []byte(`id="/claim/`+result.ID+`"`)), "expected %s in %s", result.ID, RequestsFile)
		}
	}
}
