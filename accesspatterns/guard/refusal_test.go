package guard_test

import (
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/commitcollect"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/fusmain"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/osemladders"
	"dynaproof/accesspatterns/personalos"
	"dynaproof/accesspatterns/rollmodel"
)

type values = map[string]types.AttributeValue

func number(digits string) types.AttributeValue { return &types.AttributeValueMemberN{Value: digits} }

// query is a request on a table, with the partition key as :p and the sort key
// as :s, changed as the row wants.
func query(table, condition, p, s string, change ...func(*dynamodb.QueryInput)) *dynamodb.QueryInput {
	in := &dynamodb.QueryInput{TableName: &table, KeyConditionExpression: &condition, ExpressionAttributeValues: values{":p": text(p)}}
	if s != "" {
		in.ExpressionAttributeValues[":s"] = text(s)
	}
	for _, c := range change {
		c(in)
	}
	return in
}

const prefix = "PK = :p AND begins_with(SK, :s)"

func projected(paths string) func(*dynamodb.QueryInput) {
	return func(q *dynamodb.QueryInput) { q.ProjectionExpression = &paths }
}

func limited(limit int32) func(*dynamodb.QueryInput) {
	return func(q *dynamodb.QueryInput) { q.Limit = &limit }
}

func on(index string) func(*dynamodb.QueryInput) {
	return func(q *dynamodb.QueryInput) { q.IndexName = &index }
}

func workouts(change ...func(*dynamodb.QueryInput)) *dynamodb.QueryInput {
	return query("CommitCollect", prefix, "USER#secret-id", "WORKOUT#STRAVA#", append([]func(*dynamodb.QueryInput){projected("PK, SK"), limited(3000)}, change...)...)
}

// tasks is a query of GSI1, whose partition holds every user's tasks.
func tasks(change ...func(*dynamodb.QueryInput)) *dynamodb.QueryInput {
	q := query("personal-os-dev", "gsi1pk = :p AND begins_with(gsi1sk, :s)", "TASK", "InProgress#", append([]func(*dynamodb.QueryInput){on("GSI1"), limited(25)}, change...)...)
	q.FilterExpression = aws.String("userId = :u")
	q.ExpressionAttributeValues[":u"] = text("secret-id")
	return q
}

func activeConfig(change ...func(*dynamodb.QueryInput)) *dynamodb.QueryInput {
	q := query("osem-dev-ConfigVersions", "isActive = :p", "", "", append([]func(*dynamodb.QueryInput){on("isActive-index"), limited(1)}, change...)...)
	q.ExpressionAttributeValues[":p"] = number("1")
	q.ScanIndexForward = aws.Bool(q.ScanIndexForward != nil)
	return q
}

func scanUsers(change ...func(*dynamodb.ScanInput)) *dynamodb.ScanInput {
	in := &dynamodb.ScanInput{TableName: aws.String("osem-dev-Users"), Limit: aws.Int32(25)}
	for _, c := range change {
		c(in)
	}
	return in
}

func returning(in *dynamodb.UpdateItemInput, what types.ReturnValue) *dynamodb.UpdateItemInput {
	in.ReturnValues = what
	return in
}

func keyOf(pk, sk string) values { return values{"PK": text(pk), "SK": text(sk)} }

func site(changed ...string) values {
	item := values{"PK": text("SITE#secret-id"), "SK": text("METADATA")}
	for i := 0; i+1 < len(changed); i += 2 {
		item[changed[i]] = text(changed[i+1])
	}
	return item
}

// row is one call with the rule that refuses it; an empty rule lets it pass.
type row struct {
	name    string
	design  *ap.Design
	role    string
	input   any
	rule    guard.Rule
	pattern string // nearest documented pattern
	cite    string // beginning of the citation
	options []guard.Option
}

