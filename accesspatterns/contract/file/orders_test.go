package file

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"

	ap "dynaproof/accesspatterns"
)

// A type that embeds one of the contract's own is printed in the order that a row gives, which names all of its members.
func TestWhatIsEmbeddedHasAnOrder(t *testing.T) {
	contracts := reflect.TypeFor[ap.Design]().PkgPath()
	seen := map[reflect.Type]bool{}
	var below func(reflect.Type)
	below = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || seen[of] {
			return
		}
		seen[of] = true
		embeds, names := false, map[string]bool{}
		for _, field := range reflect.VisibleFields(of) {
			name, option, _ := strings.Cut(field.Tag.Get("yaml"), ",")
			embeds = embeds || option == "inline" && len(field.Index) == 1 && field.Type.PkgPath() == contracts && of.PkgPath() != contracts
			if name != "" && name != "-" {
				names[name] = true
				below(field.Type)
			}
		}
		if !embeds {
			return
		}
		var all []string
		for name := range names {
			all = append(all, name)
		}
		slices.Sort(all)
		assert.Empty(t, cmp.Diff(all, slices.Sorted(slices.Values(orders[of]))), "the order of the members of %s (-members +order)", of)
	}
	below(reflect.TypeFor[Contract]())
	assert.GreaterOrEqual(t, len(seen), len(orders), "expected at least the %d types that have an order", len(orders))
}
