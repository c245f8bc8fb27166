package document_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/dynamo"
)

// documents returns the folder of the five design documents.
func documents() string {
	if folder := os.Getenv("DYNAPROOF_DOCUMENTS"); folder != "" {
		return folder
	}
	return "../../../shared/designs"
}

// read reads the document of a design, and skips the test where it is absent.
func read(t *testing.T, design *accesspatterns.Design) *reader.Document {
	t.Helper()
	path := filepath.Join(documents(), design.Document.File)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("the design documents are not here: expected %s; set DYNAPROOF_DOCUMENTS to their folder", path)
	}
	require.NoError(t, err)
	document, err := reader.Read(text)
	require.NoError(t, err)
	return document
}

// score counts, for one kind of fact, what the contract holds and the reader
// found, and what the reader calls read and the contract does not hold.
type score struct{ held, found, said, wrong int }

type scores struct {
	t    *testing.T
	kind map[string]*score
}

func (s *scores) of(kind string) *score {
	if s.kind[kind] == nil {
		s.kind[kind] = &score{}
	}
	return s.kind[kind]
}

// held notes a fact of the contract.
func (s *scores) held(kind, what string, found bool) {
	s.of(kind).held++
	if found {
		s.of(kind).found++
	} else {
		s.t.Logf("missed %s: %s", kind, what)
	}
}

// said notes a fact of the reader.
func (s *scores) said(kind, what string, at reader.At, right bool) {
	if at.Sure != reader.Said {
		return
	}
	s.of(kind).said++
	if !right {
		s.of(kind).wrong++
		s.t.Logf("wrong %s: %s, line %d", kind, what, at.Line)
	}
}

func bare(name string) string {
	name = strings.NewReplacer("{env}", "", "{stage}", "").Replace(name)
	return strings.Trim(strings.ToLower(strings.ReplaceAll(name, "--", "-")), "-")
}

func sameTable(table *accesspatterns.Table, read *reader.Table) bool {
	return bare(string(table.Name)) == bare(read.Name)
}

func roleOf(key accesspatterns.Key, partition accesspatterns.Key) string {
	if key.Attribute == partition.Attribute {
		return reader.Hash
	}
	return reader.Range
}

func hasKey(keys []reader.Key, key accesspatterns.Key, role string) bool {
	return slices.ContainsFunc(keys, func(k reader.Key) bool {
		return k.Name == key.Attribute && k.Role == role && (k.Type == "" || k.Type == string(key.Type))
	})
}

// sameKeys reports whether an entity of the reader has the primary key of one of
// the contract.
func sameKeys(table *accesspatterns.Table, entity *accesspatterns.Entity, read *reader.Entity) bool {
	if !sameTable(table, read.Table) {
		return false
	}
	for _, key := range table.Keys() {
		want, _ := entity.Key(key.Attribute)
		got, has := read.Key(key.Attribute)
		if !has || got.Template.Shape() != want.Template.Shape() {
			return false
		}
	}
	return true
}

// chosen reports whether the project chose the element where the text is silent:
// nobody can read that.
func chosen(c accesspatterns.Citation) bool { return c.Basis.Kind == accesspatterns.Chosen }

