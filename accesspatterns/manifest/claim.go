// Package manifest lists what a contract promises, claim by claim: the ids that reports, waivers and the committed manifest speak of, the
// lines that each rests on, and the order in which they can be decided.
package manifest

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
)

// Claim is one thing that a design promises and that the suite decides. The
// claims of all designs are the manifest: the denominator of every figure.
type Claim struct {
	// ID is unique over all designs: "roll-model/pattern/list-own-entries".
	ID string `json:"id"`
	// Design is the design's name.
	Design string `json:"design"`
	Kind   Kind   `json:"kind"`
	// Title says the claim in a few words.
	Title string `json:"title"`
	// Cite is the document and its lines: "roll-model.md:199".
	Cite string `json:"cite"`
	// Basis says whether the document states the claim, implies it, or leaves it
	// open so that the project chose.
	Basis accesspatterns.BasisKind `json:"basis"`
	// Because is the reason of an implied claim, and the ruling or finding that
	// decided a chosen one.
	Because string `json:"because,omitempty"`
	// Waiver is the id of the waiver that the claim rests on, if any.
	Waiver string `json:"waiver,omitempty"`

	// Citation is the citation itself, for proving it.
	Citation accesspatterns.Citation `json:"-"`
	// Subject is the id of the element within the design ("RollModel",
	// "entry.sections.private"), and Aspect the part of it that the claim is
	// about ("billing"). Aspect is empty when the claim is about the whole.
	Subject string `json:"-"`
	Aspect  string `json:"-"`
}

// Aspects of a table that are claims of their own.
const (
	AspectExists     = "exists"
	AspectKey        = "key"
	AspectAttributes = "attributes"
	AspectBilling    = "billing"
	AspectIndexes    = "indexes"
	AspectTTL        = "ttl"
	AspectPITR       = "pitr"
	AspectRegion     = "region"
	AspectEncryption = "encryption"
	AspectTags       = "tags"
	AspectStream     = "stream"
	AspectProtection = "deletion-protection"
	AspectClass      = "table-class"
	AspectExtras     = "extras"
	// AspectProjection is an aspect of an index.
	AspectProjection = "projection"
)

// Aspects of a design's ledger that are claims of their own.
const (
	LedgerNoScan     = "no-scan"
	LedgerAgreement  = "agreement"
	LedgerDocumented = "documented-requests"
	// LedgerUnwritten is one of a table that nobody writes.
	LedgerUnwritten = "unwritten"
)

// Claims lists everything that the design promises, kind by kind.
func Claims(d *accesspatterns.Design) []Claim {
	a := &adder{Design: d}
	for _, row := range kinds {
		if row.claims != nil {
			row.claims(a)
		}
	}
	return a.claims
}

// adder lists the claims of a design.
type adder struct {
	*accesspatterns.Design
	claims []Claim
}

// add adds a claim. Its path is its id without the design's name.
func (a *adder) add(kind Kind, path, subject, aspect, title string, cite accesspatterns.Citation) *Claim {
	a.claims = append(a.claims, Claim{
		ID: a.Name + "/" + path, Design: a.Name, Kind: kind, Title: title,
		Cite: a.Document.Cite(cite), Citation: cite, Basis: cite.Basis.Kind, Because: cite.Basis.Because, Subject: subject, Aspect: aspect,
	})
	return &a.claims[len(a.claims)-1]
}

// whole cites what the design's requests rest on; of a contract that has none, its first table.
func (a *adder) whole() accesspatterns.Citation {
	if a.AccessPatterns.First == 0 {
		return a.Tables[0].Cite
	}
	return a.AccessPatterns
}

func (a *adder) document() {
	a.add(KindDocument, "document", a.Name, "", "the document is the one that was transcribed, and every citation stands", a.whole())
}

// tables adds the claims about the indexes of a table behind those about the table.
func (a *adder) tables() {
	a.add(KindSchema, "tables", a.Name, "", "the documented tables are deployed, and no other whose name could be the document's", a.Tables[0].Cite)
	for i := range a.Tables {
		a.table(&a.Tables[i])
	}
}

func (a *adder) examples() {
	for _, example := range a.Examples {
		a.add(KindExample, "example/"+example.ID, example.ID, "", "example item "+example.ID+" is stored and read back exactly", example.Cite)
	}
}

