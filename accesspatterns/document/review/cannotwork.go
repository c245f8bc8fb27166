package review

import (
	"slices"
	"strconv"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
	"dynaproof/accesspatterns/document/reader"
)

// cannotWork are the rules about what DynamoDB refuses.
var cannotWork = []*Rule{
	{
		ID: "range-on-partition-key", Kind: CannotWork, Keys: true, Title: "A range is asked of a partition key",
		What:    "An access pattern compares a partition key with something else than equality.",
		Why:     "DynamoDB finds one partition by the exact value of its key, and refuses a Query with any other condition on it.",
		Page:    pages + "developerguide/Query.KeyConditionExpressions.html",
		Instead: "Write one Query for each value of the range, or an index whose sort key holds what is ranged over.",
		look: eachPattern(func(l *looker, p *reader.Pattern) {
			hash, _, known := l.keys(p)
			if c, has := condition(p, hash.Name); known && has && c.Operator != "=" && p.Operation != "Scan" {
				l.sayOf(p.Title, c.Line, []int{hash.Line}, "%q asks for %s, and %s is a partition key: it takes = alone", p.Title, c, hash.Name)
			}
		}),
	},
	{
		ID: "query-without-partition-key", Kind: CannotWork, Keys: true, Title: "A Query has no partition key",
		What:    "An access pattern gives a Query a condition on the sort key and none on the partition key.",
		Why:     "A Query reads one partition, and DynamoDB refuses one without an equality on the partition key.",
		Page:    pages + "developerguide/Query.KeyConditionExpressions.html",
		Instead: "Write the partition key's value too, or add an index that has the attribute as its partition key.",
		look: eachPattern(func(l *looker, p *reader.Pattern) {
			hash, sort, known := l.keys(p)
			if p.Operation != "Query" || !known || sort.Name == "" {
				return
			}
			if c, has := condition(p, sort.Name); has && (!p.Listed || c.Operator == "begins_with" || c.Operator == "BETWEEN" || strings.Contains(p.Text, "Query(")) {
				if _, fixed := condition(p, hash.Name); !fixed {
					l.sayOf(p.Title, c.Line, []int{hash.Line}, "%q has a condition on the sort key %s and none on the partition key %s", p.Title, sort.Name, hash.Name)
				}
			}
		}),
	},
	{
		ID: "get-without-whole-key", Kind: CannotWork, Keys: true, Title: "A GetItem lacks a part of the key",
		What:    "An access pattern reads, updates or deletes one item by the partition key alone, and the table has a sort key.",
		Why:     "GetItem, UpdateItem and DeleteItem take the whole primary key, and DynamoDB refuses a part of it.",
		Page:    pages + "developerguide/WorkingWithItems.html",
		Instead: "Write the sort key's value too, or make the pattern a Query.",
		look: eachPattern(func(l *looker, p *reader.Pattern) {
			if !slices.Contains([]string{"GetItem", "UpdateItem", "DeleteItem"}, p.Operation) || p.Index != "" {
				return
			}
			hash, sort, known := l.keys(p)
			if !known || sort.Name == "" || sort.Sure != reader.Said {
				return
			}
			_, hasHash := condition(p, hash.Name)
			if _, hasSort := condition(p, sort.Name); hasHash && !hasSort {
				l.sayOf(p.Title, p.Line, []int{sort.Line}, "%q is a %s by %s alone, and the key has the sort key %s too", p.Title, p.Operation, hash.Name, sort.Name)
			}
		}),
	},
	{
		ID: "get-on-index", Kind: CannotWork, Keys: true, Title: "A GetItem is sent to an index",
		What:    "An access pattern reads an index by GetItem.",
		Why:     "Only Query and Scan read an index: its keys need not be unique.",
		Page:    pages + "developerguide/GSI.html",
		Instead: "Write a Query of the index, and say what happens when it answers several items.",
		look: eachPattern(func(l *looker, p *reader.Pattern) {
			if p.Operation == "GetItem" && p.Index != "" {
				hash, _, known := l.keys(p)
				if _, has := condition(p, hash.Name); known && has {
					l.sayOf(p.Title, p.Line, []int{hash.Line}, "%q is a GetItem of the index %s: only Query and Scan read an index", p.Title, p.Index)
				}
			}
		}),
	},
	{
		ID: "undefined-index", Kind: CannotWork, Keys: true, Title: "An index is used and not defined",
		What:    "An access pattern or an example reads an index that no line defines.",
		Why:     "DynamoDB refuses a request that names an index which the table does not have.",
		Page:    pages + "developerguide/SecondaryIndexes.html",
		Instead: "Define the index with its keys and projection, or correct its name.",
		look: func(l *looker) {
			// One index that is not defined is one hit, with all patterns that name it.
			seen := map[string]bool{}
			for _, p := range l.Patterns {
				table := l.Table(p.Table)
				if table == nil || p.Index == "" || seen[p.Index] || slices.ContainsFunc(l.Tables, func(t *reader.Table) bool { _, is := t.Index(p.Index); return is }) {
					continue
				}
				seen[p.Index] = true
				also := []int{table.Line}
				for _, other := range l.Patterns {
					if other.Index == p.Index {
						also = append(also, other.Line)
					}
				}
				l.sayOf(p.Title, p.Line, also, "%q reads the index %s, which no line defines", p.Title, p.Index)
			}
		},
	},
	{
		ID: "key-of-wrong-type", Kind: CannotWork, Keys: true, Title: "A key has a type that keys cannot have",
		What:    "A key attribute of a table or index is given as Boolean, Map, List or a set.",
		Why:     "Key attributes are String, Number or Binary: DynamoDB refuses a table with any other, and an item whose value has another type.",
		Page:    pages + "developerguide/HowItWorks.NamingRulesDataTypes.html",
		Instead: "Write one type for the attribute everywhere, and say which values stand for true and false.",
		look: func(l *looker) {
			l.eachKey(func(table *reader.Table, where string, key reader.Key) {
				for _, entity := range l.of(table) {
					a, has := entity.Attribute(key.Name)
					if has && a.Type != "" && a.Type != key.Type && !scalar(a.Type) {
						l.sayOf(key.Name, a.Line, []int{key.Line}, "%s is a key of %s, and is given as %s here: a key is S, N or B", key.Name, where, a.Type)
					}
				}
			})
		},
	},
	{
		ID: "key-of-two-types", Kind: CannotWork, Keys: true, Title: "A key has two types",
		What:    "A key attribute has one type in the key's definition and another in a list of attributes.",
		Why:     "DynamoDB refuses an item whose key attribute has another type than the definition.",
		Page:    pages + "developerguide/HowItWorks.NamingRulesDataTypes.html",
		Instead: "Write the same type in both places.",
		look: func(l *looker) {
			l.eachKey(func(table *reader.Table, where string, key reader.Key) {
				for _, entity := range l.of(table) {
					a, has := entity.Attribute(key.Name)
					if has && key.Type != "" && a.Type != key.Type && scalar(a.Type) {
						l.sayOf(key.Name, a.Line, []int{key.Line}, "%s is a key of %s with type %s, and is given as %s here", key.Name, where, key.Type, a.Type)
					}
				}
			})
		},
	},
	{
		ID: "null-index-key", Kind: CannotWork, Title: "An index key is written as NULL",
		What:    "An example gives a key attribute of the table or an index the value null or an empty text.",
		Why:     "DynamoDB refuses a key attribute that is NULL or empty; an item that is not in an index has no such attribute at all.",
		Page:    pages + "developerguide/bp-indexes-general-sparse-indexes.html",
		Instead: "Leave the attribute out of the item.",
		look: func(l *looker) {
			names := l.keyNames()
			for _, x := range l.Examples {
				for _, m := range x.Members {
					if line, isKey := names[m.Name]; isKey && !x.Row && (m.Type == "NULL" || m.Type == "S" && m.Text == "") && l.isItem(x) {
						l.say(m.Line, []int{line}, "%s is a key attribute, and is %s here: leave it out", m.Name, map[bool]string{true: "null", false: "empty"}[m.Type == "NULL"])
					}
				}
			}
		},
	},
	{
		ID: "consistent-read-of-index", Kind: CannotWork, Keys: true, Title: "A consistent read of a global index",
		What:    "An access pattern asks a global secondary index for a strongly consistent read.",
		Why:     "Global secondary indexes are updated after the table, and DynamoDB refuses ConsistentRead on them.",
		Page:    pages + "developerguide/HowItWorks.ReadConsistency.html",
		Instead: "Read the table by its primary key where the read must see the last write.",
		look: eachPatternOfIndex(func(l *looker, p *reader.Pattern, _ *reader.Table, index *reader.Index) {
			if p.Consistent && !index.Local && !negated.MatchString(p.Text) {
				l.sayOf(p.Title, p.Line, []int{index.Line}, "%q asks the global index %s for a consistent read", p.Title, index.Name)
			}
		}),
	},
	{
		ID: "batch-over-limit", Kind: CannotWork, Title: "A batch or transaction over its limit",
		What:    "The text puts more operations into one batch or transaction than DynamoDB takes.",
		Why:     "BatchWriteItem takes 25 writes, BatchGetItem 100 keys, and a transaction 100 actions; DynamoDB refuses more.",
		Page:    pages + "developerguide/ServiceQuotas.html",
		Instead: "Write the number of one request, and that the rest goes into further ones.",
		look: eachLine(func(l *looker, number int, line string) {
			for _, match := range batchSize.FindAllStringSubmatch(line, -1) {
				count, err := strconv.Atoi(match[2] + match[3])
				operation := match[1] + match[4]
				limit := 100
				if strings.HasPrefix(strings.ToLower(operation), "batchwrite") {
					limit = 25
				}
				if err == nil && count > limit {
					l.say(number, nil, "%s of %d: DynamoDB takes at most %d in one request", operation, count, limit)
				}
			}
		}),
	},
	{
		ID: "reserved-word-in-expression", Kind: CannotWork, Title: "An expression holds a reserved word",
		What:    "An expression in an example uses an attribute whose name is a reserved word, without a placeholder for it.",
		Why:     "DynamoDB refuses an expression that holds one of its reserved words.",
		Page:    pages + "developerguide/ReservedWords.html",
		Instead: "Write #name in the expression, and bind it in ExpressionAttributeNames.",
		look: eachLine(func(l *looker, number int, line string) {
			match := expressionText.FindStringSubmatch(line)
			if match == nil {
				return
			}
			for _, at := range bareWord.FindAllStringIndex(match[1], -1) {
				word := match[1][at[0]:at[1]]
				if at[0] > 0 && strings.ContainsAny(match[1][at[0]-1:at[0]], "#:.{") {
					continue
				}
				if slices.Contains(reservedWords, strings.ToUpper(word)) && !operators.MatchString(word) {
					l.say(number, nil, "%s is a reserved word of DynamoDB, and stands in an expression as it is", word)
				}
			}
		}),
	},
	{
		ID: "empty-set", Kind: CannotWork, Title: "A set may become empty",
		What:    "An attribute is a set, and the text lets it be empty.",
		Why:     "DynamoDB has no empty sets: a write of one is refused, and removing the last member removes the attribute.",
		Page:    pages + "developerguide/HowItWorks.NamingRulesDataTypes.html",
		Instead: "Say that the attribute is absent where there is no member, or make it a list.",
		look: func(l *looker) {
			for _, entity := range l.Entities {
				for _, a := range entity.Attributes {
					if isSet(a.Type) && emptyWord.MatchString(a.Note) {
						l.say(a.Line, nil, "%s of %s is a set that may be empty: DynamoDB has no empty sets", a.Name, entity.Title)
					}
				}
			}
			for _, x := range l.Examples {
				for _, m := range x.Members {
					if isSet(m.Type) && len(m.Members) == 0 {
						l.say(m.Line, nil, "%s is an empty set: DynamoDB has none", m.Name)
					}
				}
			}
		},
	},
	{
		ID: "pattern-without-entity", Kind: CannotWork, Keys: true, Title: "An access pattern finds nothing",
		What:    "An access pattern gives keys that no item of the document can have.",
		Why:     "The request is valid and always answers nothing, so that the mistake shows only as missing data.",
		Page:    pages + "developerguide/bp-modeling-nosql.html",
		Instead: "Give the items those keys, or the pattern the keys that the items have.",
		look:    eachPatternOfTable((*looker).findsNothing),
	},
	{
		ID: "pattern-lacks-index-keys", Kind: CannotWork, Title: "Items lack the keys of the index that should find them",
		What:    "An access pattern finds a kind of item through an index, and the item's own list of attributes has none of the index's keys.",
		Why:     "An item without the key attributes of an index is not in it, and a Query of the index never returns it.",
		Page:    pages + "developerguide/bp-indexes-general-sparse-indexes.html",
		Instead: "Add the index's key attributes to the item, with their form.",
		look: eachPatternOfIndex(func(l *looker, p *reader.Pattern, table *reader.Table, index *reader.Index) {
			hash, _ := index.Key(reader.Hash)
			asked, has := condition(p, hash.Name)
			if _, isTable := table.KeyNamed(hash.Name); !has || isTable || asked.Value == "" || len(asked.Value.Parameters()) > 0 {
				return
			}
			for _, entity := range l.of(table) {
				_, form := entity.Key(hash.Name)
				_, listed := entity.Attribute(hash.Name)
				if !form && !listed && len(entity.Attributes) > 0 && l.isOf(entity, table, string(asked.Value)) {
					l.say(p.Line, []int{entity.Line}, "%q reads %s, whose key %s is not among the attributes of %s", p.Title, p.Index, hash.Name, entity.Title)
				}
			}
		}),
	},
	{
		ID: "half-an-index-key", Kind: CannotWork, Keys: true, Title: "An item has half of an index's key",
		What:    "A kind of item is given the partition key of an index and not its sort key.",
		Why:     "Only an item with every key attribute of an index is in it, so that no Query of the index returns this one.",
		Page:    pages + "developerguide/GSI.html",
		Instead: "Give the item both, or neither.",
		look:    eachIndex((*looker).half),
	},
	{
		ID: "ttl-not-a-number", Kind: CannotWork, Keys: true, Title: "The TTL attribute is no Number of seconds",
		What:    "The TTL attribute is a String, a number of milliseconds, or is given no type and has the name of a timestamp.",
		Why:     "DynamoDB takes a Number of seconds since 1970 for TTL, ignores every other type, and reads milliseconds as a date thousands of years away.",
		Page:    pages + "developerguide/time-to-live-ttl-before-you-start.html",
		Instead: "Write that the attribute is a Number in epoch seconds.",
		look: eachTable(func(l *looker, table *reader.Table) {
			if table.TTL != nil && table.TTL.Value != "" {
				l.ttlType(table)
			}
		}),
	},
}

