// Package schema compares deployed tables and indexes with the documented ones.
package schema

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/policy"
	"dynaproof/conformance/suite/failures"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
	"dynaproof/conformance/target"
)

// tableCheck is a check of what a table is deployed as.
type tableCheck struct {
	*observe.Observation
	table *accesspatterns.Table
	// deployed is the table's description; nil until it was asked for.
	deployed *types.TableDescription
}

// describe asks for the table's description, or reports why there is none.
func (o *tableCheck) describe(ctx context.Context) bool {
	answer := o.Session.Describe(ctx, o.table.ID)
	o.Rests(answer.Invocations)
	if answer.Err != nil {
		o.Missing("table "+o.table.ID, o.table.ID, answer.Err)
	}
	o.deployed = answer.Value
	return answer.Err == nil
}

// at says where something of the table is.
func (o *tableCheck) at(what string) string { return "table " + o.table.ID + ", " + what }

// same compares something of the table with what is documented, and chosen what the document may leave open.
func (o *tableCheck) same(what, expected, found string) {
	o.Equal(o.at(what), expected, found, remedy.RepairDeployment)
}

func (o *tableCheck) chosen(what, expected, found string) {
	o.Chosen(o.at(what), expected, found, remedy.RepairDeployment)
}

// checkTables holds when the documented tables are deployed, and no other: none at all on an engine of the run's own, and among
// tables of others none whose name could be the document's in this stage.
func checkTables(ctx context.Context, s *session.Session, o *observe.Observation) {
	for table := range lists.Each(s.Design.Tables) {
		_, deployed := s.Deployment.Tables[table.ID]
		o.Must(deployed, "the stack's outputs", "table "+table.ID,
			"no such table among "+strings.Join(slices.Sorted(maps.Keys(s.Deployment.Tables)), ", "), remedy.RepairDeployment)
	}
	for _, id := range slices.Sorted(maps.Keys(s.Deployment.Tables)) {
		_, documented := s.Design.Table(id)
		o.Must(documented, "the stack's outputs", "only documented tables", "table "+id+", which the document does not know", remedy.RepairDeployment)
	}
	expected := lists.Set(s.Design.Tables, func(table accesspatterns.Table) string { return s.ExpectedName(&table) })
	names, err := target.TableNames(ctx, s.Client)
	if err != nil {
		o.Request("ListTables", err)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		o.Must(slices.Contains(names, name), "ListTables", "table "+name, evidence.NotListed, remedy.RepairDeployment)
	}
	var elsewhere []string
	for _, name := range names {
		switch {
		case expected[name]:
		case s.Exclusive, couldBeOurs(&s.Input, name):
			o.Fail("ListTables", "only documented tables", "table "+name, remedy.ExtraTable)
		case slices.ContainsFunc(s.Design.Tables, func(table accesspatterns.Table) bool { return inAnotherStage(table.Name, name) }):
			elsewhere = append(elsewhere, name)
		}
	}
	if len(elsewhere) > 0 {
		o.Differs("ListTables, tables whose names begin as documented ones, taken for those of another stage: %s", strings.Join(elsewhere, ", "))
	}
}

// couldBeOurs reports whether a table among those of others has a name that the design's may have in this stage: what stands
// behind the caller's prefix, a documented name with any text behind it, and osem-dev-Extra beside osem-dev-Users.
func couldBeOurs(s *session.Input, name string) bool {
	if s.NamePrefix != "" {
		return strings.HasPrefix(name, s.NamePrefix) // what lacks the prefix of the run is another deployment's
	}
	return slices.ContainsFunc(s.Design.Tables, func(table accesspatterns.Table) bool {
		before, behind := table.Name.Around()
		named := before != "" && len(behind) > len(table.ID) && strings.HasSuffix(behind, table.ID)
		return strings.HasPrefix(name, s.ExpectedName(&table)) || named && strings.HasPrefix(name, strings.TrimSuffix(table.Name.In(s.Environment), table.ID))
	})
}

