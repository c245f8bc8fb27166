package mutants

import (
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/tables"
)

// deployments generates every wrong deployment, for both lanes.
func (g *generator) deployments() {
	for _, kind := range []Kind{Deployments, Behind} {
		if kind == Deployments && deploy.FromContract(g.design.Name) {
			continue // no program deploys it
		}
		for i := range g.design.Tables {
			(&schemaBreaker{generator: g, kind: kind, table: &g.design.Tables[i]}).all()
		}
	}
}

const (
	otherName        = "mutant"
	otherEnvironment = "mutant-env"
	otherRegion      = "sa-east-1"
	customerKey      = "arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
)

// schemaBreaker generates the ways to deploy a table wrongly, in one lane.
type schemaBreaker struct {
	*generator
	kind  Kind
	table *ap.Table
}

// add adds a way, whose id is unique for the table, and after which the claim must fail.
func (b *schemaBreaker) add(id, operator, what, claim string, change func(*tables.Spec)) *Mutant {
	lane := map[Kind]string{Deployments: "pulumi", Behind: "behind"}[b.kind]
	return b.generator.add(Mutant{
		Kind: b.kind, Operator: operator, What: b.table.ID + ": " + what, table: b.table.ID, change: change,
		touches: func(claim manifest.Claim) bool {
			return claim.Kind == manifest.KindSchema || claim.Kind == manifest.KindIndex
		}, // which DescribeTable and its like decide
	}, lane+"/"+b.table.ID+"/"+id, claim)
}

// behind adds a way that no program goes: it asks for other inputs of the tables that it has, and the provider for engines on loopback refuses
// what it does not implement.
func (b *schemaBreaker) behind(id, operator, what, claim string, change func(*tables.Spec)) *Mutant {
	if b.kind == Deployments {
		return &Mutant{} // none
	}
	return b.add(id, operator, what, claim, change)
}

func (b *schemaBreaker) aspect(name string) string { return "table/" + b.table.ID + "/" + name }

func (b *schemaBreaker) all() {
	table := b.table
	b.key("", "primary key", table.Keys(), b.aspect(manifest.AspectKey), func(s *tables.Spec) *tables.Key { return &s.Key })
	b.indexes()
	b.settings()
	b.tags()
	exists := b.aspect(manifest.AspectExists)
	b.add("name-wrong", "wrong table name", "under another name", exists, func(s *tables.Spec) { s.Name += "-" + otherName })
	if table.Name.HasEnvironment() {
		b.add("environment-wrong", "wrong environment", "under the name of another environment", exists, func(s *tables.Spec) { s.Name = table.Name.In(otherEnvironment) })
	}
	if table.Region != nil {
		b.behind("region-wrong", "wrong region", "in another region", b.aspect(manifest.AspectRegion), func(s *tables.Spec) { s.Region = otherRegion })
	}
	b.behind("table-missing", "table missing", "not there", exists, func(s *tables.Spec) { s.Gone = true })
	b.behind("table-extra", "table extra", "beside a table that nobody documents", "tables", func(s *tables.Spec) { s.Extra = s.Name + "-" + otherName })
}

// key breaks a key, which at finds in a shape.
func (b *schemaBreaker) key(prefix, what string, keys []ap.Key, claim string, at func(*tables.Spec) *tables.Key) {
	for n, key := range keys {
		b.add(prefix+"key-"+key.Attribute+"-renamed", "key attribute renamed", what+": "+key.Attribute+" renamed", claim, func(s *tables.Spec) {
			s.Rename([][]string{at(s).Hash, at(s).Sort}[n], 0)
		})
		b.retyped(prefix+"key-"+key.Attribute+"-", what, key, claim)
	}
	if len(keys) == 1 {
		b.add(prefix+"key-sort-added", "sort key added", what+": with a sort key", claim, func(s *tables.Spec) { at(s).Sort = []string{otherName} })
		return
	}
	b.add(prefix+"key-swapped", "hash and range swapped", what+": partition key and sort key swapped", claim, func(s *tables.Spec) {
		at(s).Hash, at(s).Sort = at(s).Sort, at(s).Hash
	})
	b.add(prefix+"key-sort-dropped", "sort key dropped", what+": without its sort key", claim, func(s *tables.Spec) { at(s).Sort = nil })
}