// entities adds the claims about the attributes and rules of an entity behind the one about the entity.
func (a *adder) entities() {
	for _, entity := range a.Entities {
		a.add(KindEntity, "entity/"+entity.ID, entity.ID, "", entity.Title+": keys have their documented form and agree with the attributes", entity.Cite)
		for _, attribute := range entity.Attributes {
			a.add(KindAttribute, "attribute/"+entity.ID+"/"+attribute.Name, entity.ID, attribute.Name, attributeTitle(&entity, &attribute), attribute.Cite)
		}
		for _, rule := range entity.Rules {
			a.add(KindRule, "rule/"+entity.ID+"/"+rule.ID, entity.ID, rule.ID, entity.Title+": "+rule.Statement, rule.Cite)
		}
	}
}

func (a *adder) patterns() {
	for _, pattern := range a.Patterns {
		a.add(KindPattern, "pattern/"+pattern.ID, pattern.ID, "", pattern.Title, pattern.Cite).Waiver = pattern.Waiver
	}
}

func (a *adder) findings() {
	for _, finding := range a.Findings {
		a.add(KindFinding, "finding/"+finding.ID, finding.ID, "", finding.Title, finding.Cite)
	}
}

func (a *adder) guardrails() {
	for _, guardrail := range a.Guardrails {
		a.add(KindGuardrail, "guardrail/"+guardrail.ID, guardrail.ID, "", guardrail.Rule+guardrail.Law.Says(), guardrail.Cite)
	}
}

func (a *adder) invariants() {
	for _, invariant := range a.Invariants {
		a.add(KindInvariant, "invariant/"+invariant.ID, invariant.ID, "", invariant.Rule+invariant.Law.Says(), invariant.Cite)
	}
}

func (a *adder) confinements() {
	for i := range a.Policies.Roles {
		if role := &a.Policies.Roles[i]; role.Reach.Explored() {
			a.add(KindConfinement, "confinement/"+role.ID, role.ID, "", role.Confines(), role.Reach.Cite)
		}
	}
}

func (a *adder) validity() {
	if title := a.Valid(); title != "" {
		a.add(KindValidity, "validity", a.Name, "", title, a.whole().Implied("an item of an entity is as the document says, whoever wrote it"))
	}
}

func (a *adder) ledger() {
	if !a.Reaches(accesspatterns.LevelReads) {
		return // no request to account for
	}
	whole := a.whole().Implied("holds for every design that dynaproof replays")
	a.add(KindLedger, "ledger/"+LedgerNoScan, a.Name, LedgerNoScan, "no Scan, and no PartiQL statement that names no partition, was sent but waived ones and those that show a finding", whole)
	a.add(KindLedger, "ledger/"+LedgerDocumented, a.Name, LedgerDocumented, documentedRequests(a.Design), whole)
	a.add(KindLedger, "ledger/"+LedgerAgreement, a.Name, LedgerAgreement, "the client's ledger and the wire's ledger agree", whole)
	for i := range a.Tables {
		if table := &a.Tables[i]; table.ReadOnly != nil {
			a.add(KindLedger, "ledger/"+LedgerUnwritten+"/"+table.ID, table.ID, LedgerUnwritten, table.ID+": no request writes it, its items are as they were loaded, and the guard refuses to write or delete any", table.ReadOnly.Cite)
		}
	}
}

// documentedRequests says what the claim about the requests of patterns looks at, which depends on what the patterns declare.
func documentedRequests(d *accesspatterns.Design) string {
	filters, scans := false, false
	for i := range d.Patterns {
		for _, step := range d.Patterns[i].Steps {
			filters = filters || step.Read != nil && len(step.Read.Filter) > 0
			scans = scans || step.Read != nil && step.Read.Operation == dynamo.Scan
		}
	}
	title := "every request of a pattern used its documented index and one partition"
	if scans {
		title += ", or was a waived Scan"
	}
	if filters {
		return title + ", and where no filter is declared inspected only what it returned"
	}
	return title + ", and inspected only what it returned"
}

// aspect is a part of a table that is a claim of its own: what the claim is called, and what the document promises, or leaves out.
type aspect struct {
	name            string
	cite            accesspatterns.Citation
	title, expected string
}

