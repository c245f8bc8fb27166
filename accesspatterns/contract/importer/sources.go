package importer

import (
	"cmp"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"

	"go.yaml.in/yaml/v3"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract/file"
)

// oneFile is a folder with a contract.
func oneFile(text []byte) fs.FS { return fstest.MapFS{"contract.yaml": {Data: text}} }

// formats are the sources, the most particular first.
var formats = []format{
	{"a schema of AWS's modelling tools", false, func(root *yaml.Node) bool {
		tables := get(root, "tables")
		return tables != nil && tables.Kind == yaml.SequenceNode && len(tables.Content) > 0 && (get(tables.Content[0], "table_config") != nil || get(tables.Content[0], "entities") != nil)
	}, (*draft).modelSchema},
	{"a data model of AWS's modelling tools", false, func(root *yaml.Node) bool { return get(root, "tables") != nil }, func(d *draft, root *yaml.Node) {
		for _, each := range d.list(root, "tables") {
			d.createTable(each)
		}
		d.modelItems(root)
		if at, list := member(root, "access_patterns"); list != nil {
			d.patternsAt = d.cite(at)
		}
		d.commands = d.list(root, "access_patterns")
	}},
	{"describe-table output", true, func(root *yaml.Node) bool { return len(described(root)) > 0 }, func(d *draft, root *yaml.Node) {
		for i, each := range described(root) {
			d.createTable(each)
			if len(d.tables) == i+1 {
				d.answers(d.tables[i], root, each)
			}
		}
	}},
	{"CloudFormation", false, func(root *yaml.Node) bool { return get(root, "Resources") != nil }, (*draft).cloudFormation},
	{"a plan of Terraform", false, func(root *yaml.Node) bool { return get(root, "planned_values") != nil }, func(d *draft, root *yaml.Node) {
		d.terraformModule(get(root, "planned_values", "root_module"))
	}},
	{"a state of Terraform", true, func(root *yaml.Node) bool { return get(root, "values") != nil || get(root, "terraform_version") != nil }, func(d *draft, root *yaml.Node) {
		d.terraformModule(get(root, "values", "root_module"))
	}},
	{"Pulumi's exported state", true, func(root *yaml.Node) bool { return get(root, "deployment", "resources") != nil }, func(d *draft, root *yaml.Node) {
		for _, each := range d.list(get(root, "deployment"), "resources") {
			if textOf(each, "type") == "aws:dynamodb/table:Table" && textOf(each, "delete") != "true" {
				d.providerTable(get(each, "outputs"), each, pulumiNames)
			}
		}
	}},
	{"a NoSQL Workbench model", false, func(root *yaml.Node) bool { return get(root, "DataModel") != nil }, func(d *draft, root *yaml.Node) {
		for _, each := range d.list(root, "DataModel") {
			d.workbench(each)
		}
	}},
}

// table is a table of a source.
type table struct {
	id   string
	node *yaml.Node
	file.Table
}

// key is the key of a table or index.
type key struct {
	partition, sort file.Ordered[string]
	at              file.Citation
}

// tableName is the form of the names of tables and indexes that DynamoDB takes (https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_CreateTable.html).
var tableName = regexp.MustCompile(`^[A-Za-z0-9_.-]{3,255}$`)

var idForm = regexp.MustCompile(`[^A-Za-z0-9_.-]`)

// idOf is the logical id of a table of a name.
func idOf(name string) string {
	return strings.Trim(strings.ReplaceAll(idForm.ReplaceAllString(braces.ReplaceAllString(name, ""), ""), "--", "-"), "-_.")
}

// newTable begins a table that a scalar names.
func (d *draft) newTable(name *yaml.Node, node *yaml.Node) *table {
	if !tableName.MatchString(braces.ReplaceAllString(name.Value, "env")) {
		d.report(name, "expected a table name of 3 to 255 letters, digits, hyphens, underscores and dots, found %s", name.Value)
	}
	return &table{cmp.Or(idOf(name.Value), "table"), node, file.Table{Name: name.Value, Cite: d.cite(name), IndexesCite: d.cite(name)}}
}