func rows() []row {
	roll, commit, fus, osem, personal := rollmodel.Design(), commitcollect.Design(), fusmain.Design(), osemladders.Design(), personalos.Design()
	setVersion := func(condition string, extra ...types.TransactWriteItem) *dynamodb.TransactWriteItemsInput {
		return &dynamodb.TransactWriteItemsInput{TransactItems: append([]types.TransactWriteItem{{Update: &types.Update{
			TableName: aws.String("CommitCollect"), Key: keyOf("USER#secret-id", "MILESTONE#m"), UpdateExpression: aws.String("SET version = version + :n"),
			ConditionExpression: &condition, ExpressionAttributeValues: values{":n": number("1"), ":v": number("7")},
		}}}, extra...)}
	}
	update := func(table string, key values, expression string, with values, condition ...string) *dynamodb.UpdateItemInput {
		in := &dynamodb.UpdateItemInput{TableName: &table, Key: key, UpdateExpression: &expression, ExpressionAttributeValues: with}
		if len(condition) > 0 {
			in.ConditionExpression = &condition[0]
		}
		return in
	}
	writing := func(entity string) []guard.Option { return []guard.Option{guard.AllowUndocumentedWrites(entity)} }
	forUser := func(id string) []guard.Option { return []guard.Option{guard.ForUser(id)} }
	condition := func(of *dynamodb.TransactWriteItemsInput, expression string) *dynamodb.TransactWriteItemsInput {
		of.TransactItems[2].Put.ConditionExpression, of.TransactItems[2].Put.ExpressionAttributeValues = &expression, values{":x": text("x")}
		return of
	}
	goal := func(condition ...string) *dynamodb.UpdateItemInput {
		return update("T", keyOf("USER#secret-id", "KIND0#1"), "SET title = :t REMOVE description", values{":t": text("a title")}, condition...)
	}
	// Nothing documents how its entity is written.
	open := wide(1)
	// One of its items is read within a transaction.
	together := wide(1)
	together.Patterns[1].Steps[0].Read.Together = dynamo.TransactGetItems
	transaction := func(sort string) *dynamodb.TransactGetItemsInput {
		return &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{{Get: &types.Get{TableName: aws.String("T"), Key: keyOf("USER#secret-id", sort)}}}}
	}
	batch := func(sort string) *dynamodb.BatchGetItemInput {
		return &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"T": {Keys: []map[string]types.AttributeValue{keyOf("USER#secret-id", sort)}}}}
	}
	open.Entities[0].Attributes = []ap.Attribute{{Name: "title", Type: dynamo.String}, {Name: "description", Type: dynamo.String, Presence: ap.Optional}}
	// Nobody writes its table, whatever the client is allowed.
	closed := wide(1)
	closed.Entities[0].Attributes, closed.Tables[0].ReadOnly = open.Entities[0].Attributes, &ap.Promise{Cite: designtest.Line(1, "x")}
	elsewhere := wide(1)
	other := elsewhere.Tables[0]
	other.ID, other.Name = "U", "U"
	elsewhere.Tables = append(elsewhere.Tables, other)
	two := wide(2)
	two.Entities[0].Attributes = open.Entities[0].Attributes
	open.Policies.Roles = []ap.Role{{ID: "user", Confined: &ap.Confinement{Tag: "userId", Partitions: []ap.KeyTemplate{"USER#{userId}"}}}}
	// A list of its entity shows a part of it, of the client's own alone.
	hidden, shared, seldom := wide(1), wide(1), wide(1)
	for _, design := range []*ap.Design{hidden, shared, seldom} {
		design.Patterns = design.Patterns[:1]
		design.Entities[0].Attributes = append(open.Entities[0].Attributes, ap.Attribute{Name: "data", Type: dynamo.Map}, ap.Attribute{Name: "owner", Type: dynamo.String})
	}
	shared.Patterns[0].Steps[0].Read.Filter = []ap.Condition{{Attribute: "owner", Operator: expression.Exists}}
	seldom.Patterns[0].Steps[0].Read.Filter = []ap.Condition{{Attribute: "description", Operator: expression.Exists}}
	copying := func(condition string) *dynamodb.UpdateItemInput {
		return update("T", keyOf("USER#secret-id", "KIND0#1"), "SET title = description", nil, condition)
	}
	deleteUser := func() *dynamodb.DeleteItemInput {
		return &dynamodb.DeleteItemInput{TableName: aws.String("osem-dev-Users"), Key: values{"userId": text("a0000000-0000-4000-8000-000000000001")}}
	}
	check := func(condition string) *dynamodb.TransactWriteItemsInput {
		return &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{ConditionCheck: &types.ConditionCheck{
			TableName: aws.String("RollModel"), Key: entryKey(), ConditionExpression: &condition, ExpressionAttributeValues: values{":x": text("Felt")}}}}}
	}
	entry := func(expression string, with values) *dynamodb.UpdateItemInput {
		return update("RollModel", entryKey(), expression, with)
	}
	unlink := func(athlete string) *dynamodb.DeleteItemInput {
		return &dynamodb.DeleteItemInput{TableName: aws.String("RollModel"), Key: keyOf("USER#"+athlete, "COACH#c"), ConditionExpression: aws.String("attribute_exists(PK)")}
	}
	leaveGroup := func() *dynamodb.DeleteItemInput {
		return &dynamodb.DeleteItemInput{TableName: aws.String("fus-main"), Key: keyOf("USER#secret-id", "MEMBERSHIP#g")}
	}
	deletes := func(n int) *dynamodb.BatchWriteItemInput {
		var requests []types.WriteRequest
		for i := range n {
			requests = append(requests, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: keyOf("USER#secret-id", "WORKOUT#STRAVA#"+strings.Repeat("1", i+1))}})
		}
		return &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"CommitCollect": requests}}
	}
	gets := func(n int, sk string) *dynamodb.BatchGetItemInput {
		var keys []map[string]types.AttributeValue
		for i := range n {
			keys = append(keys, map[string]types.AttributeValue{"pk": text("USER#secret-id"), "sk": text(sk + strings.Repeat("1", i+1))})
		}
		return &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"personal-os-dev": {Keys: keys}}}
	}
	ordered := commitcollect.Design()
	trail, _ := ordered.Pattern("list-user-audit")
	trail.Steps[0].Read.Order = ap.Ascending
	profiles := func(users ...string) *dynamodb.BatchGetItemInput {
		var keys []map[string]types.AttributeValue
		for _, user := range users {
			keys = append(keys, keyOf(user, "PROFILE"))
		}
		return &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"CommitCollect": {Keys: keys, ProjectionExpression: aws.String("PK, units")}}}
	}
	softDelete := func(expression string) *dynamodb.UpdateItemInput {
		in := update("osem-dev-Teams", values{"teamId": text("secret-id")}, expression, values{":f": &types.AttributeValueMemberBOOL{}, ":t": &types.AttributeValueMemberBOOL{Value: true}, ":u": number("1767225600000"), ":n": text("secret-id")})
		in.ConditionExpression = aws.String("isActive = :t")
		return in
	}
	leave := func(expression, condition string) *dynamodb.UpdateItemInput {
		in := update("osem-dev-Teams", values{"teamId": text("secret-id")}, expression, values{
			":one": number("1"), ":t": &types.AttributeValueMemberBOOL{Value: true}, ":u": number("1767225600000"), ":n": text("secret-id"), ":o": text("other"),
			":set": &types.AttributeValueMemberSS{Value: []string{"secret-id"}}, ":two": &types.AttributeValueMemberSS{Value: []string{"secret-id", "other"}},
		})
		in.ConditionExpression = &condition
		return in
	}
	correct := func(winner, loser string) *dynamodb.UpdateItemInput {
		in := update("fus-main", keyOf("SQUASH#MATCH#00000000-0000-4000-8000-000000000001", "METADATA"), "SET winningTeam = :b, teamAGames = :l, teamBGames = :w, updatedAt = :u",
			values{":b": text("B"), ":l": number(loser), ":w": number(winner), ":u": text("secret-id")})
		in.ConditionExpression = aws.String("attribute_exists(PK)")
		return in
	}
	const leaving, someoneLeft = "SET updatedAt = :u DELETE memberIds :set", "isActive = :t AND (size(memberIds) > :one OR NOT contains(memberIds, :n))"
	unwaived := wide(1)
	unwaived.Patterns = append(unwaived.Patterns, ap.Pattern{ID: "all", Roles: []string{"user"}, Cite: designtest.Line(1, "x"), Steps: []ap.Step{{Name: "read", Cite: designtest.Line(1, "x"), Read: &ap.Read{Operation: dynamo.Scan, Table: "T"}}}})
	return []row{
		// What passes, so that the rows below fail for their own reason.
		{name: "own entries", design: roll, role: "athlete", input: query("RollModel", prefix, "USER#secret-id", "ENTRY#")},
		{name: "workouts", design: commit, role: "user", input: workouts()},
		{name: "tasks by status", design: personal, role: "user", input: tasks()},
		{name: "active config", design: osem, role: "manager", input: activeConfig()},
		{name: "waived scan", design: osem, role: "admin", input: scanUsers()},
		{name: "versioned update", design: commit, role: "user", input: setVersion("version = :v")},
		{name: "versioned update with one more condition", design: commit, role: "user", input: setVersion("(version = :v) AND attribute_exists(PK)")},
		{name: "batch of 25", design: commit, role: "user", input: deletes(25)},
		{name: "batch of 100", design: personal, role: "user", input: gets(100, "TASK#")},
		{name: "conditions in parentheses, sort key first", design: roll, role: "athlete",
			input: query("RollModel", "(begins_with (SK, :s)) and ((PK = :p))", "USER#secret-id", "ENTRY#")},
		{name: "an allowed undocumented update", design: open, role: "user", input: goal("attribute_exists(PK)"), options: writing("entity-0")},
		{name: "an allowed undocumented update of what is as it was", design: open, role: "user", input: goal("title = :t AND NOT contains(description, :t)"), options: writing("entity-0")},
		{name: "an allowed undocumented update of what has one of two", design: open, role: "user", input: goal("title = :t OR attribute_exists(description)"), options: writing("entity-0")},
		{name: "an allowed create of what steps update", design: commit, role: "user", options: writing("milestone"), input: &dynamodb.PutItemInput{TableName: aws.String("CommitCollect"),
			Item:                values{"PK": text("USER#secret-id"), "SK": text("MILESTONE#m"), "version": number("1")},
			ConditionExpression: aws.String("attribute_not_exists(PK)")}},
		{name: "an allowed deletion", design: open, role: "user", input: &dynamodb.DeleteItemInput{TableName: aws.String("T"), Key: keyOf("USER#secret-id", "KIND0#1")}, options: writing("entity-0")},
		{name: "either direction where the text gives none", design: roll, role: "athlete", input: query("RollModel", prefix, "USER#secret-id", "ENTRY#", func(q *dynamodb.QueryInput) { q.ScanIndexForward = aws.Bool(false) })},
		{name: "the other direction where the text gives none", design: roll, role: "athlete", input: query("RollModel", prefix, "USER#secret-id", "ENTRY#", func(q *dynamodb.QueryInput) { q.ScanIndexForward = aws.Bool(true) })},

		{name: "comment with its checks", design: roll, role: "coach", input: postComment("e")},

		{name: "soft delete", design: osem, role: "admin", input: softDelete("SET isActive = :f, updatedAt = :u")},

		{name: "options", design: roll, role: "nobody", input: query("RollModel", prefix, "USER#secret-id", "ENTRY#"), rule: guard.RuleConfiguration, cite: "roll-model.md:"},
		{name: "no environment", design: osem, role: "admin", input: scanUsers(), rule: guard.RuleConfiguration, options: []guard.Option{guard.InEnvironment("")}},

		{name: "scan", design: roll, role: "athlete", input: &dynamodb.ScanInput{TableName: aws.String("RollModel")}, rule: guard.RuleOperation, pattern: "list-own-entries"},
		{name: "as many items of a page as there may be", design: roll, role: "athlete", input: query("RollModel", prefix, "USER#secret-id", "ENTRY#", limited(1<<31-1))},
		{name: "a user whose id is no text", design: roll, role: "athlete", input: query("RollModel", prefix, "USER#a\xff", "ENTRY#"), rule: guard.RuleConfiguration, options: forUser("a\xff")},
		{name: "a user whose id looks alike", design: roll, role: "athlete", input: query("RollModel", prefix, "USER#cafe\u0301", "ENTRY#"), rule: guard.RuleUser, options: forUser("caf\u00e9")},
		{name: "statements together", design: roll, role: "athlete", input: &dynamodb.BatchExecuteStatementInput{Statements: []types.BatchStatementRequest{{Statement: aws.String(`SELECT * FROM "RollModel"`)}}}, rule: guard.RuleOperation},
		{name: "statements that stand or fall together", design: roll, role: "athlete", input: &dynamodb.ExecuteTransactionInput{TransactStatements: []types.ParameterizedStatement{{Statement: aws.String(`SELECT * FROM "RollModel"`)}}}, rule: guard.RuleOperation},
		{name: "a documented scan without a waiver", design: unwaived, role: "user", input: &dynamodb.ScanInput{TableName: aws.String("T")}, rule: guard.RuleOperation},
		{name: "a statement where scans are waived", design: osem, role: "admin", input: &dynamodb.ExecuteStatementInput{Statement: aws.String(`SELECT * FROM "osem-dev-Users"`)}, rule: guard.RuleOperation},
		{name: "statement", design: roll, role: "athlete", input: &dynamodb.ExecuteStatementInput{Statement: aws.String(`SELECT * FROM "RollModel"`)}, rule: guard.RuleOperation, cite: "roll-model.md:"},
		{name: "statements", design: roll, role: "athlete", input: &dynamodb.BatchExecuteStatementInput{Statements: []types.BatchStatementRequest{{Statement: aws.String("x")}}}, rule: guard.RuleOperation},
		{name: "statements in a transaction", design: roll, role: "athlete", input: &dynamodb.ExecuteTransactionInput{TransactStatements: []types.ParameterizedStatement{{Statement: aws.String("x")}}}, rule: guard.RuleOperation},
		{name: "export", design: roll, role: "athlete", input: &dynamodb.ExportTableToPointInTimeInput{TableArn: aws.String("arn"), S3Bucket: aws.String("b")}, rule: guard.RuleOperation},
		{name: "import", design: roll, role: "athlete", input: &dynamodb.ImportTableInput{InputFormat: types.InputFormatCsv, S3BucketSource: &types.S3BucketSource{S3Bucket: aws.String("b")},
			TableCreationParameters: &types.TableCreationParameters{TableName: aws.String("RollModel"),
				AttributeDefinitions: []types.AttributeDefinition{}, KeySchema: []types.KeySchemaElement{}}}, rule: guard.RuleOperation},
		{name: "transactional reads", design: roll, role: "athlete", input: &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{}}, rule: guard.RuleOperation},
		{name: "table deletion", design: roll, role: "athlete", input: &dynamodb.DeleteTableInput{TableName: aws.String("RollModel")}, rule: guard.RuleOperation},

		{name: "KeyConditions", design: roll, role: "athlete", input: &dynamodb.QueryInput{TableName: aws.String("RollModel"), KeyConditions: map[string]types.Condition{}}, rule: guard.RuleLegacy},
		{name: "QueryFilter", design: roll, role: "athlete", input: query("RollModel", prefix, "USER#secret-id", "ENTRY#", func(q *dynamodb.QueryInput) { q.QueryFilter = map[string]types.Condition{} }), rule: guard.RuleLegacy},
		{name: "AttributesToGet", design: roll, role: "athlete", input: query("RollModel", prefix, "USER#secret-id", "ENTRY#", func(q *dynamodb.QueryInput) { q.AttributesToGet = []string{"PK"} }), rule: guard.RuleLegacy},
		{name: "ScanFilter", design: osem, role: "admin", input: scanUsers(func(s *dynamodb.ScanInput) { s.ScanFilter = map[string]types.Condition{} }), rule: guard.RuleLegacy},
		{name: "a further page that starts at more than a key", design: roll, role: "athlete", input: query("RollModel", prefix, "USER#secret-id", "ENTRY#", func(q *dynamodb.QueryInput) {
			q.ExclusiveStartKey = values{"PK": text("USER#secret-id"), "SK": text("ENTRY#2026-01-01#e"), "entryId": text("e")}
		}), rule: guard.RuleKeyCondition},
		{name: "AttributesToGet of GetItem", design: roll, role: "athlete", input: &dynamodb.GetItemInput{TableName: aws.String("RollModel"), Key: keyOf("ENTRY#e", "META"), AttributesToGet: []string{"PK"}}, rule: guard.RuleLegacy},
		{name: "Expected", design: fus, role: "admin", input: &dynamodb.PutItemInput{TableName: aws.String("fus-main"), Item: site(), Expected: map[string]types.ExpectedAttributeValue{}}, rule: guard.RuleLegacy},
		{name: "AttributeUpdates", design: fus, role: "admin", input: &dynamodb.UpdateItemInput{TableName: aws.String("fus-main"), Key: site(), AttributeUpdates: map[string]types.AttributeValueUpdate{}}, rule: guard.RuleLegacy},

		{name: "another table", design: roll, role: "athlete", input: query("Roll", prefix, "USER#secret-id", "ENTRY#"), rule: guard.RuleTable},
		{name: "another table of the design", design: elsewhere, role: "user", input: &dynamodb.GetItemInput{TableName: aws.String("U"), Key: keyOf("USER#secret-id", "KIND0#1")}, rule: guard.RuleTable, pattern: "get-0", cite: "wide.md:1"},
		{name: "an ARN", design: roll, role: "athlete", input: query("arn:aws:dynamodb:us-east-1:1:table/RollModel", prefix, "USER#secret-id", "ENTRY#"), rule: guard.RuleTable},
		{name: "a write to another table", design: roll, role: "athlete", input: &dynamodb.DeleteItemInput{TableName: aws.String("Roll"), Key: keyOf("a", "b")}, rule: guard.RuleTable, cite: "roll-model.md:"},
		{name: "an unknown index", design: commit, role: "system", input: query("CommitCollect", "GSI1PK = :p", "STRAVA#ATHLETE#1", "", on("GSI9"), projected("PK, SK")), rule: guard.RuleIndex},
		{name: "an attribute of another index", design: personal, role: "user", input: query("personal-os-dev", "gsi2pk = :p", "Work", "", on("GSI1")), rule: guard.RuleKeyCondition},

		{name: "an unknown function", design: roll, role: "athlete", input: query("RollModel", "PK = :p AND contains(SK, :s)", "USER#secret-id", "ENTRY#"), rule: guard.RuleExpression},
		{name: "a comparison that no document has", design: roll, role: "athlete", input: query("RollModel", "PK = :p AND SK >= :s", "USER#secret-id", "ENTRY#"), rule: guard.RuleSortKey},
		{name: "an unknown alias", design: roll, role: "athlete", input: query("RollModel", "#pk = :p AND begins_with(SK, :s)", "USER#secret-id", "ENTRY#"), rule: guard.RuleExpression},
		{name: "an unknown value", design: roll, role: "athlete", input: query("RollModel", "PK = :p AND begins_with(SK, :other)", "USER#secret-id", "ENTRY#"), rule: guard.RuleExpression},
		{name: "OR", design: fus, role: "user", input: query("fus-main", prefix, "USER#secret-id", "SITE#", func(q *dynamodb.QueryInput) {
			q.FilterExpression = aws.String("attribute_exists(starRating) OR attribute_exists(body)")
		}), rule: guard.RuleFilter, cite: "fus-main.md:"},
		{name: "OR in a key condition", design: roll, role: "athlete", input: query("RollModel", "PK = :p OR begins_with(SK, :s)", "USER#secret-id", "ENTRY#"), rule: guard.RuleExpression},
		{name: "a key that is asked for what is hidden", design: hidden, role: "user", input: goal("attribute_exists(PK) AND PK < title"), options: writing("entity-0"), rule: guard.RuleCondition},
		{name: "a malformed update", design: personal, role: "user", input: update("personal-os-dev", values{"pk": text("USER#secret-id"), "sk": text("TASK#1")}, "SET title", nil), rule: guard.RuleExpression, cite: "personal-os.md:"},

		{name: "no key condition", design: roll, role: "athlete", input: &dynamodb.QueryInput{TableName: aws.String("RollModel")}, rule: guard.RuleKeyCondition},
		{name: "another key attribute", design: roll, role: "athlete", input: query("RollModel", "athleteId = :p AND begins_with(SK, :s)", "secret-id", "ENTRY#"), rule: guard.RuleKeyCondition},
		{name: "three conditions", design: roll, role: "athlete", input: query("RollModel", prefix+" AND begins_with(SK, :s)", "USER#secret-id", "ENTRY#"), rule: guard.RuleKeyCondition},
		{name: "no equality on the partition key", design: roll, role: "athlete", input: query("RollModel", "begins_with(PK, :p) AND begins_with(SK, :s)", "USER#secret-id", "ENTRY#"), rule: guard.RuleKeyCondition},
		{name: "more than a primary key", design: roll, role: "athlete", input: &dynamodb.GetItemInput{TableName: aws.String("RollModel"), Key: values{"PK": text("ENTRY#e"), "SK": text("META"), "x": text("y")}}, rule: guard.RuleKeyCondition},
		{name: "half a primary key", design: roll, role: "athlete", input: &dynamodb.GetItemInput{TableName: aws.String("RollModel"), Key: values{"PK": text("ENTRY#e")}}, rule: guard.RuleKeyCondition},
		{name: "another partition", design: roll, role: "athlete", input: query("RollModel", prefix, "USERS#secret-id", "ENTRY#"), rule: guard.RulePartitionKey, pattern: "list-own-entries", cite: "roll-model.md:199"},
		{name: "a String for a Number", design: osem, role: "manager", input: query("osem-dev-ConfigVersions", "isActive = :p", "1", "", on("isActive-index"), limited(1), func(q *dynamodb.QueryInput) { q.ScanIndexForward = aws.Bool(false) }), rule: guard.RulePartitionKey},
		{name: "a longer prefix", design: roll, role: "athlete", input: query("RollModel", prefix, "USER#secret-id", "ENTRY#2026"), rule: guard.RuleSortKey, pattern: "list-own-entries"},
		{name: "the literal keyword prefix", design: roll, role: "athlete", input: query("RollModel", prefix, "USER#secret-id", "KW#guard"), rule: guard.RuleSortKey, pattern: "find-shared-keyword", cite: "roll-model.md:204"},
		{name: "the whole partition", design: roll, role: "athlete", input: query("RollModel", "PK = :p", "USER#secret-id", ""), rule: guard.RuleSortKey},
		{name: "a group by the form of a site", design: fus, role: "everyone", input: &dynamodb.GetItemInput{TableName: aws.String("fus-main"), Key: keyOf("GROUP#secret-id", "METADATA")}, rule: guard.RuleRole, pattern: "get-group"},
		{name: "an id with '#'", design: roll, role: "athlete", input: query("RollModel", prefix, "USER#secret-id", "KW#a#b#TS#"), rule: guard.RuleSortKey},

		{name: "no filter", design: personal, role: "user", input: query("personal-os-dev", "gsi1pk = :p AND begins_with(gsi1sk, :s)", "TASK", "InProgress#", on("GSI1"), limited(25)), rule: guard.RuleFilter, pattern: "query-tasks-by-status"},
		{name: "an undeclared filter", design: roll, role: "athlete", input: query("RollModel", prefix, "USER#secret-id", "ENTRY#", func(q *dynamodb.QueryInput) { q.FilterExpression = aws.String("attribute_exists(PK)") }), rule: guard.RuleFilter},
		{name: "no projection", design: commit, role: "user", input: query("CommitCollect", prefix, "USER#secret-id", "WORKOUT#STRAVA#", limited(3000)), rule: guard.RuleProjection, pattern: "list-workouts"},
		{name: "a wider projection", design: commit, role: "user", input: workouts(projected("PK, SK, distance")), rule: guard.RuleProjection},
		{name: "half the projection, twice", design: commit, role: "user", input: workouts(projected("PK, PK")), rule: guard.RuleProjection},
		{name: "a number of items alone", design: roll, role: "athlete", input: query("RollModel", prefix, "USER#secret-id", "ENTRY#", func(q *dynamodb.QueryInput) { q.Select = types.SelectCount }), rule: guard.RuleProjection},
		{name: "the coach's list with the private text", design: roll, role: "coach", input: query("RollModel", prefix, "USER#secret-id", "ENTRY#", projected("schemaVersion, sections")), rule: guard.RuleRole, pattern: "list-own-entries"},
		{name: "either order of an audit trail", design: commit, role: "operator", input: query("CommitCollectAudit", "PK = :p", "USER#secret-id", "", projected("PK, SK, GSI1PK, GSI2PK"), func(q *dynamodb.QueryInput) { q.ScanIndexForward = aws.Bool(false) })},
		{name: "another order than the documented one", design: ordered, role: "operator", input: query("CommitCollectAudit", "PK = :p", "USER#secret-id", "", projected("PK, SK, GSI1PK, GSI2PK"), func(q *dynamodb.QueryInput) { q.ScanIndexForward = aws.Bool(false) }), rule: guard.RuleOrder, pattern: "list-user-audit"},
		{name: "the other direction of a sorted list", design: personal, role: "user", input: tasks(func(q *dynamodb.QueryInput) { q.ScanIndexForward = aws.Bool(false) })},
		{name: "no limit", design: commit, role: "user", input: workouts(func(q *dynamodb.QueryInput) { q.Limit = nil }), rule: guard.RuleLimit, pattern: "list-workouts", cite: "commit-collect.md:192"},
		{name: "a limit above the budget", design: commit, role: "user", input: workouts(limited(3001)), rule: guard.RuleLimit},
		{name: "a limit above the documented", design: osem, role: "manager", input: activeConfig(limited(2)), rule: guard.RuleRole, pattern: "list-active-configs"},
		{name: "a second page of a limited read", design: osem, role: "manager", input: activeConfig(func(q *dynamodb.QueryInput) { q.ExclusiveStartKey = values{"configId": text("c")} }), rule: guard.RuleRole},
		{name: "a larger page", design: osem, role: "admin", input: scanUsers(func(s *dynamodb.ScanInput) { s.Limit = aws.Int32(26) })},
		{name: "a page without a size", design: osem, role: "admin", input: scanUsers(func(s *dynamodb.ScanInput) { s.Limit = nil }), rule: guard.RuleLimit, pattern: "list-users"},
		{name: "a parallel scan", design: osem, role: "admin", input: scanUsers(func(s *dynamodb.ScanInput) { s.Segment, s.TotalSegments = aws.Int32(0), aws.Int32(4) }), rule: guard.RuleSegments},
		{name: "a waived scan by another role", design: osem, role: "manager", input: scanUsers(), rule: guard.RuleRole, pattern: "list-users", cite: "osem-ladders.md:63"},
		{name: "a further page without an account", design: commit, role: "user", input: workouts(func(q *dynamodb.QueryInput) { q.ExclusiveStartKey = keyOf("a", "b") }), rule: guard.RuleBudget, pattern: "list-workouts"},

		{name: "26 writes", design: commit, role: "user", input: deletes(26), rule: guard.RuleBatch},
		{name: "two users' profiles in a batch", design: commit, role: "user", input: profiles("USER#secret-id", "USER#other"), rule: guard.RulePartitions, cite: "commit-collect.md:176"},
		{name: "one user's profile in a batch", design: commit, role: "user", input: profiles("USER#secret-id")},
		{name: "some of the projection", design: commit, role: "user", input: workouts(projected("SK"))},
		{name: "another part of the projection", design: commit, role: "user", input: workouts(func(q *dynamodb.QueryInput) {
			q.ProjectionExpression, q.ExpressionAttributeNames = aws.String("#n, distanceMetres"), map[string]string{"#n": "name"}
		})},
		{name: "101 reads", design: personal, role: "user", input: gets(101, "TASK#"), rule: guard.RuleBatch},
		{name: "an undocumented read in a batch", design: personal, role: "user", input: gets(1, "LOG#"), rule: guard.RuleSortKey},

		{name: "a key of no entity", design: roll, role: "athlete", input: &dynamodb.DeleteItemInput{TableName: aws.String("RollModel"), Key: keyOf("USER#secret-id", "NOTE#1")}, rule: guard.RuleKeyForm, cite: "roll-model.md:"},
		{name: "an item of no entity", design: fus, role: "admin", input: &dynamodb.PutItemInput{TableName: aws.String("fus-main"), Item: site("colour", "secret-id")}, rule: guard.RuleItem, cite: "fus-main.md:"},
		{name: "a correction by the rules of a match", design: fus, role: "manager", input: correct("3", "2")},
		{name: "a correction to a winner without three games", design: fus, role: "manager", input: correct("2", "1"), rule: guard.RuleUpdate, cite: "fus-main.md:"},
		{name: "a correction to a loser with three games", design: fus, role: "manager", input: correct("3", "3"), rule: guard.RuleUpdate},
		{name: "an undocumented attribute", design: personal, role: "user", input: update("personal-os-dev", values{"pk": text("USER#secret-id"), "sk": text("TASK#1")}, "SET colour = :c", values{":c": text("red")}), rule: guard.RuleUpdate, cite: "personal-os.md:"},
		{name: "a status that is none", design: personal, role: "user", input: update("personal-os-dev", values{"pk": text("USER#secret-id"), "sk": text("TASK#1")}, "SET #s = :c", values{":c": text("red")}), rule: guard.RuleExpression},
		{name: "an index key of another form", design: personal, role: "user", input: update("personal-os-dev", values{"pk": text("USER#secret-id"), "sk": text("TASK#1")}, "SET gsi1sk = :c", values{":c": text("red")}), rule: guard.RuleUpdate},
		{name: "a primary key", design: personal, role: "user", input: update("personal-os-dev", values{"pk": text("USER#secret-id"), "sk": text("TASK#1")}, "SET pk = :c", values{":c": text("red")}), rule: guard.RuleUpdate},

		{name: "an allowed write of a table that nobody writes", design: closed, role: "user", input: goal("attribute_exists(PK)"), options: writing("entity-0"), rule: guard.RuleStep, cite: "wide.md:1"},
		{name: "an allowed deletion from a table that nobody writes", design: closed, role: "user", input: &dynamodb.DeleteItemInput{TableName: aws.String("T"), Key: keyOf("USER#secret-id", "KIND0#1")}, options: writing("entity-0"), rule: guard.RuleStep},
		{name: "a documented transaction of reads", design: together, role: "user", input: transaction("KIND0#1")},
		{name: "a transaction of a read that is documented alone", design: open, role: "user", input: transaction("KIND0#1")},
		{name: "a read alone that is documented in a transaction", design: together, role: "user", input: &dynamodb.GetItemInput{TableName: aws.String("T"), Key: keyOf("USER#secret-id", "KIND0#1")}, rule: guard.RuleOperation},
		{name: "a batch of a read that is documented in a transaction", design: together, role: "user", input: batch("KIND0#1"), rule: guard.RuleOperation},
		{name: "a batch of a read that is documented alone", design: open, role: "user", input: batch("KIND0#1")},
		{name: "a transaction of another item", design: together, role: "user", input: transaction("KIND1#1"), rule: guard.RuleSortKey},

		{name: "an undocumented update", design: open, role: "user", input: goal("attribute_exists(PK)"), rule: guard.RuleStep, cite: "wide.md:"},
		{name: "an undocumented update where that of another entity is allowed", design: two, role: "user", input: goal("attribute_exists(PK)"), options: writing("entity-1"), rule: guard.RuleStep},
		{name: "a user who makes itself an admin", design: osem, role: "team_member", input: update("osem-dev-Users", deleteUser().Key, "SET #r = :r", values{":r": &types.AttributeValueMemberSS{Value: []string{"admin"}}}), rule: guard.RuleExpression},
		{name: "a user who makes any user an admin", design: osem, role: "team_member", input: update("osem-dev-Users", deleteUser().Key, "SET roles = :r", values{":r": &types.AttributeValueMemberSS{Value: []string{"admin"}}}, "attribute_exists(userId)"), rule: guard.RuleStep, cite: "osem-ladders.md:"},
		{name: "a user who deletes any user", design: osem, role: "team_member", input: deleteUser(), rule: guard.RuleStep, cite: "osem-ladders.md:"},
		{name: "an allowed write of no entity", design: osem, role: "admin", input: deleteUser(), options: writing("person"), rule: guard.RuleConfiguration},
		{name: "an allowed put over what steps put", design: roll, role: "coach", input: &dynamodb.PutItemInput{TableName: aws.String("RollModel"), Item: comment(), ConditionExpression: aws.String("attribute_not_exists(PK)")}, options: writing("comment"), rule: guard.RuleStep, pattern: "post-comment"},
		{name: "an update that may create a goal of a title alone", design: open, role: "user", input: goal(), options: writing("entity-0"), rule: guard.RuleItem, cite: "wide.md:"},
		{name: "an update under a condition that an absent goal meets", design: open, role: "user", input: goal("title <> :t"), options: writing("entity-0"), rule: guard.RuleItem},
		{name: "an update under a condition that lacks in an absent goal", design: open, role: "user", input: goal("NOT contains(description, :t)"), options: writing("entity-0"), rule: guard.RuleItem},
		{name: "an update under a condition with a way out", design: open, role: "user", input: goal("title = :t OR attribute_not_exists(PK)"), options: writing("entity-0"), rule: guard.RuleItem},
		{name: "a condition that the guard cannot read", design: open, role: "user", input: goal("title = :t AND size(title) = size(title)"), options: writing("entity-0"), rule: guard.RuleExpression},

		{name: "an undocumented member of a map", design: roll, role: "athlete", input: &dynamodb.PutItemInput{TableName: aws.String("RollModel"), Item: with(anEntry(), "sections", "sharedWithEveryone")}, rule: guard.RuleItem},
		{name: "an undocumented member of another map", design: roll, role: "athlete", input: &dynamodb.PutItemInput{TableName: aws.String("RollModel"), Item: with(anEntry(), "sessionMetrics", "heartRate")}, rule: guard.RuleItem},
		{name: "the documented members alone", design: roll, role: "athlete", input: &dynamodb.PutItemInput{TableName: aws.String("RollModel"), Item: anEntry()}},
		{name: "an undocumented member of a map in an update", design: roll, role: "athlete", input: entry("SET sections.sharedWithEveryone = :x", values{":x": text("x")}), rule: guard.RuleUpdate},
		{name: "an undocumented member of a map that is set", design: roll, role: "athlete", input: entry("SET sections = :x", values{":x": with(anEntry(), "sections", "sharedWithEveryone")["sections"]}), rule: guard.RuleUpdate},
		{name: "an undocumented member of a map that is computed", design: roll, role: "athlete", input: entry("SET sections.sharedWithEveryone = sections.private", nil), rule: guard.RuleUpdate},
		{name: "documented members of a map that is set", design: roll, role: "athlete", input: entry("SET sections = :x", values{":x": anEntry()["sections"]}), rule: guard.RuleStep},

		{name: "a coach who asks how the private text begins", design: roll, role: "coach", input: check("begins_with(sections.private, :x)"), rule: guard.RuleCondition, cite: "roll-model.md:"},
		{name: "a coach who asks whether there is an entry", design: roll, role: "coach", input: check("attribute_exists(PK)"), rule: guard.RuleCondition},
		{name: "a comment that asks what stands in the place of its own", design: roll, role: "coach", input: condition(postComment("e"), "attribute_not_exists(PK) OR begins_with(body, :x)"), rule: guard.RuleStep, pattern: "post-comment"},
		{name: "a comment that asks for more of what stands in its place, which a coach may read", design: roll, role: "coach", input: condition(postComment("e"), "attribute_not_exists(PK) AND attribute_not_exists(body)")},
		{name: "a comment that asks for more of the link, which a coach may read", design: roll, role: "coach", input: postComment("e", "attribute_exists(PK) AND grantedBy = :x")},
		{name: "a comment that asks for the link by its key", design: roll, role: "coach", input: postComment("e", "attribute_exists(PK) AND begins_with(SK, :x)")},
		{name: "a comment that asks the engine in other words", design: roll, role: "coach", input: postComment("e", "attribute_exists(PK) AND NOT size(PK) = size(PK)"), rule: guard.RuleExpression},

		{name: "an update that copies the private text and returns it", design: roll, role: "coach", input: returning(entry("SET sections.#s = sections.private", nil), types.ReturnValueUpdatedNew), rule: guard.RuleExpression},
		{name: "an update that copies the private text and returns the copy", design: roll, role: "coach", input: returning(entry("SET sections.shared = sections.private", nil), types.ReturnValueUpdatedNew), rule: guard.RuleReturned},
		{name: "an update that counts and returns the sum", design: commit, role: "operator", input: returning(update("CommitCollect", keyOf("USER#secret-id", "MILESTONE#m"), "SET version = version + :n", values{":n": number("1")}), types.ReturnValueUpdatedNew), rule: guard.RuleReturned},
		{name: "an update that returns the number that it set", design: commit, role: "operator", input: returning(update("CommitCollect", keyOf("USER#secret-id", "MILESTONE#m"), "SET version = :n", values{":n": number("1")}), types.ReturnValueUpdatedNew), rule: guard.RuleStep},
		{name: "an allowed update that copies what the client may read", design: open, role: "user", input: copying("attribute_exists(PK)"), options: writing("entity-0")},
		{name: "an allowed update that copies what the client may not read", design: hidden, role: "user", input: copying("attribute_exists(PK)"), options: writing("entity-0"), rule: guard.RuleReturned},
		{name: "an allowed update that asks for what the client may not read", design: hidden, role: "user", input: goal("title = :t"), options: writing("entity-0"), rule: guard.RuleCondition},
		{name: "an allowed update that asks for what the client may read", design: shared, role: "user", input: aliased(goal("#data.#shared.part = :t"), "data", "shared"), options: writing("entity-0")},
		{name: "the same where a filter keeps items without an optional attribute from the client", design: seldom, role: "user", input: aliased(goal("#data.#shared.part = :t"), "data", "shared"), options: writing("entity-0"), rule: guard.RuleCondition},
		{name: "the same with a reserved word as it is", design: shared, role: "user", input: goal("data.#shared.part = :t"), options: writing("entity-0"), rule: guard.RuleExpression},
		{name: "an allowed update that asks beside what the client may read", design: shared, role: "user", input: goal("data.private = :t"), options: writing("entity-0"), rule: guard.RuleCondition},
		{name: "an allowed update that asks for what a filter keeps from the client", design: hidden, role: "user", input: goal("data.shared.part = :t"), options: writing("entity-0"), rule: guard.RuleCondition},

		{name: "entries of the client's user", design: roll, role: "athlete", input: query("RollModel", prefix, "USER#secret-id", "ENTRY#"), options: forUser("secret-id")},
		{name: "entries of another user", design: roll, role: "athlete", input: query("RollModel", prefix, "USER#secret-id2", "ENTRY#"), options: forUser("secret-id"), rule: guard.RuleUser, cite: "roll-model.md:"},
		{name: "own tasks of a shared index", design: personal, role: "user", input: tasks(), options: forUser("secret-id")},
		{name: "another user's tasks of a shared index", design: personal, role: "user", input: tasks(), options: forUser("other"), rule: guard.RuleUser, pattern: "query-tasks-by-status"},
		{name: "another user's tasks in a batch", design: personal, role: "user", input: gets(2, "TASK#"), options: forUser("other"), rule: guard.RuleUser},
		{name: "the deletion of an own link", design: roll, role: "athlete", input: unlink("secret-id"), options: forUser("secret-id")},
		{name: "the deletion of another user's link", design: roll, role: "athlete", input: unlink("secret-id"), options: forUser("other"), rule: guard.RuleUser, pattern: "unlink-coach"},
		{name: "another user's goal", design: open, role: "user", input: goal("attribute_exists(PK)"), options: append(forUser("other"), writing("entity-0")...), rule: guard.RuleUser},
		{name: "an own goal", design: open, role: "user", input: goal("attribute_exists(PK)"), options: append(forUser("secret-id"), writing("entity-0")...)},
		{name: "a user's membership, which an admin removes", design: fus, role: "admin", input: leaveGroup()},
		{name: "what another user shows to all", design: fus, role: "user", options: forUser("other"), input: &dynamodb.GetItemInput{
			TableName: aws.String("fus-main"), Key: keyOf("USER#secret-id", "PROFILE"), ProjectionExpression: aws.String("avatarKey, description"),
		}},
		{name: "what another user shows to nobody", design: fus, role: "user", options: forUser("other"), input: &dynamodb.GetItemInput{
			TableName: aws.String("fus-main"), Key: keyOf("USER#secret-id", "PROFILE"), ProjectionExpression: aws.String("lastLoginIp"),
		}, rule: guard.RuleUser},
		{name: "what no user's partition holds", design: fus, role: "user", input: &dynamodb.GetItemInput{TableName: aws.String("fus-main"), Key: keyOf("SITE#secret-id", "METADATA")}, options: forUser("other")},
		{name: "a service that acts for every user", design: roll, role: "system", input: query("RollModel", prefix, "USER#secret-id", "AI_THREAD#"), options: forUser("secret-id"), rule: guard.RuleConfiguration},
		{name: "a comment by the coach who acts", design: roll, role: "coach", input: postComment("e"), options: forUser("coach-1")},
		{name: "a comment in another coach's name", design: roll, role: "coach", input: postComment("e"), options: forUser("secret-id"), rule: guard.RuleUser, pattern: "post-comment-to-athlete"},
		{name: "the link of the coach who acts", design: roll, role: "coach", input: coachLink("coach-1"), options: forUser("coach-1")},
		{name: "the link of another coach", design: roll, role: "coach", input: coachLink("secret-id"), options: forUser("coach-1"), rule: guard.RuleUser, cite: "roll-model.md:"},
		{name: "links of two coaches in one batch", design: roll, role: "coach", options: forUser("coach-1"), rule: guard.RuleUser, input: &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{"RollModel": {Keys: []map[string]types.AttributeValue{coachLink("coach-1").Key, coachLink("coach-2").Key}}}}},
		{name: "what names no coach", design: roll, role: "coach", input: &dynamodb.GetItemInput{TableName: aws.String("RollModel"), Key: keyOf("ENTRY#e", "META")}, options: forUser("coach-1")},
		{name: "a user without an id", design: roll, role: "athlete", input: unlink("secret-id"), options: forUser(""), rule: guard.RuleConfiguration},

		{name: "a condition check that returns the private text", design: roll, role: "coach", input: &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{ConditionCheck: &types.ConditionCheck{
			TableName: aws.String("RollModel"), Key: keyOf("USER#secret-id", "ENTRY#2026-01-01T00:00:00Z#e"), ConditionExpression: aws.String("attribute_not_exists(PK)"),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}}}}, rule: guard.RuleReturned, cite: "roll-model.md:"},
		{name: "a condition check without a condition", design: roll, role: "athlete", input: &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
			{Delete: &types.Delete{TableName: aws.String("RollModel"), Key: keyOf("USER#secret-id", "COACH#c"), ConditionExpression: aws.String("attribute_exists(PK)")}},
			{ConditionCheck: &types.ConditionCheck{TableName: aws.String("RollModel"), Key: keyOf("USER#secret-id", "COACH#d"), ConditionExpression: aws.String("")}},
		}}, rule: guard.RuleCondition, cite: "roll-model.md:"},
		{name: "a deletion that returns the private text", design: roll, role: "coach", input: &dynamodb.DeleteItemInput{TableName: aws.String("RollModel"), Key: keyOf("USER#secret-id", "ENTRY#2026-01-01T00:00:00Z#e"), ReturnValues: types.ReturnValueAllOld}, rule: guard.RuleReturned},
		{name: "a deletion that returns what only a bound key could read", design: fus, role: "user", input: &dynamodb.DeleteItemInput{TableName: aws.String("fus-main"), Key: keyOf("SQUASH#MATCH#secret-id", "METADATA"), ReturnValues: types.ReturnValueAllOld}, rule: guard.RuleReturned},
		{name: "an update that returns what it set", design: open, role: "user", options: writing("entity-0"), input: returning(update("T", keyOf("USER#secret-id", "KIND0#1"), "SET description = :c", values{":c": text("red")}, "attribute_exists(PK)"), types.ReturnValueUpdatedNew)},
		{name: "an update that returns what the client may read", design: open, role: "user", options: writing("entity-0"), input: returning(update("T", keyOf("USER#secret-id", "KIND0#1"), "SET description = :c", values{":c": text("red")}, "attribute_exists(PK)"), types.ReturnValueAllOld)},
		{name: "an update that returns what else stands there now", design: hidden, role: "user", options: writing("entity-0"), input: returning(update("T", keyOf("USER#secret-id", "KIND0#1"), "SET description = :c", values{":c": text("red")}, "attribute_exists(PK)"), types.ReturnValueAllNew), rule: guard.RuleReturned},
		{name: "an update that returns what it replaced", design: hidden, role: "user", options: writing("entity-0"), input: returning(update("T", keyOf("USER#secret-id", "KIND0#1"), "SET description = :c", values{":c": text("red")}, "attribute_exists(PK)"), types.ReturnValueUpdatedOld), rule: guard.RuleReturned},
		{name: "an update without the version", design: commit, role: "user", input: setVersion("attribute_exists(PK)"), rule: guard.RuleStep, pattern: "edit-milestone"},
		{name: "an overwrite of what steps update", design: commit, role: "user", input: &dynamodb.PutItemInput{TableName: aws.String("CommitCollect"),
			Item: values{"PK": text("USER#secret-id"), "SK": text("MILESTONE#m"), "version": number("1")}}, rule: guard.RuleStep},
		{name: "a comment past the link", design: roll, role: "coach", input: &dynamodb.PutItemInput{TableName: aws.String("RollModel"), Item: comment()}, rule: guard.RuleStep, pattern: "post-comment", cite: "roll-model.md:201"},
		{name: "a deletion that no step has", design: roll, role: "coach", input: &dynamodb.DeleteItemInput{TableName: aws.String("RollModel"), Key: keyOf("USER#secret-id", "ENTRY#2026-01-01T00:00:00Z#e")}, rule: guard.RuleStep},
		{name: "another role's step", design: roll, role: "coach", input: &dynamodb.DeleteItemInput{TableName: aws.String("RollModel"), Key: keyOf("USER#secret-id", "COACH#c"),
			ConditionExpression: aws.String("attribute_exists(PK)")}, rule: guard.RuleRole, pattern: "unlink-coach"},
		{name: "a hard delete of a team", design: osem, role: "admin", input: &dynamodb.DeleteItemInput{TableName: aws.String("osem-dev-Teams"), Key: values{"teamId": text("secret-id")}}, rule: guard.RuleStep, pattern: "put-team"},
		{name: "a member leaves", design: osem, role: "manager", input: leave(leaving, someoneLeft)},
		{name: "a member leaves although nobody may be left", design: osem, role: "manager", input: leave(leaving, "isActive = :t"), rule: guard.RuleStep, pattern: "remove-team-member"},
		{name: "a member leaves if it is one", design: osem, role: "manager", input: leave(leaving, "isActive = :t AND contains(memberIds, :n)"), rule: guard.RuleStep, pattern: "remove-team-member"},
		{name: "a member leaves if another is none", design: osem, role: "manager", input: leave(leaving, "isActive = :t AND NOT contains(memberIds, :o)"), rule: guard.RuleStep, pattern: "remove-team-member"},
		{name: "two members leave at once", design: osem, role: "manager", input: leave("SET updatedAt = :u DELETE memberIds :two", someoneLeft), rule: guard.RuleStep, pattern: "remove-team-member"},
		{name: "any item of the user by account deletion", design: commit, role: "user", input: &dynamodb.DeleteItemInput{TableName: aws.String("CommitCollect"), Key: keyOf("USER#secret-id", "STRAVA#CONNECTION")}, rule: guard.RuleStep, pattern: "delete-account"},
		{name: "a comment on another entry than the one checked", design: roll, role: "coach", input: postComment("other"), rule: guard.RuleStep, pattern: "post-comment"},
		{name: "a comment past the link in a transaction", design: roll, role: "coach", input: &dynamodb.TransactWriteItemsInput{TransactItems: postComment("e").TransactItems[1:]}, rule: guard.RuleStep, pattern: "post-comment"},
		{name: "two comments for one check", design: roll, role: "coach", input: &dynamodb.TransactWriteItemsInput{TransactItems: append(postComment("e").TransactItems, postComment("e").TransactItems[2])}, rule: guard.RuleStep},
		{name: "a consistent read of a global index", design: personal, role: "user", input: tasks(func(q *dynamodb.QueryInput) { q.ConsistentRead = aws.Bool(true) }), rule: guard.RuleIndex},
		{name: "101 writes", design: roll, role: "coach", input: &dynamodb.TransactWriteItemsInput{TransactItems: make([]types.TransactWriteItem, 101)}, rule: guard.RuleBatch},
		{name: "two writes in one element", design: roll, role: "coach", input: &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{
			Put: postComment("e").TransactItems[2].Put, Delete: &types.Delete{TableName: aws.String("RollModel"), Key: keyOf("a", "b")}}}}, rule: guard.RuleOperation},
		{name: "two writes in one request of a batch", design: commit, role: "user", input: &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"CommitCollect": {{
			DeleteRequest: &types.DeleteRequest{Key: keyOf("USER#secret-id", "WORKOUT#STRAVA#1")}, PutRequest: &types.PutRequest{Item: keyOf("USER#secret-id", "PROFILE")}}}}}, rule: guard.RuleOperation},
		{name: "more than a key", design: commit, role: "user", input: &dynamodb.DeleteItemInput{TableName: aws.String("CommitCollect"),
			Key: values{"PK": text("USER#secret-id"), "SK": text("WORKOUT#STRAVA#1"), "version": number("1")}}, rule: guard.RuleKeyForm},
		{name: "an empty element", design: roll, role: "athlete", input: &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{}}}, rule: guard.RuleOperation},
	}
}