// inAnotherStage reports whether a table has a name that begins as a documented one, up to where the stage stands or should
// stand: personal-os-prod and personal-os beside personal-os-dev. Of a name that begins with the stage it is the end.
func inAnotherStage(template accesspatterns.NameTemplate, name string) bool {
	before, behind := template.Around()
	if before == "" {
		return behind != "" && len(name) > len(behind) && strings.HasSuffix(name, behind)
	}
	return template.HasEnvironment() && (strings.HasPrefix(name, before) || name == strings.TrimRight(before, "-_."))
}

// aspects are the checks of what is claimed about one table.
var aspects = map[string]func(*tableCheck, context.Context){
	manifest.AspectExists:     (*tableCheck).exists,
	manifest.AspectKey:        onDescription((*tableCheck).key),
	manifest.AspectAttributes: onDescription((*tableCheck).attributes),
	manifest.AspectBilling:    onDescription((*tableCheck).billing),
	manifest.AspectIndexes:    onDescription((*tableCheck).indexes),
	manifest.AspectTTL:        (*tableCheck).ttl,
	manifest.AspectPITR:       (*tableCheck).pitr,
	manifest.AspectRegion:     onDescription((*tableCheck).region),
	manifest.AspectEncryption: onDescription((*tableCheck).encryption),
	manifest.AspectTags:       (*tableCheck).tags,
	manifest.AspectStream:     onDescription((*tableCheck).stream),
	manifest.AspectProtection: onDescription((*tableCheck).protection),
	manifest.AspectClass:      onDescription((*tableCheck).class),
	manifest.AspectExtras:     onDescription((*tableCheck).extras),
}

// onDescription is a check of the table's description, where there is one.
func onDescription(check func(*tableCheck, context.Context)) func(*tableCheck, context.Context) {
	return func(o *tableCheck, ctx context.Context) {
		if o.describe(ctx) {
			check(o, ctx)
		}
	}
}

// Check compares one aspect of a table.
func Check(ctx context.Context, s *session.Session, o *observe.Observation) {
	if o.Claim.Aspect == "" {
		checkTables(ctx, s, o)
		return
	}
	table, known := s.Design.Table(o.Claim.Subject)
	check := aspects[o.Claim.Aspect]
	if !known || check == nil {
		o.Cannot(evidence.Error, "no check for aspect %q of table %q", o.Claim.Aspect, o.Claim.Subject)
		return
	}
	check(&tableCheck{Observation: o, table: table}, ctx)
}

var placeholder = regexp.MustCompile(`[{}<>]`)

func (o *tableCheck) exists(ctx context.Context) {
	s, table := o.Session, o.table
	if name, err := s.TableName(table.ID); err == nil {
		where := "the stack's outputs, table " + table.ID
		o.Equal(where, s.ExpectedName(table), name, remedy.RepairDeployment)
		if placeholder.MatchString(name) {
			o.Fail(where, "a name without placeholders", name, remedy.RepairDeployment)
		}
		if name != s.NamePrefix+table.Name.In(s.Environment) && !table.Renamable {
			o.Note("the document names the table %s; it is looked for as %s, because the caller says so", table.Name, name)
		}
	}
	if o.describe(ctx) {
		o.active("status", string(o.deployed.TableStatus))
	}
}

// active compares the status of a table or an index. One that is UPDATING answers all the while; what a status means that no
// list here holds is not known.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TableDescription.html
func (o *tableCheck) active(what, found string) {
	where := o.at(what)
	const active = string(types.TableStatusActive)
	switch types.TableStatus(found) {
	case types.TableStatusUpdating:
		o.Saw()
		o.Differs("%s: %s", where, found)
	case types.TableStatusActive, types.TableStatusCreating, types.TableStatusDeleting, types.TableStatusArchiving, types.TableStatusArchived,
		types.TableStatusInaccessibleEncryptionCredentials:
		o.Equal(where, active, found, remedy.ActiveTable)
	default:
		o.Cannot(evidence.Indeterminate, "%s: expected %s, found %q, of which it is not known whether it answers", where, active, found)
	}
}

func (o *tableCheck) key(_ context.Context) {
	o.same("primary key", o.table.ShowKey(), showKeySchema(o.deployed.KeySchema, o.deployed))
}

