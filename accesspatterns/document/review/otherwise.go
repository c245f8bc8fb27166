package review

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
	"dynaproof/accesspatterns/document/reader"
)

// worksOtherwise are the rules about what works and does something else than it
// reads.
var worksOtherwise = map[string]func(*looker){
	"prefix-matches-longer-id": func(l *looker) {
		eachRequest((*looker).longer)(l)
		places(func(_ *looker, p *reader.Pattern) bool {
			return slices.ContainsFunc(p.Conditions, func(c reader.Condition) bool { // status#createdAt
				return strings.Contains(c.Attribute, "#") && c.Operator == "begins_with" && c.Value != "" && !strings.Contains(string(c.Value), "#")
			})
		}, "%s: begins_with a value of the first part of a key that has several by its name; it also matches longer values: write the separator behind it")(l)
	},
	"key-is-prefix-of-another": eachTable(func(l *looker, s source) {
		all := l.kinds(s)
		sorted := slices.ContainsFunc(l.Patterns, func(p *reader.Pattern) bool {
			_, has := condition(p, s.sort.Name)
			return has && p.Table == s.table.Name
		})
		for _, short := range all {
			shape := short.sk.Template.Shape()
			if short.sk.Sure != reader.Said || short.sk.Template.Prefix() == "" || slices.ContainsFunc(l.Patterns, func(p *reader.Pattern) bool {
				c, has := condition(p, s.sort.Name)
				return has && p.Table == s.table.Name && c.Operator == "begins_with" && c.Value.Shape() == shape && strings.Contains(shape, "{}")
			}) {
				continue // or one is read with all that begins as it does
			}
			if sorted && !l.ofContract() && !slices.ContainsFunc(l.Patterns, func(p *reader.Pattern) bool { // nobody asks by its beginning
				c, has := condition(p, s.sort.Name)
				of, _ := condition(p, s.hash.Name)
				return p.Table == s.table.Name && (has && c.Operator != "=" && strings.HasPrefix(shape, c.Value.Shape()) || !has && p.Index == "" && of.Value.Shape() == short.pk.Template.Shape())
			}) {
				continue
			}
			for _, long := range all {
				key := long.sk
				if key.Sure == reader.Said && long.pk.Template.Shape() == short.pk.Template.Shape() && len(key.Template.Shape()) > len(shape) && strings.HasPrefix(key.Template.Shape(), shape) {
					l.sayOf(short.Title+"/"+long.Title, short.sk.Line, []int{key.Line}, "the key %s of %s is the beginning of %s of %s: a prefix that finds the one finds the other", short.sk.Template, short.Title, key.Template, long.Title)
				}
			}
		}
	}),
	"filter-after-limit": eachRequest(func(l *looker, r request) {
		if r.Limit > 0 && filters(r.Pattern) && r.Operation != "GetItem" {
			l.sayOf(r.Title, r.Line, nil, "%q reads %d items and then filters them: it can return fewer, or none, although there are more", r.Title, r.Limit)
		}
	}),
	"number-sorts-as-text": func(l *looker) {
		if l.padded("") {
			return
		}
		storey := func(name string) bool {
			return l.word("storey").MatchString(name) && !l.saidOf(name, l.word("counted-storey"))
		}
		eachKey(func(l *looker, s source, key reader.Key) {
			if key.Role == reader.Range && key.Type == "S" && l.word("amount").MatchString(key.Name) && !storey(key.Name) && !l.saidOf(key.Name, l.word("no-number")) {
				l.sayOf(key.Name, key.Line, nil, "%s is a number by its name, and the sort key of %s is a String: 10 comes before 9 unless it is padded", key.Name, s.called)
			}
		})(l)
		kinds := slices.Clone(l.Entities)
		for _, table := range l.Tables {
			for _, index := range table.Indexes {
				known := slices.ContainsFunc(index.Templates, func(form reader.EntityKey) bool {
					return slices.ContainsFunc(form.Template.Parameters(), momentName.MatchString) || l.hasForm(table, form.Attribute) // seconds have ten digits
				})
				if !known {
					kinds = append(kinds, &reader.Entity{At: index.At, Title: index.Name, Table: table, Keys: index.Templates})
				}
			}
		}
		for _, p := range l.Patterns { // "GSI1SK = SCORE#{score}#USER#{id}" gives the form of a key that no kind of items has
			form := &reader.Entity{At: p.At, Title: p.Title, Table: l.Table(p.Table)}
			if form.Table == nil {
				continue
			}
			for _, c := range p.Conditions {
				if c.Operator == "=" && !c.Filter && len(c.Value.Parameters()) > 1 && !l.hasForm(form.Table, c.Attribute) {
					form.Keys = append(form.Keys, reader.EntityKey{At: reader.At{Line: c.Line, Sure: reader.Said}, Attribute: c.Attribute, Template: c.Value})
				}
			}
			kinds = append(kinds, form)
		}
		for _, entity := range kinds {
			for _, key := range entity.Keys {
				if defined, is := entity.Table.AnyKey(key.Attribute); !is || defined.Role != reader.Range || defined.Type == "N" || key.Sure != reader.Said || string(key.Template) == "{"+key.Attribute+"}" {
					continue
				}
				for _, name := range key.Template.Parameters() {
					a, has := entity.Attribute(name)
					if l.padded(key.Template) {
						break
					}
					if !l.ofContract() && l.numberGiven(entity.Table, key, name) {
						break
					}
					counts := l.word("number").MatchString(name) || l.ofContract() && l.word("epoch").MatchString(name) // which has a fixed width for long
					if counts && !l.word("numeral").MatchString(name) && (has && a.Type == "N" || !storey(name)) && !l.saidOf(name, l.word("no-number")) && (!has || a.Type == "" || a.Type == "N") {
						l.sayOf(entity.Title, key.Line, nil, "%s of %s holds {%s} as text: 10 comes before 9 unless it is padded", key.Attribute, entity.Title, name)
						break
					}
				}
			}
		}
	},
	"expired-items-still-read": func(l *looker) {
		var names []string
		var at []int
		for _, table := range l.Tables {
			if table.TTL != nil && l.goneMatters(table) {
				names, at = append(names, table.Called()), append(at, table.TTL.Line)
			}
		}
		known := slices.ContainsFunc(l.Tables, func(t *reader.Table) bool { return t.TTL != nil })
		if told := l.lines(l.word("ttl-told")); !known && len(told) > 0 && !l.word("no-ttl").MatchString(l.Line(told[0])) {
			at = slices.DeleteFunc(slices.Clone(told), func(n int) bool {
				return !l.endsMatter(l.Line(n), l.introduced(n)) || l.ownExpiry("", n)
			})
			names = []string{"a table"}
		}
		for _, n := range l.lines(l.word("short-ttl")) { // or of a kind of item that somebody takes for there
			if len(at) == 0 && l.word("ends-soon").MatchString(l.Line(n)+"\n"+l.introduced(n)) {
				at, names = append(at, n), []string{"this kind"}
			}
		}
		if len(at) > 0 {
			l.say(at[0], at, "items of %s expire, and are returned until DynamoDB gets round to deleting them: no reader leaves them out", strings.Join(names, ", "))
		}
	},
	"index-partition-for-everybody": eachIndex(func(l *looker, s source) {
		table, index, hash := s.table, s.index, ofTable(s.table).hash
		if _, several := table.Key(reader.Range); !several {
			return // an owner has one item, and the index has the owners
		}
		if _, own := table.KeyNamed(s.hash.Name); own || hash.Name == "" || s.hash.Name == "" || ownerName.MatchString(s.sort.Name) || slices.ContainsFunc(l.Between(index.Line, l.endOfPart(table, index)), l.word("meant-for-all").MatchString) {
			return
		}
		var forms []reader.Template
		titles, also := map[reader.Template][]string{}, []int{}
		for _, k := range l.kinds(source{table: table, hash: hash, sort: s.hash}) {
			key := k.sk
			sort, _ := k.Key(s.sort.Name)
			names := key.Template.Parameters()
			many := len(names) > 1 || len(names) == 1 && (l.word("id").MatchString(names[0]) || key.Template.Prefix() != "" && !l.word("category").MatchString(names[0])) // few items in each
			unknown := string(key.Template) == "{"+s.hash.Name+"}" && l.word("generic-name").MatchString(s.hash.Name)
			ofAll := slices.ContainsFunc(append(names, key.Template.Prefix()), l.word("of-everybody").MatchString)
			apart := len(names) == 0 && strings.Contains(string(key.Template), "#") // TYPE#USER is for all by its form
			if !apart && !many && !unknown && !ofAll && owner(k.pk.Template) && !owner(key.Template) && !owner(sort.Template) {
				forms, also = appendNew(forms, key.Template), append(also, key.Line)
				titles[key.Template] = appendNew(titles[key.Template], k.Title)
			}
		}
		if len(forms) == 0 {
			return
		}
		var said []string
		for _, form := range forms {
			said = append(said, fmt.Sprintf("%s for %s", form, strings.Join(titles[form], ", ")))
		}
		for _, p := range l.Patterns {
			if p.Index == index.Name && p.Table == table.Name {
				also = append(also, p.RequestLine())
			}
		}
		l.sayOf(index.Name, s.hash.Line, append(also, index.Line), "%s is %s of every owner: a Query of %s returns everybody's", s.hash.Name, strings.Join(said, ", "), index.Name)
	}),
	"constant-index-partition": func(l *looker) {
		if l.little() {
			return
		}
		eachIndex((*looker).constant)(l)
		for _, index := range l.Loose {
			l.constant(ofIndex(&reader.Table{}, index))
		}
		eachTable((*looker).constantOfTable)(l)
		l.constantsAsked()
		l.constantsTold()
	},
	"index-mixes-entities": eachRequest(func(l *looker, r request) {
		if r.index == nil || r.partition.Operator != "=" || len(r.index.Keys) < 2 || r.Sure != reader.Said || l.word("mixing").MatchString(r.Text) || r.Filters() {
			return
		}
		forms := map[string][]string{}
		var also []int
		for _, entity := range l.of(r.table) {
			form, whole := "", true
			for _, key := range r.index.Keys {
				own, has := entity.Key(key.Name)
				if _, listed := entity.Attribute(key.Name); !has && listed && !l.word("generic-name").MatchString(key.Name) {
					own, has = reader.EntityKey{At: entity.At, Template: "{}"}, true
				}
				whole = whole && has && own.Sure == reader.Said
				form += " " + own.Template.Shape()
			}
			own, has := entity.Key(r.hash.Name)
			if whole && (!has || (len(own.Template.Parameters()) > 0 || own.Template == r.partition.Value) && meets(own.Template, r.partition.Value)) {
				forms[form] = append(forms[form], entity.Title)
				also = append(also, entity.Line)
			}
		}
		for _, form := range slices.Sorted(maps.Keys(forms)) {
			if titles := forms[form]; len(titles) > 1 {
				l.sayOf(r.Title, r.Line, append(also, r.hash.Line), "%q reads %s, where %s have the same form of key: it returns them all", r.Title, r.Index, strings.Join(titles, " and "))
			}
		}
	}),
	"keys-only-index": eachRequest(func(l *looker, r request) {
		index := r.index
		if index == nil || index.Projection.Value != "KEYS_ONLY" && len(index.Include) == 0 || l.word("follows-up").MatchString(r.Text) {
			return
		}
		keys, projected := map[string]bool{}, "the keys alone"
		for _, name := range index.Include {
			keys[name], projected = true, strings.Join(index.Include, ", ")+" beside the keys"
		}
		for _, key := range append(slices.Clone(r.table.Keys), index.Keys...) {
			keys[key.Name] = true
		}
		text := l.word("asked-by").ReplaceAllString(r.Text, "") // by which items are found, and what is in a key, is no more that is needed
		for _, entity := range l.of(r.table) {
			for _, key := range entity.Keys {
				for _, name := range key.Template.Parameters() {
					keys[name] = keys[name] || keys[key.Attribute]
				}
			}
			for _, a := range entity.Attributes {
				if !keys[a.Name] && len(a.Name) > 3 && reader.HasWord(text, a.Name) {
					l.sayOf(r.Title, r.Line, []int{index.Projection.Line}, "%q needs %s, and %s projects %s", r.Title, a.Name, index.Name, projected)
					return
				}
			}
		}
	}),
	"upcoming-reads-past": eachRequest(func(l *looker, r request) {
		c := r.sorted
		if !asks(r.Pattern) || c.Operator != "begins_with" || len(c.Value.Parameters()) > 0 || c.Value == "" || !l.word("upcoming").MatchString(r.Title) {
			return
		}
		for _, form := range l.forms(r, c.Attribute) {
			names := form.Template.Parameters()
			if form.Template.Prefix() == string(c.Value) && len(names) > 0 && (momentName.MatchString(names[0]) || dayName.MatchString(names[0]) || periodName.MatchString(names[0]) || l.word("period").MatchString(names[0])) {
				l.sayOf(r.Title, r.Line, []int{form.Line}, "%q asks by %s, which all of them have, and {%s} stands behind it: it reads what is past as well", r.Title, c, names[0])
				return
			}
		}
		told := lazyregexp.New(`\b` + regexp.QuoteMeta(c.Attribute) + "`?\\W{1,4}" + regexp.QuoteMeta(string(c.Value)) + `(?:\$?\{|<)(\w+)`) // in a line of which not all is read
		for _, n := range l.lines(told) {
			if name := told.FindStringSubmatch(l.Line(n))[1]; momentName.MatchString(name) || dayName.MatchString(name) {
				l.sayOf(r.Title, r.Line, []int{n}, "%q asks by %s, which all of them have, and {%s} stands behind it: it reads what is past as well", r.Title, c, name)
				return
			}
		}
	}),
	"range-loses-last-day": eachRequest(func(l *looker, r request) {
		oneDayAlone(l, r)
		for _, c := range r.Conditions {
			ends := c.High.Parameters()
			if day := literalDay.FindString(string(c.High)); c.Operator == "BETWEEN" && day != "" {
				for _, key := range l.forms(r, c.Attribute) {
					names, behind := key.Template.Parameters(), strings.TrimSuffix(string(c.High), day)
					if len(names) > 0 && key.Template.Prefix() == behind && momentName.MatchString(names[0]) {
						l.sayOf(r.Title+"/"+key.title, c.Line, []int{key.Line}, "%q ends at %s, and %s of %s goes on behind the day: what is of the last day is left out", r.Title, c.High, c.Attribute, key.title)
					}
				}
				continue
			}
			if c.Operator != "BETWEEN" || len(ends) == 0 || !strings.HasSuffix(strings.TrimRight(string(c.High), "#"), "}") || !dayName.MatchString(ends[len(ends)-1]) {
				continue
			}
			for _, key := range l.forms(r, c.Attribute) {
				names := key.Template.Parameters()
				if len(names) == 0 || key.Template.Prefix() != c.High.Prefix() || c.High.Shape() == key.Template.Shape() && !momentName.MatchString(names[0]) {
					continue
				}
				if momentName.MatchString(names[0]) || dayName.MatchString(names[0]) && strings.HasPrefix(key.Template.Shape(), c.High.Shape()) {
					l.sayOf(r.Title+"/"+key.title, c.Line, []int{key.Line}, "%q ends at %s, and %s of %s goes on behind the day: what is of the last day is left out", r.Title, c.High, c.Attribute, key.title)
				}
			}
		}
	}),
	"key-by-time-alone": func(l *looker) {
		for _, entity := range l.Entities {
			for _, key := range entity.Keys {
				if l.word("some-index").MatchString(entity.Title) || l.finer(entity.Table, key) {
					continue // a second way to an item, or moments of which no two are alike
				}
				defined, is := entity.Table.KeyNamed(key.Attribute)
				if is && defined.Role == reader.Hash && key.Sure == reader.Said && l.onlyMoment(entity, key) {
					l.sayOf(entity.Title, key.Line, nil, "%s of %s is %s: two items with the same %s are one", key.Attribute, entity.Title, key.Template, key.Template.Parameters()[0])
				}
				if !is || defined.Role != reader.Range || key.Sure != reader.Said || l.ofOneItem(entity) && !(l.word("container").MatchString(entity.Title) && slices.ContainsFunc(key.Template.Parameters(), l.word("of-each").MatchString)) || l.uniquePartition(entity, key) {
					continue
				}
				told := l.word("told-apart").MatchString(l.Line(key.Line)) || l.word("told-apart").MatchString(l.Line(defined.Line))
				if told || l.ofOneItem(entity) && len(l.lines(l.word("second-known"))) > 0 {
					continue
				}
				hash, known := entity.Table.Key(reader.Hash)
				ofIndex := l.word("some-index").MatchString(l.Line(defined.Line-1)) && defined.Line != hash.Line && strings.TrimSpace(l.Line(defined.Line)) != ""
				if !known || ofIndex && !l.word("list-item").MatchString(l.Line(defined.Line)) {
					continue // which items stand together is not read, or a sentence gives the key of an index
				}
				if slices.ContainsFunc(l.Between(entity.Table.Line, min(entity.Table.Line+2, defined.Line)), l.word("each-period").MatchString) {
					continue // of which there is one
				}
				partition, _ := entity.Key(hash.Name)
				names := key.Template.Parameters()
				timed := slices.IndexFunc(names, l.word("time").MatchString)
				once := partition.Template.Parameters() // exec-{time}-{uuid} is of one item
				if slices.ContainsFunc(once, l.word("time").MatchString) && slices.ContainsFunc(once, l.word("random-id").MatchString) {
					continue
				}
				if timed < 0 || l.word("fine").MatchString(names[timed]) {
					continue
				}
				moment := slices.ContainsFunc(names, momentName.MatchString)
				others := slices.ContainsFunc(names, func(name string) bool {
					return name == "id" || !l.word("time").MatchString(name) && (!sharedID.MatchString(name) || l.word("of-request").MatchString(name) && !l.ofContract()) && !l.ofAnother(entity, name) || moment && ownerName.MatchString(name) // whoever does it, does one thing at a time
				})
				called := spaced(entity.Title + " " + key.Template.Prefix() + " " + string(partition.Template))
				if l.word("of-window").MatchString(called) {
					continue // all of one window are counted in one item
				}
				if !others && (moment || l.word("happens").MatchString(called) && !l.word("per-period").MatchString(called)) {
					of := ""
					if parts := partition.Template.Parameters(); len(parts) > 0 {
						of = "of one " + strings.Join(parts, " and ") + " "
					}
					l.sayOf(entity.Title, key.Line, nil, "%s of %s is %s: two items %swith the same %s are one", key.Attribute, entity.Title, key.Template, of, strings.Join(names, " and "))
				}
			}
		}
	},
	// An id that is made at random, or issued for all owners, is that of one thing alone.
	"partition-without-owner": eachTable(func(l *looker, s source) {
		made := func(t reader.Template) bool {
			return slices.ContainsFunc(t.Parameters(), func(name string) bool {
				return l.word("issued").MatchString(name) || l.saidOf(name, l.word("random-id"))
			})
		}
		for _, parent := range l.kinds(s) {
			prefix := strings.TrimRight(parent.sk.Template.Prefix(), "#:|/_")
			if !owner(parent.pk.Template) || prefix == "" || !sameWords(parent.Title, prefix) || l.byItself(s, parent, prefix) {
				continue
			}
			var titles []string
			also := []int{parent.sk.Line}
			for _, child := range l.of(s.table) {
				key, has := child.Key(s.hash.Name)
				if has && strings.TrimRight(key.Template.Prefix(), "#:|/_") == prefix && len(key.Template.Parameters()) == 1 && !owner(key.Template) && !made(key.Template) && child != parent.Entity && child.Title != parent.Title {
					titles, also = appendNew(titles, child.Title), append(also, key.Line)
				}
			}
			for _, p := range l.Patterns {
				if c, has := condition(p, s.hash.Name); has && strings.TrimRight(c.Value.Prefix(), "#:|/_") == prefix {
					also = append(also, p.RequestLine())
				}
			}
			if len(titles) > 0 {
				l.sayOf(parent.Title, also[1], also, "%s belong to %s, and their partition %s… names no owner: two owners with the same id share it, and its reader is not known", strings.Join(titles, ", "), parent.Title, prefix)
			}
		}
	}),
	"check-then-write": func(l *looker) {
		writes := l.word("writes").MatchString
		written := len(l.asking(func(p *reader.Pattern) bool { return p.Listed && (writes(p.Operation) || writes(p.Text)) }, writes)) > 0 // in a pattern of its own
		is := func(text string) bool {
			alone := l.word("check-alone").MatchString(text) && !l.word("some-index").MatchString(text) && len(l.lines(atomicWord)) == 0 && (written || l.word("write").MatchString(text))
			return alone || l.word("check").MatchString(text) && l.word("write").MatchString(text) && !atomicWord.MatchString(text) && !l.word("conditioned").MatchString(text)
		}
		var steps []place
		l.eachRun(func(run []place) {
			at := slices.IndexFunc(run, func(step place) bool { return l.word("check-step").MatchString(l.Line(step.line)) })
			if at >= 0 && len(l.lines(l.word("kept-while"))) == 0 && slices.ContainsFunc(run[at+1:], func(step place) bool { return l.word("write-step").MatchString(step.title) }) {
				steps = append(steps, run[at])
			}
		})
		l.sayAll(append(l.asking(func(p *reader.Pattern) bool { return p.Listed && is(p.Text) }, is), steps...), "%s: it is checked first and done afterwards, and what was checked can change in between")
	},
	"first-page-only": places(func(l *looker, p *reader.Pattern) bool {
		return (p.Operation == "Query" || p.Operation == "Scan") && p.Called > 0 && p.Limit == 0 && !l.word("bounded").MatchString(p.Title+"\n"+p.Text) && l.word("takes-items").MatchString(l.word("takes-one").ReplaceAllString(p.Text, ""))
	}, "%s: the first page of the answer is taken for all of it"),
	"limit-hides-second": eachRequest(func(l *looker, r request) {
		if r.Limit != 1 || !r.Listed {
			return
		}
		for _, c := range r.Conditions {
			for _, entity := range l.of(r.table) {
				if a, has := entity.Attribute(c.Attribute); has && l.word("only-one").MatchString(a.Note) {
					l.say(r.Line, []int{a.Line}, "%q takes one of the items with %s: a second one, which the text excludes, would not show", r.Title, c)
				}
			}
		}
	}),
	"sensitive-attribute-read-whole": func(l *looker) {
		for _, entity := range l.Entities {
			for _, a := range entity.Attributes {
				if l.word("sensitive").MatchString(a.Name) && !l.word("flag").MatchString(a.Name) && a.Type != "BOOL" && !l.word("hashed").MatchString(a.Name+a.Note+l.Line(a.Line)) {
					l.say(a.Line, nil, "%s of %s is in every answer that holds the item: no read leaves it out", a.Name, entity.Title)
				}
			}
		}
	},
	"two-ways-to-one-answer": eachRequest(func(l *looker, r request) {
		if r.table == nil {
			return
		}
		own := ofTable(r.table)
		if r.Index == "" || own.hash.Name == "" || own.sort.Name == "" || r.Order != "" || r.Limit > 1 || len(r.Conditions) != 1 {
			return // a list is another answer
		}
		if value := r.Conditions[0].Value; value.Prefix() != "" && len(value.Parameters()) > 0 {
			var found []*reader.Entity
			var line int
			for _, entity := range l.of(r.table) {
				form, has := entity.Key(r.Conditions[0].Attribute)
				if order, _ := entity.Key(r.sort.Name); has && form.Template.Shape() == value.Shape() && len(order.Template.Parameters()) > 0 {
					return // the index answers with the items of this kind, many for one value
				}
				if pk, has := entity.Key(own.hash.Name); has && pk.Template.Shape() == value.Shape() {
					found, line = append(found, entity), pk.Line
				}
			}
			if len(found) != 1 {
				return
			}
			_, indexed := found[0].Key(r.Conditions[0].Attribute) // DynamoDB itself keeps an item and its index in step
			if sk, has := found[0].Key(own.sort.Name); has && !indexed && !strings.Contains(string(sk.Template), "{") {
				l.sayOf(found[0].Title+"/"+r.Index, r.Line, []int{line, sk.Line}, "\"%s\" asks %s for %s, which is also the key of the item %s: nothing keeps the two in step", r.Title, r.Index, value, found[0].Title)
			}
		}
	}),
	"balance-without-condition": func(l *looker) {
		for _, entity := range l.Entities {
			limit, taken := reader.Attribute{}, reader.Attribute{}
			for _, a := range l.attributes(entity) {
				if l.word("capacity").MatchString(a.Name) {
					limit = a
				} else if l.word("taken").MatchString(a.Name) {
					taken = a
				}
			}
			if limit.Line > 0 && taken.Line > 0 && len(l.lines(atomicWord)) == 0 && !l.unreadSays(l.word("funds"), taken.Name+" "+entity.Title) {
				l.say(taken.Line, []int{limit.Line}, "nothing keeps %s of %s from passing %s: no write of it has a condition", taken.Name, entity.Title, limit.Name)
			}
			for _, a := range l.attributes(entity) {
				if !l.word("balance").MatchString(a.Name) || a.Type != "N" && a.Type != "" || l.word("happens").MatchString(entity.Title) || l.word("record").MatchString(entity.Title) || l.word("of-course").MatchString(entity.Title+" "+a.Note) {
					continue
				}
				if !l.saidOf(a.Name, l.word("funds")) && !l.unreadSays(l.word("funds"), a.Name+" "+entity.Title) {
					l.say(a.Line, nil, "nothing keeps %s of %s from falling below zero: no write of it has a condition", a.Name, entity.Title)
				}
			}
		}
	},
}