func entryKey() values { return keyOf("USER#secret-id", "ENTRY#2026-01-01T00:00:00Z#e") }

// anEntry is an item with a map of documented members.
func anEntry() values {
	item := entryKey()
	for name, value := range map[string]string{"entityType": "ENTRY", "entryId": "e", "athleteId": "secret-id", "createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z"} {
		item[name] = text(value)
	}
	item["schemaVersion"] = number("1")
	item["sections"] = &types.AttributeValueMemberM{Value: values{"private": text("x"), "shared": text("y")}}
	item["sessionMetrics"] = &types.AttributeValueMemberM{Value: values{"durationMinutes": number("1"), "intensity": number("1"), "rounds": number("1"), "giOrNoGi": text("gi"),
		"tags": &types.AttributeValueMemberL{Value: []types.AttributeValue{}}}}
	item["rawTechniqueMentions"] = &types.AttributeValueMemberL{Value: []types.AttributeValue{}}
	return item
}

// with returns the item with one more member in one of its maps.
func with(item values, attribute, member string) values {
	item[attribute].(*types.AttributeValueMemberM).Value[member] = text("x")
	return item
}

func comment() values {
	return values{"PK": text("ENTRY#e"), "SK": text("COMMENT#2026-02-19T12:00:00.000Z#c"), "entityType": text("COMMENT"), "entryId": text("e"), "commentId": text("c"),
		"coachId": text("coach-1"), "createdAt": text("2026-02-19T12:00:00.000Z"), "body": text("secret-id"), "visibility": text("visible")}
}

