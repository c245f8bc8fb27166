package policies

import (
	"cmp"
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/iam/types"
	diff "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/internal/access"
	"dynaproof/conformance/internal/policy"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/session"
)

const notesARN = "arn:aws:dynamodb:eu-west-1:111122223333:table/own-notes"

// notesSession has one table with an index, under a name of its own.
func notesSession() *session.Session {
	return &session.Session{Input: session.Input{
		Design: &accesspatterns.Design{
			Tables: []accesspatterns.Table{{
				ID: "notes", PartitionKey: accesspatterns.Key{Attribute: "PK", Type: dynamo.String}, SortKey: &accesspatterns.Key{Attribute: "SK", Type: dynamo.String},
				Indexes: []accesspatterns.Index{{Name: "byStars", PartitionKey: accesspatterns.Key{Attribute: "stars", Type: dynamo.Number}}},
			}},
			Entities: []accesspatterns.Entity{
				{ID: "profile", Table: "notes", Keys: []accesspatterns.KeyAttribute{{Attribute: "PK", Template: "{any}"}}},
				{ID: "note", Table: "notes", Keys: []accesspatterns.KeyAttribute{{Attribute: "PK", Template: "USER#{userId}"}}},
			},
		},
		Deployment: session.Deployment{Tables: map[string]string{"notes": "own-notes"}, TableARNs: map[string]string{"notes": notesARN}},
	}}
}

func TestAuthorisations(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name    string
		Request map[string]any
		Want    []policy.Request // none where it cannot be told; the resource is behind the table's
	}](t, "authorised.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			parts, err := authoriser{notesSession()}.authorisationsOf(tabletest.Must(designtest.Input(row.Request))(t))
			if row.Want == nil {
				assert.True(t, err != nil && !strings.Contains(err.Error(), "nil"), "expected an error that says why, found %v", err)
				return
			}
			require.NoError(t, err)
			var got []policy.Request
			for _, each := range parts {
				each.Resource = strings.TrimPrefix(each.Resource, notesARN)
				got = append(got, each.Request)
			}
			assert.Empty(t, diff.Diff(row.Want, got), "requests as IAM sees them (-want +got)")
		})
	}
}

// tried is a request as IAM sees it, of user 1 unless it is untagged.
type tried struct {
	Action, Select, Returns  string
	Keys, Names              []string
	Fixed, Everybody, Narrow bool
	Untagged                 bool
}

func (r tried) authorisation() authorisation {
	of := policy.Context{leadingKeys: r.Keys, selectKey: {cmp.Or(r.Select, "ALL_ATTRIBUTES")}}
	if r.Names != nil {
		of[attributesKey], of[selectKey] = r.Names, []string{specific}
	}
	if r.Returns != "" {
		of[returnKey] = []string{r.Returns}
	}
	if !r.Untagged {
		of[userTagPrefix+"userId"] = []string{"1"}
	}
	return authorisation{table: "notes", Request: policy.Request{Action: "dynamodb:" + r.Action, Context: of}}
}

// What a role's own requests may need is allowed to be open, and everything else must be denied.
func TestBeyond(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name       string
		Own, Tried tried
		Confined   bool
		Other      bool // the own request is one of another role
		Want       string
	}](t, "beyond.yaml") {
		p := &principal{o: &policyCheck{Observation: &observe.Observation{Session: notesSession()}}, role: &accesspatterns.Role{}, forms: map[[3]string]string{}, kinds: map[[3]string][]*ownRequest{}}
		if row.Confined {
			p.role.Confined = &accesspatterns.Confinement{Tag: "userId", Partitions: []accesspatterns.KeyTemplate{"USER#{userId}"}}
		}
		if !row.Other {
			p.learn(ownRequest{authorisation: row.Own.authorisation(), fixed: row.Own.Fixed, everybody: row.Own.Everybody, narrow: row.Own.Narrow})
		}
		got := p.beyond(row.Tried.authorisation())
		assert.True(t, got == row.Want || row.Want != "" && strings.Contains(got, row.Want), "%s: expected %q, found %q", row.Name, row.Want, got)
	}
}

// What several cases ask about one request, IAM's simulator decides for all of them.
func TestTheSimulatorDecidesForAllThatAsk(t *testing.T) {
	request := policy.Request{Action: "dynamodb:GetItem", Resource: notesARN}
	s := notesSession()
	s.Simulator = func(context.Context, access.Simulation) (map[[2]string]types.PolicyEvaluationDecisionType, error) {
		return map[[2]string]types.PolicyEvaluationDecisionType{{request.Action, request.Resource}: types.PolicyEvaluationDecisionTypeAllowed}, nil
	}
	o := &policyCheck{Observation: &observe.Observation{Session: s}}
	for _, where := range []string{"a case", "another"} {
		o.demands(demand{where, "to be allowed", policy.Allowed, policy.Outcome{Decision: policy.Undecided}}, "{}", "", request)
	}
	o.simulate(t.Context())
	o.undecidedPolicies()
	assert.Empty(t, o.Instead, o.Reason)
}
