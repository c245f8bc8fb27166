package reader

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
)

// variants are the ways in which documents write one fact.
type variants struct {
	Titles []string // of the table orders
	Keys   []struct {
		Text    string
		Untyped bool
	}
	Indexes struct {
		Titles, Labels []string // over indexes
		// Named are names that say that they are an index's. Called do so below a title or label alone, and Headed below a title.
		Named, Called, Headed []indexName
		Keys, Lines           []string
	}
	Kinds struct {
		Titles, Texts []string
		Slashed       string // whose keys the table names
	}
	Settings    map[string][]string
	Projections []string
	Patterns    []string // of a customer, its orders, and the orders of a status
}

// indexName is the name of the index by-mail, and whether its keys stand in a list below it.
type indexName struct {
	Text   string
	Nested bool
}

// below are the keys of an index as they stand below its name.
func (n indexName) below(keys string) string {
	if !n.Nested {
		return n.Text + keys
	}
	indent := strings.Repeat(" ", strings.IndexByte(n.Text, ' ')+1)
	return n.Text + indent + strings.ReplaceAll(strings.TrimSpace(keys), "\n", "\n"+indent) + "\n"
}

const (
	shop   = "# Orders on DynamoDB\n\nA design.\n\n"
	orders = shop + "## Table: `orders`\n\n- Partition key: `id` (String)\n- Sort key: `day` (Number)\n"
	asked  = "\n## Access patterns\n\n- Get an order by its id\n"
)

var (
	atLine = regexp.MustCompile(`(?m) @\d+| +$`)
	typeOf = regexp.MustCompile(`(?m)^((?:  )+(?:HASH|RANGE) \S+) [SN]$`)
)

// said are the facts of a text without their lines.
func said(text string) string {
	document, err := Read([]byte(text))
	if err != nil {
		return err.Error()
	}
	return atLine.ReplaceAllString(atLine.ReplaceAllString(facts(document), ""), "")
}