// postComment is the documented transaction, with the check on the given entry, and
// where it is given another condition on the link.
func coachLink(coach string) *dynamodb.GetItemInput {
	return &dynamodb.GetItemInput{TableName: aws.String("RollModel"), Key: keyOf("USER#secret-id", "COACH#"+coach)}
}

func postComment(entry string, link ...string) *dynamodb.TransactWriteItemsInput {
	name := aws.String("RollModel")
	condition, given := "attribute_exists(PK)", values(nil)
	if len(link) > 0 {
		condition, given = link[0], values{":x": text("x")}
	}
	return &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{ConditionCheck: &types.ConditionCheck{TableName: name, Key: keyOf("ENTRY#"+entry, "META"), ConditionExpression: aws.String("athleteId = :a"), ExpressionAttributeValues: values{":a": text("secret-id")}}},
		{ConditionCheck: &types.ConditionCheck{TableName: name, Key: keyOf("USER#secret-id", "COACH#coach-1"), ConditionExpression: &condition, ExpressionAttributeValues: given}},
		{Put: &types.Put{TableName: name, Item: comment(), ConditionExpression: aws.String("attribute_not_exists(PK)")}},
	}}
}

// send sends an input with the client's method for it.
func send(ctx context.Context, client *dynamodb.Client, input any) error {
	var err error
	switch in := input.(type) {
	case *dynamodb.GetItemInput:
		_, err = client.GetItem(ctx, in)
	case *dynamodb.QueryInput:
		_, err = client.Query(ctx, in)
	case *dynamodb.ScanInput:
		_, err = client.Scan(ctx, in)
	case *dynamodb.BatchGetItemInput:
		_, err = client.BatchGetItem(ctx, in)
	case *dynamodb.TransactGetItemsInput:
		_, err = client.TransactGetItems(ctx, in)
	case *dynamodb.PutItemInput:
		_, err = client.PutItem(ctx, in)
	case *dynamodb.UpdateItemInput:
		_, err = client.UpdateItem(ctx, in)
	case *dynamodb.DeleteItemInput:
		_, err = client.DeleteItem(ctx, in)
	case *dynamodb.BatchWriteItemInput:
		_, err = client.BatchWriteItem(ctx, in)
	case *dynamodb.TransactWriteItemsInput:
		_, err = client.TransactWriteItems(ctx, in)
	case *dynamodb.ExecuteStatementInput:
		_, err = client.ExecuteStatement(ctx, in)
	case *dynamodb.BatchExecuteStatementInput:
		_, err = client.BatchExecuteStatement(ctx, in)
	case *dynamodb.ExecuteTransactionInput:
		_, err = client.ExecuteTransaction(ctx, in)
	case *dynamodb.ExportTableToPointInTimeInput:
		_, err = client.ExportTableToPointInTime(ctx, in)
	case *dynamodb.ImportTableInput:
		_, err = client.ImportTable(ctx, in)
	case *dynamodb.DeleteTableInput:
		_, err = client.DeleteTable(ctx, in)
	default:
		return errors.New("send knows no such input")
	}
	return err
}