var (
	momentName  = lazyregexp.New(`(?i)(timestamp|time|ISODate|created_?at|updated_?at|_at|epoch|ISO)$|^(ts|at)$|(?-i:[a-z0-9]At)$`)
	sharedID    = lazyregexp.New(`(?i)^(request|correlation|trace|session|user|athlete|owner|tenant|account|customer|org|device)_?(id)?$|^(type|status|kind|category)$`)
	ownerName   = lazyregexp.New(`(?i)^(user|tenant|account|customer|org|organization|organisation|owner|member|athlete|workspace|company|client|sub|cognitosub)(_?id|_?sub|sub)?$`)
	ownerPrefix = lazyregexp.New(`(?i)^(user|tenant|account|acct|customer|org|owner|workspace|member|company|athlete)[a-z_]*[#:|/]$`)
	atomicWord  = lazyregexp.New(`(?i)\btransact\w*|\bcondition(al|ally| ?check| ?expression)?\b|\batomic\w*|attribute_(not_)?exists|\ball[- ]or[- ]nothing\b|\bboth or neither\b`)
)

// inCamel matches where a name in camel case has another word.
var inCamel = lazyregexp.New(`([a-z0-9])([A-Z])`)

// spaced is a text with blanks between the words of names and keys: RATE_LIMIT#.
func spaced(text string) string {
	return strings.NewReplacer("_", " ", "-", " ", "#", " ").Replace(text)
}

