package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"al.essio.dev/pkg/shellescape"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/explore"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/evidence"
	"dynaproof/fixtures"
)

// kinds says which requests decide claims; those of other kinds are decided by their trials in the fixtures, if any.
var kinds = map[manifest.Kind]func(*explainer) error{
	manifest.KindSchema:      (*explainer).schema,
	manifest.KindIndex:       (*explainer).index,
	manifest.KindExample:     (*explainer).example,
	manifest.KindEntity:      (*explainer).entity,
	manifest.KindAttribute:   (*explainer).entity,
	manifest.KindRule:        (*explainer).entity,
	manifest.KindPattern:     (*explainer).pattern,
	manifest.KindConfinement: (*explainer).explored,
	manifest.KindValidity:    (*explainer).explored,
	manifest.KindGuardrail:   (*explainer).guardrail,
	manifest.KindInvariant:   (*explainer).invariant,
	manifest.KindPolicy:      (*explainer).policy,
}

// kind adds what is particular to the claim's kind.
func (e *explainer) kind() error {
	e.out.Facts = append(e.out.Facts, manifest.Says(e.design, e.claim, e.options.Environment)...)
	if explain := kinds[e.claim.Kind]; explain != nil {
		return explain(e)
	}
	return e.tried()
}

// tried explains a claim by the trials of it in the fixtures.
func (e *explainer) tried() error { return e.trials(strings.TrimPrefix(e.claim.ID, e.design.Name+"/")) }

// ask adds a request to the explanation.
func (e *explainer) ask(input any, tables []string, request Request) error {
	text, err := sdk.Body(input)
	if err != nil {
		return err
	}
	request.Operation, request.Input = sdk.Operation(input), text
	request.Command = command(input, text, e.region(tables), request.onePage)
	e.named = append(e.named, request.Expect...)
	e.out.Requests = append(e.out.Requests, request)
	return nil
}

// region is the one that the document fixes for the tables, or else the chosen
// one.
func (e *explainer) region(tables []string) string {
	for _, id := range tables {
		if table, known := e.design.Table(id); known && table.Region != nil {
			return table.Region.Region
		}
	}
	return e.options.Region
}

func (e *explainer) schema() error {
	if e.claim.Aspect == "" {
		return e.ask(&dynamodb.ListTablesInput{}, []string{e.design.Tables[0].ID}, Request{Where: "all tables", Outcome: "the expected tables, and no other of the design"})
	}
	table, name, err := e.table(e.claim.Subject)
	if err != nil {
		return err
	}
	tables := []string{table.ID}
	where := Request{Where: "table " + table.ID, Outcome: e.out.Facts[len(e.out.Facts)-1].Text}
	switch e.claim.Aspect {
	case manifest.AspectTTL:
		return e.ask(&dynamodb.DescribeTimeToLiveInput{TableName: aws.String(name)}, tables, where)
	case manifest.AspectPITR:
		return e.ask(&dynamodb.DescribeContinuousBackupsInput{TableName: aws.String(name)}, tables, where)
	case manifest.AspectTags:
		return e.tags(name, tables, where)
	}
	return e.ask(&dynamodb.DescribeTableInput{TableName: aws.String(name)}, tables, where)
}

// tags needs the table's ARN, which the account is part of: only the deployment
// knows it.
func (e *explainer) tags(name string, tables []string, where Request) error {
	if err := e.ask(&dynamodb.DescribeTableInput{TableName: aws.String(name)}, tables, Request{Where: where.Where, Outcome: "the table's ARN"}); err != nil {
		return err
	}
	e.byARN("ListTagsOfResource", "list-tags-of-resource", tables, where)
	return nil
}

// byARN adds a request that needs the ARN of the table which the first request
// describes.
func (e *explainer) byARN(operation, command string, tables []string, request Request) {
	region := ""
	if fixed := e.region(tables); fixed != "" {
		region = " --region " + fixed
	}
	request.Operation = operation
	request.Command = "aws dynamodb " + command + region + ` --resource-arn "$(` + e.out.Requests[0].Command + ` --query Table.TableArn --output text)"`
	e.out.Requests = append(e.out.Requests, request)
}

func (e *explainer) index() error {
	table, name, err := e.table(e.claim.Subject)
	if err != nil {
		return err
	}
	return e.ask(&dynamodb.DescribeTableInput{TableName: aws.String(name)}, []string{table.ID}, Request{Where: "table " + table.ID, Outcome: e.out.Facts[len(e.out.Facts)-1].Text})
}

func (e *explainer) example() error {
	item, known := e.set.Item(e.claim.Subject)
	if !known {
		return fmt.Errorf("the fixtures have no item %q", e.claim.Subject)
	}
	table, name, err := e.tableOf(item)
	if err != nil {
		return err
	}
	put := &dynamodb.PutItemInput{TableName: aws.String(name), Item: item.Item}
	if err := e.ask(put, []string{table.ID}, Request{Where: "item " + item.Name, Outcome: "success"}); err != nil {
		return err
	}
	return e.get(item, "every attribute as it was put")
}