// TestVariants holds the law that it does not matter which way of writing one thing stands beside which way of writing another: every title with every
// list of keys, of one table and of two, every name of an index with its keys below every title. What is found missing in one document is missing in a row here.
func TestVariants(t *testing.T) {
	all := tabletest.Read[variants](t, "variants.yaml")
	const table = "table orders\n  HASH id S\n  RANGE day N\n"
	for _, title := range all.Titles {
		for _, keys := range all.Keys {
			if strings.HasPrefix(title, "### ") && strings.HasPrefix(keys.Text, "### ") {
				continue // beside the title, and not below it
			}
			apart := "\n"
			if strings.HasPrefix(title, "- ") && strings.HasPrefix(keys.Text, "- ") {
				apart = "" // one list
			}
			text, want := shop+title+apart+keys.Text+asked, table
			found := said(text)
			if keys.Untyped {
				found, want = typeOf.ReplaceAllString(found, "$1"), typeOf.ReplaceAllString(want, "$1")
			}
			assert.True(t, strings.HasPrefix(found, want), "%s\n%s", text, found)
		}
	}
	second := strings.NewReplacer("SHOP_", "CART_", "orders", "carts", "Orders", "Carts", "1. ", "2. ", "2.1", "2.2", "Table 1", "Table 2")
	third := strings.NewReplacer("`id`", "`cart`", " id ", " cart ", "id (", "cart (")
	for n, title := range all.Titles {
		for m, keys := range all.Keys {
			line := all.Indexes.Named[4].below(all.Indexes.Keys[(n+m)%len(all.Indexes.Keys)]) // "**GSI1: by-mail**"
			if strings.HasPrefix(title, "- ") || strings.HasPrefix(keys.Text, "### ") {
				continue // of one list, or beside the title
			}
			text := shop + title + "\n" + keys.Text + "\n" + second.Replace(title) + "\n" + third.Replace(keys.Text) + "\n" + line + asked
			found := typeOf.ReplaceAllString(said(text), "$1")
			assert.Contains(t, found, "table carts\n  HASH cart\n  RANGE day\n  index by-mail\n    HASH mail\n    RANGE day\n", text)
			assert.True(t, strings.Contains(found, "table orders\n  HASH id\n  RANGE day\n") && strings.Count(found, "  index ") == 1, "%s\n%s", text, found)
		}
	}
	const index = "table orders\n  HASH id\n  RANGE day\n  index by-mail\n    HASH mail\n    RANGE day\n"
	indexed := func(over, text string) {
		text = orders + "\n" + over + text
		found := strings.ReplaceAll(typeOf.ReplaceAllString(said(text), "$1"), "by-mail ALL", "by-mail")
		assert.True(t, strings.HasPrefix(found, index), "%s\n%s", text, found)
	}
	over := slices.Concat(all.Indexes.Titles, all.Indexes.Labels)
	for n, keys := range all.Indexes.Keys {
		for m, name := range all.Indexes.Named {
			for _, title := range append(over, "") {
				indexed(title, name.below(keys))
			}
			indexed(over[(n+m)%len(over)], name.below(keys+all.Projections[(n+m)%len(all.Projections)]))
		}
		for _, name := range all.Indexes.Called {
			for _, title := range over {
				indexed(title, name.below(keys))
			}
		}
		for _, name := range all.Indexes.Headed {
			for _, title := range all.Indexes.Titles {
				indexed(title, name.below(keys))
			}
		}
	}
	for _, line := range all.Indexes.Lines {
		for _, title := range over {
			indexed(title, line)
		}
	}
	for _, projection := range all.Projections {
		text := orders + "\n### GSI1: `by-mail`\n\n- Partition key: `mail`\n" + projection
		assert.Contains(t, said(text), "index by-mail ALL\n", text)
	}
	values := map[string][]string{"ttl": {"gone"}, "billing": {"PAY_PER_REQUEST"}, "pitr": {"enabled"}, "stream": {"NEW_AND_OLD_IMAGES", "NEW_IMAGE"}}
	for setting, texts := range all.Settings {
		require.NotEmpty(t, values[setting], setting)
		for _, text := range texts {
			found := said(orders + text + asked)
			assert.True(t, slices.ContainsFunc(values[setting], func(value string) bool { return strings.Contains(found, "  "+setting+" "+value+"\n") }), "%s%s", text, found)
		}
	}
	tables := []string{"# Shop: single-table design in DynamoDB\n\nTable name: `shop`\n\n", "# Shop on DynamoDB\n\n## Table: `shop`\n\n- Partition key: `PK` (String)\n- Sort key: `SK` (String)\n\n"}
	for _, before := range tables {
		for _, title := range all.Kinds.Titles {
			for n, text := range append(all.Kinds.Texts, all.Kinds.Slashed) {
				named := strings.Contains(before, "`PK`")
				if !named && (text == all.Kinds.Slashed || !strings.Contains(text, "PK")) || text == all.Kinds.Slashed && strings.Contains(title, "model") {
					continue // no line names the attributes
				}
				marks := [][2]string{{"<", ">"}, {"{", "}"}, {"${", "}"}}[(n+len(title))%3]
				text = before + title + strings.NewReplacer("<", marks[0], ">", marks[1]).Replace(text) + "\n## Access patterns\n\n- Orders of a customer\n"
				found := said(text)
				for _, form := range []string{"PK = CUSTOMER#{customerId}\n  SK = PROFILE\n", "PK = CUSTOMER#{customerId}\n  SK = ORDER#{orderId}\n"} {
					assert.Contains(t, found, form, text)
				}
				assert.Equal(t, 4, strings.Count(found, "K = "), "%s\n%s", text, found)
			}
		}
	}
	const asks = "Get a customer GetItem\n  PK = CUSTOMER#{id}\n  SK = PROFILE\npattern Orders of a customer Query\n  PK = CUSTOMER#{id}\n  begins_with(SK, ORDER#)\npattern Orders by status Query GSI1\n  GSI1PK = STATUS#{status}\n"
	for _, text := range all.Patterns {
		for _, title := range []string{"## Access patterns\n\n", "## Common queries\n\n", "## Query patterns\n\n"} {
			text := tables[1] + "### GSI1\n\n- Partition key: `GSI1PK` (String)\n- Sort key: `GSI1SK` (String)\n\n" + title + text
			assert.Contains(t, strings.ReplaceAll(said(text), " code\n", "\n"), asks, text)
		}
	}
}

// TestMarks holds the law that nothing depends on which of its marks a text in Markdown uses for one thing. Every page takes its turn in two changes.
func TestMarks(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.md")
	require.NoError(t, err)
	bullet, bold, heading := regexp.MustCompile(`^(\s*)- `), regexp.MustCompile(`\*\*([^*_]+)\*\*`), regexp.MustCompile(`^#+ .*[^#]$`)
	changes := []func(line string) string{
		func(line string) string { return bullet.ReplaceAllString(line, "$1* ") },
		func(line string) string { return bullet.ReplaceAllString(line, "$1+ ") },
		func(line string) string {
			if strings.ContainsAny(line, "_`") { // which may stand within, or be what is bold
				return line
			}
			return bold.ReplaceAllString(line, "__${1}__")
		},
		func(line string) string { return heading.ReplaceAllString(line, "$0 ##") },
		func(line string) string { return line + " " },
		func(line string) string { return strings.Replace(line, "##", "###", 1) },
	}
	for turn, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, change := range []func(string) string{changes[turn%len(changes)], changes[(turn+3)%len(changes)]} {
			fenced, lines := false, strings.Split(strings.TrimRight(string(text), "\n"), "\n") // and no end of the last line
			for n, line := range lines {
				if strings.HasPrefix(strings.TrimSpace(line), "```") {
					fenced = !fenced
				} else if !fenced && (strings.HasPrefix(line, "##") || !strings.Contains(line, "##")) {
					lines[n] = change(line)
				}
			}
			assert.Equal(t, said(string(text)), said("\ufeff"+strings.Join(lines, "\n")), path)
		}
	}
}
