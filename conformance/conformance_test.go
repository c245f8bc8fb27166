// Package conformance_test runs the specs of dynaproof/conformance/suite under
// `go test` and `ginkgo`. They are the ones that `dynaproof verify` runs.
//
//	go test ./conformance -designs ''
//	go test ./conformance -designs fus-main -ginkgo.label-filter 'kind:pattern'
package conformance_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	terratest "github.com/gruntwork-io/terratest/modules/aws"
	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/explore"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/explain"
	"dynaproof/conformance/internal/replay"
	_ "dynaproof/conformance/internal/test/command" // it deploys the designs
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/report"
	"dynaproof/conformance/suite/session"
)

var (
	update = flag.Bool("update", false, "write the verdicts of the run anew in testdata/verdicts.txt")
	// The claims of two designs are of every kind, and have every verdict.
	replayed = flag.String("designs", "roll-model,osem-ladders", "replay these designs alone; all where it is empty")
	stored   = flag.String("evidence", "", "hold the evidence of this file to what a run must show, and replay nothing")
)

// Two designs are replayed. `make verdicts` holds the evidence that `make verify` leaves, of all five, to the same list and the same laws.
func TestConformance(t *testing.T) {
	documents := cmp.Or(os.Getenv("DYNAPROOF_DOCUMENTS"), "../../shared/designs")
	if *stored != "" {
		seen, err := evidence.Read(*stored)
		require.NoError(t, err)
		assert.Len(t, seen.Designs, len(designs.Names()))
		holds(t, documents, seen)
		return
	}
	described := &byTerratest{T: ginkgo.GinkgoT(), tables: map[string]bool{}}
	options := replay.Options{Documents: documents, Describer: described}
	if *replayed != "" {
		options.Designs = strings.Split(*replayed, ",")
	}
	run, err := replay.Start(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, run.Close(context.Background()))
	})
	gomega.RegisterFailHandler(ginkgo.Fail)
	var planned, order []string
	for _, design := range run.Designs() {
		planned = append(planned, design.Name)
	}
	describe(run.Plan(func(result evidence.Result) {
		if len(order) == 0 || order[len(order)-1] != result.Design {
			order = append(order, result.Design)
		}
	}))
	ginkgo.RunSpecs(t, "dynaproof")
	if chosen, _ := ginkgo.GinkgoConfiguration(); chosen.LabelFilter != "" {
		return // what holds of all claims does not hold of a few
	}
	// Designs are replayed in the order of the plan.
	assert.True(t, slices.Equal(planned, order), "expected the designs to be replayed in the order %v, found %v", planned, order)
	seen := run.Evidence(false)
	described.all(t, seen)
	holds(t, documents, seen)
}

// holds checks what a run of all claims of its designs must show.
func holds(t *testing.T, documents string, seen *evidence.Run) {
	t.Helper()
	estimated(t, seen)
	explainedAsSent(t, seen)
	exploredFar(t, seen)
	frozen(t, documents, seen)
	committed, err := designs.Manifest()
	require.NoError(t, err)
	var page strings.Builder
	require.NoError(t, report.HTML(&page, seen, report.DocumentsIn(documents, seen)))
	t.Logf("a page of %d bytes for %d claims and %d requests", page.Len(), len(seen.Results()), len(seen.Ledger))
	if most := 1_730 * len(committed); page.Len() >= most { // bytes, as many for each claim of a whole run
		t.Errorf("the page of a run: expected less than %d bytes, found %d; show fewer requests", most, page.Len())
	}
}

// byTerratest reads by terratest how tables are set up, where `dynaproof verify` reads by the SDK: the verdicts are the same by both.
type byTerratest struct {
	T      ginkgo.FullGinkgoTInterface
	tables map[string]bool
}

var _ session.Describer = &byTerratest{}

// Table implements [session.Describer].
func (b *byTerratest) Table(ctx context.Context, client *dynamodb.Client, name string) (*types.TableDescription, error) {
	b.tables[name] = true
	return terratest.GetDynamoDBTableWithClientContextE(b.T, ctx, client, name)
}

// TimeToLive implements [session.Describer].
func (b *byTerratest) TimeToLive(ctx context.Context, client *dynamodb.Client, name string) (*types.TimeToLiveDescription, error) {
	return terratest.GetDynamoDBTableTimeToLiveWithClientContextE(b.T, ctx, client, name)
}