// get adds the consistent read of a stored item.
func (e *explainer) get(item *fixtures.Item, outcome string) error {
	table, name, err := e.tableOf(item)
	if err != nil {
		return err
	}
	input := &dynamodb.GetItemInput{TableName: aws.String(name), Key: table.KeyOf(accesspatterns.Item(item.Item)), ConsistentRead: aws.Bool(true)}
	return e.ask(input, []string{table.ID}, Request{Where: "item " + item.Name, Expect: []string{item.Name}, Outcome: outcome})
}

func (e *explainer) tableOf(item *fixtures.Item) (*accesspatterns.Table, string, error) {
	table, err := e.set.TableOf(e.design, item)
	if err != nil {
		return nil, "", err
	}
	return e.table(table.ID)
}

// entity explains claims about an entity, an attribute or a rule: they are decided
// by every stored item, and by items that must be refused.
func (e *explainer) entity() error {
	entity, known := e.design.Entity(e.claim.Subject)
	if !known {
		return fmt.Errorf("the contract has no entity %q", e.claim.Subject)
	}
	refused := func(invalid fixtures.Invalid) bool { return false }
	switch e.claim.Kind {
	case manifest.KindEntity:
		refused = func(invalid fixtures.Invalid) bool {
			_, rule := entity.Rule(invalid.Violates)
			return !rule
		}
	case manifest.KindRule:
		refused = func(invalid fixtures.Invalid) bool { return invalid.Violates == e.claim.Aspect }
	}
	generated := 0
	for _, invalid := range e.set.InvalidOf(entity) {
		switch {
		case !refused(invalid):
		case invalid.Generated != "":
			generated++
		default:
			e.fact("refused "+invalid.Name, "%s", invalid.Why)
		}
	}
	if generated > 0 {
		e.fact("refused, generated from the contract", "%d items without a required attribute or with one of another type", generated)
	}
	for i := range e.set.Items {
		if item := &e.set.Items[i]; item.Entity == entity.ID && !item.Held {
			if err := e.get(item, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *explainer) invariant() error {
	invariant, known := e.design.Invariant(e.claim.Subject)
	if !known {
		return fmt.Errorf("the contract has no invariant %q", e.claim.Subject)
	}
	if invariant.Law != nil {
		if err := e.explored(); err != nil {
			return err
		}
	}
	for i, stress := range e.set.StressOf(invariant.ID) {
		where := fmt.Sprintf("attempt %d", i+1)
		if race := stress.Race; race != nil {
			runs := 0
			for _, contender := range race.Contenders {
				runs += contender.Times
			}
			e.fact(where, "%d runs from %d clients at once: %s", runs, race.Clients, stress.Why)
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

func (e *explainer) guardrail() error {
	if guardrail, known := e.design.Guardrail(e.claim.Subject); known && guardrail.Law != nil {
		if err := e.explored(); err != nil {
			return err
		}
	}
	return e.tried()
}

// explored explores the claim, and says how far that went. Where this executable, which holds the contract, has explored it in the last run,
// the notes of that run say it.
func (e *explainer) explored() error {
	if e.out.Last != nil && designs.Shipped() && slices.ContainsFunc(e.out.Last.Result.Notes, func(note string) bool { return strings.HasPrefix(note, explore.Begins) }) {
		if digest, err := evidence.ExecutableDigest(); err == nil && e.modules[evidence.Executable] == "sha256:"+digest {
			e.fact("exploration", "by the same executable in the last run, whose notes say how far it went")
			return nil
		}
	}
	law, err := explore.One(e.design, e.set.Explored(), explore.Usual, strings.TrimPrefix(e.claim.ID, e.design.Name+"/"))
	if err != nil {
		return err
	}
	for _, line := range law.Evidence() {
		e.fact("exploration", "%s", line)
	}
	return nil
}

// command writes a request as a line for a POSIX shell. Endpoint and credentials
// come from the environment, as `dynaproof serve` prints it; the region too, unless
// the document fixes it.
func command(input any, text json.RawMessage, region string, onePage bool) string {
	words := []string{"aws", "dynamodb", sdk.CLIName(sdk.Operation(input))}
	if region != "" {
		words = append(words, "--region", region)
	}
	if onePage {
		words = append(words, "--no-paginate")
	}
	return shellescape.QuoteCommand(append(words, "--cli-input-json", string(text)))
}

// limited reports whether a Query or Scan names a Limit.
func limited(input any) bool {
	switch input := input.(type) {
	case *dynamodb.QueryInput:
		return input.Limit != nil
	case *dynamodb.ScanInput:
		return input.Limit != nil
	}
	return false
}