var (
	negated        = lazyregexp.New(`(?i)\b(no|not|never|without|cannot|eventual\w*)\b[^.]{0,30}\bconsisten|ConsistentRead\W{1,3}false`)
	batchSize      = lazyregexp.New(`(?i)\b(BatchWriteItem|BatchGetItem|BatchWrite|BatchGet|TransactWriteItems|TransactGetItems|TransactWrite)\b[^.|\d]{0,25}?\b(\d{2,4})\b[- ]?(?:items?|writes?|keys?|actions?|operations?|puts?|records?)|\b(\d{2,4})[- ](?:items?|writes?|keys?|actions?|operations?)\b[^.|\d]{0,25}\b(BatchWriteItem|BatchGetItem|BatchWrite|BatchGet|TransactWriteItems|TransactGetItems|TransactWrite)\b`)
	expressionText = lazyregexp.New(`(?:KeyConditionExpression|FilterExpression|ConditionExpression|UpdateExpression|ProjectionExpression|--(?:key-condition|filter|condition|update|projection)-expression)["']?\s*[:=]?\s*["'` + "`" + `]([^"'` + "`" + `]+)["'` + "`" + `]`)
	bareWord       = lazyregexp.New(`[A-Za-z_]+`)
	operators      = lazyregexp.New(`(?i)^(and|or|not|between|in|set|add|remove|delete|size|contains|begins_with|attribute_exists|attribute_not_exists)$`)
	emptyWord      = lazyregexp.New(`(?i)\b(may|can|could|might) be empty\b|\bempty (set|if|when|by default|for)\b|\bdefault\w*\W+(\[\]|empty)|\b(possibly|initially|defaults? to) empty\b`)
)