func (r *row) guardOptions() []guard.Option {
	return append([]guard.Option{guard.ForRole(r.role), guard.InEnvironment("dev")}, r.options...)
}

func TestRefusals(t *testing.T) {
	for _, r := range rows() {
		t.Run(r.name, func(t *testing.T) {
			wire := answering(`{}`)
			err := send(t.Context(), newClient(wire, guard.Enforce(r.design, r.guardOptions()...)), r.input)
			if r.rule == "" {
				if err != nil || wire.sent.Load() != 1 {
					t.Fatalf("expected it to be sent once, found %d requests and %v", wire.sent.Load(), err)
				}
				return
			}
			var refusal *guard.Refusal
			if !errors.As(err, &refusal) || !errors.Is(err, guard.ErrRefused) {
				t.Fatalf("expected a refusal, found %v", err)
			}
			if n := wire.sent.Load(); n != 0 {
				t.Errorf("expected nothing to leave the process, found %d requests", n)
			}
			if refusal.Rule != r.rule {
				t.Errorf("expected rule %s, found %v", r.rule, refusal)
			}
			if r.pattern != "" && refusal.Pattern != r.pattern {
				t.Errorf("expected pattern %s to be the nearest, found %v", r.pattern, refusal)
			}
			if !strings.HasPrefix(refusal.Cite, r.cite) {
				t.Errorf("expected the citation to begin with %s, found %q", r.cite, refusal.Cite)
			}
			if refusal.Expected == "" || refusal.Found == "" || strings.Contains(refusal.Error(), "\n") {
				t.Errorf("expected one line that says what was expected and found, found %q", refusal)
			}
			assert.NotContains(t, refusal.Error(), "secret-id")
		})
	}
}

// Rules that a single call cannot break have tests of their own.
var byOthers = map[guard.Rule]string{guard.RulePartitions: "TestPartitionsOfOneRead", guard.RuleRewritten: "TestEveryPosition"}

func TestEveryRuleHasARow(t *testing.T) {
	broken := map[guard.Rule]bool{}
	for _, r := range rows() {
		broken[r.rule] = true
	}
	for _, rule := range guard.Rules() {
		if !broken[rule] && byOthers[rule] == "" {
			t.Errorf("rule %s: no row breaks it", rule)
		}
	}
}

// TestRulesAreAll compares the list with the constants of the source.
func TestRulesAreAll(t *testing.T) {
	source, err := os.ReadFile("refusal.go")
	require.NoError(t, err)
	var declared []guard.Rule
	for _, found := range regexp.MustCompile(`(?m)^\tRule\w+ Rule = "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1) {
		declared = append(declared, guard.Rule(found[1]))
	}
	if !slices.Equal(declared, guard.Rules()) {
		t.Errorf("expected %v, found %v", declared, guard.Rules())
	}
}