// showKeySchema writes a deployed key as [accesspatterns.Table.ShowKey] writes a documented one; the types stand in the
// table's attribute definitions.
func showKeySchema(schema []types.KeySchemaElement, table *types.TableDescription) string {
	var parts []string
	for _, element := range schema {
		name := aws.ToString(element.AttributeName)
		parts = append(parts, string(element.KeyType)+" "+name+" ("+cmp.Or(definedTypes(table)[name], "undefined")+")")
	}
	// HASH by name, before RANGE in its order.
	slices.SortStableFunc(parts, func(a, b string) int {
		if strings.HasPrefix(a, "RANGE ") && strings.HasPrefix(b, "RANGE ") {
			return 0
		}
		return strings.Compare(a, b)
	})
	return strings.Join(parts, ", ")
}

// definedTypes are the types of a table's defined attributes; one that is defined twice has all that are said.
func definedTypes(table *types.TableDescription) map[string]string {
	found := map[string]string{}
	for _, definition := range table.AttributeDefinitions {
		name, kind := aws.ToString(definition.AttributeName), string(definition.AttributeType)
		if before := found[name]; before != "" && before != kind {
			kind = before + " and " + kind
		}
		found[name] = kind
	}
	return found
}

func (o *tableCheck) attributes(_ context.Context) {
	found, expected := definedTypes(o.deployed), o.table.AttributeDefinitions()
	for _, name := range union(expected, found) {
		// The types may be chosen, and the names of the keys of an index; neither those of the table, nor of an index that the text names.
		compare := o.chosen
		if _, documented := expected[name]; documented != (found[name] != "") && !mayBeAKeyName(o.Session.Design, o.table, name) {
			compare = o.same
		}
		compare("attribute definition "+name, cmp.Or(string(expected[name]), "none"), cmp.Or(found[name], "none"))
	}
}

func union[V, W any](a map[string]V, b map[string]W) []string {
	return lists.Sorted(slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b)))
}

func (o *tableCheck) billing(_ context.Context) {
	// A table that was always provisioned has no summary, and capacity units.
	found, units := string(types.BillingModeProvisioned), o.deployed.ProvisionedThroughput
	if summary := o.deployed.BillingModeSummary; summary != nil && summary.BillingMode != "" {
		found = string(summary.BillingMode)
	} else if units == nil || aws.ToInt64(units.ReadCapacityUnits) == 0 {
		o.Cannot(evidence.Indeterminate, "table %s, billing mode: DescribeTable says neither which, nor capacity units", o.table.ID)
		return
	}
	later := cmp.Or(o.table.Units, o.table.Later)
	if later != nil && found == string(types.BillingModeProvisioned) && units != nil {
		say := func(read, write int64) string {
			return fmt.Sprintf("%d read and %d write capacity units", read, write)
		}
		o.same("provisioned", say(later.ReadUnits, later.WriteUnits), say(aws.ToInt64(units.ReadCapacityUnits), aws.ToInt64(units.WriteCapacityUnits)))
		return
	}
	o.same("billing mode", string(o.table.Billing), found)
}

func (o *tableCheck) indexes(_ context.Context) {
	expected := map[bool][]string{} // by whether they are local
	for _, index := range o.table.Indexes {
		expected[index.Local] = append(expected[index.Local], index.Name)
	}
	global := lists.Map(o.deployed.GlobalSecondaryIndexes, func(index types.GlobalSecondaryIndexDescription) string { return aws.ToString(index.IndexName) })
	local := lists.Map(o.deployed.LocalSecondaryIndexes, func(index types.LocalSecondaryIndexDescription) string { return aws.ToString(index.IndexName) })
	o.same("global secondary indexes", observe.ShowSet(expected[false]), observe.ShowSet(global))
	o.same("local secondary indexes", observe.ShowSet(expected[true]), observe.ShowSet(local))
	if exported := o.Session.Deployment.Indexes; exported != nil {
		o.Equal("the stack's outputs, indexes of "+o.table.ID, observe.ShowSet(expected[false]), observe.ShowSet(exported[o.table.ID]), remedy.RepairDeployment)
	}
}