func (b *schemaBreaker) retyped(prefix, what string, key ap.Key, claim string) {
	for _, other := range others(key.Type, dynamo.String, dynamo.Number, dynamo.Binary) {
		b.add(prefix+string(other), "key attribute retyped", fmt.Sprintf("%s: %s of type %s", what, key.Attribute, other), claim,
			func(s *tables.Spec) { s.Types[key.Attribute] = string(other) })
	}
}

// others are the values other than one.
func others[T comparable](than T, all ...T) []T {
	return lists.Where(all, func(each T) bool { return each != than })
}

// indexes breaks each index, and adds one.
func (b *schemaBreaker) indexes() {
	for index := range lists.Each(b.table.Indexes) {
		if b.kind == Behind || !index.Local && !index.Composite() { // of which programs ask
			b.index(index)
		}
	}
	b.add("index-added", "index added", "with an index that nobody documents", b.aspect(manifest.AspectIndexes), func(s *tables.Spec) {
		s.Indexes = append(s.Indexes, tables.Index{Name: otherName, Key: tables.Key{Hash: s.Hash}, Projection: string(dynamo.ProjectAll)})
	})
}

func (b *schemaBreaker) index(documented *ap.Index) {
	name, claim := documented.Name, "index/"+b.table.ID+"/"+documented.Name
	add := func(id, operator, what string, change func(*tables.Spec)) {
		b.add(name+"-"+id, operator, what, claim, change)
	}
	add("dropped", "index dropped", "without index "+name, func(s *tables.Spec) { s.Drop(name) })
	add("renamed", "index renamed", "index "+name+" renamed", func(s *tables.Spec) { s.Index(name).Name += "-" + otherName })
	b.projections(documented, claim+"/"+manifest.AspectProjection)
	if documented.Local {
		add("global", "local index made global", "index "+name+" is a global one", func(s *tables.Spec) { s.Index(name).Local = false })
		sort := documented.SortKey
		add("sort-renamed", "key attribute renamed", "index "+name+": "+sort.Attribute+" renamed", func(s *tables.Spec) { s.Rename(s.Index(name).Sort, 0) })
		b.retyped(name+"-sort-", "index "+name, *sort, claim)
		return
	}
	for part, keys := range []ap.Keys{documented.MorePartition, documented.MoreSort} {
		of := func(s *tables.Spec) *[]string { return []*[]string{&s.Index(name).Hash, &s.Index(name).Sort}[part] }
		for n, key := range keys {
			add("more-"+key.Attribute+"-dropped", "key attribute dropped", "index "+name+": without "+key.Attribute, func(s *tables.Spec) {
				*of(s) = slices.Delete(*of(s), n+1, n+2)
			})
			add("more-"+key.Attribute+"-renamed", "key attribute renamed", "index "+name+": "+key.Attribute+" renamed", func(s *tables.Spec) { s.Rename(*of(s), n+1) })
		}
	}
	if len(documented.MoreSort) > 0 {
		add("more-sort-order", "sort key attributes exchanged", "index "+name+": its first two sort key attributes exchanged", func(s *tables.Spec) {
			sort := s.Index(name).Sort
			sort[0], sort[1] = sort[1], sort[0]
		})
	}
	if !documented.Composite() {
		b.key(name+"-", "index "+name, documented.Keys(), claim, func(s *tables.Spec) *tables.Key { return &s.Index(name).Key })
	}
}

func (b *schemaBreaker) projections(documented *ap.Index, claim string) {
	name := documented.Name
	for _, other := range others(documented.Projection, dynamo.ProjectAll, dynamo.ProjectKeysOnly, dynamo.ProjectInclude) {
		b.add(name+"-projects-"+string(other), "projection "+string(other), fmt.Sprintf("index %s projects %s", name, other), claim, func(s *tables.Spec) {
			s.Index(name).Projection, s.Index(name).Include = string(other), nil
			if other == dynamo.ProjectInclude {
				s.Index(name).Include = []string{otherName}
			}
		})
	}
	if documented.Projection != dynamo.ProjectInclude {
		return
	}
	b.add(name+"-includes-more", "included attribute added", "index "+name+" includes "+otherName, claim, func(s *tables.Spec) {
		s.Index(name).Include = append(s.Index(name).Include, otherName)
	})
	for _, attribute := range documented.NonKeyAttributes {
		b.add(name+"-includes-no-"+attribute, "included attribute left out", "index "+name+" does not include "+attribute, claim, func(s *tables.Spec) {
			of := s.Index(name)
			if of.Include = others(attribute, of.Include...); len(of.Include) == 0 {
				of.Include = []string{otherName} // none is refused
			}
		})
	}
}