// byItself reports whether a kind of item is found by its id alone, of whomever it is: an item of its own is in its partition, or a key of an index has
// its id and nothing else.
func (l *looker) byItself(s source, k kind, prefix string) bool {
	of := func(form reader.Template) bool {
		return strings.TrimRight(form.Prefix(), "#:|/_") == prefix && len(form.Parameters()) == 1
	}
	return slices.ContainsFunc(l.kinds(s), func(own kind) bool { return of(own.pk.Template) && of(own.sk.Template) }) ||
		slices.ContainsFunc(k.Keys, func(key reader.EntityKey) bool {
			_, own := s.table.KeyNamed(key.Attribute)
			defined, is := s.table.AnyKey(key.Attribute)
			return !own && is && defined.Role == reader.Hash && of(key.Template)
		})
}

// goneMatters reports whether what expires in a table is of use to somebody as long as it is there, such as a session or a lock, and no
// attribute beside that of the TTL says when it ends.
func (l *looker) goneMatters(table *reader.Table) bool {
	kinds, ttl := l.of(table), table.TTL
	has := func(e *reader.Entity) bool { _, listed := e.Attribute(ttl.Value); return listed }
	all := !slices.ContainsFunc(kinds, has)
	around, names := l.introduced(ttl.Line), append([]string{table.Name}, table.Also...)
	if next := l.Line(ttl.Line + 1); strings.HasPrefix(next, "- ") {
		around += "\n" + next
	}
	for _, e := range kinds {
		if all || has(e) {
			names = append(names, e.Title)
		}
	}
	return l.endsMatter(l.Line(ttl.Line)+"\n"+strings.Join(names, "\n"), around) && !l.ownExpiry(ttl.Value, ttl.Line)
}

