package contract

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract/file"
)

// byFinding is a reason that is a finding of the contract, alone or with words behind it.
var byFinding = regexp.MustCompile(`^finding ([\pL\pN][\pL\pN_.-]*?)(?:[;,:.]?$|(?:[;,:.]| and) (.+)$)`)

// reasons: a finding that an element is chosen by, or that implies it, is one of the contract.
func (b *builder) reasons() {
	reported := map[string]bool{}
	eachCitation(reflect.ValueOf(b.written), b.written.At, "", func(at file.At, field string, cite *ap.Citation) {
		named := byFinding.FindStringSubmatch(cite.Basis.Because)
		if named == nil {
			return
		}
		if _, known := b.design.Finding(named[1]); known || named[2] != "" && !strings.ContainsAny(named[1], "-_") {
			return // a word with words behind it may be prose: finding out, by hand
		}
		ids := names(b.design.Findings)
		slices.Sort(ids)
		expected := "one of " + strings.Join(ids, ", ")
		if len(ids) == 0 {
			expected = "other words, because it has no finding"
		}
		mistake := at.Errorf(field, "expected a reason that names a finding of the contract, found finding %s; expected %s", named[1], expected)
		if text := mistake.Error(); !reported[text] { // one citation may be that of several elements
			reported[text] = true
			b.report(mistake)
		}
	})
}

// eachCitation calls do for each citation in a part of a contract, with the place of the element that it is written in and its field there.
func eachCitation(of reflect.Value, at file.At, field string, do func(at file.At, field string, cite *ap.Citation)) {
	switch of.Kind() {
	case reflect.Pointer:
		if !of.IsNil() {
			eachCitation(of.Elem(), at, field, do)
		}
	case reflect.Slice:
		for i := range of.Len() {
			eachCitation(of.Index(i), at, field, do)
		}
	case reflect.Struct:
		if cite, is := of.Interface().(ap.Citation); is {
			do(at, field, &cite)
			return
		}
		for i := range of.NumField() {
			if of.Type().Field(i).Type == reflect.TypeFor[file.At]() && of.Field(i).FieldByName("Line").Int() > 0 {
				at = of.Field(i).Interface().(file.At)
			}
		}
		for i := range of.NumField() {
			f := of.Type().Field(i)
			if name, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); f.IsExported() && name != "-" { // else it is made of what is written elsewhere
				eachCitation(of.Field(i), at, name, do)
			}
		}
	}
}
