package importer

import (
	"cmp"
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/contract/file"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/must"
)

// formats are the sources, the most particular first.
var formats = []format{
	{"a schema of AWS's modelling tools", false, func(root *yaml.Node) bool {
		tables := get(root, "tables")
		return tables != nil && tables.Kind == yaml.SequenceNode && len(tables.Content) > 0 && (get(tables.Content[0], "table_config") != nil || get(tables.Content[0], "entities") != nil)
	}, (*draft).modelSchema},
	{"a data model of AWS's modelling tools", false, func(root *yaml.Node) bool { return get(root, "tables") != nil }, func(d *draft, root *yaml.Node) {
		for _, each := range d.list(root, "tables") {
			d.table("createTable", each)
		}
		d.modelItems(root)
		if at, list := member(root, "access_patterns"); list != nil {
			d.patternsAt = d.cite(at)
		}
		lines := d.list(root, "access_patterns")
		d.access = func() {
			for _, each := range lines {
				d.commandLine(each)
			}
		}
	}},
	{"describe-table output", true, func(root *yaml.Node) bool {
		return slices.ContainsFunc(answersOf(root), func(each *yaml.Node) bool {
			return get(each, "Table", "KeySchema") != nil || get(each, "KeySchema") != nil && (get(each, "TableStatus") != nil || get(each, "TableArn") != nil)
		})
	}, (*draft).described},
	{"the input of create-table", false, func(root *yaml.Node) bool { return len(described(root)) > 0 }, (*draft).described},
	{"serverless.yml", false, func(root *yaml.Node) bool { return get(root, "service") != nil && get(root, "provider") != nil }, func(d *draft, root *yaml.Node) {
		d.report(root, "expected a template of CloudFormation, found serverless.yml; import the template that `serverless package` makes of it")
	}},
	{"terraform.tfstate", true, func(root *yaml.Node) bool { return get(root, "lineage") != nil && get(root, "resources") != nil }, func(d *draft, root *yaml.Node) {
		d.report(root, "expected a state as `terraform show -json` prints it, found terraform.tfstate; import what `terraform show -json` makes of it")
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
			switch kind := textOf(each, "type"); {
			case textOf(each, "delete") == "true":
				d.aside("left out, for they are about to be deleted", textOf(each, "urn"), each)
			case textOf(each, "external") == "true":
				d.aside(onlyRead, textOf(each, "urn"), each)
			case !strings.Contains(kind, "dynamodb"):
				d.aside(noTables, kind, each)
			case kind == "aws:dynamodb/table:Table":
				d.provided("pulumi", get(each, "outputs"), each)
			default:
				d.noteAt(each, "%s of type %s is left out", textOf(each, "urn"), kind)
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
	partition, sort file.Pairs
	at              ap.Citation
	// names are the attributes of the two parts, where the source has their types elsewhere.
	names [2][]*yaml.Node
}

// parts are the partition key and the sort key.
func (k *key) parts() []*file.Pairs { return []*file.Pairs{&k.partition, &k.sort} }

// tableName is the form of the names of tables and indexes that DynamoDB takes (https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_CreateTable.html).
var tableName = regexp.MustCompile(`^[A-Za-z0-9_.-]{3,255}$`)

// braces are names in braces, as in the name of a table for each environment.
var braces = regexp.MustCompile(`\{[^{}]*\}`)

var idForm = regexp.MustCompile(`[^A-Za-z0-9_.-]`)

// idOf is the logical id of a table of a name.
func idOf(name string) string {
	return strings.Trim(strings.ReplaceAll(idForm.ReplaceAllString(braces.ReplaceAllString(name, ""), ""), "--", "-"), "-_.")
}

// newTable begins a table that a scalar names.
func (d *draft) newTable(name *yaml.Node, node *yaml.Node) *table {
	if !tableName.MatchString(braces.ReplaceAllString(name.Value, "env")) && name.Column != logical {
		d.report(name, "expected a table name of 3 to 255 letters, digits, hyphens, underscores and dots, found %s", name.Value)
	}
	id := unique(cmp.Or(idOf(name.Value), "table"), "-", func(id string) bool {
		return slices.ContainsFunc(d.tables, func(t *table) bool { return t.id == id && string(t.Name) != name.Value })
	})
	return &table{id, node, file.Table{Table: ap.Table{ID: id, Name: ap.NameTemplate(name.Value), Cite: d.cite(name), IndexesCite: d.cite(name)}}}
}

// sameNames refuses two tables of one name.
func (d *draft) sameNames() {
	lines := map[string]int{}
	for _, t := range d.tables {
		if line, twice := lines[t.id]; twice {
			d.report(t.node, "table %s stands twice, first in line %d", t.id, line)
		}
		lines[t.id] = t.node.Line
		d.contract.Tables = append(d.contract.Tables, t.Table)
	}
}

// typed adds a key attribute with its type, which the attribute definitions have.
func (d *draft) typed(k *key, into *file.Pairs, attribute *yaml.Node, types map[string]*yaml.Node) {
	kind := types[attribute.Value]
	if kind == nil {
		d.report(attribute, "key attribute %s: expected it among the attribute definitions, found %s", attribute.Value, cmp.Or(strings.Join(slices.Sorted(maps.Keys(types)), ", "), "none"))
		return
	}
	if slices.Contains(slices.Concat(k.partition, k.sort).Names(), attribute.Value) {
		d.report(attribute, "key attribute %s stands twice in one key", attribute.Value)
		return
	}
	if !slices.Contains([]string{"S", "N", "B"}, kind.Value) {
		d.report(kind, "key attribute %s: expected the type S, N or B, found %s", attribute.Value, shown(kind))
		return
	}
	*into = append(*into, file.Pair{Name: attribute.Value, Value: kind.Value})
	k.at = k.at.Join(d.cite(attribute, kind))
}

// definitions are the types of the attributes that a source defines, by name.
func (d *draft) definitions(n names, node *yaml.Node) map[string]*yaml.Node {
	types := map[string]*yaml.Node{}
	for _, each := range d.list(node, n.paths("AttributeDefinitions")[0]) {
		if attribute, kind := d.text(each, cmp.Or(n["DefinedName"], "AttributeName")), d.text(each, cmp.Or(n["DefinedType"], "AttributeType")); attribute != nil && kind != nil {
			d.refuse(types[attribute.Value] != nil, attribute, "attribute %s is defined twice; keep one", attribute.Value)
			types[attribute.Value] = kind
		}
	}
	return types
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

// described reads tables, and what is said of them behind each where they are deployed.
func (d *draft) described(root *yaml.Node) {
	for i, each := range described(root) {
		if d.table("createTable", each); d.contract.Document.Deployed && len(d.tables) == i+1 {
			d.answers(d.tables[i], root, each)
		}
	}
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
			if attribute := get(ttl, "AttributeName"); attribute != nil && d.oneOf(ttl, "TimeToLiveStatus", "ENABLING", "ENABLED", "DISABLING", "DISABLED") != nil && strings.HasPrefix(textOf(ttl, "TimeToLiveStatus"), "ENABL") {
				t.TTL = &ap.TTL{Attribute: attribute.Value, Cite: d.cite(attribute)}
			}
		}
		if backups := get(each, "ContinuousBackupsDescription", "PointInTimeRecoveryDescription", "PointInTimeRecoveryStatus"); backups != nil {
			said["point-in-time recovery"] = true
			if d.among("point-in-time recovery", backups, "ENABLED", "DISABLED") && backups.Value == "ENABLED" {
				t.PITR = &ap.Promise{Cite: d.cite(backups)}
			}
		}
		if tags := get(each, "Tags"); tags != nil {
			if said["tags"] = true; get(each, "NextToken") != nil {
				d.noteAt(tags, "table %s: its tags are left out, for this is not the last page of them", t.id)
			} else {
				d.tags(t, tags)
			}
		}
		if each != of && get(each, "Table") == nil {
			d.unread("table "+t.id+": ", each, []string{"ContinuousBackupsStatus"})
		}
	}
	for _, each := range [][2]string{{"time to live", "describe-time-to-live"}, {"point-in-time recovery", "describe-continuous-backups"}, {"tags", "list-tags-of-resource"}} {
		if !said[each[0]] {
			d.note(of, "table %s: describe-table does not tell %s; put the answer of %s behind it in the file", t.id, each[0], each[1])
		}
	}
}

//go:embed sources.yaml
var sourcesText []byte

// known is what sources.yaml says: where each source has what CreateTable has, the options of the AWS CLI, and the parts of schema.json and usage data.
var known = sync.OnceValue(func() (all struct {
	Names        map[string]names
	Options      map[string]string
	Empty, Noted string
	Shapes       map[string]map[string]string
}) {
	must.Do(yaml.Unmarshal(sourcesText, &all))
	pulumi := names{}
	for what, path := range all.Names["terraform"] {
		if slices.Contains([]string{"attribute", "global_secondary_index", "local_secondary_index", "key_schema"}, path) {
			path = strings.ReplaceAll(path+"s", "xs", "xes")
		}
		pulumi[what] = underscored.ReplaceAllStringFunc(path, func(found string) string { return strings.ToUpper(found[1:]) })
	}
	pulumi[""] += " __defaults"
	all.Names["pulumi"] = pulumi
	return all
})

var underscored = regexp.MustCompile(`_([a-z])`)

// names are where a source has what CreateTable has, by CreateTable's names.
type names map[string]string

// paths are where a source has it.
func (n names) paths(what string) []string { return strings.Fields(cmp.Or(n[what], what)) }

// get is what a source has; nil where there is none. Terraform's blocks are lists of one.
func (n names) get(node *yaml.Node, what string) (found *yaml.Node) {
	for _, path := range n.paths(what) {
		found = node
		for _, name := range strings.Split(path, ".") {
			if found != nil && found.Kind == yaml.SequenceNode {
				found = slices.Concat(found.Content, []*yaml.Node{nil})[0]
			}
			_, found = member(found, name)
		}
		if found = get(found); found != nil && (found.Kind != yaml.ScalarNode || found.Value != "") {
			return found
		}
	}
	return nil
}

// keyOf reads a key: a list of attributes, each with its role, or an attribute for each role. parts is how many attributes a key may have.
func (d *draft) keyOf(n names, node *yaml.Node, parts int, types map[string]*yaml.Node) (k key) {
	into := map[string]*file.Pairs{"HASH": &k.partition, "RANGE": &k.sort}
	if schema := n.get(node, "KeySchema"); n["HASH"] == "" || schema != nil && len(schema.Content) > 0 {
		list, sizes := n.paths("KeySchema")[0], map[string]int{}
		for _, each := range d.list(node, list) {
			name, role := d.text(each, n.paths("AttributeName")[0]), d.oneOf(each, n.paths("KeyType")[0], "HASH", "RANGE")
			if role == nil {
				continue
			}
			switch sizes[role.Value]++; {
			case name == nil:
			case sizes[role.Value] > parts:
				d.report(each, "expected at most %d %s key attributes, found %s too", parts, role.Value, name.Value)
			default:
				d.typed(&k, into[role.Value], name, types)
			}
		}
		if sizes["HASH"] == 0 && (schema == nil || schema.Kind == yaml.SequenceNode) {
			d.report(cmp.Or(get(node, list), node), "expected a %s with a HASH key, found none", list)
		}
		return k
	}
	for _, role := range []string{"HASH", "RANGE"} {
		switch at := n.get(node, role); {
		case at == nil && role == "HASH":
			d.report(node, "expected %s here, found none", n[role])
		case at == nil:
		case at.Kind == yaml.MappingNode:
			if attribute, kind := d.text(at, "AttributeName"), d.text(at, "AttributeType"); attribute != nil && kind != nil {
				d.typed(&k, into[role], attribute, map[string]*yaml.Node{attribute.Value: kind})
			}
		default:
			d.typed(&k, into[role], at, types)
		}
	}
	return k
}

// namedTable reads a table that a node names.
func (d *draft) namedTable(source string, node, name *yaml.Node) {
	n, t := known().Names[source], d.newTable(name, node)
	types := d.definitions(n, node)
	k := d.keyOf(n, node, 1, types)
	for _, list := range []string{"GlobalSecondaryIndexes", "LocalSecondaryIndexes"} {
		local := list == "LocalSecondaryIndexes"
		for each, name := range d.indexes(t, node, n.paths(list)[0], n.paths("IndexName")[0]) {
			var of key
			if sort := n.get(each, "RANGE"); local && sort != nil && sort.Kind == yaml.ScalarNode { // the partition key is the table's
				d.typed(&of, &of.sort, sort, types)
			} else {
				of = d.keyOf(n, each, map[bool]int{false: contract.MaxKeyParts, true: 1}[local], types)
			}
			if local && len(of.partition) == 1 && len(k.partition) == 1 && of.partition[0].Name != k.partition[0].Name {
				d.report(name, "local secondary index %s: expected the table's HASH key %s, found %s", name.Value, k.partition[0].Name, of.partition[0].Name)
			}
			d.index(t, local, name, of, n.get(each, "ProjectionType"), n.get(each, "NonKeyAttributes"))
		}
	}
	d.billing(t, n.get(node, "BillingMode"), n.get(node, "ReadCapacityUnits"), n.get(node, "WriteCapacityUnits"))
	switch on, attribute := d.isOn("time to live", n.get(node, "TTLEnabled")), n.get(node, "TTL"); {
	case attribute != nil && attribute.Tag == openTag:
		d.noteAt(attribute, "table %s: time to live is left out, for its attribute is %s, which the template does not give%s", t.id, attribute.Value, d.howToGive(attribute))
	case attribute != nil && !on:
		d.noteAt(attribute, "table %s: the time to live by %s is left out, for it is not enabled", t.id, attribute.Value)
	case !on:
	case attribute == nil || attribute.Kind != yaml.ScalarNode:
		d.report(cmp.Or(attribute, node), "time to live: expected the name of its attribute, found %s", shown(cmp.Or(attribute, scalarAt(node, "none"))))
	default:
		t.TTL = &ap.TTL{Attribute: attribute.Value, Cite: d.cite(attribute)}
	}
	t.PITR, t.Protection = d.on("point-in-time recovery", n.get(node, "PITR")), d.on("deletion protection", n.get(node, "DeletionProtectionEnabled"))
	d.tags(t, n.get(node, "Tags"))
	if all, own := get(node, n.paths("Tags")[0]), get(node, "tags"); all != nil && own != nil && all != own {
		for name, value := range members(own) {
			if other := get(all, name.Value); !strings.HasPrefix(name.Value, "__") && (other == nil || other.Value != value.Value) {
				d.noteAt(value, "table %s: its tag %s is left out, for %s has another value for it", t.id, name.Value, n.paths("Tags")[0])
			}
		}
		taken(own)
	}
	on, view := n.get(node, "StreamEnabled"), n.get(node, "StreamViewType")
	if on == nil && view != nil || d.isOn("stream", on) {
		d.stream(t, cmp.Or(on, view), view)
	}
	d.class(t, n.get(node, "TableClass"))
	d.encryption(t, n.get(node, "SSEEnabled"), n.get(node, "KMSMasterKeyId"))
	if region := n.get(node, "Region"); region != nil {
		t.Region = &ap.RegionPromise{Region: region.Value, Cite: d.cite(region)}
	}
	d.unread("table "+t.id+": ", node, strings.Fields(n[""]), strings.Fields(n["read later"])...)
	t.PartitionKey, t.SortKey, t.KeyCite = k.partition, k.sort, k.at
	for _, name := range slices.Sorted(maps.Keys(types)) {
		if !d.open && get(node, "VectorIndexes") == nil && t.types()[name] == "" {
			d.report(types[name], "attribute %s: expected it in the key of the table or of an index, found it in none, which CreateTable refuses", name)
		}
	}
	d.tables = append(d.tables, t)
}

// table is namedTable for a table that has its name.
func (d *draft) table(source string, node *yaml.Node) {
	if name := d.text(node, known().Names[source].paths("TableName")[0]); name != nil {
		d.namedTable(source, node, name)
	}
}

// read marks a node that was read, in a place that no message needs, and logical one that names a table which the source gives no name.
const (
	read    = -1
	logical = -2
)

// What is left out by its name alone, for each reason.
const (
	nothingSaid = "left out, for a contract says nothing of it"
	momentary   = "left out, for it belongs to AWS, to a tool or to one moment"
	noTables    = "left out, for they are no tables of DynamoDB"
	onlyRead    = "left out, for they are only read"
)

// unread tells what no reader has asked for, each with its line. What belongs to AWS is told by name.
func (d *draft) unread(of string, node *yaml.Node, momentarily []string, later ...string) {
	d.walk(of, nil, node, func(path string, keys []string, value *yaml.Node) {
		d.noteAt(value, "%s is %s", path, nothingSaid)
	}, func(name string, value *yaml.Node) bool {
		if slices.Contains(momentarily, name) {
			d.aside(momentary, name, value)
		}
		return slices.Contains(momentarily, name) || slices.Contains(later, name)
	})
}

// rest tells by name what no reader of the whole source has asked for.
func (d *draft) rest(root *yaml.Node, because string) {
	d.walk("", nil, root, func(_ string, keys []string, value *yaml.Node) {
		d.aside(because, strings.Join(keys[max(0, len(keys)-2):], "."), value)
	}, func(string, *yaml.Node) bool { return false })
}

// walk finds what is not read. keys are the names that lead to it, and path has those of elements too.
func (d *draft) walk(path string, keys []string, node *yaml.Node, tell func(path string, keys []string, value *yaml.Node), told func(name string, value *yaml.Node) bool) {
	visit := func(name string, keys []string, value *yaml.Node) {
		switch {
		case value.Tag == "!!null" || value.Value == "" && len(value.Content) == 0, node.Kind == yaml.MappingNode && told(name, value):
		case strings.HasPrefix(path, "table ") && slices.Contains([]string{"false", "0"}, value.Value): // off is as what is not there
			taken(value)
		case value.Kind != yaml.ScalarNode && slices.ContainsFunc(nodes(value), func(each *yaml.Node) bool { return each.Column == read }):
			d.walk(path+name+".", keys, value, tell, told)
		case value.Column != read:
			tell(path+name, keys, value)
		}
	}
	for name, value := range members(node) {
		visit(name.Value, append(slices.Clone(keys), name.Value), value)
	}
	if node.Kind == yaml.SequenceNode {
		for i, each := range node.Content {
			_, index := member(each, "IndexName")
			_, name := member(each, "name")
			visit(cmp.Or(index, name, scalarAt(each, strconv.Itoa(i))).Value, keys, each)
		}
	}
}

func (d *draft) terraformModule(module *yaml.Node) {
	if module == nil {
		return
	}
	for _, each := range d.list(module, "resources") {
		switch kind := textOf(each, "type"); {
		case textOf(each, "mode") != "" && textOf(each, "mode") != "managed":
			d.aside(onlyRead, textOf(each, "address"), each)
		case kind == "aws_dynamodb_table":
			d.provided("terraform", get(each, "values"), each)
		case strings.Contains(kind, "dynamodb") || textOf(each, "values", "service_namespace") == "dynamodb":
			d.noteAt(each, "%s is left out", cmp.Or(textOf(each, "address"), kind))
		default:
			d.aside(noTables, kind, each)
		}
	}
	for _, each := range d.list(module, "child_modules") {
		d.terraformModule(each)
	}
}

func (d *draft) provided(source string, node, resource *yaml.Node) {
	_, address := member(resource, "address")
	switch {
	case node == nil:
		d.report(resource, "expected the values of a table, found none")
	case get(node, "name") == nil && address != nil: // known only when the plan is carried out
		id := scalarAt(address, idOf(strings.NewReplacer("[", "-", "]", "", `"`, "").Replace(strings.TrimPrefix(address.Value, "aws_dynamodb_table."))))
		d.note(address, "table %s: the plan gives it no name; audit it with --table %s=NAME", id.Value, id.Value)
		d.namedTable(source, node, id)
	default:
		d.table(source, node)
	}
}

func (d *draft) workbench(node *yaml.Node) {
	before := len(d.tables)
	if d.table("workbench", node); len(d.tables) == before || len(d.tables[before].PartitionKey) == 0 {
		return // reported above
	}
	t := d.tables[before]
	for _, facet := range d.list(node, "TableFacets") {
		name := textOf(facet, "FacetName")
		for _, each := range d.list(facet, "TableData") {
			d.sampled(t, each, name)
		}
		if len(d.list(facet, "TableData")) == 0 {
			d.noteAt(facet, "facet %s of table %s is left out, for it has no items", name, t.id)
		}
	}
	for _, each := range d.list(node, "TableData") {
		d.sampled(t, each, "")
	}
	for _, each := range d.list(node, "NonKeyAttributes") {
		name, kind := textOf(each, "AttributeName"), textOf(each, "AttributeType")
		has := func(s *sample) bool { return s.table == t && s.item[name] != nil }
		if at, of := slices.IndexFunc(d.samples, has), t.types()[name]; of != "" {
			d.refuse(of != kind, each, "attribute %s of table %s: expected the type %s, as in a key, found %s", name, t.id, of, kind)
		} else if at < 0 {
			d.noteAt(each, "table %s: its attribute %s of type %s is left out, for no item has it", t.id, name, kind)
		} else if slices.ContainsFunc(d.samples, func(s *sample) bool {
			return has(s) && !slices.Contains([]string{kind, string(dynamo.Null)}, string(dynamo.TypeOf(s.item[name])))
		}) {
			d.noteAt(each, "table %s: its attribute %s is of type %s, and not in every item", t.id, name, kind)
		}
	}
}

// isOn reports whether a setting is there and true.
func (d *draft) isOn(what string, setting *yaml.Node) bool {
	if setting == nil {
		return false
	}
	is := strings.EqualFold(setting.Value, "true")
	d.refuse(!is && !strings.EqualFold(setting.Value, "false"), setting, "%s: expected true or false, found %s", what, shown(setting))
	return is
}

// on cites a setting that is on; nil where it is not.
func (d *draft) on(what string, setting *yaml.Node) *ap.Promise {
	if !d.isOn(what, setting) {
		return nil
	}
	return &ap.Promise{Cite: d.cite(setting)}
}

// managedKey is the alias of the key that AWS manages.
const managedKey = "alias/aws/dynamodb"

func (d *draft) encryption(t *table, on, key *yaml.Node) {
	if key == nil || key.Value == managedKey || strings.HasSuffix(key.Value, ":"+managedKey) {
		t.Encryption = d.on("encryption", on)
		return
	}
	for _, at := range []*yaml.Node{on, key} {
		d.noteAt(at, "table %s: its encryption with the key %s is left out, for a contract knows those that AWS owns or manages", t.id, key.Value)
	}
}

func (d *draft) class(t *table, class *yaml.Node) {
	if class != nil && class.Value != "" {
		t.Class = &ap.ClassPromise{Class: class.Value, Cite: d.cite(class)}
		d.among("table class", class, "STANDARD", "STANDARD_INFREQUENT_ACCESS")
	}
}

func (d *draft) stream(t *table, stream, view *yaml.Node) {
	t.Stream = &ap.StreamPromise{Cite: d.cite(stream)}
	if view == nil || view.Value == "" {
		return
	}
	t.Stream = &ap.StreamPromise{View: view.Value, Cite: d.cite(view)}
	d.among("stream", view, "KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES")
}

// billing reads the capacity mode. On demand the units are 0.
func (d *draft) billing(t *table, mode, read, write *yaml.Node) {
	var units []int64
	for _, each := range []*yaml.Node{read, write} {
		if each != nil && each.Value != "0" {
			n, err := strconv.ParseInt(each.Value, 10, 64)
			d.refuse(err != nil || n < 0, each, "provisioned capacity: expected a whole number, found %s", shown(each))
			units = append(units, n)
		}
	}
	if mode == nil && len(units) > 0 { // which is what CreateTable takes it for
		mode = scalarAt(cmp.Or(read, write), string(dynamo.Provisioned))
	} else if mode == nil || !d.among("billing mode", mode, string(dynamo.OnDemand), string(dynamo.Provisioned)) {
		return
	}
	t.Billing = &file.Billing{Mode: mode.Value, Cite: d.cite(mode)}
	switch {
	case mode.Value == string(dynamo.Provisioned) && len(units) == 2:
		t.Billing.Units, t.Billing.Cite = &ap.Capacity{ReadUnits: units[0], WriteUnits: units[1]}, t.Billing.Cite.Join(d.cite(read, write))
	case len(units) > 0:
		for _, each := range []*yaml.Node{read, write} {
			d.noteAt(each, "table %s: its provisioned capacity is left out, for a contract has it beside PROVISIONED alone, for reads and for writes", t.id)
		}
	}
}

// tags reads tags: a list of keys and values, or a mapping.
func (d *draft) tags(t *table, all *yaml.Node) {
	tags := &file.Tags{}
	d.refuse(all != nil && all.Kind == yaml.ScalarNode, all, "tags of table %s: expected a list or an object, found %s", t.id, shown(cmp.Or(all, &yaml.Node{})))
	add := func(name, value *yaml.Node) {
		if name == nil || value == nil || value.Kind != yaml.ScalarNode {
			d.noteAt(all, "table %s: its tags are left out, for one of them has no value that is known", t.id)
			tags = nil
		}
		switch {
		case tags == nil:
		case slices.Contains(tags.Values.Names(), name.Value):
			d.report(name, "tag %s of table %s stands twice; keep one", name.Value, t.id)
		case strings.HasPrefix(name.Value, "aws:") || strings.HasPrefix(name.Value, "__"): // AWS's and Pulumi's own
			d.aside(momentary, name.Value, value)
		default:
			tags.Values = append(tags.Values, file.Pair{Name: name.Value, Value: value.Value})
			tags.Cite = tags.Cite.Join(d.cite(name, value))
		}
	}
	for name := range members(all) {
		add(name, get(all, name.Value))
	}
	if all != nil && all.Kind == yaml.SequenceNode {
		for _, each := range all.Content {
			add(get(each, "Key"), get(each, "Value"))
		}
	}
	if tags != nil && len(tags.Values) > 0 {
		t.Tags = tags
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
func (d *draft) index(t *table, local bool, name *yaml.Node, k key, projection, included *yaml.Node) {
	of := ap.Index{Name: name.Value, Projection: "ALL", Cite: d.cite(name).Join(k.at), ProjectionCite: new(d.cite(name).Chosen("the source names no projection"))}
	if projection != nil && d.among("projection of "+name.Value, projection, "ALL", "KEYS_ONLY", "INCLUDE") {
		of.Projection, of.ProjectionCite = dynamo.Projection(projection.Value), new(d.cite(projection))
		if included != nil {
			for _, each := range d.scalars(included) {
				of.NonKeyAttributes, of.ProjectionCite = append(of.NonKeyAttributes, each.Value), new(of.ProjectionCite.Join(d.cite(each)))
			}
		}
		if (len(of.NonKeyAttributes) > 0) != (projection.Value == "INCLUDE") {
			d.report(projection, "projection of %s: expected included attributes beside INCLUDE and nowhere else, found %d beside %s", name.Value, len(of.NonKeyAttributes), projection.Value)
		}
	}
	if t.indexed(name.Value) {
		d.report(name, "index %s of table %s stands twice", name.Value, t.id)
		return
	}
	if !local {
		t.Indexes = append(t.Indexes, file.Index{Index: of, PartitionKey: k.partition, SortKey: k.sort})
		return
	}
	d.refuse(len(k.sort) == 0, name, "local secondary index %s: expected a RANGE key, found none", name.Value)
	t.LocalIndexes = append(t.LocalIndexes, file.LocalIndex{Index: of, SortKey: k.sort})
}

func (t *table) indexed(name string) bool {
	return slices.ContainsFunc(t.Indexes, func(x file.Index) bool { return x.Name == name }) || slices.ContainsFunc(t.LocalIndexes, func(x file.LocalIndex) bool { return x.Name == name })
}

func (d *draft) scalars(list *yaml.Node) (all []*yaml.Node) {
	for _, each := range list.Content {
		if each.Kind != yaml.ScalarNode || list.Kind != yaml.SequenceNode {
			d.report(each, "expected a list of texts, found %s", shown(each))
			return nil
		}
		each.Column = read
		all = append(all, each)
	}
	return all
}

// modelItems reads the items of a data model: PutRequests by table.
func (d *draft) modelItems(root *yaml.Node) {
	items := get(root, "items")
	if items == nil || items.Kind == yaml.SequenceNode && len(items.Content) == 0 { // an empty part may be an empty list
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
	return find(d.tables, func(t *table) bool { return string(t.Name) == name && name != "" })
}

// keys are the attributes of the primary key, partition key first.
func (t *table) keys() []string { return slices.Concat(t.PartitionKey.Names(), t.SortKey.Names()) }

// types are the types of all key attributes of the table and its indexes.
func (t *table) types() map[string]string {
	var all file.Pairs
	for _, index := range t.Indexes {
		all = slices.Concat(all, index.PartitionKey, index.SortKey)
	}
	for _, index := range t.LocalIndexes {
		all = append(all, index.SortKey...)
	}
	all = slices.Concat(all, t.PartitionKey, t.SortKey)
	return lists.Index(all, func(part file.Pair) (string, string) { return part.Name, part.Value })
}