// endsMatter reports whether what is said of a TTL, or around it where it tells of no clean-up, names what somebody uses as long as it is
// there.
func (l *looker) endsMatter(said, around string) bool {
	cleans := l.word("cleans-up").MatchString(said) && !l.word("short-ttl").MatchString(said) && !l.word("ends-itself").MatchString(said)
	matters := func(text string) bool {
		text = l.word("mark-of-done").ReplaceAllString(text, "")
		if cleans || l.word("cleans-up").MatchString(around) {
			text = l.word("kept-a-while").ReplaceAllString(spaced(inCamel.ReplaceAllString(text, "$1 $2")), "")
		}
		return l.word("gone-matters").MatchString(spaced(inCamel.ReplaceAllString(text, "$1 $2"))) // oauthStates is "oauth States"
	}
	return matters(said) || !cleans && matters(around)
}

// ownExpiry reports whether a line has an attribute that says when an item ends, beside that of a TTL, or one close to the line of the TTL.
func (l *looker) ownExpiry(ttl string, line int) bool {
	const near = 25 // lines of one list of attributes
	return slices.ContainsFunc(l.lines(l.word("own-expiry")), func(n int) bool {
		both := reader.HasWord(l.Line(n), cmp.Or(ttl, "ttl")) || ttl != "" && line-near <= n && n <= line+near
		return both && slices.ContainsFunc(l.word("own-expiry").FindAllString(l.Line(n), -1), func(name string) bool { return name != ttl })
	})
}

