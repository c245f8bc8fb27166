//go:build unix

package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
)

// shopModel is a data model that can be imported.
var shopModel = absolute("../../accesspatterns/contract/importer/testdata/shop.json")

// step is one step of a session. What it names in <> stands for folders and addresses of these tests.
type step struct {
	Documents bool                         // ends the session where the design documents are not there
	Copy      map[string]string            // folders that are copied, by where to
	Remove    []string                     // files
	Write     map[string]string            // texts of files
	Edit      map[string]map[string]string // texts in files, of which the first is exchanged
	Orders    []string                     // tables of orders that somebody makes; one called drifted differs from the document
	Forget    map[string]string            // attributes by which items of tables expire no more
	Rewrite   map[string]string            // evidence, by what jq makes of it
	Send      []map[string]any             // requests of somebody, each an operation with the input that the AWS CLI takes

	Run             []string // the command
	With            []string // variables of its environment
	Account, Region string   // where AWS is for it
	Code            int
	Prints          []string // what stands in the output
	Complains       []string // what stands in the error output
	Error           []string // what stands in the one line that is printed
	Lacks           []string // what stands in neither output
	Lines           int      // of the output, where it is told
	Quiet           bool     // nothing stands in the error output

	Files    map[string][]string // what stands in files behind it
	Absent   []string            // files that are not there
	Finds    map[string]any      // what jq finds in the output
	Evidence map[string]any      // what jq finds in the evidence; claim("id") is the result of a claim
	Tables   *[]string           // all tables of the engine
}

// Somebody uses the command: step by step, in one folder.
func TestSessions(t *testing.T) {
	topics := []map[string][]step{
		tabletest.Read[map[string][]step](t, "sessions/aws.yaml"), tabletest.Read[map[string][]step](t, "sessions/documents.yaml"),
		tabletest.Read[map[string][]step](t, "sessions/environments.yaml"),
		tabletest.Read[map[string][]step](t, "sessions/own.yaml"), tabletest.Read[map[string][]step](t, "sessions/shipped.yaml"),
	}
	there, err := filepath.Glob("testdata/sessions/*")
	require.NoError(t, err)
	require.Len(t, topics, len(there))
	for _, sessions := range topics {
		for name, steps := range sessions {
			t.Run(name, func(t *testing.T) {
				s := workplace{folder: t.TempDir()}
				given, asks := []string{
					"<example>", example, "<orders>", orders, "<parcels>", parcels, "<depots>", depots, "<shop>", shopModel, "<nobody>", nobody, "<documents>", documents, "<here>", s.folder, "<tool>", os.Args[0],
				}, fmt.Sprint(steps)
				if strings.Contains(asks, "<older>") {
					given = append(given, "<older>", olderEvidence(t))
				}
				if strings.Contains(asks, "<private>") {
					private, public := writeKeys(t)
					given = append(given, "<private>", private, "<public>", public, "<key>", content(t, private))
				}
				for name, start := range map[string]func() string{"<engine>": func() string { return engine(t).URL() }, "<moto>": func() string { return moto(t) }} {
					if strings.Contains(asks, name) {
						s.url = start()
						given = append(given, name, s.url)
					}
				}
				s.given = strings.NewReplacer(given...)
				for _, step := range steps {
					s.prepare(t, step)
					if step.Run != nil {
						s.run(t, step)
					}
				}
			})
		}
	}
}

// words are those of jq for evidence.
const words = `def all: .designs[].results[]; def claim($id): all | select(.id == $id); `

// workplace has a folder, and an engine where a step asks for one.
type workplace struct {
	folder, url string
	given       *strings.Replacer
}

// all fills in what texts name in <>.
func (s workplace) all(texts []string) (filled []string) {
	for _, text := range texts {
		filled = append(filled, s.given.Replace(text))
	}
	return filled
}

// prepare does what comes before the command.
func (s workplace) prepare(t *testing.T, step step) {
	t.Helper()
	if step.Documents {
		needsDocuments(t)
	}
	for to, from := range step.Copy {
		require.NoError(t, os.CopyFS(filepath.Join(s.folder, to), os.DirFS(s.given.Replace(from))))
	}
	for _, name := range step.Remove {
		require.NoError(t, os.Remove(filepath.Join(s.folder, name)))
	}
	for name, text := range step.Write {
		write(t, s.folder, name, s.given.Replace(text))
	}
	for name, exchanged := range step.Edit {
		for from, to := range exchanged {
			text := content(t, s.folder, name)
			require.Contains(t, text, from, name)
			write(t, s.folder, name, strings.Replace(text, from, to, 1))
		}
	}
	for _, name := range step.Orders {
		change := map[bool]func(*dynamodb.CreateTableInput){true: keysOnly, false: func(*dynamodb.CreateTableInput) {}}[name == "drifted"]
		deployed(t, s.url, name, change)
	}
	for name, change := range step.Rewrite {
		changed := tabletest.As[*evidence.Run](t, tabletest.JQ(t, change, stored(t, s.folder, name)))
		require.NoError(t, changed.Write(filepath.Join(s.folder, name)))
	}
	for table, attribute := range step.Forget {
		expire(t, s.url, table, attribute, false)
	}
	designtest.SendAll(t, client(s.url), step.Send)
}

// run runs the command, and looks at what it left.
func (s workplace) run(t *testing.T, step step) {
	t.Helper()
	with := step.With
	if step.Account != "" {
		with = append(awsEnvironment(s.given.Replace(step.Account), step.Region), with...)
	}
	c := prepare(t, s.all(with), s.all(step.Run)...).in(s.folder)
	c.expect(t, step.Code)
	what, both := strings.Join(step.Run, " "), c.stdout.String()+c.stderr.String()
	c.prints(t, s.all(step.Prints)...)
	c.complains(t, s.all(step.Complains)...)
	if step.Error != nil {
		c.oneError(t, s.all(step.Error)...)
	}
	lacks(t, what, both, step.Lacks...)
	if step.Quiet {
		assert.Empty(t, c.stderr.String(), what)
	}
	if step.Lines > 0 {
		assert.Equal(t, step.Lines, strings.Count(c.stdout.String(), "\n"), what)
	}
	for name, words := range step.Files {
		says(t, name, content(t, s.folder, name), words...)
	}
	for _, name := range step.Absent {
		assert.NoFileExists(t, filepath.Join(s.folder, name))
		assert.NoDirExists(t, filepath.Join(s.folder, name))
	}
	if step.Finds != nil {
		tabletest.Finds(t, what, json.RawMessage(c.stdout.Bytes()), step.Finds)
	}
	if step.Evidence != nil {
		claims := map[string]any{}
		for expression, want := range step.Evidence {
			claims[words+expression] = want
		}
		name := map[bool]string{true: "audit.json", false: "evidence.json.gz"}[step.Run[0] == "audit"]
		tabletest.Finds(t, what, stored(t, s.folder, "build/report", name), claims)
	}
	if step.Tables != nil {
		assert.Equal(t, *step.Tables, append([]string{}, tables(t, s.url)...), what)
	}
}
