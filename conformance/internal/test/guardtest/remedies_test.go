// Package remedies tries what findings tell an author to write instead: each remedy that is a form of request, a key or an index is sent to
// an engine, beside what made the finding.
package guardtest

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/requests"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/internal/test/tables"
	"dynaproof/conformance/target"
)

// remedies are those of one design.
type remedies struct {
	Tried []remedy
	// Words are the findings whose remedy is no request, key or index, by what it is instead.
	Words map[string][]string
}

// remedy is what a finding tells an author to write, tried on fresh tables.
type remedy struct {
	Finding string
	Says    string  // words of the remedy
	Indexes []index // beside those of the contract, or in their place
	Tables  map[string][]string
	Steps   []step
}

type index struct {
	Of, Name string
	Keys     []string // the partition key and the sort key; N behind a colon makes a Number of it
	Include  []string // the projected attributes; all where there are none
}

// step is one request and what comes of it: no error where neither Finds nor Fails stands there.
type step struct {
	requests.Asked `yaml:",inline"`
	Finds          *int
	Gives          map[string][]string // the values of an attribute in the order of the answer
	Fails          string              // a word of the error
}

func TestRemediesAreTried(t *testing.T) {
	engine := tables.Engine(t)
	client := target.NewClient(engine, "us-east-1")
	for _, design := range designs.All() {
		text := tabletest.Must(os.ReadFile(filepath.Join("testdata", design.Name+".yaml")))(t)
		var all remedies
		strict := yaml.NewDecoder(strings.NewReader(repeated(string(text))))
		strict.KnownFields(true)
		require.NoError(t, strict.Decode(&all), design.Name)
		left := map[string]string{} // the remedies that nobody has placed
		for _, finding := range design.Findings {
			if finding.Instead != "" {
				left[finding.ID] = finding.Instead
			}
		}
		listed := slices.Concat(slices.Collect(maps.Values(all.Words))...)
		for _, r := range all.Tried {
			t.Run(design.Name+"/"+r.Finding, func(t *testing.T) {
				assert.Contains(t, left[r.Finding], r.Says)
				assert.NotEmpty(t, r.Says, "expected a remedy that says %q", r.Says)
				r.try(t, client, engine, design)
			})
			listed = append(listed, r.Finding)
		}
		for _, id := range listed {
			assert.NotEmpty(t, left[id], "%s: finding %s has no remedy, or is listed twice; take it out of the list", design.Name, id)
			delete(left, id)
		}
		for id := range left {
			t.Errorf("%s: the remedy of finding %s is neither tried nor called words alone", design.Name, id)
		}
	}
}

// shown is a value as it stands in gives: nothing where there is none, and a map by its members.
func shown(value types.AttributeValue) string {
	if members, is := value.(*types.AttributeValueMemberM); is {
		var all []string
		for _, name := range slices.Sorted(maps.Keys(members.Value)) {
			all = append(all, name+" "+shown(members.Value[name]))
		}
		return strings.Join(all, ", ")
	}
	return dynamo.ScalarText(value)
}

// repeated writes a line that begins with "N of" so often, with the numbers from 1 in place of {n}, and for {50000 é} so many letters.
func repeated(text string) string {
	long := regexp.MustCompile(`\{(\d+) (\S)\}`)
	text = long.ReplaceAllStringFunc(text, func(found string) string {
		m := long.FindStringSubmatch(found)
		times, _ := strconv.Atoi(m[1])
		return strings.Repeat(m[2], times)
	})
	line := regexp.MustCompile(`(?m)^( *- )(\d+) of (.*\n)`)
	return line.ReplaceAllStringFunc(text, func(found string) string {
		m := line.FindStringSubmatch(found)
		times, _ := strconv.Atoi(m[2])
		var all strings.Builder
		for n := range times {
			all.WriteString(m[1] + strings.ReplaceAll(m[3], "{n}", strconv.Itoa(n+1)))
		}
		return all.String()
	})
}