// add ends a table.
func (d *draft) add(t *table, k key) {
	t.PartitionKey, t.SortKey, t.KeyCite = k.partition, k.sort, k.at
	d.tables = append(d.tables, t)
}

// sameNames refuses two tables of one name.
func (d *draft) sameNames() {
	lines := map[string]int{}
	for _, t := range d.tables {
		if line, twice := lines[t.id]; twice {
			d.report(t.node, "table %s stands twice, first in line %d", t.id, line)
		}
		lines[t.id] = t.node.Line
		d.contract.Tables = append(d.contract.Tables, file.Entry[file.Table]{Name: t.id, Value: t.Table})
	}
}

// typed adds a key attribute with its type.
func (d *draft) typed(k *key, into *file.Ordered[string], attribute, kind *yaml.Node) {
	if !slices.Contains([]string{"S", "N", "B"}, kind.Value) {
		d.report(kind, "key attribute %s: expected the type S, N or B, found %s", attribute.Value, shown(kind))
		return
	}
	*into = append(*into, file.Entry[string]{Name: attribute.Value, Value: kind.Value})
	k.at = and(k.at, d.cite(attribute, kind))
}

// keyType is typed with the type from the attribute definitions.
func (d *draft) keyType(k *key, into *file.Ordered[string], attribute *yaml.Node, types map[string]*yaml.Node) {
	if node := types[attribute.Value]; node != nil {
		d.typed(k, into, attribute, node)
		return
	}
	d.report(attribute, "key attribute %s: expected it among the attribute definitions, found %s", attribute.Value, cmp.Or(strings.Join(slices.Sorted(maps.Keys(types)), ", "), "none"))
}

// definitions are the types of the attributes of a list, by name.
func (d *draft) definitions(node *yaml.Node, list, named, typed string) map[string]*yaml.Node {
	types := map[string]*yaml.Node{}
	for _, each := range d.list(node, list) {
		if attribute, kind := d.text(each, named), d.text(each, typed); attribute != nil && kind != nil {
			types[attribute.Value] = kind
		}
	}
	return types
}

// maxParts is how many attributes each key of a global secondary index may have.
const maxParts = 4

// keySchema reads a list of key attributes, each with its role. parts is how many each key may have.
func (d *draft) keySchema(node *yaml.Node, list, named, role string, parts int, types map[string]*yaml.Node) (k key) {
	sizes := map[string]int{}
	for _, each := range d.list(node, list) {
		name, role := d.text(each, named), d.oneOf(each, role, "HASH", "RANGE")
		if name == nil || role == nil {
			continue
		}
		if sizes[role.Value]++; sizes[role.Value] > parts {
			d.report(each, "expected at most %d %s key attributes, found %s too", parts, role.Value, name.Value)
			continue
		}
		into := &k.partition
		if role.Value == "RANGE" {
			into = &k.sort
		}
		d.keyType(&k, into, name, types)
	}
	if sizes["HASH"] == 0 {
		at := node
		if schema := get(node, list); schema != nil {
			at = schema
		}
		d.report(at, "expected a %s with a HASH key, found none", list)
	}
	return k
}

// described are the tables of one answer of describe-table, or of several.
func described(root *yaml.Node) (all []*yaml.Node) {
	for _, each := range answersOf(root) {
		if of := get(each, "Table"); of != nil {
			each = of
		}
		if get(each, "TableName") != nil && get(each, "KeySchema") != nil {
			all = append(all, each)
		}
	}
	return all
}

func answersOf(root *yaml.Node) []*yaml.Node {
	if root.Kind == yaml.SequenceNode {
		return root.Content
	}
	return []*yaml.Node{root}
}