// padded reports whether a line says that numbers are padded, or shows one in a key of a form. What names of other keys say
// ({paddedVersion}), and what is said of times and ids, says nothing of it.
func (l *looker) padded(form reader.Template) bool {
	return slices.ContainsFunc(l.lines(l.word("shown-padded")), func(n int) bool {
		return slices.ContainsFunc(l.word("shown-padded").FindAllStringSubmatch(l.Line(n), -1), func(shown []string) bool { return strings.Contains(string(form), shown[1]+"#") })
	}) || slices.ContainsFunc(l.lines(l.word("padded")), func(n int) bool {
		rest := placeholder.ReplaceAllString(l.Line(n), "")
		return l.word("padded").MatchString(rest) && !l.word("sorts-anyway").MatchString(rest)
	})
}

var placeholder = lazyregexp.New(`\{[^{}]*\}|<[^<>]*>`)

// numberGiven reports whether a request gives the number in a key and goes on behind it, VERSION#{v}#: that it reads no two numbers.
func (l *looker) numberGiven(table *reader.Table, key reader.EntityKey, name string) bool {
	before, _, _ := strings.Cut(string(key.Template), "{"+name+"}")
	upTo := reader.Template(before + "{}").Shape()
	return slices.ContainsFunc(l.Patterns, func(p *reader.Pattern) bool {
		c, has := condition(p, key.Attribute)
		return has && p.Table == table.Name && c.Operator == "begins_with" && len(c.Value.Shape()) > len(upTo) && strings.HasPrefix(c.Value.Shape(), upTo) && strings.HasPrefix(key.Template.Shape(), c.Value.Shape())
	})
}

// asking are the access patterns that are what is looked for, and the lines of lists of them of which no request is read.
func (l *looker) asking(pattern func(*reader.Pattern) bool, line func(text string) bool) (found []place) {
	read := map[int]bool{}
	for _, p := range l.Patterns {
		if read[p.RequestLine()] = true; pattern(p) {
			found = append(found, place{p.RequestLine(), p.Title})
		}
	}
	for _, u := range l.Unread {
		title := titleOf(u.Text)
		if !u.Asked || read[u.Line] || title == "" || line == nil || !line(u.Text) {
			continue
		}
		for _, p := range l.Patterns {
			if p.Line < u.Line && l.word("label-of-pattern").MatchString(titleOf(u.Text)) {
				title = p.Title // "Purpose: counts ..." below it
			}
		}
		found = append(found, place{u.Line, title})
	}
	return found
}

// titleOf is what a line of a list of access patterns calls its own: the words before a colon, or the first cell of words.
func titleOf(line string) string {
	if cells := strings.Split(line, " | "); len(cells) > 1 {
		return cells[max(0, slices.IndexFunc(cells, func(cell string) bool { return strings.Contains(cell, " ") }))]
	}
	title, _, titled := strings.Cut(line, ":")
	if !titled {
		return ""
	}
	return title
}

// ofOneItem reports whether a partition is that of one item, by the item's own id: historyId of a history.
func (l *looker) ofOneItem(entity *reader.Entity) bool {
	hash, _ := entity.Table.Key(reader.Hash)
	key, _ := entity.Key(hash.Name)
	names := key.Template.Parameters()
	word := ""
	if len(names) == 1 && !ownerName.MatchString(names[0]) {
		word, _ = strings.CutSuffix(strings.ToLower(names[0]), "id")
	}
	word = strings.Trim(word, "_-")
	if strings.EqualFold(string(key.Template), "{id}") {
		return true // the id of the item itself
	}
	title := strings.TrimSuffix(strings.TrimRight(placeholder.ReplaceAllString(strings.ToLower(entity.Title), ""), "-_. "), "table")
	return word != "" && strings.HasSuffix(strings.TrimSuffix(title, "s"), word)
}

// uniquePartition reports whether a line says that the partition key of a kind of item is a unique id, and of no other thing. A
// UUID alone is the item's own where the sort key is the moment that made it: a sensor has one too, and many readings.
func (l *looker) uniquePartition(entity *reader.Entity, sort reader.EntityKey) bool {
	hash, _ := entity.Table.Key(reader.Hash)
	key, has := entity.Key(hash.Name)
	if !has || string(key.Template) != "{"+hash.Name+"}" || ownerName.MatchString(hash.Name) || sharedID.MatchString(hash.Name) || l.word("happens").MatchString(entity.Title+" "+entity.In) {
		return false
	}
	return slices.ContainsFunc(l.Text, func(line string) bool {
		unique := l.word("unique-id").MatchString(line) || l.word("random-id").MatchString(line) && l.word("made").MatchString(sort.Attribute)
		return unique && reader.HasWord(line, hash.Name) && !l.word("id-of-other").MatchString(line)
	})
}

func appendNew[T comparable](all []T, one T) []T {
	if slices.Contains(all, one) {
		return all
	}
	return append(all, one)
}

// longer looks for a prefix that ends in an id, of a key that goes on behind it.
func (l *looker) longer(r request) {
	for _, c := range r.Conditions {
		value, names := string(c.Value), c.Value.Parameters()
		if c.Operator != "begins_with" || !strings.HasSuffix(value, "}") || len(names) == 0 || c.Filter || l.word("few-values").MatchString(names[len(names)-1]) || periodName.MatchString(names[len(names)-1]) || // words of a list, of which none begins another
			l.word("typed").MatchString(names[len(names)-1]) || l.word("prefix-search").MatchString(r.Title) || len(l.lines(l.word("fixed-ids"))) > 0 {
			continue
		}
		for _, entity := range l.of(r.table) {
			key, has := entity.Key(c.Attribute)
			shape := key.Template.Shape()
			if has && strings.HasPrefix(shape, c.Value.Shape()) && len(shape) > len(c.Value.Shape()) {
				l.sayOf(r.Title, c.Line, []int{key.Line}, "%q: %s also matches longer values than %s: write the separator behind it", r.Title, c, value[strings.LastIndex(value, "{"):])
				break
			}
		}
	}
}

// owner reports whether a template names an owner.
func owner(t reader.Template) bool {
	if ownerPrefix.MatchString(t.Prefix()) {
		return true
	}
	return slices.ContainsFunc(t.Parameters(), ownerName.MatchString)
}

// hasForm reports whether a kind of items of a table has the form of an attribute.
func (l *looker) hasForm(table *reader.Table, attribute string) bool {
	return slices.ContainsFunc(l.Entities, func(e *reader.Entity) bool { _, has := e.Key(attribute); return has && e.Table == table })
}

