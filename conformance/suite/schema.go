package suite

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	terratest "github.com/gruntwork-io/terratest/modules/aws"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/policy"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/target"
)

// tableCheck is a check of what a table is deployed as.
type tableCheck struct{ *Observation }

// describe describes a table once for all claims.
func (s descriptions) describe(ctx context.Context, id string) *cached[*types.TableDescription] {
	return remember(s.Session, s.tables, id, func(name string) (*types.TableDescription, error) {
		return terratest.GetDynamoDBTableWithClientContextE(s.T, withClaim(ctx, describing), s.Client, name)
	})
}

// describeTTL describes a table's time to live once for all claims.
func (s descriptions) describeTTL(ctx context.Context, id string) *cached[*types.TimeToLiveDescription] {
	return remember(s.Session, s.ttls, id, func(name string) (*types.TimeToLiveDescription, error) {
		return terratest.GetDynamoDBTableTimeToLiveWithClientContextE(s.T, withClaim(ctx, describing), s.Client, name)
	})
}

func remember[T any](s *Session, known map[string]*cached[T], id string, ask func(name string) (T, error)) *cached[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if answer, asked := known[id]; asked {
		return answer
	}
	answer := &cached[T]{}
	known[id] = answer
	name, err := s.TableName(id)
	if err != nil {
		answer.err = err
		return answer
	}
	before := s.recorder.len()
	answer.value, answer.err = ask(name)
	answer.invocations = s.recorder.invocations(before)
	return answer
}

// described returns the table's description, or reports why there is none.
func (o tableCheck) described(ctx context.Context, id string) (*types.TableDescription, bool) {
	answer := descriptions{o.session}.describe(ctx, id)
	o.rests(answer.invocations)
	if answer.err != nil {
		o.missing("table "+id, id, answer.err)
		return nil, false
	}
	return answer.value, true
}

// missing reports a table that could not be described.
func (o *Observation) missing(where, id string, err error) {
	var notFound *types.ResourceNotFoundException
	name, unknown := o.session.TableName(id)
	switch {
	case unknown != nil:
		o.saw()
		o.fail(where, "a deployed table", "the deployment names none", repairDeployment)
	case errors.As(err, &notFound):
		o.saw()
		o.fail(where, "table "+name, "no such table", repairDeployment)
	default:
		o.request(where, err)
	}
}

// checkTables holds when the documented tables are deployed, and no other: none at all on an engine of the run's own, and among
// tables of others none whose name could be the document's in this stage.
func checkTables(ctx context.Context, s *Session, o *Observation) {
	for i := range s.Design.Tables {
		table := &s.Design.Tables[i]
		_, deployed := s.Deployment.Tables[table.ID]
		o.must(deployed, "the stack's outputs", "table "+table.ID,
			"no such table among "+strings.Join(slices.Sorted(maps.Keys(s.Deployment.Tables)), ", "), repairDeployment)
	}
	for _, id := range slices.Sorted(maps.Keys(s.Deployment.Tables)) {
		_, documented := s.Design.Table(id)
		o.must(documented, "the stack's outputs", "only documented tables", "table "+id+", which the document does not know", repairDeployment)
	}
	expected := map[string]bool{}
	for i := range s.Design.Tables {
		expected[s.ExpectedName(&s.Design.Tables[i])] = true
	}
	names, err := target.TableNames(ctx, s.Client)
	if err != nil {
		o.request("ListTables", err)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		o.must(slices.Contains(names, name), "ListTables", "table "+name, evidence.NotListed, repairDeployment)
	}
	var elsewhere []string
	for _, name := range names {
		switch {
		case expected[name]:
		case s.Exclusive, s.couldBeOurs(name):
			o.fail("ListTables", "only documented tables", "table "+name, extraTable)
		case slices.ContainsFunc(s.Design.Tables, func(table accesspatterns.Table) bool { return inAnotherStage(table.Name, name) }):
			elsewhere = append(elsewhere, name)
		}
	}
	if len(elsewhere) > 0 {
		o.differs("ListTables, tables whose names begin as documented ones, taken for those of another stage: %s", strings.Join(elsewhere, ", "))
	}
}

