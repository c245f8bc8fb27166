package reader

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"go.yaml.in/yaml/v3"

	"dynaproof/accesspatterns/document/internal/lazyregexp"
)

// word is what a label, a header cell or a title says: "partition key", "Hash Key" and "PK" are one
// word.
type word string

// The words of the field. A text that is none of them is no word, whatever it is about.
const (
	wHash       word = "partition key"
	wRange      word = "sort key"
	wPrimary    word = "primary key"
	wTable      word = "table"
	wIndex      word = "index"
	wName       word = "name"
	wLocal      word = "local index"
	wProjection word = "projection"
	wBilling    word = "billing"
	wTTL        word = "ttl"
	wStream     word = "stream"
	wPITR       word = "pitr"
	wRegion     word = "region"
	wType       word = "type"
	wAttribute  word = "attribute"
	wRole       word = "key"
	wValue      word = "value"
	wSetting    word = "setting"
	wPattern    word = "pattern"
	wOperation  word = "operation"
	wCondition  word = "condition"
	wSource     word = "source"
	wOrder      word = "order"
	wLimit      word = "limit"
	wFilter     word = "filter"
	wEntity     word = "entity"
	wAttributes word = "attributes"
	wRequired   word = "required"
	wIndexes    word = "indexes"
	wExample    word = "example"
	wTaxonomy   word = "taxonomy"
	wSparse     word = "sparse"
	// wSilent stands over what says nothing that is compared: purpose, notes, cost.
	wSilent word = "-"
)

//go:embed words.yaml
var written []byte

// phrases are what a text begins with, holds or ends in, as words of their own, or is as a whole, and signs that it holds.
type phrases struct{ Signs, Begins, Holds, Ends, Whole []string }

// vocabulary is what words.yaml has: the spellings of each word, the lists of phrases by their names, and in lists what names stand for.
var vocabulary = sync.OnceValue(func() (all struct {
	words   map[word][]string
	phrases map[string]phrases
	names   map[string]map[string][]string
}) {
	documents := yaml.NewDecoder(bytes.NewReader(written))
	if err := errors.Join(documents.Decode(&all.words), documents.Decode(&all.phrases), documents.Decode(&all.names)); err != nil {
		panic(err) // a test reads with every one of them
	}
	return all
})

// phraseForms are the lists of phrases as expressions, by their names.
var phraseForms = sync.OnceValue(func() map[string]*lazyregexp.Regexp {
	all := map[string]*lazyregexp.Regexp{}
	for name, p := range vocabulary().phrases {
		var forms []string
		for form, list := range map[string][]string{`^(?:%s)\b`: p.Begins, `\b(?:%s)\b`: p.Holds, `\b(?:%s)$`: p.Ends, `^(?:%s)\W*$`: p.Whole, `%s`: p.Signs} {
			if len(list) > 0 {
				forms = append(forms, fmt.Sprintf(form, strings.Join(list, "|")))
			}
		}
		all[name] = lazyregexp.New(`(?i)` + strings.Join(forms, "|"))
	}
	return all
})

// phrase is a list of phrases as an expression.
func phrase(name string) *lazyregexp.Regexp { return phraseForms()[name] }

// words are the spellings of each word.
var words = sync.OnceValue(func() map[string]word { return spelledAs(vocabulary().words) })

// meanings are what names stand for, by the lists that they stand in.
var meanings = sync.OnceValue(func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for list, names := range vocabulary().names {
		all[list] = spelledAs(names)
	}
	return all
})

// meaning is what a name stands for in a list, "" for none.
func meaning(list, name string) string { return meanings()[list][name] }

// Presence reads what a column of presence says: "yes" for an attribute that every item has, "no" for another, "" for what is neither.
func Presence(text string) string {
	return meaning("presence", strings.ToLower(strings.Trim(text, " *`")))
}

// spelledAs are spellings with what each is one of.
func spelledAs[W ~string](spellings map[W][]string) map[string]W {
	all := map[string]W{}
	for w, each := range spellings {
		for _, spelling := range each {
			if all[spelling] != "" {
				panic(spelling + " is two words: which of them, each start would decide anew")
			}
			all[spelling] = w
		}
	}
	return all
}