// reservedWords are those of DynamoDB's reserved words that are likely names of
// attributes.
var reservedWords = strings.Fields(`ACTION BATCH BUCKET CAPACITY COMMENT CONDITION CONNECTION COUNT COUNTER DATA DATE
	DAY DOMAIN DURATION END ERROR EVENT FILE FILES FORMAT GROUP GROUPS HASH HIDDEN HOUR INDEX ITEM ITEMS KEY KEYS LANGUAGE LEVEL LIMIT LIST
	LOCATION LOG MAP METRICS MINUTE MODE MONTH NAME NAMES NUMBER OBJECT ORDER OWNER PARTITION PASSWORD PATH PERCENT PERMISSION PERMISSIONS
	POSITION PRIMARY PUBLIC RANGE REGION REQUEST ROLE ROLES ROW SCHEMA SECOND SECTION SESSION SHARE SIZE SOURCE START STATE STATUS STREAM
	STRING TABLE TEXT TIME TIMESTAMP TOKEN TOTAL TTL TYPE UNIT URL USAGE USER USERS UUID VALUE VALUES VIEW VIEWS YEAR ZONE`)

// scalar reports whether a key can have the type.
func scalar(kind string) bool { return kind == "S" || kind == "N" || kind == "B" }

// isSet reports whether a type is one of the sets.
func isSet(kind string) bool { return kind == "SS" || kind == "NS" || kind == "BS" }

