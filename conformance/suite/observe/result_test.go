package observe

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/batch"
	"dynaproof/conformance/internal/flow"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/suite/failures"
	"dynaproof/conformance/suite/session"
)

// A waiver whose last day is over covers nothing.
func TestAnExpiredWaiverFails(t *testing.T) {
	now := time.Now().UTC()
	for until, want := range map[string]evidence.Verdict{
		"": evidence.Waived, now.Format(time.DateOnly): evidence.Waived, now.AddDate(0, 0, 1).Format(time.DateOnly): evidence.Waived,
		now.AddDate(0, 0, -2).Format(time.DateOnly): evidence.Fail,
	} {
		design := &accesspatterns.Design{Name: "d", Waivers: []accesspatterns.Waiver{{ID: "w", Owner: "the admins", Until: until}}}
		o := Observation{Claim: manifest.Claim{ID: "d/pattern/p", Waiver: "w"}, Session: &session.Session{Input: session.Input{Design: design}}, Count: 1}
		result := o.Result()
		assert.Equal(t, want, result.Verdict, "until %q", until)
		assert.True(t, want != evidence.Fail || len(result.Problems) == 1 && result.Problems[0].Found == "one of the admins that expired after "+until,
			"expected the owner and the last day, found %+v", result.Problems)
	}
}

// A claim that nothing was observed for never passes, and a weaker witness
// never looks like a stronger one.
func TestResult(t *testing.T) {
	claim := manifest.Claim{ID: "d/x", Title: "x", Cite: "d.md:1"}
	for _, row := range tabletest.Read[[]struct {
		Name, Waiver    string
		Kind            manifest.Kind
		Count, Problems int
		Instead         evidence.Verdict
		Finding         *struct{ Static string }
		Want            evidence.Verdict
	}](t, "results.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			o := Observation{Claim: claim, Count: row.Count, Instead: row.Instead, Problems: make([]evidence.Problem, row.Problems)}
			o.Claim.Waiver, o.Claim.Kind = row.Waiver, row.Kind
			if row.Finding != nil {
				o.Report.Finding = &evidence.Finding{Static: row.Finding.Static}
			}
			assert.Equal(t, row.Want, o.Result().Verdict)
		})
	}
	o := Observation{Claim: claim, Count: 1, Rested: []evidence.Grade{evidence.Engine, evidence.Emulated}}
	assert.Equal(t, evidence.Emulated, o.Result().Grade, "expected the weaker grade")
}

// A batch of which a part is never done says that the table is throttled, and decides nothing.
func TestAnUnprocessedBatchDecidesNothing(t *testing.T) {
	o := Observation{}
	o.Request("a batch", fmt.Errorf("2 for table t of a batch %w after 50 attempts", batch.ErrUnprocessed))
	assert.Equal(t, evidence.Indeterminate, o.Result().Verdict)
}

// A pass of a pattern that asks for something else than the text says must say so.
func TestDepartures(t *testing.T) {
	design := &accesspatterns.Design{Name: "d", Findings: []accesspatterns.Finding{
		{ID: "scan", Claims: []string{"pattern/list", "pattern/get"}, Departs: []string{"pattern/list"}},
		{ID: "order", Claims: []string{"pattern/list"}, Departs: []string{"pattern/list"}},
	}}
	s := &session.Session{Input: session.Input{Design: design}}
	for id, want := range map[string][]string{"d/pattern/list": {"d/finding/scan", "d/finding/order"}, "d/pattern/get": nil} {
		o := Observation{Claim: manifest.Claim{ID: id, Kind: manifest.KindPattern}, Session: s, Count: 1}
		result := o.Result()
		assert.Equal(t, want, result.Departs, id)
		assert.Equal(t, evidence.Pass, result.Verdict, id)
	}
}

// sources parses this package without its tests.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	set := token.NewFileSet()
	all, err := parser.ParseDir(set, ".", func(file fs.FileInfo) bool { return !strings.HasSuffix(file.Name(), "_test.go") }, 0) //nolint:staticcheck // one folder, no build tags
	require.NoError(t, err)
	return all["observe"].Files
}

// Every claim without a decision has a sentence that says what to do.
func TestEveryFailureSaysWhatToDo(t *testing.T) {
	files := sources(t)
	for failure := failures.Unanswered; failure <= failures.Withheld; failure++ {
		if failure != failures.Refused { // which is a problem of its own
			sentence(t, "a request's failure", unansweredRequests[failure])
		}
	}
	for _, verdict := range evidence.Verdicts() {
		if !verdict.Held() && verdict != evidence.Fail {
			sentence(t, string(verdict), undecidedClaims[verdict])
		}
	}
	for name, of := range constants(files, "declared") {
		sentence(t, name, unanswerable[of])
	}
}

// What to do about a request that no engine was asked does not send anybody to the engine.
func TestNoEngineIsBlamedForWhatItWasNotAsked(t *testing.T) {
	client := dynamodb.New(dynamodb.Options{Region: "us-east-1", Credentials: aws.AnonymousCredentials{}, RetryMaxAttempts: 1, BaseEndpoint: aws.String("http://127.0.0.1:1"), APIOptions: []func(*middleware.Stack) error{safewrite.Within("own")}})
	key := accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: "a"}}
	get := func(table string) error {
		_, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &table, Key: key})
		return err
	}
	for name, row := range map[string]struct {
		err  error
		kind failures.Kind
	}{
		"a table of others": {get("other"), failures.Local}, "no answer": {get("own"), failures.Broken},
		"no request": {errors.New("no value for parameter {id}"), failures.Local},
	} {
		o := Observation{Session: &session.Session{}}
		o.Request(name, row.err)
		assert.Equal(t, evidence.Error, o.Instead, "%s: %v", name, row.err)
		assert.Equal(t, unansweredRequests[row.kind], o.unanswered, "%s: %v", name, row.err)
	}
}