var (
	bracketed = lazyregexp.New(`\s*\([^()]*\)`)
	inTicks   = lazyregexp.New("`[^`]*`")
	// counted matches a number that counts what follows: 1スポット, 1인.
	counted   = lazyregexp.New(`^\d+[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]`)
	numbering = lazyregexp.New(`^\(?(\d+(?:[a-z]?[.):])?)+[\s.):-]*`)
	// tickAlone matches a tick and nothing else, which says yes.
	tickAlone = lazyregexp.New(`^[✅✓✔☑]\x{FE0F}?$`)
	none      = lazyregexp.New(`(?i)^[^\pL\pN]*(none|n/a|na|not (used|applicable|set|required|sparse)|no|nil|なし|オフ|無し?|无|없음|нет|-|—|–|keine?[rs]?|aucune?|ningun[ao]|nenhuma?|nessun[ao]|geen|無効|不要|使用しない|使わない|未使用|未設定|設定しない|該当なし|비활성화?|미사용|미설정|사용(?:하지 않음| ?안 ?함)|해당 없음|关闭|未启用|不使用|禁用|(?:выключен|отключен)\pL*|не используется|отсутствует|null|disabled|off|)[^\pL\pN]*$|^[^\pL\pN]*(none|no sort key|not (?:used|applied|enabled|configured|set)|n/a|null|disabled)\b`)
	// Billing modes, stream views and regions in a text.
	billingWord = lazyregexp.New(`(?i)(\b(?:PAY_PER_REQUEST|pay[- _]?per[- _]?request|on[- _]?demand|bajo demanda|sob demanda)\b|オンデマンド|온디맨드|按需|à la demande(?: ?[(,.;]|$))|\b(PROVISIONED|provisionad[oa]|aprovisionad[oa]|bereitgestellt)\b|(?:プロビジョンド|プロビジョニング(?:済み)?|프로비저닝됨?|预置|預置)(?:モード|キャパシティ|모드|模式|容量)*(?:$|[ （(、，。])`)
	viewWord    = lazyregexp.New(`\b(?:NEW_AND_OLD_IMAGES|NEW_IMAGE|OLD_IMAGE|KEYS_ONLY)\b|^(?i:new[- ]and[- ]old[- ]images|new image|old image|keys only)\b`)
	// relational matches what only the tables of another kind of database have.
	relational = lazyregexp.New(`(?i)\(FK\)|\| *` + "`?" + `(?:FK|varchar|bigint|jsonb|timestamptz)\b`)
	regionWord = lazyregexp.New(`\b[a-z]{2}(-gov)?-[a-z]+-\d\b`)
)

// spell is a label without marks, brackets and case.
func spell(label string) string {
	label = strings.ToLower(strings.Join(strings.Fields(strings.Trim(cleanTitle(label), " :*`—–-")), " "))
	return strings.ReplaceAll(label, "’", "'")
}

// wordOf is the word that a label is, "" for none.
func wordOf(label string) word {
	spelt := spell(label)
	if w, is := words()[spelt]; is {
		return w
	}
	return words()[strings.TrimSpace(bracketed.ReplaceAllString(spelt, ""))]
}

// ofOther reports whether a text speaks of another database. What stands in backticks there is a name, and says nothing of it.
func ofOther(text inline) bool {
	return phrase("foreign").MatchString(inTicks.ReplaceAllString(ticked(text), ""))
}

// topic is what a section speaks of, by its title.
type topic int

const (
	noTopic topic = iota
	topicPatterns
	topicAttributes
	topicEntities
	topicExamples
	topicIndexes
	topicKeys
	topicOther // a title that is no item: purpose, notes, capacity
)

// The words for access patterns: with letters that part words, and without.
const (
	accessPatterns     = `access[- ]patterns?|patterns? d'accès|zugriffsmuster|patrones de acceso|padrões de acesso|pattern di accesso|modelli di accesso`
	moreAccessPatterns = `アクセスパターン|主(?:な|要な?)(?:アクセス|クエリ)|クエリ(?:パターン|例)|(?:접근|액세스) 패턴|(?:访问|訪問|存取)模式|mẫu truy cập|паттерны доступа`
)