func (o *tableCheck) ttl(ctx context.Context) {
	const what = "time to live"
	s, wanted := o.Session, o.table.TTL
	answer := s.DescribeTTL(ctx, o.table.ID)
	o.Rests(answer.Invocations)
	if answer.Err != nil {
		o.Missing(o.at(what), o.table.ID, answer.Err)
		return
	}
	o.unknown("DescribeTimeToLive", answer.Unknown)
	expected, found, by := "off", "off", ""
	if wanted != nil {
		expected = "on, by attribute " + wanted.Attribute
	}
	if ttl := answer.Value; ttl != nil {
		if strings.HasSuffix(string(ttl.TimeToLiveStatus), "ING") {
			o.Differs("%s: %s", o.at(what), ttl.TimeToLiveStatus)
		}
		if strings.HasPrefix(string(ttl.TimeToLiveStatus), "EN") {
			by = aws.ToString(ttl.AttributeName)
			found = "on, by attribute " + by
		}
	}
	if by == "" || wanted == nil || by == wanted.Attribute || means(s.Design, by, true) {
		o.same(what, expected, found)
	} else if line, name := namesOtherwise(s, by); line > 0 {
		o.same(what, expected, fmt.Sprintf("%s: line %d of the document speaks of %s, and not as a time of expiry", found, line, name))
	} else {
		o.chosen(what, expected, found) // by which attribute; never whether
	}
}

var (
	word    = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
	expires = regexp.MustCompile(`(?i)\bttl\b|expir|time[ -]to[ -]live`)
)

// namesOtherwise returns the first line of the document that names an attribute, as it is or with more behind it (createdAt in
// createdAtUtc), and the name there. Lines that speak of expiry do not count, nor does a word of plain English outside of code.
func namesOtherwise(s *session.Session, attribute string) (line int, name string) {
	if s.Source == nil {
		return 0, ""
	}
	for line := 1; line <= s.Source.Len(); line++ {
		text := s.Source.Line(line)
		if expires.MatchString(text) {
			continue
		}
		for _, at := range word.FindAllStringIndex(text, -1) {
			name := text[at[0]:at[1]]
			rest, begins := strings.CutPrefix(name, attribute)
			alone := rest == "" && (attribute != strings.ToLower(attribute) || strings.Contains(attribute, "_") || strings.Count(text[:at[0]], "`")%2 == 1)
			if begins && (alone || rest != "" && (rest[0] == '_' || rest[0] >= 'A' && rest[0] <= 'Z')) {
				return line, name
			}
		}
	}
	return 0, ""
}

const recovery = "point-in-time recovery"

func (o *tableCheck) pitr(ctx context.Context) {
	name, err := o.Session.TableName(o.table.ID)
	if err != nil {
		o.Missing(o.at(recovery), o.table.ID, err)
		return
	}
	if found, ok := o.recovery(ctx, name); ok {
		o.same(recovery, string(types.PointInTimeRecoveryStatusEnabled), string(found.PointInTimeRecoveryStatus))
	}
}

// recovery asks for a table's point-in-time recovery; what is not described is off.
func (o *tableCheck) recovery(ctx context.Context, name string) (found types.PointInTimeRecoveryDescription, ok bool) {
	answer, err := o.Session.Client.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: &name})
	if err != nil {
		o.Request(o.at(recovery), err)
		return found, false
	}
	if backups := answer.ContinuousBackupsDescription; backups != nil && backups.PointInTimeRecoveryDescription != nil {
		return *backups.PointInTimeRecoveryDescription, true
	}
	found.PointInTimeRecoveryStatus = types.PointInTimeRecoveryStatusDisabled
	return found, true
}