// answers reads what other commands answer of a table, behind its own answer: describe-time-to-live,
// describe-continuous-backups and list-tags-of-resource.
func (d *draft) answers(t *table, root, of *yaml.Node) {
	behind, said := false, map[string]bool{}
	for _, each := range answersOf(root) {
		if table := get(each, "Table"); each == of || table == of {
			behind = true
		} else if table != nil || get(each, "KeySchema") != nil {
			behind = false
		}
		if !behind {
			continue
		}
		if ttl := get(each, "TimeToLiveDescription"); ttl != nil {
			said["time to live"] = true
			if textOf(ttl, "TimeToLiveStatus") == "ENABLED" {
				d.ttl(t, ttl, "AttributeName")
			}
		}
		if backups := get(each, "ContinuousBackupsDescription", "PointInTimeRecoveryDescription", "PointInTimeRecoveryStatus"); backups != nil {
			said["point-in-time recovery"] = true
			if backups.Value == "ENABLED" {
				t.PITR = &file.Promise{Cite: d.cite(backups)}
			}
		}
		if tags := get(each, "Tags"); tags != nil {
			said["tags"] = true
			d.tags(t, each)
		}
	}
	for what, command := range map[string]string{"time to live": "describe-time-to-live", "point-in-time recovery": "describe-continuous-backups", "tags": "list-tags-of-resource"} {
		if !said[what] {
			d.note("table %s: describe-table does not tell %s; put the answer of %s behind it in the file", t.id, what, command)
		}
	}
	slices.Sort(d.notes)
}

// createTable reads the input of CreateTable, the answer of DescribeTable, or the
// properties of CloudFormation, which have the same names.
func (d *draft) createTable(node *yaml.Node) {
	if name := d.text(node, "TableName"); name != nil {
		d.namedTable(node, name)
	}
}

// known are the members of a table that are read, and those that belong to AWS or to one moment.
const known = `TableName AttributeDefinitions KeySchema GlobalSecondaryIndexes LocalSecondaryIndexes BillingMode BillingModeSummary ProvisionedThroughput
 TimeToLiveSpecification PointInTimeRecoverySpecification Tags StreamSpecification DeletionProtectionEnabled TableClass TableClassSummary SSESpecification SSEDescription Replicas
 TableStatus CreationDateTime TableSizeBytes ItemCount TableArn TableId LatestStreamArn LatestStreamLabel WarmThroughput GlobalTableVersion RestoreSummary
 IndexName Projection IndexStatus IndexSizeBytes IndexArn Backfilling`

// unread tells the members that no contract has a place for.
func (d *draft) unread(t *table, of string, node *yaml.Node, known string) {
	for name, value := range members(node) {
		empty := value.Tag == "!!null" || value.Value == "" && len(value.Content) == 0 || value.Value == "false" || value.Value == "0"
		if !empty && !slices.Contains(strings.Fields(known), name.Value) {
			d.note("table %s: %s%s is left out, for a contract says nothing of it; line %d", t.id, of, name.Value, name.Line)
		}
	}
}

// namedTable is createTable for a table that another node names.
func (d *draft) namedTable(node, name *yaml.Node) {
	t := d.newTable(name, node)
	d.unread(t, "", node, known)
	types := d.definitions(node, "AttributeDefinitions", "AttributeName", "AttributeType")
	k := d.keySchema(node, "KeySchema", "AttributeName", "KeyType", 1, types)
	for _, list := range []string{"GlobalSecondaryIndexes", "LocalSecondaryIndexes"} {
		for each, name := range d.indexes(t, node, list, "IndexName") {
			d.unread(t, "index "+name.Value+": ", each, known)
			parts := maxParts
			if list == "LocalSecondaryIndexes" {
				parts = 1
			}
			d.index(t, list == "LocalSecondaryIndexes", name, d.keySchema(each, "KeySchema", "AttributeName", "KeyType", parts, types), get(each, "Projection"), "ProjectionType", "NonKeyAttributes")
		}
	}
	t.Protection = d.on(get(node, "DeletionProtectionEnabled"))
	d.class(t, cmp.Or(get(node, "TableClass"), get(node, "TableClassSummary", "TableClass")))
	d.billing(t, cmp.Or(get(node, "BillingMode"), get(node, "BillingModeSummary", "BillingMode")), get(node, "ProvisionedThroughput", "ReadCapacityUnits"), get(node, "ProvisionedThroughput", "WriteCapacityUnits"))
	if ttl := get(node, "TimeToLiveSpecification"); ttl != nil && textOf(ttl, "Enabled") == "true" {
		d.ttl(t, ttl, "AttributeName")
	}
	t.PITR = d.on(get(node, "PointInTimeRecoverySpecification", "PointInTimeRecoveryEnabled"))
	d.tags(t, node)
	if stream := get(node, "StreamSpecification"); stream != nil && textOf(stream, "StreamEnabled") != "false" {
		d.stream(t, stream, get(stream, "StreamViewType"))
	}
	d.encryption(t, get(node, "SSESpecification", "SSEEnabled"), cmp.Or(get(node, "SSESpecification", "KMSMasterKeyId"), get(node, "SSEDescription", "KMSMasterKeyArn")))
	d.add(t, k)
}

