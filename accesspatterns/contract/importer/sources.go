package importer

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// formats are the sources, the most particular first.
var formats = []format{
	{"a schema of AWS's modelling tools", func(root *yaml.Node) bool {
		tables := get(root, "tables")
		return tables != nil && tables.Kind == yaml.SequenceNode && len(tables.Content) > 0 && get(tables.Content[0], "table_config") != nil
	}, (*draft).modelSchema},
	{"a data model of AWS's modelling tools", func(root *yaml.Node) bool { return get(root, "tables") != nil }, func(d *draft, root *yaml.Node) {
		for _, each := range d.list(root, "tables") {
			d.createTable(each)
		}
		d.modelItems(root)
		if at, list := member(root, "access_patterns"); list != nil {
			d.patternsAt = d.cite(at)
		}
		d.commands = d.list(root, "access_patterns")
	}},
	{"describe-table output", func(root *yaml.Node) bool { return get(root, "Table", "KeySchema") != nil }, func(d *draft, root *yaml.Node) { d.createTable(get(root, "Table")) }},
	{"describe-table output", func(root *yaml.Node) bool { return get(root, "TableName") != nil && get(root, "KeySchema") != nil }, (*draft).createTable},
	{"CloudFormation", func(root *yaml.Node) bool { return get(root, "Resources") != nil }, (*draft).cloudFormation},
	{"terraform show -json", func(root *yaml.Node) bool {
		return get(root, "values", "root_module") != nil || get(root, "planned_values", "root_module") != nil
	}, func(d *draft, root *yaml.Node) {
		for _, state := range []string{"values", "planned_values"} {
			if module := get(root, state, "root_module"); module != nil {
				d.terraformModule(module)
				return
			}
		}
	}},
	{"Pulumi's exported state", func(root *yaml.Node) bool { return get(root, "deployment", "resources") != nil }, func(d *draft, root *yaml.Node) {
		for _, each := range d.list(get(root, "deployment"), "resources") {
			if textOf(each, "type") == "aws:dynamodb/table:Table" {
				d.providerTable(get(each, "outputs"), each, pulumiNames)
			}
		}
	}},
	{"a NoSQL Workbench model", func(root *yaml.Node) bool { return get(root, "DataModel") != nil }, func(d *draft, root *yaml.Node) {
		for _, each := range d.list(root, "DataModel") {
			d.workbench(each)
		}
	}},
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
		t := d.known(name.Value)
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

var idForm = regexp.MustCompile(`[^A-Za-z0-9_.-]`)

// idOf is the logical id of a table of a name.
func idOf(name string) string { return idForm.ReplaceAllString(name, "") }

// newTable begins a table that a scalar names.
func (d *draft) newTable(name *yaml.Node, node *yaml.Node) *table {
	return &table{
		id: idOf(name.Value), name: name.Value, at: d.cite(name), indexesAt: d.cite(name), node: node,
		key: key{types: map[string]string{}}, tags: map[string]string{},
	}
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

// keySchema reads a KeySchema of CreateTable.
func (d *draft) keySchema(node *yaml.Node, k *key, types map[string]*yaml.Node) {
	for _, each := range d.list(node, "KeySchema") {
		name, role := d.text(each, "AttributeName"), d.text(each, "KeyType")
		if name == nil || role == nil {
			continue
		}
		place := &k.partition
		switch role.Value {
		case "HASH":
		case "RANGE":
			place = &k.sort
		default:
			d.report(role, "KeyType: expected HASH or RANGE, found %s", role.Value)
			continue
		}
		if *place != "" {
			d.report(each, "expected one %s key, found %s and %s; import reads no key of several attributes; write its index into the contract by hand", role.Value, *place, name.Value)
			continue
		}
		*place = name.Value
		k.keyAt = k.keyAt.and(d.cite(name))
		d.keyType(k, name, types)
	}
	if k.partition == "" {
		at := node
		if schema := get(node, "KeySchema"); schema != nil {
			at = schema
		}
		d.report(at, "expected a KeySchema with a HASH key, found none")
	}
}

// createTable reads the input of CreateTable, the answer of DescribeTable, or the
// properties of CloudFormation, which have the same names.
func (d *draft) createTable(node *yaml.Node) {
	if name := d.text(node, "TableName"); name != nil {
		d.namedTable(node, name)
	}
}

// namedTable is createTable for a table that another node names.
func (d *draft) namedTable(node, name *yaml.Node) {
	t := d.newTable(name, node)
	types := d.definitions(node, "AttributeDefinitions", "AttributeName", "AttributeType")
	d.keySchema(node, &t.key, types)
	for _, list := range []string{"GlobalSecondaryIndexes", "LocalSecondaryIndexes"} {
		d.eachIndex(t, node, list, "IndexName", func(i *index, each, name *yaml.Node) {
			i.local = list == "LocalSecondaryIndexes"
			d.keySchema(each, &i.key, types)
			d.projection(i, name, get(each, "Projection"))
			if i.local && i.sort == "" {
				d.report(each, "local secondary index %s: expected a RANGE key, found none", i.name)
			}
		})
	}
	t.protectionAt = d.on(get(node, "DeletionProtectionEnabled"))
	for _, path := range [][]string{{"TableClass"}, {"TableClassSummary", "TableClass"}} {
		if class := get(node, path...); class != nil {
			t.class, t.classAt = class.Value, d.cite(class)
		}
	}
	for _, path := range [][]string{{"BillingMode"}, {"BillingModeSummary", "BillingMode"}} {
		if mode := get(node, path...); mode != nil {
			d.billing(t, mode)
		}
	}
	if units := get(node, "ProvisionedThroughput"); units != nil {
		d.units(t, get(units, "ReadCapacityUnits"), get(units, "WriteCapacityUnits"))
	}
	if ttl := get(node, "TimeToLiveSpecification"); ttl != nil {
		d.ttl(t, get(ttl, "Enabled"), ttl, "AttributeName")
	}
	t.pitrAt = d.on(get(node, "PointInTimeRecoverySpecification", "PointInTimeRecoveryEnabled"))
	for _, each := range d.list(node, "Tags") {
		if key, value := get(each, "Key"), get(each, "Value"); key != nil && value != nil && value.Kind == yaml.ScalarNode {
			t.tag(key.Value, value.Value, d.cite(key, value))
		}
	}
	if stream := get(node, "StreamSpecification"); stream != nil && (get(stream, "StreamEnabled") == nil || get(stream, "StreamEnabled").Value == "true") {
		d.streams(t, stream, get(stream, "StreamViewType"))
	}
	d.tables = append(d.tables, t)
}

// on cites a setting that is on; nil where it is not.
func (d *draft) on(setting *yaml.Node) cite {
	if setting == nil || setting.Value != "true" {
		return nil
	}
	return d.cite(setting)
}

// streams reads a stream that is on.
func (d *draft) streams(t *table, stream, view *yaml.Node) {
	t.streamAt = d.cite(stream)
	if view != nil && view.Value != "" {
		t.stream, t.streamAt = view.Value, d.cite(view)
	}
}

// units reads the figures of a provisioned table; on demand they are 0.
func (d *draft) units(t *table, read, write *yaml.Node) {
	if t.billing == "PROVISIONED" && read != nil && write != nil && read.Value != "0" && write.Value != "0" && read.Tag == "!!int" && write.Tag == "!!int" {
		t.units, t.billingAt = "{read-units: "+read.Value+", write-units: "+write.Value+"}", t.billingAt.and(d.cite(read, write))
	}
}

func (t *table) tag(name, value string, at cite) {
	t.tags[name], t.tagsAt = value, t.tagsAt.and(at)
}

func (d *draft) billing(t *table, mode *yaml.Node) {
	if mode.Value != "PAY_PER_REQUEST" && mode.Value != "PROVISIONED" {
		d.report(mode, "billing mode: expected PAY_PER_REQUEST or PROVISIONED, found %s", shown(mode))
		return
	}
	t.billing, t.billingAt = mode.Value, d.cite(mode)
}

// ttl reads a time to live that is on.
func (d *draft) ttl(t *table, enabled, node *yaml.Node, name string) {
	if enabled == nil || enabled.Value != "true" {
		return
	}
	if attribute := d.text(node, name); attribute != nil {
		t.ttl, t.ttlAt = attribute.Value, d.cite(attribute)
	}
}

// eachIndex reads the indexes of a list.
func (d *draft) eachIndex(t *table, node *yaml.Node, list, named string, read func(i *index, each, name *yaml.Node)) {
	if at, found := member(node, list); found != nil && len(found.Content) > 0 {
		t.indexesAt = d.cite(at)
	}
	for _, each := range d.list(node, list) {
		if name := d.text(each, named); name != nil {
			i := index{name: name.Value, at: d.cite(name), key: key{types: map[string]string{}}}
			read(&i, each, name)
			t.indexes = append(t.indexes, i)
		}
	}
}

// projection reads a projection; where there is none, all attributes are chosen.
func (d *draft) projection(i *index, name, node *yaml.Node) {
	if node == nil {
		i.projection, i.projectionAt, i.chosen = "ALL", d.cite(name), "the source names no projection"
		return
	}
	if kind := d.text(node, "ProjectionType"); kind != nil {
		d.projected(i, kind, d.list(node, "NonKeyAttributes"))
	}
}

func (d *draft) projected(i *index, kind *yaml.Node, included []*yaml.Node) {
	if !slices.Contains([]string{"ALL", "KEYS_ONLY", "INCLUDE"}, kind.Value) {
		d.report(kind, "projection of %s: expected ALL, KEYS_ONLY or INCLUDE, found %s", i.name, shown(kind))
		return
	}
	i.projection, i.projectionAt = kind.Value, d.cite(kind)
	for _, each := range included {
		i.include, i.projectionAt = append(i.include, each.Value), i.projectionAt.and(d.cite(each))
	}
}

// cloudFormation reads the tables of a template, also of one that CDK synthesized.
func (d *draft) cloudFormation(root *yaml.Node) {
	resources := get(root, "Resources")
	for id, resource := range members(resources) {
		kind := get(resource, "Type")
		switch {
		case kind == nil:
			d.report(id, "resource %s: expected a Type, found none", id.Value)
		case kind.Value == "AWS::DynamoDB::GlobalTable":
			d.note("%s: a global table is left out; line %d", id.Value, id.Line)
		case kind.Value == "AWS::DynamoDB::Table":
			properties := get(resource, "Properties")
			if properties == nil {
				d.report(resource, "resource %s: expected Properties, found none", id.Value)
				continue
			}
			name := get(properties, "TableName")
			if name != nil && name.Kind == yaml.ScalarNode && name.Tag == "!!str" {
				d.createTable(properties)
				continue
			}
			d.note("table %s: the template gives it no fixed name; audit it with --table %s=NAME", idOf(id.Value), id.Value)
			d.namedTable(properties, id)
		}
	}
}

// pulumiNames are Pulumi's names of a table's properties, by those of Terraform, whose
// provider both have.
var pulumiNames = map[string]string{
	"hash_key": "hashKey", "range_key": "rangeKey", "attribute": "attributes",
	"global_secondary_index": "globalSecondaryIndexes", "projection_type": "projectionType",
	"non_key_attributes": "nonKeyAttributes", "billing_mode": "billingMode", "attribute_name": "attributeName",
	"point_in_time_recovery": "pointInTimeRecovery", "stream_enabled": "streamEnabled",
	"stream_view_type": "streamViewType", "local_secondary_index": "localSecondaryIndexes",
	"deletion_protection_enabled": "deletionProtectionEnabled", "table_class": "tableClass",
	"read_capacity": "readCapacity", "write_capacity": "writeCapacity",
}

// terraformModule reads the tables of a module and of those below it.
func (d *draft) terraformModule(module *yaml.Node) {
	for _, each := range d.list(module, "resources") {
		if textOf(each, "type") == "aws_dynamodb_table" {
			d.providerTable(get(each, "values"), each, nil)
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

// providerTable reads a table in the state of Terraform, or of a tool that has other names
// for its properties.
func (d *draft) providerTable(node, resource *yaml.Node, names map[string]string) {
	name := func(property string) string { return cmp.Or(names[property], property) }
	if node == nil {
		d.report(resource, "expected the values of a table, found none")
		return
	}
	named := d.text(node, "name")
	if named == nil {
		return
	}
	t := d.newTable(named, node)
	types := d.definitions(node, name("attribute"), "name", "type")
	keys := func(node *yaml.Node, k *key) {
		if hash := d.text(node, name("hash_key")); hash != nil {
			k.partition, k.keyAt = hash.Value, d.cite(hash)
			d.keyType(k, hash, types)
		}
		if sort := get(node, name("range_key")); sort != nil && sort.Value != "" {
			k.sort, k.keyAt = sort.Value, k.keyAt.and(d.cite(sort))
			d.keyType(k, sort, types)
		}
	}
	keys(node, &t.key)
	projection := func(i *index, node *yaml.Node) {
		if kind := d.text(node, name("projection_type")); kind != nil {
			d.projected(i, kind, d.list(node, name("non_key_attributes")))
		}
	}
	d.eachIndex(t, node, name("global_secondary_index"), "name", func(i *index, each, _ *yaml.Node) {
		keys(each, &i.key)
		projection(i, each)
	})
	if mode := get(node, name("billing_mode")); mode != nil {
		d.billing(t, mode)
	}
	if ttl := first(get(node, "ttl")); ttl != nil {
		d.ttl(t, get(ttl, "enabled"), ttl, name("attribute_name"))
	}
	t.pitrAt = d.on(get(first(get(node, name("point_in_time_recovery"))), "enabled"))
	if tags := get(node, "tags"); tags != nil && tags.Kind == yaml.MappingNode {
		for key, tag := range members(tags) {
			if !strings.HasPrefix(key.Value, "__") { // Pulumi's own
				t.tag(key.Value, tag.Value, d.cite(key, tag))
			}
		}
	}
	if on := get(node, name("stream_enabled")); on != nil && on.Value == "true" {
		d.streams(t, on, get(node, name("stream_view_type")))
	}
	d.eachIndex(t, node, name("local_secondary_index"), "name", func(i *index, each, _ *yaml.Node) {
		i.local, i.partition = true, t.partition
		if sort := d.text(each, name("range_key")); sort != nil {
			i.sort, i.keyAt = sort.Value, d.cite(sort)
			d.keyType(&i.key, sort, types)
		}
		projection(i, each)
	})
	t.protectionAt = d.on(get(node, name("deletion_protection_enabled")))
	if class := get(node, name("table_class")); class != nil && class.Value != "" {
		t.class, t.classAt = class.Value, d.cite(class)
	}
	d.units(t, get(node, name("read_capacity")), get(node, name("write_capacity")))
	d.tables = append(d.tables, t)
}

// workbench reads one table of NoSQL Workbench.
func (d *draft) workbench(node *yaml.Node) {
	name := d.text(node, "TableName")
	if name == nil {
		return
	}
	t := d.newTable(name, node)
	keys := func(node *yaml.Node, k *key) {
		attributes := get(node, "KeyAttributes")
		if get(attributes, "PartitionKey") == nil {
			d.report(node, "expected KeyAttributes with a PartitionKey, found none")
			return
		}
		for i, role := range []string{"PartitionKey", "SortKey"} {
			each := get(attributes, role)
			if each == nil {
				continue
			}
			attribute, kind := d.text(each, "AttributeName"), d.text(each, "AttributeType")
			if attribute == nil || kind == nil {
				continue
			}
			*[]*string{&k.partition, &k.sort}[i] = attribute.Value
			k.keyAt = k.keyAt.and(d.cite(attribute))
			d.typed(k, attribute, kind)
		}
	}
	keys(node, &t.key)
	d.eachIndex(t, node, "GlobalSecondaryIndexes", "IndexName", func(i *index, each, name *yaml.Node) {
		keys(each, &i.key)
		d.projection(i, name, get(each, "Projection"))
	})
	if mode := get(node, "BillingMode"); mode != nil {
		d.billing(t, mode)
	}
	d.tables = append(d.tables, t)
	if t.partition == "" {
		return // reported above
	}
	for _, facet := range d.list(node, "TableFacets") {
		for _, each := range d.list(facet, "TableData") {
			d.sampled(t, each, textOf(facet, "FacetName"))
		}
	}
	for _, each := range d.list(node, "TableData") {
		d.sampled(t, each, "")
	}
}