// ofAnother reports whether a name is that of the id of another kind of items, whose sort key ends in it: COMMENT#{mediaId}#{time} beside MEDIA#{mediaId}.
func (l *looker) ofAnother(entity *reader.Entity, name string) bool {
	own := func(key reader.EntityKey) bool {
		prefix := strings.ToLower(strings.Trim(key.Template.Prefix(), "#:|/_"))
		return prefix != "" && strings.HasPrefix(strings.ToLower(name), prefix)
	}
	if words := strings.Fields(spaced(entity.Title)); len(words) > 1 && strings.EqualFold(words[len(words)-1], strings.Fields(spaced(inCamel.ReplaceAllString(name, "$1 $2")) + " -")[0]) {
		return false // event_id of an audit event
	}
	return slices.ContainsFunc(l.of(entity.Table), func(other *reader.Entity) bool { // the key goes on behind the other's
		return other != entity && slices.ContainsFunc(other.Keys, func(key reader.EntityKey) bool {
			mine, has := entity.Key(key.Attribute)
			return has && slices.Contains(key.Template.Parameters(), name) && len(mine.Template) > len(key.Template) && strings.HasPrefix(string(mine.Template), string(key.Template))
		})
	}) || !slices.ContainsFunc(entity.Keys, own) && slices.ContainsFunc(l.of(entity.Table), func(other *reader.Entity) bool {
		return other != entity && slices.ContainsFunc(other.Keys, func(key reader.EntityKey) bool {
			defined, is := other.Table.KeyNamed(key.Attribute)
			names := key.Template.Parameters()
			return is && defined.Role == reader.Range && len(names) == 1 && names[0] == name && own(key)
		})
	})
}

// finer reports whether an example shows for a key a moment with its microseconds.
func (l *looker) finer(table *reader.Table, key reader.EntityKey) bool {
	return slices.ContainsFunc(l.Examples, func(x *reader.Example) bool {
		m, has := x.Member(key.Attribute)
		return has && l.tableOf(x) == table && l.word("microseconds").MatchString(m.Text)
	})
}

// onlyMoment reports whether the partition key of a kind of item is a moment behind a word, and its sort key a constant.
func (l *looker) onlyMoment(entity *reader.Entity, key reader.EntityKey) bool {
	sort, sorted := entity.Table.Key(reader.Range)
	own, has := entity.Key(sort.Name)
	names := key.Template.Parameters()
	return len(names) == 1 && key.Template.Prefix() != "" && momentName.MatchString(names[0]) && !l.word("fine").MatchString(names[0]) && !l.word("of-window").MatchString(spaced(entity.Title)) &&
		(!sorted || has && own.Sure == reader.Said && len(own.Template.Parameters()) == 0) && len(l.lines(l.word("second-known"))) == 0
}

// inverted looks for kinds of items whose sort key is a constant, and the partition key of an index.
func (l *looker) inverted(s source) {
	var kinds, titles []string
	var also []int
	own, _ := s.table.Key(reader.Hash)
	if s.hash.Name == own.Name {
		return
	}
	for _, entity := range l.of(s.table) {
		key, has := entity.Key(s.hash.Name)
		of, _ := entity.Key(own.Name)
		_, ordered := entity.Attribute(s.sort.Name)
		_, keyed := entity.Key(s.sort.Name)
		if inIndex := s.sort.Name == "" || ordered || keyed; inIndex && has && key.Sure == reader.Said && key.Template != "" && len(key.Template.Parameters()) == 0 && len(of.Template.Parameters()) > 0 {
			kinds, titles, also = appendNew(kinds, string(key.Template)), appendNew(titles, entity.Title), append(also, key.Line)
		}
	}
	if len(kinds) > 0 {
		l.sayOf(s.index.Name, s.hash.Line, also, "%s is the partition key of %s, and a constant (%s) of %s: all items of a kind are in one partition", s.hash.Name, s.index.Name, strings.Join(kinds, ", "), strings.Join(titles, ", "))
	}
}

// constant looks for an index whose partition key is a constant or has a handful of values.
func (l *looker) constant(s source) {
	table, about, at, partition := s.table, s.index.Name, s.index.Line, s.hash
	if _, own := table.KeyNamed(partition.Name); own && s.index != nil { // the key of another role: its form in the index is told
		for _, form := range s.index.Templates {
			if form.Attribute == partition.Name && form.Sure == reader.Said && len(form.Template.Parameters()) == 0 && form.Template != "" {
				l.sayOf(about, form.Line, []int{at}, "%s of %s is a constant (%s): all items of a kind are in one partition", partition.Name, about, form.Template)
			}
		}
		l.inverted(s)
		return
	}
	if partition.Name == "" || partition.Sure != reader.Said {
		return
	}
	joined := lazyregexp.New(`\b` + regexp.QuoteMeta(partition.Name) + `\W{1,8}\w+[>})\]]*#[<{(\[$]*\w`) // userStatus: userId#status
	composed := slices.ContainsFunc(l.Text, func(line string) bool { return strings.Contains(line, partition.Name) && joined.MatchString(line) })
	named := about
	if slices.ContainsFunc(l.Tables, func(t *reader.Table) bool { _, has := t.Index(s.index.Name); return has && t != table }) {
		named += " of " + table.Called()
	}
	var kinds []string
	var constants, fews, rest []int // the lines of the forms that are constants, that have few values, and that are neither
	low, of, known, others, line := "", "", false, false, partition.Line
	for _, entity := range l.carriers(s) {
		key, has := entity.Key(partition.Name)
		names := key.Template.Parameters()
		if a, listed := entity.Attribute(strings.Join(names, "")); has && listed && len(a.Allowed) > 0 {
			if known = true; len(a.Allowed) <= mostValues {
				l.sayOf(about, at, []int{key.Line, a.Line}, "%s of %s has %d values for %s: all items are in as many partitions", partition.Name, named, len(a.Allowed), entity.Title)
				return
			}
		}
		both := len(names) == 2 && !slices.ContainsFunc(names, func(name string) bool {
			return !l.few(name) || periodName.MatchString(name) || l.word("period").MatchString(name)
		})
		few := both || len(names) == 1 && !(composed && names[0] == partition.Name) && l.few(names[0])
		switch {
		case !has || key.Sure != reader.Said || l.saidOtherwise(s, key.Template):
		case len(names) == 0 && (l.word("capital-name").MatchString(string(key.Template)) || l.meansValue(s, entity, key) || l.onlyWhile(key)):
			others, rest = true, append(rest, key.Line)
		case len(names) == 0:
			kinds, constants = appendNew(kinds, string(key.Template)), append(constants, key.Line)
		case few && low != "":
			fews = append(fews, key.Line)
		case few:
			low, of, line, fews = strings.Join(names, " and "), entity.Title, key.Line, append(fews, key.Line)
		case !slices.ContainsFunc(names, func(name string) bool { return !l.word("period").MatchString(name) }):
			l.sayOf(about, key.Line, []int{at}, "the partition key of %s is %s for %s: everything of one period meets in one partition", named, key.Template, entity.Title)
			return
		default:
			others, rest = true, append(rest, key.Line)
		}
	}
	// The definition of the index is one of the places, unless what stands there is another form.
	defined := func(forms []int) []int {
		return slices.DeleteFunc(append([]int{partition.Line, at}, forms...), func(n int) bool {
			return !slices.Contains(forms, n) && slices.Contains(slices.Concat(constants, fews, rest), n)
		})
	}
	called := named
	if of != "" && (others || len(kinds) > 0) {
		called += " for " + of
	}
	if low == "" && !known && !composed && l.few(partition.Name) && !l.saidOtherwise(s, reader.Template("{"+partition.Name+"}")) {
		low = partition.Name
	}
	if len(kinds) > 0 {
		all := defined(constants)
		l.sayOf(about, all[0], all, "%s of %s is a constant (%s): all items of a kind are in one partition", partition.Name, named, strings.Join(kinds, ", "))
	} else if low != "" {
		line = append(defined(fews), partition.Line)[0]
	}
	also := defined(fews)
	switch {
	case low == "" || len(kinds) > 0 && low == partition.Name:
	case periodName.MatchString(low) && !l.ofContract() && l.word("few-a-day").MatchString(low+" "+cmp.Or(of, table.Name)):
	case periodName.MatchString(low) || l.word("period").MatchString(low):
		l.sayOf(about, line, also, "the partition key of %s is %s: everything of one %[2]s meets in one partition", called, low)
	default:
		l.sayOf(about, line, also, "the partition key of %s is %s, which has a handful of values: all items are in as many partitions", called, low)
	}
}