func (r *remedy) try(t *testing.T, client *dynamodb.Client, endpoint string, design *accesspatterns.Design) {
	other := r.changed(design)
	names := tables.Create(t, endpoint, "us-east-1", "test", other)
	defer func() {
		for _, name := range names {
			_, err := client.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &name})
			assert.NoError(t, err)
		}
	}()
	for i := range r.Steps {
		s := &r.Steps[i]
		items, err := s.send(t.Context(), client, other)
		switch {
		case s.Fails != "" && (err == nil || !strings.Contains(err.Error(), s.Fails)):
			t.Errorf("step %d: expected a refusal with %q, found %v", i+1, s.Fails, err)
		case s.Fails == "" && err != nil:
			t.Errorf("step %d: %v", i+1, err)
		case s.Finds != nil && len(items) != *s.Finds:
			t.Errorf("step %d: expected %d items, found %v", i+1, *s.Finds, items)
		}
		for attribute, want := range s.Gives {
			var found []string
			for _, item := range items {
				found = append(found, shown(item[attribute]))
			}
			assert.True(t, slices.Equal(found, want), "step %d: expected %s %q, found %q", i+1, attribute, want, found)
		}
	}
}

// changed is the design with the tables and indexes of the remedy.
func (r *remedy) changed(design *accesspatterns.Design) *accesspatterns.Design {
	other := *design
	other.Tables = slices.Clone(design.Tables)
	for id, keys := range r.Tables {
		other.Tables = append(other.Tables, accesspatterns.Table{ID: id, Name: accesspatterns.NameTemplate(id), PartitionKey: *keyOf(keys, 0), SortKey: keyOf(keys, 1)})
	}
	for _, n := range r.Indexes {
		i := slices.IndexFunc(other.Tables, func(table accesspatterns.Table) bool { return table.ID == n.Of })
		made := accesspatterns.Index{Name: n.Name, PartitionKey: *keyOf(n.Keys, 0), SortKey: keyOf(n.Keys, 1), Projection: "ALL", NonKeyAttributes: n.Include}
		if len(n.Include) > 0 {
			made.Projection = "INCLUDE"
		}
		kept := slices.DeleteFunc(slices.Clone(other.Tables[i].Indexes), func(x accesspatterns.Index) bool { return x.Name == n.Name })
		other.Tables[i].Indexes = append(kept, made)
	}
	return &other
}

func keyOf(keys []string, i int) *accesspatterns.Key {
	if i >= len(keys) {
		return nil
	}
	name, number := strings.CutSuffix(keys[i], ":N")
	if number {
		return &accesspatterns.Key{Attribute: name, Type: "N"}
	}
	return &accesspatterns.Key{Attribute: name, Type: "S"}
}

func (s *step) send(ctx context.Context, client *dynamodb.Client, design *accesspatterns.Design) ([]accesspatterns.Item, error) {
	input, err := s.Input(design)
	if err != nil {
		return nil, err
	}
	if get, is := input.(*dynamodb.GetItemInput); is {
		get.ConsistentRead = aws.Bool(true)
	}
	output, err := sdk.Send(ctx, client, input)
	switch out := output.(type) {
	case *dynamodb.GetItemOutput:
		if err == nil && out.Item != nil {
			return []accesspatterns.Item{out.Item}, nil
		}
	case *dynamodb.QueryOutput:
		if err == nil {
			return out.Items, nil
		}
	}
	return nil, err
}

// TestHonestRequestsAreTaken sends each honest request to an engine, on tables that are empty at first. What the guard admits must be a
// request that DynamoDB takes: it may fail because its condition does, or because an expression needs what is not stored, and for no other reason.
func TestHonestRequestsAreTaken(t *testing.T) {
	engine := tables.Engine(t)
	client := target.NewClient(engine, "us-east-1")
	for _, design := range designs.All() {
		all := tabletest.Must(designs.Requests(design.Name))(t)
		tables.Create(t, engine, "us-east-1", "test", design)
		for i := range all {
			a := &all[i]
			if a.Honest == "" || a.Told != "" {
				continue
			}
			_, err := sdk.Send(context.Background(), client, tabletest.Must(a.Input(design))(t))
			assert.True(t, err == nil || isState(err), "%s: %s (%s): %v", design.Name, a.Honest, a.Cite, err)
		}
	}
}

// isState reports whether an error comes of what is stored, and not of the form of a request.
func isState(err error) bool {
	for _, reason := range []string{"ConditionalCheckFailed", "TransactionCanceledException", "document path provided in the update expression is invalid", "attribute that does not exist in the item"} {
		if strings.Contains(err.Error(), reason) {
			return true
		}
	}
	return false
}