// eachKey calls a function for every key attribute of every table and index.
func (l *looker) eachKey(each func(table *reader.Table, where string, key reader.Key)) {
	for _, table := range l.Tables {
		for _, key := range table.Keys {
			each(table, "the table", key)
		}
		for _, index := range table.Indexes {
			for _, key := range index.Keys {
				each(table, index.Name, key)
			}
		}
	}
}

// isOf reports whether the last key of a kind of item begins with a word and an id alone: TASK#{id}.
func (l *looker) isOf(entity *reader.Entity, table *reader.Table, word string) bool {
	last := table.Keys[len(table.Keys)-1]
	own, has := entity.Key(last.Name)
	return has && strings.Trim(own.Template.Prefix(), "#:|/_") == word && len(own.Template.Parameters()) == 1 && sameWords(entity.Title, word)
}

// half looks for kinds of items with one of the two key attributes of an index that a pattern reads.
// An attribute that a list of the item names without a form counts as there.
func (l *looker) half(table *reader.Table, index *reader.Index) {
	hash, hasHash := index.Key(reader.Hash)
	sort, hasSort := index.Key(reader.Range)
	if !hasHash || !hasSort || hash.Sure != reader.Said {
		return
	}
	for _, entity := range l.of(table) {
		has := func(key reader.Key) bool {
			_, form := entity.Key(key.Name)
			_, listed := entity.Attribute(key.Name)
			return form || listed || slices.ContainsFunc(l.Common, func(a reader.Attribute) bool { return a.Name == key.Name })
		}
		form, given := entity.Key(hash.Name)
		_, isTable := table.KeyNamed(hash.Name)
		if _, sorts := table.KeyNamed(sort.Name); !given || isTable || sorts || has(sort) || form.Sure != reader.Said {
			continue
		}
		l.sayOf(entity.Title+"/"+index.Name, form.Line, []int{index.Line}, "%s has %s and not %s: it is not in %s, whose key is both", entity.Title, hash.Name, sort.Name, index.Name)
	}
}