// couldBeOurs reports whether a table among those of others has a name that the design's may have in this stage: what stands
// behind the caller's prefix, a documented name with any text behind it, and osem-dev-Extra beside osem-dev-Users.
func (s *Input) couldBeOurs(name string) bool {
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
var aspects = map[string]func(context.Context, *Session, *Observation, *accesspatterns.Table){
	manifest.AspectExists:     checkExists,
	manifest.AspectKey:        onDescription(checkKey),
	manifest.AspectAttributes: onDescription(checkAttributes),
	manifest.AspectBilling:    onDescription(checkBilling),
	manifest.AspectIndexes:    onDescription(checkIndexes),
	manifest.AspectTTL:        checkTTL,
	manifest.AspectPITR:       checkPITR,
	manifest.AspectRegion:     onDescription(checkRegion),
	manifest.AspectEncryption: onDescription(checkEncryption),
	manifest.AspectTags:       checkTags,
	manifest.AspectStream:     onDescription(checkStream),
	manifest.AspectProtection: onDescription(checkProtection),
	manifest.AspectClass:      onDescription(checkClass),
	manifest.AspectExtras:     onDescription(checkExtras),
}

// onDescription hands the description of the table to a check, where there is one.
func onDescription(
	check func(context.Context, *Observation, *accesspatterns.Table, *types.TableDescription),
) func(context.Context, *Session, *Observation, *accesspatterns.Table) {
	return func(ctx context.Context, _ *Session, o *Observation, table *accesspatterns.Table) {
		if description, ok := (tableCheck{o}).described(ctx, table.ID); ok {
			check(ctx, o, table, description)
		}
	}
}

// checkSchema compares one aspect of a table.
func checkSchema(ctx context.Context, s *Session, o *Observation) {
	if o.claim.Aspect == "" {
		checkTables(ctx, s, o)
		return
	}
	table, known := s.Design.Table(o.claim.Subject)
	check := aspects[o.claim.Aspect]
	if !known || check == nil {
		o.cannot(evidence.Error, "no check for aspect %q of table %q", o.claim.Aspect, o.claim.Subject)
		return
	}
	check(ctx, s, o, table)
}

var placeholder = regexp.MustCompile(`[{}<>]`)

func checkExists(ctx context.Context, s *Session, o *Observation, table *accesspatterns.Table) {
	if name, err := s.TableName(table.ID); err == nil {
		o.equal("the stack's outputs, table "+table.ID, s.ExpectedName(table), name, repairDeployment)
		if placeholder.MatchString(name) {
			o.fail("the stack's outputs, table "+table.ID, "a name without placeholders", name, repairDeployment)
		}
		if name != s.NamePrefix+table.Name.In(s.Environment) && !table.Renamable {
			o.note("the document names the table %s; it is looked for as %s, because the caller says so", table.Name, name)
		}
	}
	if description, ok := (tableCheck{o}).described(ctx, table.ID); ok {
		tableCheck{o}.active("table "+table.ID+", status", string(description.TableStatus))
	}
}

// active compares the status of a table or an index. One that is UPDATING answers all the while; what a status means that no
// list here holds is not known.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TableDescription.html
func (o tableCheck) active(where, found string) {
	const active = string(types.TableStatusActive)
	switch types.TableStatus(found) {
	case types.TableStatusUpdating:
		o.saw()
		o.differs("%s: %s", where, found)
	case types.TableStatusActive, types.TableStatusCreating, types.TableStatusDeleting, types.TableStatusArchiving, types.TableStatusArchived,
		types.TableStatusInaccessibleEncryptionCredentials:
		o.equal(where, active, found, activeTable)
	default:
		o.cannot(evidence.Indeterminate, "%s: expected %s, found %q, of which it is not known whether it answers", where, active, found)
	}
}

func checkKey(_ context.Context, o *Observation, table *accesspatterns.Table, description *types.TableDescription) {
	o.equal("table "+table.ID+", primary key", table.ShowKey(), showKeySchema(description.KeySchema, description), repairDeployment)
}

// showKeySchema writes a deployed key as [accesspatterns.Table.ShowKey] writes a documented one; the types stand in the
// table's attribute definitions.
func showKeySchema(schema []types.KeySchemaElement, table *types.TableDescription) string {
	var parts []string
	for _, element := range schema {
		name := aws.ToString(element.AttributeName)
		defined := "undefined"
		for _, definition := range table.AttributeDefinitions {
			if aws.ToString(definition.AttributeName) == name {
				defined = string(definition.AttributeType)
			}
		}
		parts = append(parts, string(element.KeyType)+" "+name+" ("+defined+")")
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

func checkAttributes(_ context.Context, o *Observation, table *accesspatterns.Table, description *types.TableDescription) {
	found := map[string]accesspatterns.Type{}
	for _, definition := range description.AttributeDefinitions {
		found[aws.ToString(definition.AttributeName)] = accesspatterns.Type(definition.AttributeType)
	}
	expected := table.AttributeDefinitions()
	for _, name := range union(expected, found) {
		// The types may be chosen, and the names of the keys of an index; neither those of the table, nor of an index that the text names.
		compare := o.chosen
		if _, documented := expected[name]; documented != (found[name] != "") && !mayBeAKeyName(o.session.Design, table, name) {
			compare = o.equal
		}
		compare("table "+table.ID+", attribute definition "+name, cmp.Or(string(expected[name]), "none"), cmp.Or(string(found[name]), "none"), repairDeployment)
	}
}

func union[V, W any](a map[string]V, b map[string]W) []string {
	names := slices.Collect(maps.Keys(a))
	names = slices.AppendSeq(names, maps.Keys(b))
	slices.Sort(names)
	return slices.Compact(names)
}

func checkBilling(_ context.Context, o *Observation, table *accesspatterns.Table, description *types.TableDescription) {
	// A table that was always provisioned has no summary.
	found := string(types.BillingModeProvisioned)
	if description.BillingModeSummary != nil {
		found = string(description.BillingModeSummary.BillingMode)
	}
	units := description.ProvisionedThroughput
	later := cmp.Or(table.Units, table.Later)
	if later != nil && found == string(types.BillingModeProvisioned) && units != nil {
		say := func(read, write int64) string {
			return fmt.Sprintf("%d read and %d write capacity units", read, write)
		}
		o.equal("table "+table.ID+", provisioned", say(later.ReadUnits, later.WriteUnits), say(aws.ToInt64(units.ReadCapacityUnits), aws.ToInt64(units.WriteCapacityUnits)), repairDeployment)
		return
	}
	o.equal("table "+table.ID+", billing mode", string(table.Billing), found, repairDeployment)
}

func checkIndexes(_ context.Context, o *Observation, table *accesspatterns.Table, description *types.TableDescription) {
	var expected, expectedLocal, found, local []string
	for i := range table.Indexes {
		if table.Indexes[i].Local {
			expectedLocal = append(expectedLocal, table.Indexes[i].Name)
		} else {
			expected = append(expected, table.Indexes[i].Name)
		}
	}
	for _, index := range description.GlobalSecondaryIndexes {
		found = append(found, aws.ToString(index.IndexName))
	}
	for _, index := range description.LocalSecondaryIndexes {
		local = append(local, aws.ToString(index.IndexName))
	}
	o.equal("table "+table.ID+", global secondary indexes", showSet(expected), showSet(found), repairDeployment)
	o.equal("table "+table.ID+", local secondary indexes", showSet(expectedLocal), showSet(local), repairDeployment)
	if o.session.Deployment.Indexes != nil {
		o.equal("the stack's outputs, indexes of "+table.ID, showSet(expected), showSet(o.session.Deployment.Indexes[table.ID]), repairDeployment)
	}
}

func checkTTL(ctx context.Context, s *Session, o *Observation, table *accesspatterns.Table) {
	answer := descriptions{s}.describeTTL(ctx, table.ID)
	o.rests(answer.invocations)
	if answer.err != nil {
		o.missing("table "+table.ID+", time to live", table.ID, answer.err)
		return
	}
	expected := "off"
	if table.TTL != nil {
		expected = "on, by attribute " + table.TTL.Attribute
	}
	found := "off"
	on := []types.TimeToLiveStatus{types.TimeToLiveStatusEnabled, types.TimeToLiveStatusEnabling}
	if ttl := answer.value; ttl != nil && slices.Contains(on, ttl.TimeToLiveStatus) {
		found = "on, by attribute " + aws.ToString(ttl.AttributeName)
	}
	where, by := "table "+table.ID+", time to live", ""
	if found != "off" {
		by = aws.ToString(answer.value.AttributeName)
	}
	if by == "" || table.TTL == nil || by == table.TTL.Attribute || means(s.Design, by, true) {
		o.equal(where, expected, found, repairDeployment)
		return
	}
	if line, name := (descriptions{s}).namesOtherwise(by); line > 0 {
		o.equal(where, expected, fmt.Sprintf("%s: line %d of the document speaks of %s, and not as a time of expiry", found, line, name), repairDeployment)
		return
	}
	o.chosen(where, expected, found, repairDeployment) // by which attribute; never whether
}

var (
	word    = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
	expires = regexp.MustCompile(`(?i)\bttl\b|expir|time[ -]to[ -]live`)
)

// namesOtherwise returns the first line of the document that names an attribute, as it is or with more behind it (createdAt in
// createdAtUtc), and the name there. Lines that speak of expiry do not count, nor does a word of plain English outside of code.
func (s descriptions) namesOtherwise(attribute string) (line int, name string) {
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

func checkPITR(ctx context.Context, s *Session, o *Observation, table *accesspatterns.Table) {
	where := "table " + table.ID + ", point-in-time recovery"
	name, err := s.TableName(table.ID)
	if err != nil {
		o.missing(where, table.ID, err)
		return
	}
	if found, ok := (tableCheck{o}).recovery(ctx, where, name); ok {
		o.equal(where, string(types.PointInTimeRecoveryStatusEnabled), string(found.PointInTimeRecoveryStatus), repairDeployment)
	}
}

// recovery asks for a table's point-in-time recovery; what is not described is off.
func (o tableCheck) recovery(ctx context.Context, where, table string) (types.PointInTimeRecoveryDescription, bool) {
	answer, err := o.session.Client.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: aws.String(table)})
	if err != nil {
		o.request(where, err)
		return types.PointInTimeRecoveryDescription{}, false
	}
	if backups := answer.ContinuousBackupsDescription; backups != nil && backups.PointInTimeRecoveryDescription != nil {
		return *backups.PointInTimeRecoveryDescription, true
	}
	return types.PointInTimeRecoveryDescription{PointInTimeRecoveryStatus: types.PointInTimeRecoveryStatusDisabled}, true
}

var awsRegion = regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-\d$`)

// checkRegion reads the region off the table's ARN. Local engines write no AWS
// region there; then the witness is the region that CreateTable was signed for,
// which the wire saw and no engine confirms.
func checkRegion(_ context.Context, o *Observation, table *accesspatterns.Table, description *types.TableDescription) {
	where := "table " + table.ID + ", region"
	if parsed, err := arn.Parse(aws.ToString(description.TableArn)); err == nil && awsRegion.MatchString(parsed.Region) {
		o.chosen(where, table.Region.Region, parsed.Region, elsewhereRegion)
		return
	}
	if entry := o.session.created(table.ID); entry != nil {
		o.weaker = evidence.Emulated
		o.note("the engine's ARN names no AWS region; the witness is the region that CreateTable was signed for (request %d)", entry.Seq)
		o.chosen(where+", as CreateTable was signed", table.Region.Region, entry.SignedRegion, elsewhereRegion)
		return
	}
	declared := ""
	if o.session.Grade != evidence.AWS {
		declared = declaredRegion
	}
	o.unsupported(declared, "%s: the engine's ARN %s names no AWS region, and the run saw no request that created the table", where, aws.ToString(description.TableArn))
}

// checkEncryption accepts the key that AWS owns and the key that AWS manages for
// the account; a customer managed key was not documented.
func checkEncryption(ctx context.Context, o *Observation, table *accesspatterns.Table, description *types.TableDescription) {
	where := "table " + table.ID + ", encryption at rest"
	sse := description.SSEDescription
	switch {
	case sse != nil && sse.KMSMasterKeyArn != nil:
		tableCheck{o}.keyManaged(ctx, where, *sse.KMSMasterKeyArn)
	case o.session.Grade != evidence.AWS:
		tableCheck{o}.encryptionAsked(where, table.ID)
	case sse != nil && sse.Status != types.SSEStatusDisabled: // DynamoDB describes a key that it owns not at all
		o.cannot(evidence.Indeterminate, "%s: DescribeTable says that a key of KMS encrypts it (status %q), and not which", where, sse.Status)
	default:
		o.saw()
		o.note("%s: the key that AWS owns", table.ID)
	}
}

// Keys tells who manages a key of KMS.
type Keys interface {
	// Manager returns AWS or CUSTOMER, by the ARN of a key or an alias.
	Manager(ctx context.Context, arn string) (string, error)
}

// keyManaged asks who manages a key, which no description of a table says.
func (o tableCheck) keyManaged(ctx context.Context, where, arn string) {
	if o.session.Keys == nil {
		o.cannot(evidence.Indeterminate, "%s: DescribeTable names key %s, and only KMS can say whether AWS or the customer manages it", where, arn)
		return
	}
	manager, err := o.session.Keys.Manager(ctx, arn)
	switch {
	case err != nil:
		// A key that KMS cannot describe to the caller says nothing about who manages it.
		o.cannot(evidence.Indeterminate, "%s, who manages its key: %s", where, why(err))
	case manager == "AWS":
		o.saw()
		o.note("%s: the key that AWS manages for the account, as KMS says", where)
	case manager == "CUSTOMER":
		o.saw()
		o.fail(where, "a key that AWS owns or manages", "key "+arn+", which the customer manages, as KMS says", repairDeployment)
	default:
		o.cannot(evidence.Indeterminate, "%s: expected KMS to say that AWS or CUSTOMER manages key %s, found %q", where, arn, manager)
	}
}

// encryptionAsked decides about encryption where the engine's answer says nothing, because an engine in memory encrypts nothing: by
// what the stack asked for when it created the table, as the wire saw it.
func (o tableCheck) encryptionAsked(where, id string) {
	created := o.session.created(id)
	if created == nil {
		o.unsupported(declaredEncryption, "%s: the engine does not say how it encrypts, and the run saw no request that created the table", where)
		return
	}
	var asked struct {
		SSESpecification *struct{ KMSMasterKeyId string } //nolint:revive // DynamoDB's own name
	}
	if err := json.Unmarshal(created.Request, &asked); err != nil {
		o.broken(where, err)
		return
	}
	o.rested = append(o.rested, evidence.Static)
	o.note("the engine does not encrypt; this is what the stack asked for when it created the table (request %d)", created.Seq)
	key := "a key that AWS owns or manages"
	if asked.SSESpecification != nil && asked.SSESpecification.KMSMasterKeyId != "" && asked.SSESpecification.KMSMasterKeyId != "alias/aws/dynamodb" {
		key = asked.SSESpecification.KMSMasterKeyId
	}
	o.equal(where+", as CreateTable asked", "a key that AWS owns or manages", key, repairDeployment)
}

// created returns the request that created a table in this run, or nil.
func (s *Input) created(id string) *wire.Entry {
	name, err := s.TableName(id)
	if err != nil {
		return nil
	}
	for _, entry := range slices.Backward(s.Ledger.Entries(0)) {
		if entry.Operation == "CreateTable" && slices.Contains(entry.Tables, name) && entry.Status == 200 {
			return &entry
		}
	}
	return nil
}

func checkTags(ctx context.Context, s *Session, o *Observation, table *accesspatterns.Table) {
	where := "table " + table.ID + ", tag "
	found, err := descriptions{s}.tags(ctx, table.ID)
	if err != nil {
		o.missing("table "+table.ID+", tags", table.ID, err)
		return
	}
	expected := map[string]string{}
	for key, value := range table.Tags {
		expected[key] = value.In(s.Environment)
	}
	for key, value := range s.RunTags {
		expected[key] = value
		o.note("tag %s is the run's own", key)
	}
	o.saw()
	for _, key := range union(expected, found) {
		_, documented := expected[key]
		switch {
		case !documented && strings.HasPrefix(key, "aws:"):
			// Tags that AWS itself sets are not the deployment's.
		case !documented && len(table.Tags) == 0: // no list of tags that one could be beyond
			tableCheck{o}.setting(where+key, "none", found[key])
		default:
			o.equal(where+key, cmp.Or(expected[key], "none"), cmp.Or(found[key], "none"), repairDeployment)
		}
		if placeholder.MatchString(key + found[key]) {
			o.fail(where+key, "a tag without placeholders", found[key], repairDeployment)
		}
	}
}

// tags returns the tags of a table on all pages.
func (s descriptions) tags(ctx context.Context, id string) (map[string]string, error) {
	description := s.describe(ctx, id)
	if description.err != nil {
		return nil, description.err
	}
	found, err := target.TableTags(ctx, s.Client, aws.ToString(description.value.TableArn))
	if err != nil {
		return nil, fmt.Errorf("tags of %s: %w", s.Deployment.Tables[id], err)
	}
	return found, nil
}

func checkStream(_ context.Context, o *Observation, table *accesspatterns.Table, description *types.TableDescription) {
	found := "off"
	if stream := description.StreamSpecification; stream != nil && aws.ToBool(stream.StreamEnabled) {
		found = "on, " + string(stream.StreamViewType)
	}
	expected := "off"
	if table.Stream != nil {
		if (tableCheck{o}).notMade("a stream") {
			return
		}
		if expected = "on, " + table.Stream.View; table.Stream.View == "" && found != "off" {
			expected = found // the document gives no view type
		}
	}
	o.equal("table "+table.ID+", stream", expected, found, repairDeployment)
}

// notMade says of a setting that no engine was asked for, because the tables were made
// from the contract.
func (o tableCheck) notMade(what string) bool {
	if o.session.FromContract {
		o.unsupported(declaredMade, "tables that are made from a contract have not %s; --deploy lets your own tool make them, and `dynaproof audit` compares what is deployed", what)
	}
	return o.session.FromContract
}

func checkProtection(_ context.Context, o *Observation, table *accesspatterns.Table, description *types.TableDescription) {
	if !(tableCheck{o}).notMade("deletion protection") {
		o.equal("table "+table.ID+", deletion protection", "on", onOff(aws.ToBool(description.DeletionProtectionEnabled)), repairDeployment)
	}
}

func checkClass(_ context.Context, o *Observation, table *accesspatterns.Table, description *types.TableDescription) {
	if !(tableCheck{o}).notMade("a table class") {
		o.equal("table "+table.ID+", table class", table.Class.Class, classOf(description), repairDeployment)
	}
}

// classOf is the class of a table; one that DynamoDB does not name is the standard one.
func classOf(description *types.TableDescription) string {
	if description.TableClassSummary == nil {
		return string(types.TableClassStandard)
	}
	return string(description.TableClassSummary.TableClass)
}

// setting compares a setting of operations, of which no document speaks: it is noted
// where it is not the default, and fails under --strict alone.
func (o tableCheck) setting(where, usual, found string) {
	if o.session.Strict {
		o.equal(where, usual, found, usualSetting)
		return
	}
	o.saw()
	if found != usual {
		o.differs("%s: %s, of which the document does not speak", where, found)
	}
}

// checkExtras holds when the table has nothing beside what is documented, and notes
// the settings of operations. What becomes of each described field stands in the
// table of treated_test.go.
func checkExtras(ctx context.Context, o *Observation, table *accesspatterns.Table, description *types.TableDescription) {
	where := "table " + table.ID + ", "
	var vectors []string
	for _, index := range description.VectorIndexes {
		vectors = append(vectors, aws.ToString(index.IndexName))
	}
	o.equal(where+"vector indexes", showNames(nil), showNames(vectors), repairDeployment)
	if table.Protection == nil { // likewise
		tableCheck{o}.setting(where+"deletion protection", "off", onOff(aws.ToBool(description.DeletionProtectionEnabled)))
	}
	tableCheck{o}.setting(where+"replicas", "0", fmt.Sprint(len(description.Replicas)))
	tableCheck{o}.setting(where+"witnesses of a global table", "0", fmt.Sprint(len(description.GlobalTableWitnesses)))
	if table.Class == nil { // else its own claim compares it
		tableCheck{o}.setting(where+"table class", string(types.TableClassStandard), classOf(description))
	}
	if table.Encryption == nil { // else its own claim compares it
		key := "AWS owns it"
		if sse := description.SSEDescription; sse != nil && sse.KMSMasterKeyArn != nil {
			key = aws.ToString(sse.KMSMasterKeyArn)
		}
		tableCheck{o}.setting(where+"key of encryption at rest", "AWS owns it", key)
	}
	tableCheck{o}.setting(where+"on-demand throughput limit", "none", throughputLimit(description.OnDemandThroughput))
	for _, index := range description.GlobalSecondaryIndexes {
		tableCheck{o}.setting(where+"on-demand throughput limit of index "+aws.ToString(index.IndexName), "none", throughputLimit(index.OnDemandThroughput))
	}
	if o.session.Grade != evidence.AWS {
		o.note("table %s: Kinesis destinations, Contributor Insights, backups and policies beside the documented ones, which AWS alone has, were not asked for", table.ID)
		return
	}
	name := aws.ToString(description.TableName)
	tableCheck{o}.destinations(ctx, where, name)
	tableCheck{o}.insights(ctx, where, name)
	if table.PITR == nil { // else its own claim compares it
		tableCheck{o}.recoverable(ctx, where+"point-in-time recovery", name)
	}
	if policies := o.session.Design.Policies; len(policies.Roles) == 0 && policies.NoScan == nil { // else the claims about policies judge it
		tableCheck{o}.resourcePolicy(ctx, where, aws.ToString(description.TableArn))
	}
}

// recoverable notes point-in-time recovery, of which the document does not speak.
func (o tableCheck) recoverable(ctx context.Context, where, table string) {
	recovery, ok := o.recovery(ctx, where, table)
	if !ok {
		return
	}
	found := onOff(recovery.PointInTimeRecoveryStatus == types.PointInTimeRecoveryStatusEnabled)
	if days := aws.ToInt32(recovery.RecoveryPeriodInDays); found == "on" && days > 0 {
		found += fmt.Sprintf(", for %d days", days)
	}
	o.setting(where, "off", found)
}

// resourcePolicy notes a policy of a table whose document speaks of none.
func (o tableCheck) resourcePolicy(ctx context.Context, where, arn string) {
	attached, err := policyOf(ctx, o.session.Client, arn)
	if err != nil {
		o.request(where+"resource policy", err)
		return
	}
	found := "none"
	if attached != "" {
		found = "attached"
		if document, err := policy.Parse(attached, policy.Resource); err != nil {
			found += ", in words that dynaproof does not know"
		} else if allowing := document.Allows(); len(allowing) > 0 {
			found += ", with statements that allow: " + strings.Join(allowing, ", ")
		}
	}
	o.setting(where+"resource policy", "none", found)
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
func (o tableCheck) destinations(ctx context.Context, where, table string) {
	answer, err := o.session.Client.DescribeKinesisStreamingDestination(ctx, &dynamodb.DescribeKinesisStreamingDestinationInput{TableName: aws.String(table)})
	if err != nil {
		o.request(where+"Kinesis destinations", err)
		return
	}
	var active []string
	for _, destination := range answer.KinesisDataStreamDestinations {
		if destination.DestinationStatus != types.DestinationStatusDisabled {
			active = append(active, aws.ToString(destination.StreamArn))
		}
	}
	o.equal(where+"Kinesis destinations", showNames(nil), showNames(active), repairDeployment)
}

// insights notes Contributor Insights, which show keys in CloudWatch.
func (o tableCheck) insights(ctx context.Context, where, table string) {
	answer, err := o.session.Client.DescribeContributorInsights(ctx, &dynamodb.DescribeContributorInsightsInput{TableName: aws.String(table)})
	if err != nil {
		o.request(where+"Contributor Insights", err)
		return
	}
	status := answer.ContributorInsightsStatus
	o.setting(where+"Contributor Insights", "off", onOff(status == types.ContributorInsightsStatusEnabled || status == types.ContributorInsightsStatusEnabling))
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