// topics are looked for in this order: as words in a title, or, with ^, at its beginning.
var topics = []struct {
	topic topic
	form  *lazyregexp.Regexp
}{
	{topicPatterns, lazyregexp.New(`(?i)^(?:validation|verification)(?: of|:)? (?:the )?(?:` + accessPatterns + `|queries)\b`)},
	{topicOther, lazyregexp.New(`(?i)\baccess[- ]patterns? served\b|\b(?:scaling|flow|design|implementation|usage|operational|performance|migration|deployment) notes$|\bconsiderations$|^(adding|how to add|new) .*patterns?\b|^why\b|^(hot partition|costs?|capacity|trade-?offs?|validation|security|migration|monitoring|performance|changelog|change log|write patterns$|purpose|notes\b|summary|overview|use cases|use case$|guarantees?|references?|guardrails|failure modes|design (principles|decisions|philosophy)|concurrency|privacy|implementation|goals|rationale|scalab|supports|typical questions|time-based|limitations|current limitations|considerations|best practices|aggregate design|next steps|todo|naming|data privacy|latency|future|planned)\b`)},
	{noTopic, lazyregexp.New(`(?i)\b(entit(y|ies)|(entity|item) (types?|structures?)|items|schema|(data )?model|tables?) (and|&) access patterns|\baccess patterns (and|&) (the )?(schema|(data )?model|tables?|entities|items|keys?|key (design|schema|structure))\b`)},
	{topicPatterns, lazyregexp.New(`(?i)\b(` + accessPatterns + `|query patterns?|read patterns?|solved patterns|query(?:ing)? examples?|(example|common|key|sample) (queries|operations)|queries|abfragen|defined patterns|how (?:we|you|data is|it is|they are|the [\w-]+) (?:query|queries|queried|accesse[ds]|reads?))\b|(?:조회|쿼리) 패턴|주요 쿼리|쿼리 예시|` + moreAccessPatterns)},
	{topicIndexes, lazyregexp.New(`(?i)^(local |global |existing |required |sparse |active |key |main )?(secondary )?(indexes|indices)\b|\b(global|local) secondary (indexes|indices)\b|^(?:(?:recommended|dynamodb|active|key|main) )?(?:gsis|lsis)\b|^index(es)? secondaires\b|^(existing|current|required|additional) (index|gsis?)$|^(?:gsi|lsi|(?:(?:global|local) )?secondary index)$|^(?:globale )?sekundärindizes|^indizes\b|^indici\b|^[íi]ndices$|[íi]ndices? (globales |globais )?secund[aá]ri|セカンダリインデックス|보조 인덱스|二级索引|chỉ mục phụ`)},
	{topicKeys, lazyregexp.New(`(?i)^((primary|composite|table|base) (keys?|table)|keys?|(?:(?:entity|item) )?key (schema|structure|design|configuration|patterns?|shapes?|format)s?|configuration|table (schema|configuration|structure|details|settings|definition)|schema|item key patterns|index keys?|primary access|dynamodb schema|schlüssel|claves|clés|chaves)\b`)},
	{topicExamples, lazyregexp.New(`(?i)^(?:an? )?(?:example|sample)s? `)}, // "Example fields"
	{topicAttributes, lazyregexp.New(`(?i)\b(attributes?|fields|properties|attributs|attribute)\b|^属性|^(stores|holds|contains)$`)},
	{topicExamples, lazyregexp.New(`(?i)\b(examples?|samples?|exemples?|ejemplos?|exemplos?|beispiele?)\b|(?:例|サンプル)$`)},
	{topicEntities, lazyregexp.New(`(?i)^(entit(y|ies)|items?|item types?|record types?)( (list|types?|definitions?|schemas?|key patterns|shapes?|catalog|patterns?))?$|\b(pk/sk|sk|pk) (patterns?|taxonomy|design|schema)\b`)},
}

func topicOf(title string) topic {
	title = cleanTitle(title)
	before, inside, _ := strings.Cut(title, " (")
	for _, entry := range topics {
		if entry.form.MatchString(before) {
			if entry.topic == topicPatterns && queriesOfIndex.MatchString(before) {
				return topicIndexes
			}
			return entry.topic
		}
	}
	if patternsAlone.MatchString(strings.TrimRight(inside, ")")) { // "Operations (access patterns)"
		return topicPatterns
	}
	return noTopic
}

// queriesOfIndex matches the title of an index that says what it answers: "GSI1 - User-based queries".
var queriesOfIndex = lazyregexp.New(`(?i)^(?:GSI|LSI)[-_ ]?\d+ ?[:–—-] .*\bqueries$`)

var patternsAlone = lazyregexp.New(`(?i)^(?:` + accessPatterns + `|` + moreAccessPatterns + `)$`)

// cleanTitle removes numbers, signs and marks around a title.
func cleanTitle(title string) string {
	clean := withoutSigns(strings.TrimLeft(title, " "))
	if number := numbering.FindString(clean); !counted.MatchString(clean) {
		clean = clean[len(number):]
	}
	for before := ""; before != clean; {
		before = clean
		clean = strings.TrimLeft(withoutSigns(clean), " .:*-)")
	}
	return strings.Trim(clean, " :*")
}

// withoutSigns removes the signs before a title, such as emoji, also where they came through a
// wrong encoding: characters beyond ASCII of which one is no letter. Words of other languages stay.
func withoutSigns(title string) string {
	end := strings.IndexFunc(title, func(r rune) bool { return r <= unicode.MaxASCII })
	if end < 0 {
		end = len(title)
	}
	word := strings.ContainsFunc(title[:end], func(r rune) bool {
		return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) && !unicode.Is(unicode.Lm, r)
	})
	if !word && strings.ContainsFunc(title[:end], func(r rune) bool { return !unicode.IsLetter(r) }) {
		return strings.TrimLeft(title[end:], " ")
	}
	return title
}

// isNone reports whether a value says that there is none.
func isNone(text string) bool {
	text = strings.Trim(text, " `")
	return none.MatchString(text) && !tickAlone.MatchString(text)
}

// billingOf is the billing mode that a value begins with, "" for none.
func billingOf(value string) string {
	at := billingWord.FindStringSubmatchIndex(value)
	switch {
	case at == nil || at[0] > 3:
		return ""
	case at[2] >= 0:
		return "PAY_PER_REQUEST"
	}
	return "PROVISIONED"
}

// viewOf is the view of a stream that a value names, "" for none.
func viewOf(value string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToUpper(viewWord.FindString(value)))
}
