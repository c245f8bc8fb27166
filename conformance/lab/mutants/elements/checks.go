package elements

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/explore"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/validate"
	"dynaproof/fixtures"
)

// checks decide, for one mutant, whether a reason of that name is true of it. They are asked with the contract unbroken.
var checks = map[string]func(*subject, *Mutant) bool{
	// Every item that the element refuses, another element of the entity refuses, too.
	"refused-otherwise": func(s *subject, m *Mutant) bool {
		refused, otherwise := s.lets(m)
		return refused > 0 && otherwise == ""
	},
	// The element refuses nothing: of every item with another value in its place, none.
	"refuses-nothing": func(s *subject, m *Mutant) bool {
		refused, otherwise := s.lets(m)
		return refused == 0 && otherwise == ""
	},
	// A read whose order has no direction.
	"either-order": func(s *subject, m *Mutant) bool {
		order := parent[ap.Order](m.places(s.design))
		return order != nil && *order == ap.EitherOrder
	},
	// A partition of the user whom every role of the pattern acts for: the guard binds it whatever the pattern says.
	"own-partition": (*subject).ownPartition,
	// A parameter that stands once in the request of its step, of roles that are bound to no user: the guard, which judges each request by itself, admits the same.
	"alone-in-its-request": (*subject).aloneInRequest,
	// A parameter of a key whose other places are index keys of the same item: these are held to the item's key whatever the pattern says.
	"index-keys-hold-it": (*subject).indexKeysHold,
	// An owner of what links the owner to the other one: whoever it is, reaches the other's by the item itself.
	"linked-anyway": (*subject).linkedAnyway,
	// No request of the role returns or writes an item of a user.
	"of-nobody": func(s *subject, m *Mutant) bool {
		mend := m.apply(s.design)
		defer mend()
		law, err := explore.One(s.design, explore.BasesOf(s.design, s.set.Explored()), explore.Usual, "confinement/"+m.About)
		return err == nil && law.Moves > 0 && len(law.Broken)+len(law.ByFlow)+len(law.Keepers)+len(law.Unmoved) == 0
	},
	// The list of all claims, which is committed, is another.
	"claim-shown": func(s *subject, m *Mutant) bool { return !s.sameClaims(m) },
	// No claim is another.
	"no-claim": (*subject).sameClaims,
}

func (s *subject) sameClaims(m *Mutant) bool {
	before := manifest.Claims(s.design)
	mend := m.apply(s.design)
	after := manifest.Claims(s.design)
	mend()
	return slices.EqualFunc(before, after, func(a, b manifest.Claim) bool { return a.Basis == b.Basis && a.Title == b.Title })
}

// ownPartition reports whether a mutant is of a partition key that the roles of its pattern may only have of their own user.
func (s *subject) ownPartition(m *Mutant) bool {
	pattern, known := s.design.Pattern(m.About)
	if !known {
		return false
	}
	own := func(form ap.KeyTemplate) bool {
		return !slices.ContainsFunc(pattern.Roles, func(id string) bool {
			role, known := s.design.Role(id)
			return !known || role.Confined == nil || slices.Contains(role.Confined.Except, pattern.ID) || !slices.ContainsFunc(role.Confined.Partitions, func(of ap.KeyTemplate) bool { return of.Shape() == form.Shape() })
		})
	}
	action := parent[ap.Action](m.places(s.design))
	if action == nil {
		return false
	}
	table, known := s.design.Table(action.Table)
	return known && slices.ContainsFunc(slices.Concat(action.Key, action.With), func(part ap.Equality) bool {
		of := strings.HasSuffix(m.at, "/with/"+part.Attribute) || strings.HasSuffix(m.at, "/key/"+part.Attribute+"/value/template")
		return of && part.Attribute == table.Keys()[0].Attribute && own(part.Value.Template)
	})
}

// untied finds the parameter that a mutant of a write unties, and the write's step; nil where it is no such mutant.
func (s *subject) untied(m *Mutant) (step *ap.Step, name string) {
	name, is := strings.CutPrefix(m.how, "untied-")
	if !is || parent[ap.Action](m.places(s.design)) == nil {
		return nil, ""
	}
	return parent[ap.Step](m.places(s.design)), name
}

func (s *subject) aloneInRequest(m *Mutant) bool {
	step, name := s.untied(m)
	return step != nil && holds(reflect.ValueOf(*step), name) == 1 && !slices.ContainsFunc(parent[ap.Pattern](m.places(s.design)).Roles, func(id string) bool {
		role, known := s.design.Role(id)
		return !known || role.Confined != nil || role.Actor == name
	})
}

func (s *subject) indexKeysHold(m *Mutant) bool {
	step, name := s.untied(m)
	if step == nil || len(step.Write) != 1 {
		return false
	}
	action := &step.Write[0]
	held := slices.ContainsFunc(action.Key, func(key ap.Equality) bool { return strings.HasSuffix(m.at, "/key/"+key.Attribute+"/value/template") })
	places := 1
	for _, set := range action.Set {
		if !slices.Contains(set.Value.Template.Parameters(), name) {
			continue
		}
		places++
		for _, entity := range s.design.ActsOn(action) {
			key, is := entity.Key(set.Attribute)
			held = held && is && key.Template.Shape() == set.Value.Template.Shape() && slices.ContainsFunc(entity.Keys, func(k ap.KeyAttribute) bool {
				return s.design.PrimaryKey(entity).Has(k.Attribute) && slices.Equal(k.Template.Parameters(), key.Template.Parameters())
			})
		}
	}
	return held && places > 1 && holds(reflect.ValueOf(*step), name) == places
}

