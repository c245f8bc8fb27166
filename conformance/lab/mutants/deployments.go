package mutants

import (
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/own"
)

// lane is a way to break a deployment.
type lane struct {
	kind Kind
	path string
}

var (
	byPulumi = lane{Deployments, "pulumi"}
	behind   = lane{Behind, "behind"}
)

// schemaMutation is one way to deploy a table wrongly.
type schemaMutation struct {
	// id is unique for the table; operator and what as in [Mutant].
	id, operator, what string
	change             func(*shape)
	// claim must fail, without the design's name.
	claim string
	// verdict is what the claim must come to; empty means fail.
	verdict evidence.Verdict
	// behindOnly: a transform cannot do it, for it changes the properties of a
	// resource and neither adds nor removes one, and the provider for engines on
	// loopback refuses what it does not implement.
	behindOnly bool
}

// deployments generates every wrong deployment, for both lanes.
func (g *generator) deployments() {
	lanes := []lane{byPulumi, behind}
	if own.FromContract(g.design.Name) {
		lanes = lanes[1:] // no program deploys it
	}
	for _, lane := range lanes {
		for i := range g.design.Tables {
			table := &g.design.Tables[i]
			for _, mutation := range schemaMutations(table) {
				if mutation.behindOnly && lane == byPulumi {
					continue
				}
				g.add(Mutant{
					Kind: lane.kind, Operator: mutation.operator, What: table.ID + ": " + mutation.what,
					verdict: mutation.verdict, touches: describes, table: table.ID, change: mutation.change,
				}, lane.path+"/"+table.ID+"/"+mutation.id, mutation.claim)
			}
		}
	}
}

// describes selects the claims that DescribeTable and its like decide.
func describes(claim manifest.Claim) bool {
	return claim.Kind == manifest.KindSchema || claim.Kind == manifest.KindIndex
}

const (
	otherName        = "mutant"
	otherEnvironment = "mutant-env"
	otherRegion      = "sa-east-1"
	customerKey      = "arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
)

func schemaMutations(table *accesspatterns.Table) []schemaMutation {
	aspect := func(name string) string { return "table/" + table.ID + "/" + name }
	mutations := slices.Concat(keyMutations(table, aspect(manifest.AspectKey)), indexMutations(table), settingMutations(table, aspect), tagMutations(table, aspect(manifest.AspectTags)))
	add := func(id, operator, what, claim string, behindOnly bool, change func(*shape)) {
		mutations = append(mutations, schemaMutation{id: id, operator: operator, what: what, claim: claim, behindOnly: behindOnly, change: change})
	}
	exists := aspect(manifest.AspectExists)
	add("name-wrong", "wrong table name", "under another name", exists, false, func(s *shape) { s.name += "-" + otherName })
	if table.Name.HasEnvironment() {
		add("environment-wrong", "wrong environment", "under the name of another environment", exists, false,
			func(s *shape) { s.name = table.Name.In(otherEnvironment) })
	}
	if table.Region != nil {
		add("region-wrong", "wrong region", "in another region", aspect(manifest.AspectRegion), true, func(s *shape) { s.region = otherRegion })
	}
	add("table-missing", "table missing", "not there", exists, true, func(s *shape) { s.gone = true })
	add("table-extra", "table extra", "beside a table that nobody documents", "tables", true, func(s *shape) { s.extra = s.name + "-" + otherName })
	return mutations
}

// keyMutations break the primary key.
func keyMutations(table *accesspatterns.Table, claim string) []schemaMutation {
	return keysOf("", "primary key", table.Keys(), claim, func(s *shape) (hash, sort *string) { return &s.hash, &s.sort })
}

// keysOf breaks a key, which at finds in a shape.
func keysOf(prefix, what string, keys []accesspatterns.Key, claim string, at func(*shape) (hash, sort *string)) []schemaMutation {
	var mutations []schemaMutation
	add := func(id, operator, what string, change func(*shape)) {
		mutations = append(mutations, schemaMutation{id: prefix + id, operator: operator, what: what, claim: claim, change: change})
	}
	for n, key := range keys {
		add("key-"+key.Attribute+"-renamed", "key attribute renamed", what+": "+key.Attribute+" renamed", func(s *shape) {
			hash, sort := at(s)
			s.rename([]*string{hash, sort}[n], key.Attribute+"Renamed")
		})
		for _, other := range []accesspatterns.Type{accesspatterns.String, accesspatterns.Number, accesspatterns.Binary} {
			if other != key.Type {
				add("key-"+key.Attribute+"-"+string(other), "key attribute retyped", fmt.Sprintf("%s: %s of type %s", what, key.Attribute, other),
					func(s *shape) { s.types[key.Attribute] = string(other) })
			}
		}
	}
	if len(keys) == 1 {
		add("key-sort-added", "sort key added", what+": with a sort key", func(s *shape) {
			_, sort := at(s)
			*sort = otherName
		})
		return mutations
	}
	add("key-swapped", "hash and range swapped", what+": partition key and sort key swapped", func(s *shape) {
		hash, sort := at(s)
		*hash, *sort = *sort, *hash
	})
	add("key-sort-dropped", "sort key dropped", what+": without its sort key", func(s *shape) {
		_, sort := at(s)
		*sort = ""
	})
	return mutations
}