var awsRegion = regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-\d$`)

// region reads the region off the table's ARN. Local engines write no AWS
// region there; then the witness is the region that CreateTable was signed for,
// which the wire saw and no engine confirms.
func (o *tableCheck) region(_ context.Context) {
	where := o.at("region")
	if parsed, err := arn.Parse(aws.ToString(o.deployed.TableArn)); err == nil && awsRegion.MatchString(parsed.Region) {
		o.Chosen(where, o.table.Region.Region, parsed.Region, remedy.ElsewhereRegion)
		return
	}
	if entry := o.Session.Created(o.table.ID); entry != nil {
		o.Rested = append(o.Rested, evidence.Emulated)
		o.Note("the engine's ARN names no AWS region; the witness is the region that CreateTable was signed for (request %d)", entry.Seq)
		o.Chosen(where+", as CreateTable was signed", o.table.Region.Region, entry.SignedRegion, remedy.ElsewhereRegion)
		return
	}
	declared := ""
	if o.Session.Grade != evidence.AWS {
		declared = observe.DeclaredRegion
	}
	o.Unsupported(declared, "%s: the engine's ARN %s names no AWS region, and the run saw no request that created the table", where, aws.ToString(o.deployed.TableArn))
}

// encryption accepts the key that AWS owns and the key that AWS manages for
// the account; a customer managed key was not documented.
func (o *tableCheck) encryption(ctx context.Context) {
	where := o.at("encryption at rest")
	sse := o.deployed.SSEDescription
	switch {
	case sse != nil && sse.KMSMasterKeyArn != nil:
		o.keyManaged(ctx, where, *sse.KMSMasterKeyArn)
	case o.Session.Grade != evidence.AWS:
		o.encryptionAsked(where)
	case sse != nil && sse.Status != types.SSEStatusDisabled: // DynamoDB describes a key that it owns not at all
		o.Cannot(evidence.Indeterminate, "%s: DescribeTable says that a key of KMS encrypts it (status %q), and not which", where, sse.Status)
	default:
		o.Saw()
		o.Note("%s: the key that AWS owns", o.table.ID)
	}
}

const keyOfAWS = "a key that AWS owns or manages"

// keyManaged asks who manages a key, which no description of a table says.
func (o *tableCheck) keyManaged(ctx context.Context, where, arn string) {
	if o.Session.Keys == nil {
		o.Cannot(evidence.Indeterminate, "%s: DescribeTable names key %s, and only KMS can say whether AWS or the customer manages it", where, arn)
		return
	}
	manager, err := o.Session.Keys(ctx, arn)
	switch {
	case err != nil:
		// A key that KMS cannot describe to the caller says nothing about who manages it.
		o.Cannot(evidence.Indeterminate, "%s, who manages its key: %s", where, failures.Why(err))
	case manager == "AWS":
		o.Saw()
		o.Note("%s: the key that AWS manages for the account, as KMS says", where)
	case manager == "CUSTOMER":
		o.Refute(where, keyOfAWS, "key "+arn+", which the customer manages, as KMS says", remedy.RepairDeployment)
	default:
		o.Cannot(evidence.Indeterminate, "%s: expected KMS to say that AWS or CUSTOMER manages key %s, found %q", where, arn, manager)
	}
}

// encryptionAsked decides about encryption where the engine's answer says nothing, because an engine in memory encrypts nothing: by
// what the stack asked for when it created the table, as the wire saw it.
func (o *tableCheck) encryptionAsked(where string) {
	created := o.Session.Created(o.table.ID)
	if created == nil {
		o.Unsupported(observe.DeclaredEncryption, "%s: the engine does not say how it encrypts, and the run saw no request that created the table", where)
		return
	}
	var asked struct {
		SSESpecification *struct{ KMSMasterKeyId string } //nolint:revive // DynamoDB's own name
	}
	if err := input.Exactly(created.Request, &asked); err != nil {
		o.Broken(where, err)
		return
	}
	o.Rested = append(o.Rested, evidence.Static)
	o.Note("the engine does not encrypt; this is what the stack asked for when it created the table (request %d)", created.Seq)
	key := keyOfAWS
	if asked.SSESpecification != nil && asked.SSESpecification.KMSMasterKeyId != "" && asked.SSESpecification.KMSMasterKeyId != "alias/aws/dynamodb" {
		key = asked.SSESpecification.KMSMasterKeyId
	}
	o.Equal(where+", as CreateTable asked", keyOfAWS, key, remedy.RepairDeployment)
}

func (o *tableCheck) tags(ctx context.Context) {
	s := o.Session
	found, err := s.Tags(ctx, o.table.ID)
	if err != nil {
		o.Missing(o.at("tags"), o.table.ID, err)
		return
	}
	expected := map[string]string{}
	for key, value := range o.table.Tags {
		expected[key] = value.In(s.Environment)
	}
	for key, value := range s.RunTags {
		expected[key] = value
		o.Note("tag %s is the run's own", key)
	}
	o.Saw()
	for _, key := range union(expected, found) {
		_, documented := expected[key]
		switch {
		case !documented && strings.HasPrefix(key, "aws:"):
			// Tags that AWS itself sets are not the deployment's.
		case !documented && len(o.table.Tags) == 0: // no list of tags that one could be beyond
			o.setting("tag "+key, "none", found[key])
		default:
			o.same("tag "+key, valueOf(expected, key), valueOf(found, key))
		}
		if placeholder.MatchString(key + found[key]) {
			o.Fail(o.at("tag "+key), "a tag without placeholders", found[key], remedy.RepairDeployment)
		}
	}
}

// valueOf is the value of a tag; an empty one is a value too.
func valueOf(tags map[string]string, key string) string {
	value, is := tags[key]
	if !is {
		return "none"
	}
	return cmp.Or(value, `""`)
}

func (o *tableCheck) stream(_ context.Context) {
	found := "off"
	if stream := o.deployed.StreamSpecification; stream != nil && stream.StreamEnabled == nil {
		o.Cannot(evidence.Indeterminate, "table %s: DescribeTable specifies a stream, and not whether it is on", o.table.ID)
		return
	} else if stream != nil && *stream.StreamEnabled {
		found = "on, " + string(stream.StreamViewType)
	}
	expected := "off"
	if o.table.Stream != nil {
		if o.notMade("a stream") {
			return
		}
		if expected = "on, " + o.table.Stream.View; o.table.Stream.View == "" && found != "off" {
			expected = found // the document gives no view type
		}
	}
	o.same("stream", expected, found)
}

// notMade says of a setting that no engine was asked for, because the tables were made
// from the contract.
func (o *tableCheck) notMade(what string) bool {
	if o.Session.FromContract {
		o.Unsupported(observe.DeclaredMade, "tables that are made from a contract have not %s; --deploy lets your own tool make them, and `dynaproof audit` compares what is deployed", what)
	}
	return o.Session.FromContract
}

func (o *tableCheck) protection(_ context.Context) {
	switch on := o.deployed.DeletionProtectionEnabled; {
	case o.notMade("deletion protection"):
	case on == nil:
		o.Cannot(evidence.Indeterminate, "%s: DescribeTable does not say whether it is on", o.at("deletion protection"))
	default:
		o.same("deletion protection", "on", onOff(*on))
	}
}

func (o *tableCheck) class(_ context.Context) {
	if !o.notMade("a table class") {
		o.same("table class", o.table.Class.Class, classOf(o.deployed))
	}
}

// classOf is the class of a table; one that DynamoDB does not name is the standard one.
func classOf(table *types.TableDescription) string {
	if table.TableClassSummary == nil {
		return string(types.TableClassStandard)
	}
	return string(table.TableClassSummary.TableClass)
}

// setting compares a setting of operations, of which no document speaks: it is noted
// where it is not the default, and fails under --strict alone.
func (o *tableCheck) setting(what, usual, found string) {
	if o.Session.Strict {
		o.Equal(o.at(what), usual, found, remedy.UsualSetting)
		return
	}
	o.Saw()
	if found != usual {
		o.Differs("%s: %s, of which the document does not speak", o.at(what), found)
	}
}

// extras holds when the table has nothing beside what is documented, and notes
// the settings of operations. What becomes of each described field stands in the
// table of treated_test.go.
func (o *tableCheck) extras(ctx context.Context) {
	o.unknown("DescribeTable", o.Session.Describe(ctx, o.table.ID).Unknown)
	vectors := lists.Map(o.deployed.VectorIndexes, func(index types.VectorIndexDescription) string { return aws.ToString(index.IndexName) })
	o.same("vector indexes", observe.ShowNames(nil), observe.ShowNames(vectors))
	if o.table.Protection == nil { // likewise
		o.setting("deletion protection", "off", onOff(aws.ToBool(o.deployed.DeletionProtectionEnabled)))
	}
	o.setting("replicas", "0", fmt.Sprint(len(o.deployed.Replicas)))
	o.setting("witnesses of a global table", "0", fmt.Sprint(len(o.deployed.GlobalTableWitnesses)))
	if o.table.Class == nil { // else its own claim compares it
		o.setting("table class", string(types.TableClassStandard), classOf(o.deployed))
	}
	if o.table.Encryption == nil { // else its own claim compares it
		key := "AWS owns it"
		if sse := o.deployed.SSEDescription; sse != nil && sse.KMSMasterKeyArn != nil {
			key = aws.ToString(sse.KMSMasterKeyArn)
		}
		o.setting("key of encryption at rest", "AWS owns it", key)
	}
	o.setting("on-demand throughput limit", "none", throughputLimit(o.deployed.OnDemandThroughput))
	for _, index := range o.deployed.GlobalSecondaryIndexes {
		o.setting("on-demand throughput limit of index "+aws.ToString(index.IndexName), "none", throughputLimit(index.OnDemandThroughput))
	}
	if o.Session.Grade != evidence.AWS {
		o.Note("table %s: Kinesis destinations, Contributor Insights, backups and policies beside the documented ones, which AWS alone has, were not asked for", o.table.ID)
		return
	}
	o.destinations(ctx)
	o.insights(ctx)
	if o.table.PITR == nil { // else its own claim compares it
		o.recoverable(ctx)
	}
	if policies := o.Session.Design.Policies; len(policies.Roles) == 0 && policies.NoScan == nil { // else the claims about policies judge it
		o.resourcePolicy(ctx)
	}
}

// unknown notes what an answer says that AWS has added since: it may be a setting, and nobody here can tell which.
func (o *tableCheck) unknown(operation string, said []string) {
	for _, each := range said {
		o.Differs("%s, %s: not known to this version, which cannot tell what it means", o.at(operation), each)
	}
}

// recoverable notes point-in-time recovery, of which the document does not speak.
func (o *tableCheck) recoverable(ctx context.Context) {
	answer, ok := o.recovery(ctx, aws.ToString(o.deployed.TableName))
	if !ok {
		return
	}
	found := onOff(answer.PointInTimeRecoveryStatus == types.PointInTimeRecoveryStatusEnabled)
	if days := aws.ToInt32(answer.RecoveryPeriodInDays); found == "on" && days > 0 {
		found += fmt.Sprintf(", for %d days", days)
	}
	o.setting(recovery, "off", found)
}

// resourcePolicy notes a policy of a table whose document speaks of none.
func (o *tableCheck) resourcePolicy(ctx context.Context) {
	attached, err := session.PolicyOf(ctx, o.Session.Client, aws.ToString(o.deployed.TableArn))
	if err != nil {
		o.Request(o.at("resource policy"), err)
		return
	}
	found := "none"
	if attached != "" {
		found = "attached"
		if document, err := policy.Parse(attached, policy.Resource); err != nil {
			found += ", in words that dynaproof does not know"
		} else if allowing := document.Allows(false); len(allowing) > 0 {
			found += ", with statements that allow: " + strings.Join(allowing, ", ")
		}
	}
	o.setting("resource policy", "none", found)
}

// throughputLimit says the highest request units that a table or index allows.
func throughputLimit(limit *types.OnDemandThroughput) string {
	if limit == nil || aws.ToInt64(limit.MaxReadRequestUnits) <= 0 && aws.ToInt64(limit.MaxWriteRequestUnits) <= 0 {
		return "none"
	}
	return fmt.Sprintf("%d read and %d write request units", aws.ToInt64(limit.MaxReadRequestUnits), aws.ToInt64(limit.MaxWriteRequestUnits))
}

// destinations compares the Kinesis streams that changes go to: streams by another
// name, which no document knows.
func (o *tableCheck) destinations(ctx context.Context) {
	active, err := o.Session.Destinations(ctx, aws.ToString(o.deployed.TableName))
	if err != nil {
		o.Request(o.at("Kinesis destinations"), err)
		return
	}
	o.same("Kinesis destinations", observe.ShowNames(nil), observe.ShowNames(active))
}

// insights notes Contributor Insights, which show keys in CloudWatch.
func (o *tableCheck) insights(ctx context.Context) {
	answer, err := o.Session.Client.DescribeContributorInsights(ctx, &dynamodb.DescribeContributorInsightsInput{TableName: o.deployed.TableName})
	if err != nil {
		o.Request(o.at("Contributor Insights"), err)
		return
	}
	status := answer.ContributorInsightsStatus
	o.setting("Contributor Insights", "off", onOff(status == types.ContributorInsightsStatusEnabled || status == types.ContributorInsightsStatusEnabling))
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