// all checks that every table of the run was read so.
func (b *byTerratest) all(t *testing.T, seen *evidence.Run) {
	t.Helper()
	for _, design := range seen.Designs {
		for id, name := range design.Tables {
			assert.True(t, b.tables[name], "%s: expected terratest to have described table %s", design.Name, id)
		}
	}
}

// frozen compares verdict, grade and basis of every claim with the committed list: a change of the
// product that moves one of them says so in the list. The list holds for the pinned engine and with
// the documents. Of designs that the run leaves out it stays as it is.
func frozen(t *testing.T, documents string, seen *evidence.Run) {
	t.Helper()
	const verdicts = "testdata/verdicts.txt"
	if _, err := os.Stat(documents); err != nil {
		t.Logf("verdicts are not compared with "+verdicts+": the documents are not at hand: %v", err)
		return
	}
	var lines []string
	for _, result := range seen.Results() {
		lines = append(lines, fmt.Sprintf("%s %s %s %s", result.ID, result.Verdict, cmp.Or(string(result.Grade), "-"), cmp.Or(result.Basis, "-")))
	}
	committed, err := os.ReadFile(verdicts)
	require.NoError(t, err)
	for line := range strings.Lines(string(committed)) {
		if name, _, _ := strings.Cut(line, "/"); !slices.ContainsFunc(seen.Designs, func(d evidence.Design) bool { return d.Name == name }) {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	slices.Sort(lines)
	designtest.Frozen(t, verdicts, lines, *update)
}

// exploredFar looks whether no claim holds because nothing moved: each that contracts are explored for tells of requests, of starts, of orders and of
// patterns that keep the claim or break it. That exactly those break it of which the contract says so is its verdict.
func exploredFar(t *testing.T, seen *evidence.Run) {
	t.Helper()
	results := map[string]evidence.Result{}
	for _, result := range seen.Results() {
		results[result.ID] = result
	}
	far := regexp.MustCompile(explore.Begins + `[1-9]\d* requests that the guard admits, (?:each by itself|every order of (\d+) of them).*\nstates: \d+ from [1-9]\d* starts(?s:.*)\npatterns that (?:keep it: [1-9]|do not keep it: )`)
	for _, of := range seen.Designs {
		design, err := designs.Find(of.Name)
		require.NoError(t, err)
		for _, claim := range explore.Claims(design) {
			notes := strings.Join(results[design.Name+"/"+claim].Notes, "\n")
			found := far.FindStringSubmatch(notes)
			depth := explore.Usual.Depth // of a search for each request by itself there is none
			if found != nil && found[1] != "" {
				depth, _ = strconv.Atoi(found[1])
			}
			if found == nil || depth < explore.Usual.Depth {
				t.Errorf("%s/%s: expected a search from some start, to depth %d, with a pattern that keeps the claim or breaks it, found %q", design.Name, claim, explore.Usual.Depth, notes)
			}
		}
	}
}

// estimated compares what a whole run sent for each design with the estimate of it, which
// is an upper bound of the same order of magnitude.
func estimated(t *testing.T, seen *evidence.Run) {
	t.Helper()
	for _, design := range seen.Designs {
		estimate, err := replay.EstimateRun(replay.Options{Designs: []string{design.Name}, Environment: "dev"}, replay.DefaultRegion)
		require.NoError(t, err)
		reads, writes := 0.0, 0.0
		for i := range seen.Ledger {
			entry := &seen.Ledger[i]
			if slices.ContainsFunc(entry.Tables, func(name string) bool { return slices.Contains(slices.Collect(maps.Values(design.Tables)), name) }) {
				read, written := units(t, entry)
				reads, writes = reads+read, writes+written
			}
		}
		t.Logf("%s: %.0f of %.0f reads, %.0f of %.0f writes", design.Name, reads, estimate.ReadUnits, writes, estimate.WriteUnits)
		if reads == 0 || writes == 0 || reads > estimate.ReadUnits || writes > estimate.WriteUnits {
			t.Errorf("%s: expected at most %.0f reads and %.0f writes, and some of both, found %.0f and %.0f", design.Name, estimate.ReadUnits, estimate.WriteUnits, reads, writes)
		}
		const far = 50
		if estimate.ReadUnits > far*reads || estimate.WriteUnits > far*writes {
			t.Errorf("%s: expected an estimate within a factor of %d of %.0f reads and %.0f writes, found %.0f and %.0f", design.Name, far, reads, writes, estimate.ReadUnits, estimate.WriteUnits)
		}
		if estimate.Cost <= 0 || estimate.Cost > 1 {
			t.Errorf("%s: expected a run to cost cents, found %v", design.Name, estimate.Cost)
		}
	}
}

// units are the least units that a request takes: one for a read, one for each item that is
// written, two in a transaction.
func units(t *testing.T, entry *wire.Entry) (reads, writes float64) {
	t.Helper()
	var batch struct {
		RequestItems  map[string]json.RawMessage
		TransactItems []json.RawMessage
	}
	require.NoError(t, json.Unmarshal(entry.Request, &batch))
	switch entry.Operation {
	case "GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems":
		reads = 1
	case "PutItem", "UpdateItem", "DeleteItem":
		writes = 1
	case "TransactWriteItems":
		writes = float64(2 * len(batch.TransactItems))
	case "BatchWriteItem":
		for _, requests := range batch.RequestItems {
			var list []json.RawMessage
			require.NoError(t, json.Unmarshal(requests, &list))
			writes += float64(len(list))
		}
	}
	return reads, writes
}

// Every element of the manifest has a spec, and every spec is in the manifest.
func TestEverySpecIsInTheManifestAndBack(t *testing.T) {
	committed, err := designs.Manifest()
	require.NoError(t, err)
	open := map[string]bool{}
	for _, claim := range committed {
		open[claim.ID] = true
	}
	for _, design := range designs.All() {
		for _, claim := range manifest.InOrder(design) {
			assert.True(t, open[claim.ID], "spec %s is not in the manifest; run `make manifest`", claim.ID)
			delete(open, claim.ID)
		}
	}
	for id := range open {
		t.Errorf("claim %s of the manifest has no spec", id)
	}
}

// explainedAsSent looks whether what is explained is what a run sends: every request of a pattern stands in the
// ledger of that claim, and every step that the run reached is explained. Requests
// that hold relative times are left out, because they differ from call to call.
func explainedAsSent(t *testing.T, seen *evidence.Run) {
	t.Helper()
	bodies := map[int]map[string]any{}
	for _, entry := range seen.Ledger {
		var body map[string]any
		if json.Unmarshal(entry.Request, &body) == nil { // other bodies match nothing
			delete(body, "ClientRequestToken") // each request that is sent has one of its own
			bodies[entry.Seq] = body
		}
	}
	at := time.Date(2026, 2, 19, 12, 0, 0, 0, time.UTC)
	now := explain.New(explain.Options{Environment: "dev", At: at})
	later := explain.New(explain.Options{Environment: "dev", At: at.AddDate(0, 1, 1)})
	compared := 0
	for _, result := range seen.Results() {
		if result.Kind != string(manifest.KindPattern) {
			continue
		}
		if result.Pattern == nil {
			t.Errorf("%s: expected the cases that were replayed in the evidence", result.ID)
			continue
		}
		explained, err := now.Claim(result.ID)
		require.NoError(t, err)
		another, err := later.Claim(result.ID)
		require.NoError(t, err)
		steps := map[string]bool{}
		for i, request := range explained.Requests {
			where, _, _ := strings.Cut(request.Where, " = ")
			steps[strings.Split(where, ", after another client")[0]] = true
			if !bytes.Equal(request.Input, another.Requests[i].Input) {
				continue
			}
			var body map[string]any
			require.NoError(t, json.Unmarshal(request.Input, &body))
			if !slices.ContainsFunc(result.Requests, func(seq int) bool { return reflect.DeepEqual(bodies[seq], body) }) {
				t.Errorf("%s, %s: the run sent no such request: %s", result.ID, request.Where, request.Input)
			}
			compared++
		}
		for _, replayed := range result.Pattern.Cases {
			for _, step := range replayed.Steps {
				where := strings.TrimSpace("case " + replayed.Name)
				explained := steps[where] || slices.ContainsFunc(slices.Collect(maps.Keys(steps)), func(known string) bool {
					named := where + ", step " + step.Name
					repeated := strings.HasPrefix(known, where+", ") && !strings.Contains(known, ", step ") // of a pattern of one step
					return known == named || strings.HasPrefix(known, named+", ") || repeated
				})
				if step.Request != 0 && !explained {
					t.Errorf("%s, %s: the run reached step %s, which is not explained", result.ID, where, step.Name)
				}
			}
		}
	}
	least := 40 * len(seen.Designs)
	assert.GreaterOrEqual(t, compared, least, "expected at least %d requests to compare", least)
}