// on cites a setting that is on; nil where it is not.
func (d *draft) on(setting *yaml.Node) *file.Promise {
	if setting == nil || setting.Value != "true" {
		return nil
	}
	return &file.Promise{Cite: d.cite(setting)}
}

func (d *draft) encryption(t *table, on, key *yaml.Node) {
	if key != nil && key.Value != "" {
		d.note("table %s: its encryption with the key %s is left out, for a contract knows those that AWS owns or manages; line %d", t.id, key.Value, key.Line)
		return
	}
	t.Encryption = d.on(on)
}

func (d *draft) class(t *table, class *yaml.Node) {
	if class != nil && class.Value != "" {
		t.Class = &file.Class{Name: class.Value, Cite: d.cite(class)}
		if !slices.Contains([]string{"STANDARD", "STANDARD_INFREQUENT_ACCESS"}, class.Value) {
			d.report(class, "table class: expected STANDARD or STANDARD_INFREQUENT_ACCESS, found %s", shown(class))
		}
	}
}

// views are what the records of a stream may hold.
var views = []string{"KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"}

// stream reads a stream that is on.
func (d *draft) stream(t *table, stream, view *yaml.Node) {
	t.Stream = &file.Stream{Cite: d.cite(stream)}
	if view == nil || view.Value == "" {
		return
	}
	if t.Stream = (&file.Stream{View: view.Value, Cite: d.cite(view)}); !slices.Contains(views, view.Value) {
		d.report(view, "stream: expected %s, found %s", orList(views), shown(view))
	}
}

// billing reads the capacity mode. On demand the units are 0.
func (d *draft) billing(t *table, mode, read, write *yaml.Node) {
	if mode == nil {
		return
	}
	if mode.Value != string(ap.OnDemand) && mode.Value != string(ap.Provisioned) {
		d.report(mode, "billing mode: expected PAY_PER_REQUEST or PROVISIONED, found %s", shown(mode))
		return
	}
	t.Billing = &file.Billing{Mode: mode.Value, Cite: d.cite(mode)}
	if mode.Value == string(ap.Provisioned) && read != nil && write != nil {
		reads, notRead := strconv.Atoi(read.Value)
		writes, notWrite := strconv.Atoi(write.Value)
		if notRead == nil && notWrite == nil && reads > 0 && writes > 0 {
			t.Billing.Units, t.Billing.Cite = &file.Capacity{ReadUnits: reads, WriteUnits: writes}, and(t.Billing.Cite, d.cite(read, write))
		}
	}
}

// tags reads tags: a list of keys and values, or a mapping.
func (d *draft) tags(t *table, node *yaml.Node) {
	all := get(node, "Tags")
	if all == nil {
		return
	}
	tags := &file.Tags{}
	add := func(name, value *yaml.Node) bool {
		if name == nil || value == nil || value.Kind != yaml.ScalarNode {
			d.note("table %s: its tags are left out, for one of them has no value that is known; line %d", t.id, all.Line)
			return false
		}
		if !strings.HasPrefix(name.Value, "aws:") && !strings.HasPrefix(name.Value, "__") { // AWS's and Pulumi's own
			tags.Values = append(tags.Values, file.Entry[string]{Name: name.Value, Value: value.Value})
			tags.Cite = and(tags.Cite, d.cite(name, value))
		}
		return true
	}
	for name, value := range members(all) {
		if !add(name, value) {
			return
		}
	}
	if all.Kind == yaml.SequenceNode {
		for _, each := range all.Content {
			if !add(get(each, "Key"), get(each, "Value")) {
				return
			}
		}
	}
	if len(tags.Values) > 0 {
		t.Tags = tags
	}
}