// keyNames are the key attributes, with the line of each.
func (l *looker) keyNames() map[string]int {
	names := map[string]int{}
	l.eachKey(func(_ *reader.Table, _ string, key reader.Key) { names[key.Name] = key.Line })
	return names
}

// isItem reports whether an example is a whole item: it has a table's partition
// key.
func (l *looker) isItem(x *reader.Example) bool {
	return slices.ContainsFunc(l.Tables, func(t *reader.Table) bool {
		key, is := t.Key(reader.Hash)
		_, has := x.Member(key.Name)
		return is && has
	})
}

// findsNothing looks for a pattern of the table whose keys no entity can have:
// entities have that form of partition, and none of them the sort key.
func (l *looker) findsNothing(p *reader.Pattern, table *reader.Table) {
	hash, sort, known := l.keys(p)
	if !known || p.Index != "" || sort.Name == "" || p.Sure != reader.Said || len(l.of(table)) < 2 {
		return
	}
	partition, hasPartition := condition(p, hash.Name)
	prefix, hasSort := condition(p, sort.Name)
	if !hasPartition || !hasSort || partition.Operator != "=" || partition.Value.Prefix() == "" || len(partition.Value.Parameters()) == 0 || prefix.Value.Prefix() == "" {
		return
	}
	if prefix.Operator != "=" && prefix.Operator != "begins_with" {
		return
	}
	partitions := 0
	shape, asked := partition.Value.Shape(), prefix.Value.Prefix()
	for _, entity := range l.forms(table) {
		if !entity.hasPK || !entity.hasSK || entity.skPrefix == "" || entity.pkPrefix == "" {
			return // not all is known
		}
		if entity.pkShape != shape {
			continue
		}
		partitions++
		if strings.HasPrefix(entity.skPrefix, asked) || strings.HasPrefix(asked, entity.skPrefix) {
			return
		}
	}
	l.sayOf(p.Title, p.Line, []int{prefix.Line}, "%q reads %s with %s, and no item of the document has such a key (%d kinds of items have that partition)", p.Title, partition, prefix, partitions)
}