func (s *scores) tables(design *accesspatterns.Design, document *reader.Document) {
	for i := range design.Tables {
		table := &design.Tables[i]
		at := slices.IndexFunc(document.Tables, func(r *reader.Table) bool { return sameTable(table, r) })
		s.held("table", table.ID, at >= 0)
		if at < 0 {
			continue
		}
		found := document.Tables[at]
		for _, key := range table.Keys() {
			s.held("key", table.ID+" "+key.Attribute, hasKey(found.Keys, key, roleOf(key, table.PartitionKey)))
		}
		for _, key := range found.Keys {
			s.said("key", found.Name+" "+key.Name, key.At, slices.ContainsFunc(table.Keys(), func(k accesspatterns.Key) bool {
				return k.Attribute == key.Name && (key.Type == "" || key.Type == string(k.Type)) && roleOf(k, table.PartitionKey) == key.Role
			}))
		}
		for j := range table.Indexes {
			index := &table.Indexes[j]
			read, has := found.Index(index.Name)
			s.held("index", table.ID+"/"+index.Name, has)
			if !has {
				continue
			}
			for _, key := range index.Keys() {
				s.held("index key", index.Name+" "+key.Attribute, hasKey(read.Keys, key, roleOf(key, index.PartitionKey)))
			}
			if read.Projection.Value != "" {
				s.said("projection", index.Name, read.Projection.At, read.Projection.Value == string(index.Projection))
			}
		}
		for _, read := range found.Indexes {
			index, has := table.Index(read.Name)
			s.said("index", found.Name+"/"+read.Name, read.At, has)
			for _, key := range read.Keys {
				s.said("index key", read.Name+" "+key.Name, key.At, has && slices.ContainsFunc(index.Keys(), func(k accesspatterns.Key) bool {
					return k.Attribute == key.Name && (key.Type == "" || key.Type == string(k.Type)) && roleOf(k, index.PartitionKey) == key.Role
				}))
			}
		}
		if table.TTL != nil {
			s.held("TTL", table.ID+" "+table.TTL.Attribute, found.TTL != nil && (found.TTL.Value == "" || found.TTL.Value == table.TTL.Attribute))
		}
		if found.TTL != nil {
			s.said("TTL", found.Name+" "+found.TTL.Value, found.TTL.At, table.TTL != nil && (found.TTL.Value == "" || found.TTL.Value == table.TTL.Attribute))
		}
		s.held("billing", table.ID, slices.ContainsFunc(found.Billing, func(b reader.Setting) bool { return b.Value == string(table.Billing) }))
		for _, b := range found.Billing {
			s.said("billing", found.Name+" "+b.Value, b.At, b.Value == string(table.Billing))
		}
		if table.Region != nil {
			s.held("region", table.ID, found.Region != nil && found.Region.Value == table.Region.Region)
		}
		if table.PITR != nil {
			s.held("PITR", table.ID, found.PITR != nil && found.PITR.Value == "enabled")
		}
		for _, tag := range found.Tags {
			s.said("tag", tag.Name, tag.At, string(table.Tags[tag.Name]) == tag.Value)
		}
	}
	for _, found := range document.Tables {
		s.said("table", found.Name, found.At, slices.ContainsFunc(design.Tables, func(t accesspatterns.Table) bool { return sameTable(&t, found) }))
	}
}

func (s *scores) entities(design *accesspatterns.Design, document *reader.Document) {
	for i := range design.Entities {
		entity := &design.Entities[i]
		if chosen(entity.Cite) {
			continue
		}
		table, _ := design.Table(entity.Table)
		at := slices.IndexFunc(document.Entities, func(r *reader.Entity) bool { return sameKeys(table, entity, r) })
		s.held("entity", entity.ID, at >= 0)
		for _, key := range entity.Keys {
			if chosen(key.Cite) {
				continue
			}
			found := false
			if at >= 0 {
				got, has := document.Entities[at].Key(key.Attribute)
				found = has && got.Template.Shape() == key.Template.Shape()
			}
			s.held("key template", entity.ID+" "+key.Attribute+" = "+string(key.Template), found)
		}
	}
	for _, read := range document.Entities {
		at := slices.IndexFunc(design.Entities, func(e accesspatterns.Entity) bool {
			table, _ := design.Table(e.Table)
			return sameKeys(table, &e, read)
		})
		s.said("entity", read.Title, read.At, at >= 0)
		for _, key := range read.Keys {
			if string(key.Template) == "{"+key.Attribute+"}" {
				continue // an attribute that is the key as it stands
			}
			s.said("key template", read.Title+" "+key.Attribute+" = "+string(key.Template), key.At, at >= 0 && func() bool {
				want, has := design.Entities[at].Key(key.Attribute)
				return has && want.Template.Shape() == key.Template.Shape()
			}())
		}
		for _, a := range read.Attributes {
			if at < 0 || a.Type == "" {
				continue
			}
			want, has := design.Entities[at].Attribute(a.Name)
			key, isKey := design.Entities[at].Key(a.Name)
			s.said("attribute type", read.Title+" "+a.Name+" "+a.Type, a.At, isKey && (key.Type == "" || string(key.Type) == a.Type) || has && (string(want.Type) == a.Type))
		}
	}
}