// ttl reads a time to live that is on.
func (d *draft) ttl(t *table, node *yaml.Node, name string) {
	if attribute := d.text(node, name); attribute != nil {
		t.TTL = &file.TTL{Attribute: attribute.Value, Cite: d.cite(attribute)}
	}
}

// indexes are the indexes of a list with their names.
func (d *draft) indexes(t *table, node *yaml.Node, list, named string) func(yield func(each, name *yaml.Node) bool) {
	return func(yield func(each, name *yaml.Node) bool) {
		at, found := member(node, list)
		if found == nil || len(found.Content) == 0 {
			return
		}
		t.IndexesCite = d.cite(at)
		for _, each := range d.list(node, list) {
			name := d.text(each, named)
			if name != nil && !tableName.MatchString(name.Value) {
				d.report(name, "expected an index name of 3 to 255 letters, digits, hyphens, underscores and dots, found %s", name.Value)
			}
			if name != nil && !yield(each, name) {
				return
			}
		}
	}
}

// index adds an index. Where no projection is named, all attributes are chosen.
func (d *draft) index(t *table, local bool, name *yaml.Node, k key, projection *yaml.Node, kindName, listName string) {
	of := file.Projected{Projection: "ALL", Cite: and(d.cite(name), k.at), ProjectionCite: chosen(d.cite(name), "the source names no projection")}
	if projection != nil {
		if kind := d.oneOfProjections(projection, kindName, name.Value); kind != nil {
			of.Projection, of.ProjectionCite = kind.Value, d.cite(kind)
			included := d.list(projection, listName)
			for _, each := range included {
				of.NonKeyAttributes, of.ProjectionCite = append(of.NonKeyAttributes, each.Value), and(of.ProjectionCite, d.cite(each))
			}
			if (len(included) > 0) != (kind.Value == "INCLUDE") {
				d.report(kind, "projection of %s: expected included attributes beside INCLUDE and nowhere else, found %d beside %s", name.Value, len(included), kind.Value)
			}
		}
	}
	if twice := slices.Contains(slices.Concat(t.Indexes.Names(), t.LocalIndexes.Names()), name.Value); twice {
		d.report(name, "index %s of table %s stands twice", name.Value, t.id)
		return
	}
	if !local {
		t.Indexes = append(t.Indexes, file.Entry[file.Index]{Name: name.Value, Value: file.Index{PartitionKey: k.partition, SortKey: k.sort, Projected: of}})
		return
	}
	if len(k.sort) == 0 {
		d.report(name, "local secondary index %s: expected a RANGE key, found none", name.Value)
	}
	t.LocalIndexes = append(t.LocalIndexes, file.Entry[file.LocalIndex]{Name: name.Value, Value: file.LocalIndex{SortKey: k.sort, Projected: of}})
}

func (d *draft) oneOfProjections(node *yaml.Node, name, index string) *yaml.Node {
	kind := d.text(node, name)
	if kind != nil && !slices.Contains([]string{"ALL", "KEYS_ONLY", "INCLUDE"}, kind.Value) {
		d.report(kind, "projection of %s: expected ALL, KEYS_ONLY or INCLUDE, found %s", index, shown(kind))
		return nil
	}
	return kind
}

// pulumiNames are Pulumi's names of a table's properties, by those of Terraform, whose
// provider both have.
var pulumiNames = map[string]string{
	"attribute": "attributes", "global_secondary_index": "globalSecondaryIndexes", "local_secondary_index": "localSecondaryIndexes", "replica": "replicas", "key_schema": "keySchemas",
}

// providerKnown are the members of a table of Terraform's provider that are read, and those that belong to AWS or to the tool.
const providerKnown = `name hash_key range_key attribute global_secondary_index local_secondary_index billing_mode read_capacity write_capacity ttl
 point_in_time_recovery tags tags_all stream_enabled stream_view_type deletion_protection_enabled table_class server_side_encryption
 id arn stream_arn stream_label region timeouts warm_throughput __defaults`

var camel = regexp.MustCompile(`_([a-z])`)

