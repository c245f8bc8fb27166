package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/fixtures"
)

// kinds says how claims are explained.
var kinds = map[manifest.Kind]func(*explainer) error{
	manifest.KindDocument:  (*explainer).proof,
	manifest.KindSchema:    (*explainer).schema,
	manifest.KindIndex:     (*explainer).index,
	manifest.KindExample:   (*explainer).example,
	manifest.KindEntity:    (*explainer).entity,
	manifest.KindAttribute: (*explainer).entity,
	manifest.KindRule:      (*explainer).entity,
	manifest.KindPattern:   (*explainer).pattern,
	manifest.KindFinding:   (*explainer).finding,
	manifest.KindGuardrail: (*explainer).guardrail,
	manifest.KindInvariant: (*explainer).invariant,
	manifest.KindPolicy:    (*explainer).policy,
	manifest.KindLedger:    (*explainer).ledger,
}

// kind adds what is particular to the claim's kind.
func (e *explainer) kind() error {
	explain, known := kinds[e.claim.Kind]
	if !known {
		return fmt.Errorf("no explanation for claims of kind %q", e.claim.Kind)
	}
	return explain(e)
}

func (e *explainer) proof() error {
	e.fact("proof", "the document's SHA-256 is %s, and the tokens of %d citations stand on the cited lines", e.design.Document.SHA256, len(manifest.Citations(e.design)))
	return nil
}

// ask adds a request to the explanation.
func (e *explainer) ask(input any, tables []string, request Request) error {
	text, err := body(input)
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
		var names []string
		for i := range e.design.Tables {
			name, err := e.tableName(e.design.Tables[i].ID)
			if err != nil {
				return err
			}
			names = append(names, name)
		}
		e.fact("expected", "tables %s", strings.Join(names, ", "))
		return e.ask(&dynamodb.ListTablesInput{}, []string{e.design.Tables[0].ID}, Request{Where: "all tables", Outcome: "the expected tables, and no other of the design"})
	}
	table, name, err := e.table(e.claim.Subject)
	if err != nil {
		return err
	}
	expected := e.aspect(table, name)
	e.fact("expected", "%s", expected)
	tables := []string{table.ID}
	where := Request{Where: "table " + table.ID, Outcome: expected}
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

// aspect says what the document promises of an aspect of a table.
func (e *explainer) aspect(table *accesspatterns.Table, name string) string {
	switch e.claim.Aspect {
	case manifest.AspectExists:
		return "table " + name + ", status ACTIVE"
	case manifest.AspectKey:
		return "primary key " + table.ShowKey()
	case manifest.AspectAttributes:
		var definitions []string
		types := table.AttributeDefinitions()
		for _, attribute := range slices.Sorted(maps.Keys(types)) {
			definitions = append(definitions, attribute+" ("+string(types[attribute])+")")
		}
		return "attribute definitions " + strings.Join(definitions, ", ")
	case manifest.AspectBilling:
		return "billing mode " + string(table.Billing)
	case manifest.AspectIndexes:
		var names []string
		for i := range table.Indexes {
			names = append(names, table.Indexes[i].Name)
		}
		return "secondary indexes " + cmp.Or(strings.Join(names, ", "), "none")
	case manifest.AspectTTL:
		if table.TTL == nil {
			return "time to live off"
		}
		return "time to live on, by attribute " + table.TTL.Attribute
	case manifest.AspectPITR:
		return "point-in-time recovery ENABLED"
	case manifest.AspectRegion:
		return "region " + table.Region.Region
	case manifest.AspectEncryption:
		return "a key that AWS owns or manages"
	case manifest.AspectTags:
		var tags []string
		for _, key := range slices.Sorted(maps.Keys(table.Tags)) {
			tags = append(tags, key+"="+table.Tags[key].In(e.options.Environment))
		}
		return "tags " + cmp.Or(strings.Join(tags, ", "), "none")
	case manifest.AspectStream:
		if table.Stream != nil {
			return strings.TrimSpace("a stream " + table.Stream.View)
		}
		return "no stream"
	case manifest.AspectProtection:
		return "deletion protection"
	case manifest.AspectClass:
		return "table class " + table.Class.Class
	case manifest.AspectExtras:
		return "no vector index and no Kinesis destination; settings of operations are noted"
	}
	return e.claim.Title
}

