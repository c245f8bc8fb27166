package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns/cliinput"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/explore"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/evidence"
)

// kinds says what decides claims beside what they send about items.
var kinds = map[manifest.Kind]func(*explainer) error{
	manifest.KindSchema:    (*explainer).schema,
	manifest.KindIndex:     (*explainer).schema,
	manifest.KindEntity:    (*explainer).refused,
	manifest.KindRule:      (*explainer).refused,
	manifest.KindInvariant: (*explainer).invariant,
	manifest.KindPolicy:    (*explainer).policy,
}

// kind adds what is particular to the claim's kind.
func (e *explainer) kind() error {
	e.out.Facts = append(e.out.Facts, manifest.Says(e.Design, e.claim, e.options.Environment)...)
	if claim := strings.TrimPrefix(e.claim.ID, e.Design.Name+"/"); slices.Contains(explore.Claims(e.Design), claim) {
		if err := e.explored(claim); err != nil {
			return err
		}
	}
	if explain := kinds[e.claim.Kind]; explain != nil {
		if err := explain(e); err != nil {
			return err
		}
	}
	return e.planned()
}

// ask adds a request to the explanation.
func (e *explainer) ask(input any, request Request) error {
	text, err := sdk.Body(input)
	if err != nil {
		return err
	}
	request.Operation, request.Input = sdk.Operation(input), text
	words := []string{"--cli-input-json", string(text)}
	if request.onePage {
		words = slices.Insert(words, 0, "--no-paginate")
	}
	request.Command = cliinput.CommandLine(request.Operation, e.region(text), words...)
	e.named = append(e.named, request.Expect...)
	e.out.Requests = append(e.out.Requests, request)
	return nil
}

// region is the one that the document fixes for a table that the request names, or for any where it names none, or else the chosen one.
func (e *explainer) region(request json.RawMessage) string {
	for _, table := range e.Design.Tables {
		if table.Region != nil && (string(request) == "{}" || strings.Contains(string(request), `"`+e.Deployment.Tables[table.ID]+`"`)) {
			return table.Region.Region
		}
	}
	return e.options.Region
}

func (e *explainer) schema() error {
	if e.claim.Aspect == "" {
		return e.ask(&dynamodb.ListTablesInput{}, Request{Where: "all tables", Outcome: "the expected tables, and no other of the design"})
	}
	name, err := e.TableName(e.claim.Subject)
	if err != nil {
		return err
	}
	request := Request{Where: "table " + e.claim.Subject, Outcome: e.out.Facts[len(e.out.Facts)-1].Text}
	switch {
	case e.claim.Kind == manifest.KindIndex:
	case e.claim.Aspect == manifest.AspectTTL:
		return e.ask(&dynamodb.DescribeTimeToLiveInput{TableName: &name}, request)
	case e.claim.Aspect == manifest.AspectPITR:
		return e.ask(&dynamodb.DescribeContinuousBackupsInput{TableName: &name}, request)
	case e.claim.Aspect == manifest.AspectTags:
		return e.byARN(name, "ListTagsOfResource", request)
	}
	return e.ask(&dynamodb.DescribeTableInput{TableName: &name}, request)
}

// byARN adds a request that needs the table's ARN, which the account is part of: only the deployment knows it.
func (e *explainer) byARN(name, operation string, request Request) error {
	if err := e.ask(&dynamodb.DescribeTableInput{TableName: &name}, Request{Where: request.Where, Outcome: "the table's ARN"}); err != nil {
		return err
	}
	request.Operation = operation
	request.Command = cliinput.CommandLine(operation, e.region(e.out.Requests[0].Input)) + ` --resource-arn "$(` + e.out.Requests[0].Command + ` --query Table.TableArn --output text)"`
	e.out.Requests = append(e.out.Requests, request)
	return nil
}

// policy asks for the policy that is attached to a table; the policies of roles are evaluated as the stack's outputs have them.
func (e *explainer) policy() error {
	if aspect, _, _ := strings.Cut(e.claim.Aspect, "/"); aspect != manifest.PolicyNoScan {
		return nil
	}
	name, err := e.TableName(e.claim.Subject)
	if err != nil {
		return err
	}
	return e.byARN(name, "GetResourcePolicy", Request{Where: "table " + e.claim.Subject, Outcome: "the policy of the stack's outputs"})
}

// refused names the items that an entity, or one of its rules, must refuse.
func (e *explainer) refused() error {
	entity, _ := e.Design.Entity(e.claim.Subject)
	refused := e.Fixtures.InvalidFor(entity, e.claim.Aspect)
	generated := 0
	for _, invalid := range refused {
		if invalid.Generated != "" {
			generated++
			continue
		}
		e.fact("refused "+invalid.Name, "%s", invalid.Why)
	}
	if generated > 0 {
		e.fact("refused, generated from the contract", "%d items without a required attribute or with one of another type", generated)
	}
	return nil
}

func (e *explainer) invariant() error {
	invariant, _ := e.Design.Invariant(e.claim.Subject)
	for i, stress := range e.Fixtures.StressOf(invariant.ID) {
		where := fmt.Sprintf("attempt %d", i+1)
		if race := stress.Race; race != nil {
			e.fact(where, "%d runs from %d clients at once: %s", race.Runs(), race.Clients, stress.Why)
			if race.AllRead {
				e.fact(where+" begins to write", "when every run has read, so that all rest on the same state")
			}
			for _, contender := range race.Contenders {
				if contender.Ahead {
					e.fact(where+" writes first by", "%s", cmp.Or(contender.Pattern, invariant.Flow))
				}
			}
			if race.Succeed != nil {
				e.fact(where+" lets through", "%d", *race.Succeed)
			}
			e.fact(where+" refuses the others with", "%s", strings.Join(race.Refusals, ", "))
			e.fact(where+" ends others without a write at", "%s", strings.Join(race.Stops, ", "))
		} else {
			e.fact(where, "the client dies after each of its requests and begins again: %s", stress.Why)
		}
		e.fact(where+" leaves", "%s", strings.Join(stress.Present, ", "))
		e.fact(where+" leaves no", "%s", strings.Join(stress.Absent, ", "))
		for _, states := range stress.OneOf {
			e.fact(where+" leaves one of", "%s", strings.Join(states, ", "))
			e.named = append(e.named, states...)
		}
		for _, number := range stress.Numbers {
			e.fact(where+" counts", "%s of %s: %d, and %d for each run that succeeded", number.Attribute, number.Item, number.Start, number.Step)
		}
		for _, read := range stress.Reads {
			e.fact(where+" shows in "+read.Pattern, "%s", orNothing(read.Expect))
		}
		e.named = append(e.named, slices.Concat(stress.Present, stress.Absent)...)
	}
	return nil
}

// explored explores the claim, and says how far that went. Where this executable, which holds the contract, has explored it in the last run,
// the notes of that run say it.
func (e *explainer) explored(claim string) error {
	if e.out.Last != nil && designs.Shipped() && slices.ContainsFunc(e.out.Last.Result.Notes, func(note string) bool { return strings.HasPrefix(note, explore.Begins) }) {
		if digest, err := evidence.ExecutableDigest(); err == nil && e.modules[evidence.Executable] == digest {
			e.fact("exploration", "by the same executable in the last run, whose notes say how far it went")
			return nil
		}
	}
	law, err := explore.One(e.Design, explore.BasesOf(e.Design, e.Fixtures.Explored()), explore.Usual, claim)
	if err != nil {
		return err
	}
	for _, line := range law.Evidence() {
		e.fact("exploration", "%s", line)
	}
	return nil
}