// constants are the texts of the constants whose names begin so, exported or not.
func constants(files map[string]*ast.File, prefix string) map[string]string {
	found := map[string]string{}
	for _, file := range files {
		for name, object := range file.Scope.Objects {
			spec, is := object.Decl.(*ast.ValueSpec)
			if object.Kind != ast.Con || !is || !strings.HasPrefix(strings.ToLower(name), prefix) {
				continue
			}
			if text, literal := spec.Values[0].(*ast.BasicLit); literal {
				found[name] = strings.Trim(text.Value, `"`)
			}
		}
	}
	return found
}

// sentence fails what is no sentence.
func sentence(t *testing.T, of, text string) {
	t.Helper()
	assert.True(t, len(text) >= 20 && unicode.IsUpper(rune(text[0])) && strings.HasSuffix(text, "."), "%s: expected a sentence that says what to do, found %q", of, text)
}

func item(id string) accesspatterns.Item {
	return accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: id}}
}

// ours is what every index here must show in the end.
var ours = []session.ExpectedItem{{Name: "ours", Item: item("ours")}}

// patient is a session that waits so long for an index.
func patient(bound time.Duration) *session.Session {
	return &session.Session{Input: session.Input{Bounds: session.Bounds{IndexRead: bound, Poll: time.Millisecond}}}
}

func answer(items ...accesspatterns.Item) *session.Answer {
	return &session.Answer{Answer: flow.Answer{Items: items}, Invocations: []string{"x"}}
}

// An index may lag behind its table in every way: it is looked at again, whatever
// the first look showed, and the last look is judged.
func TestAnIndexMayLagBehind(t *testing.T) {
	for name, first := range map[string][]accesspatterns.Item{
		"the item is not there yet":               nil,
		"another one in its place, under a limit": {item("next")},
		"what was deleted is still there":         {item("ours"), item("deleted")},
	} {
		looks := 0
		got, err := patient(time.Minute).Awaited(t.Context(), ours, func() (*session.Answer, error) {
			if looks++; looks < 3 {
				return answer(first...), nil
			}
			return answer(item("ours")), nil
		})
		assert.True(t, err == nil && looks == 2+session.LooksOnEnd && len(got.Items) == 1 && len(session.Compare(ours, got.Items, true).Unexpected) == 0,
			"%s: expected our item from the third look on, found %v at look %d, %v", name, got, looks, err)
	}
}

// A measurement has items of others among its own, and waits for none of them to go.
func TestAMeasurementHasOthersAmongItsOwn(t *testing.T) {
	looks := 0
	got, err := patient(time.Minute).AwaitedAmong(t.Context(), ours, func() (*session.Answer, error) {
		if looks++; looks < 3 {
			return answer(), nil
		}
		return answer(item("other")), nil
	})
	assert.True(t, err == nil && looks == 3 && len(got.Items) == 1, "expected what came at the third look, found %v at look %d, %v", got, looks, err)
}

// What stays wrong is returned when the time is over, and a request that fails ends
// the wait.
func TestAnIndexThatStaysWrong(t *testing.T) {
	s := patient(20 * time.Millisecond)
	got, err := s.Awaited(t.Context(), nil, func() (*session.Answer, error) { return answer(item("decoy")), nil })
	assert.True(t, err == nil && len(got.Items) == 1, "expected the last answer for the caller to judge, found %v, %v", got, err)
	looks, refused := 0, errors.New("refused")
	_, err = s.Awaited(t.Context(), nil, func() (*session.Answer, error) { looks++; return nil, refused })
	assert.True(t, errors.Is(err, refused) && looks == 1, "expected one look and its error, found %d looks and %v", looks, err)
}

// One look may take all of the time, on a machine that is busy: what it lacks is looked for again.
func TestALookThatTakesAllOfTheTime(t *testing.T) {
	looks := 0
	got, err := patient(0).Awaited(t.Context(), ours, func() (*session.Answer, error) {
		if looks++; looks == 1 {
			return answer(), nil
		}
		return answer(item("ours")), nil
	})
	assert.True(t, err == nil && len(got.Items) == 1, "expected our item from the second look on, found %v after %d, %v", got, looks, err)
}

// What must not be there may come late: the answer has to be right in several looks
// on end, and one that stays wrong until the bound is judged. The clock is the bubble's own: the bound is not over after a few slow looks.
func TestAnIndexMayShowLateWhatMustNotBeThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		got, err := patient(20*time.Millisecond).Awaited(t.Context(), ours, func() (*session.Answer, error) {
			if looks++; looks >= session.LooksOnEnd {
				return answer(item("ours"), item("extra")), nil
			}
			return answer(item("ours")), nil
		})
		assert.True(t, err == nil && len(got.Items) == 2 && looks > session.LooksOnEnd && len(got.All()) == looks,
			"expected the extra item after %d looks and more, each kept, found %v after %d, %v", session.LooksOnEnd, got, looks, err)
	})
}

// An interrupt while an index is awaited decides nothing.
func TestAnInterruptedWaitDecidesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := &session.Session{Input: session.Input{Bounds: session.Bounds{IndexRead: time.Hour, Poll: time.Hour}}}
	_, err := s.Awaited(ctx, ours, func() (*session.Answer, error) {
		cancel()
		return &session.Answer{}, nil
	})
	o := &Observation{Session: s}
	o.Request("index", err)
	assert.Equal(t, evidence.Indeterminate, o.Result().Verdict, "after %v", err)
}