// settings breaks what is neither key nor index nor tag.
func (b *schemaBreaker) settings() {
	table, stream := b.table, b.aspect(manifest.AspectStream)
	b.add("ttl-elsewhere", "TTL on another attribute", "items expire by "+otherName, b.aspect(manifest.AspectTTL), func(s *tables.Spec) { s.TTL = otherName })
	if table.Stream == nil {
		b.behind("stream-on", "stream on", "with a stream", stream, func(s *tables.Spec) { s.Stream = string(types.StreamViewTypeNewImage) })
	} else {
		b.behind("stream-off", "stream off", "without its stream", stream, func(s *tables.Spec) { s.Stream = "" })
		for _, view := range types.StreamViewTypeKeysOnly.Values() {
			if table.Stream.View != "" && table.Stream.View != string(view) {
				b.behind("stream-"+string(view), "stream of another view type", "with a stream of "+string(view), stream, func(s *tables.Spec) { s.Stream = string(view) })
			}
		}
	}
	if table.Protection != nil {
		b.behind("protection-off", "deletion protection off", "without deletion protection", b.aspect(manifest.AspectProtection), func(s *tables.Spec) { s.Protected = false })
	}
	if table.Class != nil {
		other := others(table.Class.Class, string(types.TableClassStandardInfrequentAccess), string(types.TableClassStandard))[0]
		b.behind("class-switched", "table class switched", "of class "+other, b.aspect(manifest.AspectClass), func(s *tables.Spec) { s.Class = other })
	}
	if table.Units != nil {
		for n, id := range []string{"read", "write"} {
			b.behind("units-"+id, "other provisioned units", "one "+id+" capacity unit more", b.aspect(manifest.AspectBilling),
				func(s *tables.Spec) { *[]*int64{&s.Read, &s.Write}[n]++ })
		}
	}
	if table.Billing != "" {
		other := string(others(table.Billing, dynamo.Provisioned, dynamo.OnDemand)[0])
		b.add("billing-switched", "billing switched", "billed "+other, b.aspect(manifest.AspectBilling), func(s *tables.Spec) { s.Billing = other })
	}
	if table.TTL != nil {
		b.add("ttl-off", "TTL off", "items do not expire", b.aspect(manifest.AspectTTL), func(s *tables.Spec) { s.TTL = "" })
	}
	if table.PITR != nil {
		b.add("pitr-off", "PITR off", "without point-in-time recovery", b.aspect(manifest.AspectPITR), func(s *tables.Spec) { s.PITR = false })
	}
	if table.Encryption != nil {
		key := b.behind("customer-managed-key", "customer managed key", "encrypted with a key that the customer manages", b.aspect(manifest.AspectEncryption),
			func(s *tables.Spec) { s.KMS = customerKey })
		key.verdict = evidence.Indeterminate // who manages the key, KMS alone can say
	}
}

// tags breaks each documented tag, and adds one.
func (b *schemaBreaker) tags() {
	if len(b.table.Tags) == 0 {
		return // there is no list of tags that one could be beyond: it is noted
	}
	claim := b.aspect(manifest.AspectTags)
	b.add("tag-extra", "tag extra", "with a tag that nobody documents", claim, func(s *tables.Spec) { s.Tags["Mutant"] = "yes" })
	for _, key := range slices.Sorted(maps.Keys(b.table.Tags)) {
		value := b.table.Tags[key]
		b.add("tag-"+key+"-missing", "tag missing", "without tag "+key, claim, func(s *tables.Spec) { delete(s.Tags, key) })
		b.add("tag-"+key+"-wrong", "tag wrong", "tag "+key+" with another value", claim, func(s *tables.Spec) { s.Tags[key] = otherName })
		if value.HasEnvironment() {
			b.add("tag-"+key+"-environment", "wrong environment", "tag "+key+" of another environment", claim,
				func(s *tables.Spec) { s.Tags[key] = value.In(otherEnvironment) })
		}
	}
}