// onlyWhile reports whether the line of a form says that an item has it only while something is so.
func (l *looker) onlyWhile(key reader.EntityKey) bool {
	_, behind, _ := strings.Cut(l.Line(key.Line), string(key.Template))
	return l.word("only-while").MatchString(behind)
}

// meansValue reports whether a word in capitals, as the form of an index's partition key, stands for a value: its items are sorted by
// another such word, or a request gives a value that is none.
func (l *looker) meansValue(s source, entity *reader.Entity, key reader.EntityKey) bool {
	if !l.word("capitals").MatchString(string(key.Template)) {
		return false
	}
	sorted, has := entity.Key(s.sort.Name)
	return has && l.word("capital-order").MatchString(string(sorted.Template)) || slices.ContainsFunc(l.Patterns, func(p *reader.Pattern) bool {
		asked, is := condition(p, key.Attribute)
		value := string(asked.Value)
		return is && value != "" && len(asked.Value.Parameters()) == 0 && !strings.Contains(value, "#") && !l.word("capitals").MatchString(value)
	})
}

// few reports whether a value of a partition key is one of few, by its name, or by the words of which it is one.
func (l *looker) few(name string) bool {
	choices := strings.Split(name, "|")
	if len(choices) == 1 {
		return l.word("few-values").MatchString(name) && !l.word("many-values").MatchString(name)
	}
	return !slices.ContainsFunc(choices, func(choice string) bool {
		return !l.word("choice").MatchString(choice) || strings.HasSuffix(choice, "_id") || ownerName.MatchString(choice) || l.word("name").MatchString(choice)
	})
}

// saidOtherwise reports whether a line says of a partition key that it is spread or gone, or that its values are many: one of the
// index's part, one that names the index or its key, or one that names what the form holds.
func (l *looker) saidOtherwise(s source, form reader.Template) bool {
	last := 0
	if s.index != nil && s.index.Line > 0 {
		last = l.endOfPart(s.table, s.index)
	}
	ofIndex := func(n int) bool {
		return s.index != nil && (n >= s.index.Line && n <= last || reader.HasWord(l.Line(n), s.index.Name) || reader.HasWord(l.Line(n), s.hash.Name))
	}
	ofForm := func(n int) bool {
		names := form.Parameters()
		return len(names) == 0 && form != "" && strings.Contains(l.Line(n), string(form)) || slices.ContainsFunc(names, func(name string) bool { return reader.HasWord(strings.ToLower(l.Line(n)), strings.ToLower(name)) })
	}
	return slices.ContainsFunc(l.lines(l.word("spread")), func(n int) bool { return (ofIndex(n) || ofForm(n)) && !l.word("perhaps").MatchString(l.Line(n)) }) ||
		slices.ContainsFunc(l.lines(l.word("no-longer")), ofIndex) || len(form.Parameters()) > 0 && slices.ContainsFunc(l.lines(l.word("of-many")), ofForm)
}

// endOfPart is the last line of the paragraph of an index, or of the one below its heading: at most the one before another index or heading.
func (l *looker) endOfPart(table *reader.Table, index *reader.Index) int {
	end := l.beforeNext(table, index)
	last := min(index.Line+1, end)
	for last < end && strings.TrimSpace(l.Line(last+1)) != "" && !strings.HasPrefix(l.Line(last+1), "#") {
		last++
	}
	return last
}

// beforeNext is the line before the next index of a table.
func (l *looker) beforeNext(table *reader.Table, index *reader.Index) int {
	return until(l, table.Indexes, index.Line, func(x *reader.Index) int { return x.Line })
}

// carriers are what has the partition key of an index: the kinds of items of its table, or, where none of them is given the key,
// the forms that the index itself gives. Of words in capitals a form may mean a placeholder.
func (l *looker) carriers(s source) (all []*reader.Entity) {
	kinds := l.of(s.table)
	if slices.ContainsFunc(kinds, func(e *reader.Entity) bool { _, has := e.Key(s.hash.Name); return has }) {
		return kinds
	}
	for _, form := range s.index.Templates {
		asked := slices.ContainsFunc(l.Patterns, func(p *reader.Pattern) bool { c, _ := condition(p, form.Attribute); return c.Value == form.Template })
		if form.Attribute == s.hash.Name && (len(form.Template.Parameters()) > 0 || asked || l.word("constant-form").MatchString(string(form.Template))) {
			all = append(all, &reader.Entity{At: form.At, Title: someItems, Table: s.table, Keys: append([]reader.EntityKey{form}, s.index.Templates...)})
		}
	}
	return append(all, kinds...)
}

// someItems is the title of a kind of item of which an index gives the keys, and no line the name.
const someItems = "some of its items"

// constantOfTable looks for kinds of items that are told apart by their sort keys alone, or almost: their partition key has few values, or
// one at a time.
func (l *looker) constantOfTable(s source) {
	at, few := map[reader.Template][]place{}, map[reader.Template][]place{}
	var ofTenant []place
	grows := false
	for _, k := range l.kinds(s) {
		if l.word("no-kind").MatchString(strings.TrimSuffix(strings.ToLower(k.Title), " items")) {
			continue
		}
		names, partition := k.sk.Template.Parameters(), k.pk.Template
		happens := slices.ContainsFunc(names, momentName.MatchString) || l.word("written-daily").MatchString(k.Title) || l.word("happens").MatchString(spaced(k.Title+" "+k.sk.Template.Prefix()))
		if l.word("tenant").MatchString(string(partition)) && len(names) > 0 && k.pk.Sure == reader.Said && !l.saidOtherwise(s, partition) {
			ofTenant, grows = append(ofTenant, place{k.pk.Line, k.Title}), grows || happens
		}
		if k.pk.Sure != reader.Said || k.sk.Sure != reader.Said || l.word("few-items").MatchString(k.Title+" "+partition.Prefix()+" "+k.sk.Template.Prefix()) || l.word("per-period").MatchString(k.Title) || l.saidOtherwise(s, partition) {
			continue
		}
		values, own := partition.Parameters(), slices.ContainsFunc(names, func(name string) bool { return idAlone.MatchString(name) || l.word("own-name").MatchString(name) })
		switch {
		case len(values) == 0 && own:
			at[partition] = append(at[partition], place{k.pk.Line, k.Title})
		case len(values) == 1 && (periodName.MatchString(values[0]) && l.word("now").MatchString(values[0]) && happens || !periodName.MatchString(values[0]) && (l.few(values[0]) || l.word("period").MatchString(values[0])) && (own || happens)):
			few[partition] = append(few[partition], place{k.pk.Line, k.Title})
		}
	}
	if len(ofTenant) > 2 && grows && len(l.lines(l.word("small-tenant"))) == 0 {
		l.sayAll(ofTenant, "%s: all that one tenant has is in one partition, however much it becomes, with the 1,000 writes a second of one")
	}
	for _, constant := range slices.Sorted(maps.Keys(at)) {
		l.sayAll(at[constant], "%s: "+s.hash.Name+" is "+string(constant)+" for all of them, so that they meet in one partition")
	}
	for _, form := range slices.Sorted(maps.Keys(few)) {
		l.sayAll(few[form], "%s: the partition key is "+string(form)+", a value of which there are few, or one at a time; all items with the same one are in one partition")
	}
}