// agrees reports whether a pattern of the reader is that of the contract: on a
// line that it cites, with its index and its partition.
func agrees(pattern *accesspatterns.Pattern, read *reader.Pattern) bool {
	if !cites(pattern.Cite, read.Line, read.Last) || !read.Requests() {
		return cites(pattern.Cite, read.Line, read.Last)
	}
	for _, step := range pattern.Steps {
		r := step.Read
		if r == nil {
			if read.Operation == "" || read.Operation == "PutItem" {
				return true
			}
			continue
		}
		if read.Operation == "Scan" && r.Operation == dynamo.Scan {
			return true
		}
		if r.Partition == nil || r.Index != read.Index && read.Index != "" {
			continue
		}
		if len(read.Conditions) == 0 {
			return read.Operation != ""
		}
		for _, c := range read.Conditions {
			if c.Attribute == r.Partition.Attribute {
				return true
			}
		}
	}
	return false
}

func (s *scores) patterns(design *accesspatterns.Design, document *reader.Document) {
	for i := range design.Patterns {
		pattern := &design.Patterns[i]
		if pattern.Cite.Basis.Kind != accesspatterns.Stated {
			continue
		}
		s.held("listed pattern", pattern.ID, slices.ContainsFunc(document.Patterns, func(r *reader.Pattern) bool { return r.Requests() && agrees(pattern, r) })) // a title alone is no reading of the request
	}
	for _, read := range document.Patterns {
		right := slices.ContainsFunc(design.Patterns, func(p accesspatterns.Pattern) bool { return agrees(&p, read) }) ||
			slices.ContainsFunc(design.Findings, func(f accesspatterns.Finding) bool {
				return cites(f.Cite, read.Line, read.Last) && read.Operation != ""
			})
		s.said("listed pattern", read.Title, read.At, right)
	}
}

var kinds = []string{"table", "key", "index", "index key", "projection", "TTL", "billing", "region", "PITR", "tag", "entity", "key template", "attribute type", "listed pattern"}

// TestMeasure compares what the reader finds by itself in the five documents
// with what their contracts hold.
func TestMeasure(t *testing.T) {
	total := &scores{t: t, kind: map[string]*score{}}
	for _, design := range designs.All() {
		document := read(t, design)
		s := &scores{t: t, kind: map[string]*score{}}
		s.tables(design, document)
		s.entities(design, document)
		s.patterns(design, document)
		t.Log(design.Name + "\n" + table(s))
		for kind, one := range s.kind {
			all := total.of(kind)
			all.held, all.found, all.said, all.wrong = all.held+one.held, all.found+one.found, all.said+one.said, all.wrong+one.wrong
		}
		// The one type that the document contradicts itself: a finding of osem-ladders.
		if all := s.sum(kinds...); all.wrong > map[string]int{"osem-ladders": 1}[design.Name] {
			t.Errorf("%s: expected every fact that is read to be right, found %d of %d wrong", design.Name, all.wrong, all.said)
		}
	}
	t.Log("all\n" + table(total))
	if p := total.of("listed pattern"); p.found*100 < p.held*80 {
		t.Errorf("expected at least 80 %% of the listed access patterns, found %d of %d", p.found, p.held)
	}
	structure := total.sum("table", "key", "index", "index key", "TTL", "entity", "key template")
	t.Logf("tables, keys, indexes, TTLs, entities and key templates: %d of %d", structure.found, structure.held)
	if structure.found*100 < structure.held*95 {
		t.Errorf("expected at least 95 %% of tables, keys, indexes, TTLs and entities, found %d of %d", structure.found, structure.held)
	}
}

func (s *scores) sum(kinds ...string) score {
	var all score
	for _, kind := range kinds {
		one := s.of(kind)
		all.held, all.found, all.said, all.wrong = all.held+one.held, all.found+one.found, all.said+one.said, all.wrong+one.wrong
	}
	return all
}

func table(s *scores) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%-16s %5s %5s %5s %5s\n", "", "held", "found", "read", "wrong")
	for _, kind := range kinds {
		one := s.of(kind)
		fmt.Fprintf(&out, "%-16s %5d %5d %5d %5d\n", kind, one.held, one.found, one.said, one.wrong)
	}
	return out.String()
}

func cites(c accesspatterns.Citation, first, last int) bool {
	if c.First <= last && first <= c.Last {
		return true
	}
	return slices.ContainsFunc(c.Also, func(other accesspatterns.Citation) bool { return cites(other, first, last) })
}