func (s *subject) linkedAnyway(m *Mutant) bool {
	entity, known := s.design.Entity(m.About)
	if m.list != "entities" || !known || m.at != m.About+"/owner/by" {
		return false
	}
	return slices.ContainsFunc(s.design.Policies.Roles, func(role ap.Role) bool {
		return role.Reach != nil && slices.ContainsFunc(role.Reach.Linked, func(l ap.Link) bool {
			return l.Entity == m.About && "-"+l.From == m.how && slices.Contains(entity.Owner.By, l.To)
		})
	})
}

// lets counts the items that an entity refuses for what stands where the mutant is, and shows one that it decides otherwise with the mutant: each
// is a valid item with one value in that place, of every type and on both sides of every bound, or with none.
func (s *subject) lets(m *Mutant) (refused int, otherwise string) {
	kind, place, _ := strings.Cut(strings.TrimPrefix(m.at, m.About+"/"), "/")
	place, _, _ = strings.Cut(place, "/")
	entity, known := s.design.Entity(m.About)
	if !known || m.list != "entities" || kind != "attributes" && kind != "keys" {
		return 0, ""
	}
	values := slices.Clone(anything)
	if a, is := entity.Attribute(place); is {
		for _, bound := range []*float64{a.Minimum, a.Maximum} {
			if bound != nil {
				values = append(values, number(*bound-1), number(*bound+1))
			}
		}
	}
	var tried []ap.Item
	var valid []bool
	for i := range s.set.Items {
		item := ap.Item(s.set.Items[i].Item)
		if s.set.Items[i].Entity != entity.ID || len(validate.Item(entity, item)) > 0 {
			continue
		}
		all := values
		if key, is := entity.Key(place); is {
			all = slices.Concat(values, others(key, item))
		}
		for _, value := range all {
			at := ap.Attribute{Name: place}
			at.Visit(item, func(path string, _ types.AttributeValue) {
				changed, err := fixtures.Replaced(item, path, "", value)
				if err != nil || value == nil && strings.HasSuffix(path, "]") {
					return
				}
				is := len(validate.Item(entity, changed)) == 0
				tried, valid = append(tried, changed), append(valid, is)
				refused += lists.True(!is)
			})
		}
	}
	mend := m.apply(s.design)
	defer mend()
	if entity, known = s.design.Entity(m.About); known {
		for i, item := range tried {
			if is := len(validate.Item(entity, item)) == 0; is != valid[i] {
				top, _, _ := strings.Cut(strings.TrimSuffix(place, "[]"), ".")
				shown := "without " + top
				if item[top] != nil {
					shown = "with " + dynamo.ShowItem(ap.Item{top: item[top]})
				}
				return refused, shown + ", which the broken contract alone " + map[bool]string{true: "takes", false: "refuses"}[is]
			}
		}
	}
	return refused, ""
}

// anything is nothing, and a value of each type; of text and numbers several.
var anything = []types.AttributeValue{
	nil, &types.AttributeValueMemberNULL{Value: true}, &types.AttributeValueMemberBOOL{Value: true}, &types.AttributeValueMemberB{Value: []byte("bytes")},
	&types.AttributeValueMemberS{}, &types.AttributeValueMemberS{Value: "another"}, number(-1), number(0.5), number(1), number(1e12),
	&types.AttributeValueMemberM{}, &types.AttributeValueMemberM{Value: ap.Item{"another": number(1)}}, &types.AttributeValueMemberL{}, &types.AttributeValueMemberL{Value: []types.AttributeValue{number(1)}},
	&types.AttributeValueMemberSS{Value: []string{"another"}}, &types.AttributeValueMemberNS{Value: []string{"1"}},
}

func number(n float64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatFloat(n, 'f', -1, 64)}
}

// others are values of a key attribute in its form, each with another value of one parameter.
func others(key *ap.KeyAttribute, item ap.Item) (values []types.AttributeValue) {
	params, err := key.Template.Parse(dynamo.ScalarText(item[key.Attribute]))
	if err != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		other := maps.Clone(params)
		other[name] = neighbour(params[name])
		if text, err := key.Template.Format(other); err == nil && key.ValueType() == dynamo.String {
			values = append(values, &types.AttributeValueMemberS{Value: text})
		}
	}
	return values
}

// neighbour is another text of the same form: its last letter or digit is another.
func neighbour(text string) string {
	at := strings.LastIndexFunc(text, func(r rune) bool { return r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r)) && r != 'Z' })
	if at < 0 {
		return text + "1"
	}
	return text[:at] + map[bool]string{true: "2", false: "1"}[text[at] == '1'] + text[at+1:]
}