// constantsAsked looks for values of partition keys that access patterns give, where no item is read to have them.
func (l *looker) constantsAsked() {
	constants, few := map[string][]request{}, map[string][]request{} // by the index, or the table
	for _, p := range l.Patterns {
		r := l.request(p)
		about := cmp.Or(r.Index, r.Table, "the table")
		if len(r.Conditions) == 0 || r.Index != "" && slices.ContainsFunc(l.hits, func(h Hit) bool { return h.About == r.Index }) {
			continue
		}
		c, whole := r.Conditions[0], len(r.Conditions) > 1
		for _, other := range r.Conditions { // the key of one item
			whole = whole && other.Operator == "=" && len(other.Value.Parameters()) == 0
		}
		if c.Operator != "=" || c.Filter || r.hash.Name != "" && r.hash.Name != c.Attribute || whole || !(r.index != nil && len(r.index.Keys) == 0) && slices.ContainsFunc(l.of(r.table), func(e *reader.Entity) bool { _, has := e.Key(c.Attribute); return has }) {
			continue
		}
		if slices.ContainsFunc(l.Between(r.Line, r.Last), l.word("spread").MatchString) || r.index != nil && l.saidOtherwise(r.source, c.Value) {
			continue
		}
		names, literal := c.Value.Parameters(), c.Value.Prefix()
		switch generic := l.word("generic-name").MatchString(c.Attribute); {
		case r.Listed && r.Index != "" && len(names) == 1 && literal != "" && (l.few(names[0]) || l.word("period").MatchString(names[0])) && strings.HasSuffix(string(c.Value), "}"):
			few[about] = append(few[about], r)
		case r.Listed && r.Index != "" && c.Value != "" && l.word("few-asked").MatchString(c.Attribute), r.Index != "" && l.word("day-value").MatchString(string(c.Value)):
			few[about] = append(few[about], r)
		case (generic || r.Listed && r.Index != "") && len(names) == 0 && l.word("one-value").MatchString(literal) && !l.word("few-items").MatchString(r.Title+" "+l.word("kind-mark").ReplaceAllString(literal, "")):
			constants[about] = append(constants[about], r)
		}
	}
	say := func(found map[string][]request, format string) {
		for _, about := range slices.Sorted(maps.Keys(found)) {
			var titles, asked []string
			var also []int
			for _, r := range found[about] {
				titles, asked, also = appendNew(titles, fmt.Sprintf("%q", r.Title)), appendNew(asked, r.Conditions[0].String()), append(also, r.Line)
			}
			l.sayOf(about, also[0], also, format, strings.Join(titles, ", "), about, strings.Join(asked, ", "))
		}
	}
	say(constants, "%s: %s is asked for a constant (%s), so that all items of a kind are in one partition")
	say(few, "%s: %s is asked for a value of which there are few, or one at a time (%s); all items with the same one are in one partition")
}

// constantsTold looks for partition keys of indexes in lines that no form reads: GSI2PK = TYPE#{type}, or a row of a table of indexes.
func (l *looker) constantsTold() {
	var constants, few []place
	judge := func(line int, name, form string) {
		shown := strings.NewReplacer("<", "{", ">", "}", "${", "{", "`", "").Replace(strings.TrimSpace(form))
		form = l.word("day-behind").ReplaceAllString(shown, "$1{date}")
		if !l.word("capital-name").MatchString(form) {
			form = l.word("state-behind").ReplaceAllString(form, "$1{status}")
		}
		if l.few(form) {
			form = "{" + form + "}" // the name of the attribute
		}
		s := ofIndex(&reader.Table{}, &reader.Index{At: reader.At{Line: line}, Name: name, Keys: []reader.Key{{Name: name, Role: reader.Hash}}})
		literal, names := l.word("kind-mark").ReplaceAllString(reader.Template(form).Prefix(), ""), reader.Template(form).Parameters()
		known := slices.ContainsFunc(l.hits, func(h Hit) bool {
			return h.Line == line || slices.Contains(h.Also, line) || strings.Contains(h.Message, form) || len(l.Tables) < 2 && numberOf(name) != "" && numberOf(h.About) == numberOf(name)
		}) ||
			slices.ContainsFunc(l.Entities, func(e *reader.Entity) bool { _, has := e.Key(name); return has }) || l.word("of-sort-key").MatchString(l.Line(line))
		switch constant := len(names) == 0 && (l.word("constant-form").MatchString(form) || l.word("for-all").MatchString(form)); {
		case known || form == "" || l.saidOtherwise(s, reader.Template(form)) || l.word("few-items").MatchString(literal) && !strings.HasSuffix(form, "{date}") || l.word("no-index").MatchString(l.Line(line)):
		case constant && !l.word("capital-name").MatchString(form) && !l.word("for-instance").MatchString(l.Line(line)) && !slices.ContainsFunc(few, func(p place) bool { return strings.HasPrefix(p.title, name+": ") }):
			constants = append(constants, place{line, name + ": " + shown})
		case len(names) == 1 && strings.HasSuffix(form, "}") && l.few(names[0]):
			few = append(few, place{line, strings.TrimPrefix(name+": "+shown, shown+": ")})
		}
	}
	for _, n := range l.lines(l.word("partition-told")) {
		told := l.word("partition-told").FindStringSubmatch(l.Line(n))
		judge(n, told[1]+told[3]+told[5], told[2]+told[4]+told[6])
	}
	for _, x := range l.Examples {
		for _, m := range x.Members {
			if l.word("partition-member").MatchString(m.Name) {
				judge(m.Line, m.Name, m.Text)
			}
		}
	}
	for _, n := range l.lines(l.word("called-constant")) {
		if name := l.word("called-constant").FindStringSubmatch(l.Line(n))[1]; !slices.ContainsFunc(l.hits, func(h Hit) bool { return h.Line == n }) && l.word("index-told").MatchString(l.introduced(n)) {
			constants = append(constants, place{n, name})
		}
	}
	for _, grid := range l.Grids {
		at := slices.IndexFunc(grid.Header, l.word("partition-head").MatchString)
		for _, row := range grid.Rows {
			if at < 0 || at >= len(row.Cells) || !l.word("index-told").MatchString(row.Cells[0]) && !l.word("index-told").MatchString(l.introduced(row.Line)) {
				continue
			}
			for _, form := range strings.Split(row.Cells[at], " / ") {
				judge(row.Line, row.Cells[0], form)
			}
		}
	}
	if len(l.hits) == 0 {
		var fixed []place
		for _, n := range l.lines(l.word("fixed-value")) {
			fixed = append(fixed, place{n, l.word("fixed-value").FindStringSubmatch(l.Line(n))[1]})
		}
		l.sayAll(fixed, "%s: the partition key is the same for all of them, so that they meet in one partition")
	}
	l.sayAll(constants, "%s: the partition key of an index is the same for all of them, so that they meet in one partition")
	l.sayAll(few, "%s: the partition key of an index has a value of which there are few, or one at a time; all items with the same one are in one partition")
}

// mostValues is how many values of a partition key are few: each takes 1,000 writes a
// second, whatever the table takes.
const mostValues = 10

// literalDay matches the day in which a bound ends.
var literalDay = lazyregexp.New(`\d{4}-\d{2}-\d{2}$`)

var dayName = lazyregexp.New(`(?i)(^|_)(date|day)$|(?-i:(Date|Day)$)|^(date|day)(To|_to|End)$|^(end|to|until)_?(date|day)$`)

// sameWords reports whether a title is the words of a key's prefix: AI_THREAD is
// "AI thread", and no "User rating" is a SITE.
func sameWords(title, prefix string) bool {
	clean := func(text string) string {
		before, _, _ := strings.Cut(text, " (")
		return strings.TrimSuffix(reader.Plain(before), "s")
	}
	return clean(title) == clean(prefix)
}