// terraformModule reads the tables of a module and of those below it.
func (d *draft) terraformModule(module *yaml.Node) {
	if module == nil {
		return
	}
	for _, each := range d.list(module, "resources") {
		switch kind := textOf(each, "type"); {
		case textOf(each, "mode") == "data":
		case kind == "aws_dynamodb_table":
			d.providerTable(get(each, "values"), each, nil)
		case strings.HasPrefix(kind, "aws_dynamodb_"):
			d.note("%s is left out; line %d", cmp.Or(textOf(each, "address"), kind), each.Line)
		}
	}
	for _, each := range d.list(module, "child_modules") {
		d.terraformModule(each)
	}
}

// first is the only element of a list, or the value itself.
func first(node *yaml.Node) *yaml.Node {
	if node != nil && node.Kind == yaml.SequenceNode {
		if len(node.Content) == 0 {
			return nil
		}
		return node.Content[0]
	}
	return node
}

// providerTable reads a table of Terraform's provider, or of a tool that has other names
// for its properties.
func (d *draft) providerTable(node, resource *yaml.Node, names map[string]string) {
	name := func(property string) string {
		if names == nil {
			return property
		}
		return cmp.Or(names[property], camel.ReplaceAllStringFunc(property, func(found string) string { return strings.ToUpper(found[1:]) }))
	}
	if node == nil {
		d.report(resource, "expected the values of a table, found none")
		return
	}
	named := get(node, "name")
	if address := get(resource, "address"); named == nil && address != nil { // known only when the plan is carried out
		id := scalarAt(address, idOf(strings.NewReplacer("[", "-", "]", "", `"`, "").Replace(strings.TrimPrefix(address.Value, "aws_dynamodb_table."))))
		d.note("table %s: the plan gives it no name; audit it with --table %s=NAME", id.Value, id.Value)
		named = id
	} else if named = d.text(node, "name"); named == nil {
		return
	}
	t := d.newTable(named, node)
	var read []string
	for _, property := range strings.Fields(providerKnown) {
		read = append(read, name(property))
	}
	d.unread(t, "", node, strings.Join(read, " "))
	types := d.definitions(node, name("attribute"), "name", "type")
	keys := func(node *yaml.Node) (k key) {
		if schema := get(node, name("key_schema")); schema != nil && len(schema.Content) > 0 {
			return d.keySchema(node, name("key_schema"), name("attribute_name"), name("key_type"), maxParts, types)
		}
		if hash := d.text(node, name("hash_key")); hash != nil {
			d.keyType(&k, &k.partition, hash, types)
		}
		if sort := get(node, name("range_key")); sort != nil && sort.Value != "" {
			d.keyType(&k, &k.sort, sort, types)
		}
		return k
	}
	k := keys(node)
	for each, index := range d.indexes(t, node, name("global_secondary_index"), "name") {
		d.index(t, false, index, keys(each), each, name("projection_type"), name("non_key_attributes"))
	}
	for each, index := range d.indexes(t, node, name("local_secondary_index"), "name") {
		var local key
		if sort := d.text(each, name("range_key")); sort != nil {
			d.keyType(&local, &local.sort, sort, types)
		}
		d.index(t, true, index, local, each, name("projection_type"), name("non_key_attributes"))
	}
	d.billing(t, get(node, name("billing_mode")), get(node, name("read_capacity")), get(node, name("write_capacity")))
	if ttl := first(get(node, "ttl")); textOf(ttl, "enabled") == "true" {
		d.ttl(t, ttl, name("attribute_name"))
	}
	t.PITR = d.on(get(first(get(node, name("point_in_time_recovery"))), "enabled"))
	if tags := cmp.Or(get(node, name("tags_all")), get(node, "tags")); tags != nil {
		d.tags(t, &yaml.Node{Kind: yaml.MappingNode, Line: tags.Line, Content: []*yaml.Node{scalarAt(tags, "Tags"), tags}})
	}
	if on := get(node, name("stream_enabled")); on != nil && on.Value == "true" {
		d.stream(t, on, get(node, name("stream_view_type")))
	}
	t.Protection = d.on(get(node, name("deletion_protection_enabled")))
	d.class(t, get(node, name("table_class")))
	sse := first(get(node, name("server_side_encryption")))
	d.encryption(t, get(sse, "enabled"), get(sse, name("kms_key_arn")))
	d.add(t, k)
}