// indexMutations break each index, and add one.
func indexMutations(table *accesspatterns.Table) []schemaMutation {
	var mutations []schemaMutation
	for i := range table.Indexes {
		documented := &table.Indexes[i]
		name, claim := documented.Name, "index/"+table.ID+"/"+documented.Name
		addTo := func(claim, id, operator, what string, change func(*shape)) {
			mutations = append(mutations, schemaMutation{id: name + "-" + id, operator: operator, what: what, claim: claim, behindOnly: documented.Local || documented.Composite(), change: change})
		}
		add := func(id, operator, what string, change func(*shape)) { addTo(claim, id, operator, what, change) }
		add("dropped", "index dropped", "without index "+name, func(s *shape) { s.drop(name) })
		add("renamed", "index renamed", "index "+name+" renamed", func(s *shape) { s.index(name).name += "-" + otherName })
		for _, other := range []accesspatterns.Projection{accesspatterns.ProjectAll, accesspatterns.ProjectKeysOnly, accesspatterns.ProjectInclude} {
			if other == documented.Projection {
				continue
			}
			addTo(claim+"/"+manifest.AspectProjection, "projects-"+string(other), "projection "+string(other), fmt.Sprintf("index %s projects %s", name, other), func(s *shape) {
				s.index(name).projection, s.index(name).include = string(other), nil
				if other == accesspatterns.ProjectInclude {
					s.index(name).include = []string{otherName}
				}
			})
		}
		if documented.Projection == accesspatterns.ProjectInclude {
			addTo(claim+"/"+manifest.AspectProjection, "includes-more", "included attribute added", "index "+name+" includes "+otherName, func(s *shape) {
				s.index(name).include = append(slices.Clone(s.index(name).include), otherName)
			})
			for _, attribute := range documented.NonKeyAttributes {
				addTo(claim+"/"+manifest.AspectProjection, "includes-no-"+attribute, "included attribute left out", "index "+name+" does not include "+attribute, func(s *shape) {
					of := s.index(name)
					if of.include = slices.DeleteFunc(slices.Clone(of.include), func(each string) bool { return each == attribute }); len(of.include) == 0 {
						of.include = []string{otherName} // none is refused
					}
				})
			}
		}
		if documented.Local {
			add("global", "local index made global", "index "+name+" is a global one", func(s *shape) { s.index(name).local = false })
			sort := documented.SortKey
			add("sort-renamed", "key attribute renamed", "index "+name+": "+sort.Attribute+" renamed", func(s *shape) { s.rename(&s.index(name).sort, sort.Attribute+"Renamed") })
			for _, other := range []accesspatterns.Type{accesspatterns.String, accesspatterns.Number, accesspatterns.Binary} {
				if other != sort.Type {
					add("sort-"+string(other), "key attribute retyped", fmt.Sprintf("index %s: %s of type %s", name, sort.Attribute, other), func(s *shape) { s.types[sort.Attribute] = string(other) })
				}
			}
			continue
		}
		for part, keys := range [][]accesspatterns.Key{documented.MorePartition, documented.MoreSort} {
			of := func(s *shape) *[]string { return []*[]string{&s.index(name).moreHash, &s.index(name).moreSort}[part] }
			for n, key := range keys {
				add("more-"+key.Attribute+"-dropped", "key attribute dropped", "index "+name+": without "+key.Attribute, func(s *shape) {
					*of(s) = slices.Delete(slices.Clone(*of(s)), n, n+1)
				})
				add("more-"+key.Attribute+"-renamed", "key attribute renamed", "index "+name+": "+key.Attribute+" renamed", func(s *shape) {
					*of(s) = slices.Clone(*of(s))
					s.rename(&(*of(s))[n], key.Attribute+"Renamed")
				})
			}
		}
		if len(documented.MoreSort) > 0 {
			add("more-sort-order", "sort key attributes exchanged", "index "+name+": its first two sort key attributes exchanged", func(s *shape) {
				of := s.index(name)
				of.moreSort = slices.Clone(of.moreSort)
				of.sort, of.moreSort[0] = of.moreSort[0], of.sort
			})
		}
		if documented.Composite() {
			continue
		}
		mutations = append(mutations, keysOf(name+"-", "index "+name, documented.Keys(), claim, func(s *shape) (hash, sort *string) {
			return &s.index(name).hash, &s.index(name).sort
		})...)
	}
	return append(mutations, schemaMutation{
		id: "index-added", operator: "index added", what: "with an index that nobody documents", claim: "table/" + table.ID + "/" + manifest.AspectIndexes,
		change: func(s *shape) {
			s.indexes = append(s.indexes, index{name: otherName, hash: s.hash, projection: string(accesspatterns.ProjectAll)})
		},
	})
}

