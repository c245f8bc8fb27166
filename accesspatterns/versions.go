package accesspatterns

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/internal/place"
)

// Versions says which schema versions of an entity a reader understands, and how
// it brings an item of the version before to the current one. It changes what
// the reader sees, never what is stored.
type Versions struct {
	// Name is how reads refer to them.
	Name    string   `yaml:",name" json:"-"`
	Written place.At `yaml:"-" json:"-"`
	// The Number attribute that holds the version; items without it are of version 0.
	Attribute string `yaml:"attribute" jsonschema:"required"`
	// The version that writers store and readers see. A higher one is an error for the whole read.
	Current int `yaml:"current" jsonschema:"required"`
	// What a reader adds to an item of an earlier version, by attribute, and to one of the current version where it says so.
	Backfill []Backfill `yaml:"backfill"`
	Cite     Citation   `yaml:"cite" jsonschema:"required"`
}

// Backfill gives an attribute a value where an item lacks it.
type Backfill struct {
	Attribute string `yaml:",name"`
	// The value in DynamoDB's JSON, in place of one that is missing or of another type.
	Value types.AttributeValue `yaml:"value" jsonschema:"required"`
	// The type that every element of a list must have. A list with another element is replaced whole.
	Elements dynamo.Type `yaml:"elements" jsonschema:"enum=S,enum=N,enum=B,enum=BOOL,enum=NULL,enum=M,enum=L,enum=SS,enum=NS,enum=BS"`
	// Items of the current version may lack the attribute too, because it was added within that version: a reader leaves any other value as it is.
	SameVersion bool `yaml:"same-version"`
}

// Normalise returns the item as a reader of the current version sees it. The
// item itself is not changed. A version that is no whole number from 0 to
// Current is an error, because guessing could show or store something wrong.
func (v *Versions) Normalise(item Item) (Item, error) {
	version := 0
	if stored, present := item[v.Attribute]; present {
		digits, isNumber := stored.(*types.AttributeValueMemberN)
		if !isNumber {
			return nil, fmt.Errorf("expected a Number from 0 to %d in %s, found %s", v.Current, v.Attribute, dynamo.Show(stored))
		}
		var err error
		if version, err = strconv.Atoi(digits.Value); err != nil || version < 0 {
			return nil, fmt.Errorf("expected a whole number from 0 to %d in %s, found %s", v.Current, v.Attribute, digits.Value)
		}
	}
	if version > v.Current {
		return nil, fmt.Errorf("future schema version: expected at most %d in %s, found %d; add a migration before reading it", v.Current, v.Attribute, version)
	}
	normalised, older := maps.Clone(item), version < v.Current
	if older {
		normalised[v.Attribute] = &types.AttributeValueMemberN{Value: strconv.Itoa(v.Current)}
	}
	for _, fill := range v.Backfill {
		if value, present := item[fill.Attribute]; older && !fill.valid(value) || fill.SameVersion && !present {
			normalised[fill.Attribute] = fill.Value
		}
	}
	return normalised, nil
}

func (b *Backfill) valid(value types.AttributeValue) bool {
	if value == nil || dynamo.TypeOf(value) != dynamo.TypeOf(b.Value) {
		return false
	}
	list, isList := value.(*types.AttributeValueMemberL)
	return !isList || b.Elements == "" ||
		!slices.ContainsFunc(list.Value, func(element types.AttributeValue) bool { return dynamo.TypeOf(element) != b.Elements })
}

// Live returns the items that have not expired at the given moment, in epoch
// seconds. An item whose attribute is missing or no Number does not expire, as
// DynamoDB itself has it, unless every item must.
func (r *Read) Live(items []Item, now int64) []Item {
	if r.Expires == "" {
		return items
	}
	var live []Item
	for _, item := range items {
		expired := r.MustExpire
		if digits, is := item[r.Expires].(*types.AttributeValueMemberN); is {
			moment, err := strconv.ParseFloat(digits.Value, 64)
			expired = err == nil && moment <= float64(now)
		}
		if !expired {
			live = append(live, item)
		}
	}
	return live
}

// Seen returns what the reader makes of the items that a request returned: the
// expired ones are left out and the rest is brought to the current schema
// version. now is in epoch seconds. One item of a version that the reader does
// not understand fails the whole read.
func (r *Read) Seen(items []Item, now int64) ([]Item, error) {
	live := r.Live(items, now)
	if r.Versions == nil {
		return live, nil
	}
	seen := make([]Item, 0, len(live))
	for _, item := range live {
		normalised, err := r.Versions.Normalise(item)
		if err != nil {
			return nil, err
		}
		seen = append(seen, normalised)
	}
	return seen, nil
}

// JudgedBy are the attributes by which the reader judges each item, so that no projection may leave them out: its expiry and its schema version.
func (r *Read) JudgedBy() (names []string) {
	if r.Expires != "" {
		names = append(names, r.Expires)
	}
	if r.Versions != nil {
		names = append(names, r.Versions.Attribute)
	}
	return names
}

// Interprets reports whether the reader sees other items than DynamoDB returns.
func (r *Read) Interprets() bool { return len(r.JudgedBy()) > 0 }