func (e *explainer) index() error {
	table, name, err := e.table(e.claim.Subject)
	if err != nil {
		return err
	}
	indexName, _, _ := strings.Cut(e.claim.Aspect, "/")
	index, known := table.Index(indexName)
	if !known {
		return fmt.Errorf("the contract has no index %q of %s", indexName, table.ID)
	}
	expected := fmt.Sprintf("index %s, key %s, projection %s", index.Name, index.ShowKey(), index.Projection)
	if len(index.NonKeyAttributes) > 0 {
		expected += " of " + strings.Join(index.NonKeyAttributes, ", ")
	}
	e.fact("expected", "%s", expected)
	return e.ask(&dynamodb.DescribeTableInput{TableName: aws.String(name)}, []string{table.ID}, Request{Where: "table " + table.ID, Outcome: expected})
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
	id, err := e.set.TableOf(e.design, item)
	if err != nil {
		return nil, "", err
	}
	table, name, err := e.table(id)
	if err != nil {
		return nil, "", fmt.Errorf("item %s: %w", item.Name, err)
	}
	return table, name, nil
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
		for _, key := range entity.Keys {
			form := string(key.Template)
			if key.Optional {
				form += ", or absent"
			}
			e.fact("key "+key.Attribute, "%s", form)
		}
		refused = func(invalid fixtures.Invalid) bool {
			return !slices.ContainsFunc(entity.Rules, func(rule accesspatterns.Rule) bool { return rule.ID == invalid.Violates })
		}
	case manifest.KindAttribute:
		attribute, known := entity.Attribute(e.claim.Aspect)
		if !known {
			return fmt.Errorf("the contract has no attribute %q of %s", e.claim.Aspect, entity.ID)
		}
		e.fact("expected", "%s", attribute)
	case manifest.KindRule:
		refused = func(invalid fixtures.Invalid) bool { return invalid.Violates == e.claim.Aspect }
		for i := range entity.Rules {
			if rule := &entity.Rules[i]; rule.ID == e.claim.Aspect {
				e.fact("rule", "%s", rule.Statement)
				e.fact("constrains", "%s", rule.Attribute)
			}
		}
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

func (e *explainer) finding() error {
	for _, finding := range e.design.Findings {
		if finding.ID != e.claim.Subject {
			continue
		}
		e.fact("finding", "%s, severity %s", finding.Kind, finding.Severity)
		e.fact("to the letter", "%s", finding.Literal)
		e.fact("this project reads it as", "%s", finding.Resolved)
		e.fact("to the author", "%s", finding.Instead)
		e.fact("not shown by a request", "%s", finding.Static)
		for _, lack := range finding.Lacks {
			e.fact("no item carries", "%s", lack)
		}
		return e.trials("finding/" + finding.ID)
	}
	return fmt.Errorf("the contract has no finding %q", e.claim.Subject)
}

func (e *explainer) guardrail() error {
	for _, guardrail := range e.design.Guardrails {
		if guardrail.ID != e.claim.Subject {
			continue
		}
		e.fact("rule", "%s", guardrail.Rule)
		e.fact("enforced by", "%s", guardrail.Layer)
		e.fact("shown by", "%s", guardrail.Proof)
		return e.trials("guardrail/" + guardrail.ID)
	}
	return fmt.Errorf("the contract has no guardrail %q", e.claim.Subject)
}

func (e *explainer) invariant() error {
	for _, invariant := range e.design.Invariants {
		if invariant.ID != e.claim.Subject {
			continue
		}
		e.fact("rule", "%s", invariant.Rule)
		e.fact("enforced by", "%s", invariant.Layer)
		e.fact("flow", "%s: `dynaproof explain %s/pattern/%s` shows its requests", invariant.Flow, e.design.Name, invariant.Flow)
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
	return fmt.Errorf("the contract has no invariant %q", e.claim.Subject)
}

// ledger explains claims that no request of their own decides.
func (e *explainer) ledger() error {
	switch e.claim.Aspect {
	case manifest.LedgerNoScan:
		e.fact("decided by", "the ledger of the whole run: `gzip -dc evidence.json.gz | jq '[.ledger[] | select(.operation | IN(\"Scan\", \"ExecuteStatement\", \"BatchExecuteStatement\", \"ExecuteTransaction\")) | .seq]'` lists the requests in question")
	case manifest.LedgerDocumented:
		e.fact("decided by", "the requests of every pattern in the ledger, compared with the pattern's table, index, partition and filter")
	case manifest.LedgerUnwritten:
		e.fact("decided by", "all requests on the wire, the items of table %s, read back after everything was replayed, and the guard, which is asked to put and delete each", e.claim.Subject)
	case manifest.LedgerAgreement:
		e.fact("decided by", "the client's own record of its calls, compared with the ledger of the wire by invocation id")
	}
	for _, waiver := range e.design.Waivers {
		e.fact("waiver "+waiver.ID, "%s", waiver.Reason)
	}
	return nil
}