// settingMutations break what is neither key nor index nor tag.
func settingMutations(table *accesspatterns.Table, aspect func(string) string) []schemaMutation {
	billing := accesspatterns.Provisioned
	if table.Billing == accesspatterns.Provisioned {
		billing = accesspatterns.OnDemand
	}
	mutations := []schemaMutation{
		{
			id: "ttl-elsewhere", operator: "TTL on another attribute", what: "items expire by " + otherName, claim: aspect(manifest.AspectTTL),
			change: func(s *shape) { s.ttl = otherName },
		},
	}
	if table.Stream == nil {
		mutations = append(mutations, schemaMutation{
			id: "stream-on", operator: "stream on", what: "with a stream", claim: aspect(manifest.AspectStream), behindOnly: true,
			change: func(s *shape) { s.stream = string(types.StreamViewTypeNewImage) },
		})
	} else {
		mutations = append(mutations, schemaMutation{
			id: "stream-off", operator: "stream off", what: "without its stream", claim: aspect(manifest.AspectStream), behindOnly: true,
			change: func(s *shape) { s.stream = "" },
		})
		for _, view := range types.StreamViewTypeKeysOnly.Values() {
			if table.Stream.View != "" && table.Stream.View != string(view) {
				mutations = append(mutations, schemaMutation{
					id: "stream-" + string(view), operator: "stream of another view type", what: "with a stream of " + string(view), claim: aspect(manifest.AspectStream), behindOnly: true,
					change: func(s *shape) { s.stream = string(view) },
				})
			}
		}
	}
	if table.Protection != nil {
		mutations = append(mutations, schemaMutation{
			id: "protection-off", operator: "deletion protection off", what: "without deletion protection", claim: aspect(manifest.AspectProtection), behindOnly: true,
			change: func(s *shape) { s.protected = false },
		})
	}
	if table.Class != nil {
		other := types.TableClassStandardInfrequentAccess
		if table.Class.Class == string(other) {
			other = types.TableClassStandard
		}
		mutations = append(mutations, schemaMutation{
			id: "class-switched", operator: "table class switched", what: "of class " + string(other), claim: aspect(manifest.AspectClass), behindOnly: true,
			change: func(s *shape) { s.class = string(other) },
		})
	}
	if table.Units != nil {
		for n, id := range []string{"read", "write"} {
			mutations = append(mutations, schemaMutation{
				id: "units-" + id, operator: "other provisioned units", what: "one " + id + " capacity unit more", claim: aspect(manifest.AspectBilling), behindOnly: true,
				change: func(s *shape) { *[]*int64{&s.read, &s.write}[n]++ },
			})
		}
	}
	if table.Billing != "" {
		mutations = append(mutations, schemaMutation{
			id: "billing-switched", operator: "billing switched", what: "billed " + string(billing), claim: aspect(manifest.AspectBilling),
			change: func(s *shape) { s.billing = string(billing) },
		})
	}
	if table.TTL != nil {
		mutations = append(mutations, schemaMutation{
			id: "ttl-off", operator: "TTL off", what: "items do not expire", claim: aspect(manifest.AspectTTL), change: func(s *shape) { s.ttl = "" },
		})
	}
	if table.PITR != nil {
		mutations = append(mutations, schemaMutation{
			id: "pitr-off", operator: "PITR off", what: "without point-in-time recovery", claim: aspect(manifest.AspectPITR), change: func(s *shape) { s.pitr = false },
		})
	}
	if table.Encryption != nil {
		mutations = append(mutations, schemaMutation{
			id: "customer-managed-key", operator: "customer managed key", what: "encrypted with a key that the customer manages",
			claim: aspect(manifest.AspectEncryption), behindOnly: true, change: func(s *shape) { s.kms = customerKey },
			// Who manages the key, KMS alone can say.
			verdict: evidence.Indeterminate,
		})
	}
	return mutations
}

// tagMutations break each documented tag, and add one.
func tagMutations(table *accesspatterns.Table, claim string) []schemaMutation {
	if len(table.Tags) == 0 {
		return nil // there is no list of tags that one could be beyond: it is noted
	}
	mutations := []schemaMutation{{
		id: "tag-extra", operator: "tag extra", what: "with a tag that nobody documents", claim: claim, change: func(s *shape) { s.tags["Mutant"] = "yes" },
	}}
	for _, key := range slices.Sorted(maps.Keys(table.Tags)) {
		value := table.Tags[key]
		mutations = append(mutations,
			schemaMutation{
				id: "tag-" + key + "-missing", operator: "tag missing", what: "without tag " + key, claim: claim, change: func(s *shape) { delete(s.tags, key) },
			},
			schemaMutation{
				id: "tag-" + key + "-wrong", operator: "tag wrong", what: "tag " + key + " with another value", claim: claim, change: func(s *shape) { s.tags[key] = otherName },
			})
		if value.HasEnvironment() {
			mutations = append(mutations, schemaMutation{
				id: "tag-" + key + "-environment", operator: "wrong environment", what: "tag " + key + " of another environment", claim: claim,
				change: func(s *shape) { s.tags[key] = value.In(otherEnvironment) },
			})
		}
	}
	return mutations
}
