package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A policy document tells requests apart by what it mentions and by nothing else. So it decides all requests when it decides
// one of each class. Two values of a condition key are of one class when every value that a statement mentions matches both or
// neither, and the caller does not tell them apart either.

// Fresh is a value that no policy mentions.
const Fresh = "mentioned-nowhere"

// fills are what a wildcard of a mentioned value stands for. None is empty: a key without its id is no key of a document.
var fills = []string{"x", Fresh}

// Allows lists the statements of a document that allow something.
func (d *Document) Allows() []string {
	return d.named(func(s statement) bool { return !s.deny })
}

// AllowsEverybody lists the statements of a table's policy that allow something to everybody.
func (d *Document) AllowsEverybody() []string {
	return d.named(func(s statement) bool { return !s.deny && s.unknown == "" })
}

func (d *Document) named(those func(statement) bool) []string {
	var names []string
	for _, s := range d.statements {
		if those(s) {
			names = append(names, s.sid)
		}
	}
	return names
}

// Resources lists an ARN for each that the document's allowing statements mention, in wildcards' places any text; what is no
// ARN of DynamoDB is left out.
func (d *Document) Resources() []string {
	var all []string
	for _, s := range d.statements {
		for _, resource := range s.resources {
			if !s.deny && len(resource.segments) == arnSegments && resource.segments[2].match("dynamodb", nil) {
				var parts []string
				for i, segment := range resource.segments {
					part, _ := meet(segment.letters([]string{"", "aws", "dynamodb", Fresh, "123456789012", Fresh}[i], nil))
					parts = append(parts, part)
				}
				all = append(all, strings.Join(parts, ":"))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Actions lists the actions that a document's statements name in full, in lower
// case, each once.
func (d *Document) Actions() []string {
	var all []string
	for _, s := range d.statements {
		for _, action := range s.actions {
			if text, plain := action.plain(); plain && strings.HasPrefix(text, "dynamodb:") {
				all = append(all, text)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// MayAllow reports whether a statement allows an action on a resource under
// conditions that some request may meet. Where none does, the request is denied
// whatever its context.
func (d *Document) MayAllow(action, resource string) bool {
	return slices.ContainsFunc(about(action, resource, d), func(s *statement) bool { return !s.deny })
}

// about are the statements that may speak of an action on a resource.
func about(action, resource string, documents ...*Document) []*statement {
	var all []*statement
	action, parts := strings.ToLower(action), strings.SplitN(resource, ":", arnSegments)
	for _, d := range documents {
		for i := range d.statements {
			if s := &d.statements[i]; s.about(action, parts) != no {
				all = append(all, s)
			}
		}
	}
	return all
}

// Universe says which requests there are, beside those that the documents mention.
type Universe struct {
	// Fixed are condition keys with the values that every request carries; one without values is always absent.
	Fixed Context
	// Keys are tried with more values than one, also where no document mentions them.
	Keys []string
	// Values returns values of a key beside those that the documents mention, for a principal with these tags.
	Values func(key string, tags Context) []string
	// Tell says what the caller tells a value of a key from others by, for a principal with these tags. Where it cannot place the
	// value, the documents alone tell it from others.
	Tell func(key, value string, tags Context) (told string, placed bool)
}

// Contexts returns one context of each class of requests for an action on a resource that the documents and the caller tell
// apart: each condition key is absent, or has a value of each class. A key that holds several values has each of them alone,
// and as many together as a statement can ask for one by one and one more; only one key at a time has several. Names of keys
// that only documents mention are in lower case.
func (u Universe) Contexts(action, resource string, documents ...*Document) []Context {
	statements := about(action, resource, documents...)
	names := map[string]string{} // as the caller writes them, by their lower case
	for _, s := range statements {
		for i := range s.conditions {
			if c := &s.conditions[i]; !c.outside {
				names[c.key] = c.key
			}
		}
	}
	for _, name := range u.Keys {
		names[strings.ToLower(name)] = name
	}
	for name := range u.Fixed {
		delete(names, strings.ToLower(name))
	}
	all := []Context{maps.Clone(u.Fixed)}
	if all[0] == nil {
		all[0] = Context{}
	}
	vary := func(contexts []Context, key string, tags Context) []Context {
		var next []Context
		choices := u.choices(names[key], tags, statements)
		for _, context := range contexts {
			several := slices.ContainsFunc(slices.Collect(maps.Values(context)), func(values []string) bool { return len(values) > 1 })
			next = append(next, context)
			for _, choice := range choices {
				if several && len(choice) > 1 {
					continue
				}
				extended := maps.Clone(context)
				extended[names[key]] = choice
				next = append(next, extended)
			}
		}
		return next
	}
	// Tags come first, because other keys' values hold them.
	var rest []string
	for _, key := range slices.Sorted(maps.Keys(names)) {
		if principalTag(key) {
			all = vary(all, key, nil)
		} else {
			rest = append(rest, key)
		}
	}
	var made []Context
	for _, tags := range all {
		of := []Context{tags}
		for _, key := range rest {
			of = vary(of, key, tags)
		}
		made = append(made, of...)
	}
	return made
}

// choices are the sets of values of a key that are tried beside its absence.
func (u Universe) choices(key string, tags Context, statements []*statement) [][]string {
	known, _ := keyOf(key)
	if known.truth {
		return [][]string{{"true"}, {"false"}}
	}
	var candidates []string
	if u.Values != nil {
		candidates = u.Values(key, tags)
	}
	together := 1
	for _, s := range statements {
		mentioned, any := s.instances(strings.ToLower(key), tags)
		candidates, together = append(candidates, mentioned...), max(together, any)
	}
	classes := map[string]bool{} // by what the documents tell values by, and by that and the caller
	var values []string
	for _, value := range append(candidates, Fresh) {
		class, told, placed := &strings.Builder{}, "", false
		if u.Tell != nil {
			told, placed = u.Tell(key, value, tags)
		}
		for _, s := range statements {
			for i := range s.conditions {
				if c := &s.conditions[i]; c.key == strings.ToLower(key) && c.matches(value, tags) {
					class.WriteByte('1')
				}
				class.WriteByte('/')
			}
		}
		alike := class.String()
		if placed && classes[alike+told] || !placed && classes[alike] {
			continue
		}
		classes[alike], classes[alike+told] = true, true
		values = append(values, value)
	}
	var sets [][]string
	for _, value := range values {
		sets = append(sets, []string{value})
	}
	if !known.several {
		return sets
	}
	for from, size := 0, 2; size <= together+1; size++ {
		to := len(sets)
		for _, set := range sets[from:to] {
			for _, value := range values[slices.Index(values, set[len(set)-1])+1:] {
				sets = append(sets, append(slices.Clone(set), value))
			}
		}
		from = to
	}
	return sets
}

// instances are values of a key that the statement's conditions mention: each by itself, and those that several conditions on
// the key match together. any is how many of the conditions ask for one value of several.
func (s *statement) instances(key string, tags Context) (all []string, any int) {
	var on []condition
	for _, c := range s.conditions {
		if c.key == key && !c.operator.truth {
			on = append(on, c)
			if c.quantifier == forAny {
				any++
			}
		}
	}
	var with func(chosen []pattern, rest []condition)
	with = func(chosen []pattern, rest []condition) {
		found := len(all)
		for first := range chosen {
			for _, fill := range fills {
				var letters [][]rune
				for i, each := range chosen {
					if i == first {
						letters = append(letters, each.letters(fill, tags))
					} else {
						letters = append(letters, each.letters("", tags))
					}
				}
				if met, ok := meet(letters...); ok {
					all = append(all, met)
				}
			}
		}
		if len(chosen) > 0 && len(all) == found {
			return // nothing matches these, nor them and more
		}
		for i, c := range rest {
			for _, value := range c.values {
				with(append(slices.Clone(chosen), value), rest[i+1:])
			}
		}
	}
	with(nil, on)
	return all, any
}

// Letters of a pattern that are no letters.
const (
	anyText   rune = -1
	anyLetter rune = -2
	noLetter  rune = -3
)

// letters are those of a pattern, where each * begins with a text, and each ? is its first letter; nothing matches a variable
// without a value.
func (p pattern) letters(fill string, tags Context) []rune {
	var all []rune
	for _, piece := range p.pieces {
		switch text, known := piece.text(tags); {
		case piece.wildcard == '*':
			all = append(append(all, []rune(fill)...), anyText)
		case piece.wildcard == '?' && fill != "":
			all = append(all, []rune(fill)[0])
		case piece.wildcard == '?':
			all = append(all, anyLetter)
		case !known:
			return append(all, noLetter)
		default:
			all = append(all, []rune(text)...)
		}
	}
	return all
}

// meet returns a text that all patterns match, if there is one.
func meet(patterns ...[]rune) (text string, ok bool) {
	seen := map[string]bool{}
	var from func(at []int) ([]rune, bool)
	from = func(at []int) ([]rune, bool) {
		if seen[fmt.Sprint(at)] {
			return nil, false
		}
		seen[fmt.Sprint(at)] = true
		letter, next, ended := anyLetter, slices.Clone(at), 0
		for i, p := range patterns {
			switch {
			case at[i] == len(p):
				ended++
			case p[at[i]] == noLetter:
				return nil, false
			case p[at[i]] == anyText:
				skipped := slices.Clone(at)
				skipped[i]++
				if rest, ok := from(skipped); ok {
					return rest, true
				}
			case p[at[i]] != anyLetter && letter != anyLetter && p[at[i]] != letter:
				return nil, false
			default:
				letter = max(letter, p[at[i]])
				next[i]++
			}
		}
		if ended > 0 || slices.Equal(at, next) {
			return nil, ended == len(patterns)
		}
		rest, ok := from(next)
		if letter == anyLetter {
			letter = 'x'
		}
		return append([]rune{letter}, rest...), ok
	}
	found, ok := from(make([]int, len(patterns)))
	return string(found), ok
}

// plain is the text of a pattern without wildcards and variables.
func (p pattern) plain() (text string, plain bool) {
	for _, piece := range p.pieces {
		if piece.wildcard != 0 || piece.variable != "" {
			return "", false
		}
		text += piece.literal
	}
	return text, true
}

// actions on items and streams, and then all others.
var actions = strings.Fields(`
	BatchGetItem BatchWriteItem ConditionCheckItem DeleteItem GetItem GetRecords GetShardIterator PartiQLDelete PartiQLInsert PartiQLSelect
	PartiQLUpdate PutItem Query ReadDataForReplication Scan SearchVectors UpdateItem WriteDataForReplication

	CreateBackup CreateGlobalTable CreateTable CreateTableReplica DeleteBackup DeleteResourcePolicy DeleteTable DeleteTableReplica
	DescribeBackup DescribeContinuousBackups DescribeContributorInsights DescribeEndpoints DescribeExport DescribeGlobalTable
	DescribeGlobalTableSettings DescribeImport DescribeKinesisStreamingDestination DescribeLimits DescribeReservedCapacity
	DescribeReservedCapacityOfferings DescribeStream DescribeTable DescribeTableReplicaAutoScaling DescribeTimeToLive
	DisableKinesisStreamingDestination EnableKinesisStreamingDestination ExportTableToPointInTime GetAbacStatus GetResourcePolicy
	ImportTable ListBackups ListContributorInsights ListExports ListGlobalTables ListImports ListStreams ListTables ListTagsOfResource
	PurchaseReservedCapacityOfferings PutResourcePolicy ReplicateSettings RestoreTableFromAwsBackup RestoreTableFromBackup
	RestoreTableToPointInTime StartAwsBackupJob TagResource UntagResource UpdateAbacStatus UpdateContinuousBackups
	UpdateContributorInsights UpdateGlobalTable UpdateGlobalTableSettings UpdateGlobalTableVersion UpdateKinesisStreamingDestination
	UpdateTable UpdateTableReplicaAutoScaling UpdateTimeToLive`)

// ServiceActions are the actions that DynamoDB's service reference lists, each
// behind "dynamodb:".
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
func ServiceActions() []string {
	all := make([]string, len(actions))
	for i, name := range actions {
		all[i] = "dynamodb:" + name
	}
	return all
}