// aspects are those of a table. named gives the names of the table and the values of its tags.
func aspects(t *accesspatterns.Table, named func(accesspatterns.NameTemplate) string) (all []aspect) {
	add := func(name string, cite accesspatterns.Citation, title, expected string) {
		all = append(all, aspect{name, cite, title, expected})
	}
	unset := orElse(t.SettingsCite, t.Cite).Implied("an undocumented property of a documented table fails")
	types := t.AttributeDefinitions()
	definitions := lists.Map(slices.Sorted(maps.Keys(types)), func(attribute string) string { return attribute + " (" + string(types[attribute]) + ")" })
	tags := lists.Map(slices.Sorted(maps.Keys(t.Tags)), func(key string) string { return key + "=" + named(t.Tags[key]) })
	add(AspectExists, t.Cite, "is deployed and active under its documented name", "table "+named(t.Name)+", status ACTIVE")
	add(AspectKey, t.KeyCite, "has exactly the documented primary key", "primary key "+t.ShowKey())
	add(AspectAttributes, orElse(t.TypesCite, t.KeyCite), "defines exactly the key attributes, with their types", "attribute definitions "+strings.Join(definitions, ", "))
	if t.Billing != "" {
		add(AspectBilling, t.BillingCite, "is billed as documented", "billing mode "+string(t.Billing))
	}
	add(AspectIndexes, t.IndexesCite, "has exactly the documented indexes", "secondary indexes "+cmp.Or(strings.Join(t.IndexNames(), ", "), "none"))
	if t.TTL != nil {
		add(AspectTTL, t.TTL.Cite, "expires items by "+t.TTL.Attribute, "time to live on, by attribute "+t.TTL.Attribute)
	} else {
		add(AspectTTL, unset, "expires no items", "time to live off")
	}
	if t.PITR != nil {
		add(AspectPITR, t.PITR.Cite, "has point-in-time recovery", "point-in-time recovery ENABLED")
	}
	if t.Region != nil {
		add(AspectRegion, t.Region.Cite, "is in "+t.Region.Region, "region "+t.Region.Region)
	}
	if t.Encryption != nil {
		add(AspectEncryption, t.Encryption.Cite, "is encrypted with a key that AWS owns or manages", "a key that AWS owns or manages")
	}
	if len(tags) > 0 {
		add(AspectTags, t.TagsCite, "has exactly the documented tags", "tags "+strings.Join(tags, ", "))
	} else {
		add(AspectTags, unset, "has no tag that the document contradicts", "tags none")
	}
	if t.Stream != nil {
		of := ""
		if t.Stream.View != "" {
			of = " of " + t.Stream.View
		}
		add(AspectStream, t.Stream.Cite, "has a stream"+of, strings.TrimSpace("a stream "+t.Stream.View))
	} else {
		add(AspectStream, unset, "has no stream", "no stream")
	}
	if t.Protection != nil {
		add(AspectProtection, t.Protection.Cite, "is protected from deletion", "deletion protection")
	}
	if t.Class != nil {
		add(AspectClass, t.Class.Cite, "has the table class "+t.Class.Class, "table class "+t.Class.Class)
	}
	const extras = "no vector index and no Kinesis destination; settings of operations are noted"
	add(AspectExtras, unset, "has "+extras, extras)
	return all
}

// table adds the claims about a table, and those about its indexes behind the one that there are no others.
func (a *adder) table(t *accesspatterns.Table) {
	for _, part := range aspects(t, func(name accesspatterns.NameTemplate) string { return string(name) }) {
		a.add(KindSchema, "table/"+t.ID+"/"+part.name, t.ID, part.name, t.ID+": "+part.title, part.cite)
		if part.name != AspectIndexes {
			continue
		}
		for _, index := range t.Indexes {
			a.add(KindIndex, "index/"+t.ID+"/"+index.Name, t.ID, index.Name,
				t.ID+": "+index.Name+" has exactly the documented key", index.Cite)
			a.add(KindIndex, "index/"+t.ID+"/"+index.Name+"/"+AspectProjection, t.ID, index.Name+"/"+AspectProjection,
				t.ID+": "+index.Name+" "+projects(&index), orElse(index.ProjectionCite, index.Cite))
		}
	}
}

// projects is the claim about an index's projection: the documented one, or the one that the project chose where the
// document names none.
func projects(index *accesspatterns.Index) string {
	if orElse(index.ProjectionCite, index.Cite).Basis.Kind == accesspatterns.Chosen {
		return "projects " + string(index.Projection) + ", which the contract chose"
	}
	return "has exactly the documented projection"
}

// orElse is a citation of its own, or else the one of what it belongs to.
func orElse(own *accesspatterns.Citation, other accesspatterns.Citation) accesspatterns.Citation {
	if own != nil {
		return *own
	}
	return other
}