var (
	timeName     = lazyregexp.New(`(?i)(at|date|time|utc|on|timestamp|until|iso)$`)
	milliseconds = lazyregexp.New(`(?i)\bmilli(second)?s\b|\bmillis\b|\bms\b`)
	secondsWord  = lazyregexp.New(`(?i)\bepoch\b|\bunix\b|\bseconds\b|\bnumber\b|\(N\)|\bN\b`)
)

func (l *looker) ttlType(table *reader.Table) {
	name := table.TTL.Value
	typed := false
	judge := func(line int, kind, note string) {
		switch {
		case kind == "S":
			l.sayOf(name, line, []int{table.TTL.Line}, "%s is the TTL attribute, and is a String here: DynamoDB deletes by a Number of epoch seconds alone", name)
		case kind == "N" && milliseconds.MatchString(note):
			l.sayOf(name, line, []int{table.TTL.Line}, "%s is the TTL attribute, and is in milliseconds here: DynamoDB reads seconds", name)
		}
		typed = typed || kind != ""
	}
	attributes := slices.Clone(l.Common)
	for _, entity := range l.of(table) {
		attributes = append(attributes, entity.Attributes...)
	}
	for _, a := range attributes {
		if a.Name == name {
			judge(a.Line, a.Type, a.Note)
		}
	}
	for _, x := range l.Examples {
		if m, has := x.Member(name); has && !x.Row {
			if m.Type == "N" && len(m.Text) >= 12 && !strings.Contains(m.Text, ".") {
				l.sayOf(name, m.Line, []int{table.TTL.Line}, "%s is the TTL attribute, and %s is in milliseconds: DynamoDB reads seconds", name, m.Text)
			} else {
				judge(m.Line, m.Type, "")
			}
		}
	}
	if !typed && timeName.MatchString(name) && !secondsWord.MatchString(l.Line(table.TTL.Line)) {
		l.sayOf(name, table.TTL.Line, nil, "%s is the TTL attribute, reads like a timestamp, and has no type: it must be a Number of epoch seconds", name)
	}
}