// workbench reads one table of NoSQL Workbench.
func (d *draft) workbench(node *yaml.Node) {
	name := d.text(node, "TableName")
	if name == nil {
		return
	}
	t := d.newTable(name, node)
	keys := func(node *yaml.Node) (k key) {
		attributes := get(node, "KeyAttributes")
		if get(attributes, "PartitionKey") == nil {
			d.report(node, "expected KeyAttributes with a PartitionKey, found none")
			return k
		}
		for i, role := range []string{"PartitionKey", "SortKey"} {
			if each := get(attributes, role); each != nil {
				if attribute, kind := d.text(each, "AttributeName"), d.text(each, "AttributeType"); attribute != nil && kind != nil {
					d.typed(&k, []*file.Ordered[string]{&k.partition, &k.sort}[i], attribute, kind)
				}
			}
		}
		return k
	}
	k := keys(node)
	for each, index := range d.indexes(t, node, "GlobalSecondaryIndexes", "IndexName") {
		d.index(t, false, index, keys(each), get(each, "Projection"), "ProjectionType", "NonKeyAttributes")
	}
	units := get(node, "ProvisionedCapacitySettings", "ProvisionedThroughput")
	d.billing(t, get(node, "BillingMode"), get(units, "ReadCapacityUnits"), get(units, "WriteCapacityUnits"))
	d.unread(t, "", node, "TableName KeyAttributes NonKeyAttributes TableFacets GlobalSecondaryIndexes TableData DataAccess BillingMode ProvisionedCapacitySettings")
	d.add(t, k)
	if len(t.PartitionKey) == 0 {
		return // reported above
	}
	for _, facet := range d.list(node, "TableFacets") {
		for _, each := range d.list(facet, "TableData") {
			d.sampled(t, each, textOf(facet, "FacetName"))
		}
		if len(d.list(facet, "TableData")) == 0 && len(d.list(node, "TableData")) == 0 {
			d.note("facet %s of table %s is left out, for it has no items; line %d", textOf(facet, "FacetName"), t.id, facet.Line)
		}
	}
	for _, each := range d.list(node, "TableData") {
		d.sampled(t, each, "")
	}
}

// modelItems reads the items of a data model: PutRequests by table.
func (d *draft) modelItems(root *yaml.Node) {
	items := get(root, "items")
	if items == nil {
		return
	}
	if items.Kind != yaml.MappingNode {
		d.report(items, "items: expected lists by table, found %s", shown(items))
		return
	}
	for name := range members(items) {
		t := d.named(name.Value)
		if t == nil {
			d.report(name, "items: expected a table of this file, found %s", name.Value)
			continue
		}
		for _, each := range d.list(items, name.Value) {
			item := get(each, "PutRequest", "Item")
			if item == nil {
				d.report(each, "items of %s: expected a PutRequest with an Item, found none", t.id)
				continue
			}
			d.sampled(t, item, "")
		}
	}
}

// named is the table of a name; nil where there is none.
func (d *draft) named(name string) *table {
	at := slices.IndexFunc(d.tables, func(t *table) bool { return t.Name == name && name != "" })
	if at < 0 {
		return nil
	}
	return d.tables[at]
}

// keys are the attributes of the primary key, partition key first.
func (t *table) keys() []string { return slices.Concat(t.PartitionKey.Names(), t.SortKey.Names()) }

// types are the types of all key attributes of the table and its indexes.
func (t *table) types() map[string]string {
	types := map[string]string{}
	take := func(all ...file.Ordered[string]) {
		for _, each := range slices.Concat(all...) {
			types[each.Name] = each.Value
		}
	}
	for _, index := range t.Indexes {
		take(index.Value.PartitionKey, index.Value.SortKey)
	}
	for _, index := range t.LocalIndexes {
		take(index.Value.SortKey)
	}
	take(t.PartitionKey, t.SortKey)
	return types
}
