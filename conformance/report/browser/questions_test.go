package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
)

// state is where the page is, and arrived whether it shows what its address says.
const (
	state   = `(location.href + document.querySelectorAll("details[open]").length)`
	arrived = `!!(document.getElementById(decodeURIComponent(location.hash.slice(1).split("?")[0]) || "/overview") || document.getElementById("/not-found")).closest(".view.current")`
)

// value is a value of the browser's accessibility tree.
type value struct {
	Value any `json:"value"`
}

// Each question of a reader is answered in at most three clicks from the first screen.
func TestReadersQuestions(t *testing.T) {
	b := look(t)
	selectors := map[string]string{"view": ".view.current a", "head": "nav a", "fold": ".view.current summary"}
	for _, question := range tabletest.Read[[]struct {
		Who, Asks string
		Path      []map[string]string
		Answer    []string
	}](t, "questions.yaml") {
		t.Run(question.Asks, func(t *testing.T) {
			require.LessOrEqual(t, len(question.Path), 3, question.Who)
			b.t = t
			b.shows("#/overview")
			for _, step := range question.Path {
				for kind, text := range step {
					before := b.says(state)
					b.click(selectors[kind], text)
					b.becomes(fmt.Sprintf("%s !== %q && %s", state, before, arrived), "true")
				}
			}
			text := strings.Join(strings.Fields(b.says(`document.querySelector(".view.current").innerText`)), " ") + b.says(`document.querySelector("footer").innerText`)
			for _, answer := range question.Answer {
				assert.Contains(t, text, answer, question.Who)
			}
		})
	}
	b.t = t
	b.clean()
}

// views are one of each kind of page, and whether its tables are as many as those of a run.
var views = map[string]string{
	"overview": "#/overview", "claims": "#/claims?kind=finding&severity=high&design=roll-model", "design": "#/design/osem-ladders", "failure": "#/claim/" + brokenClaim,
	"pattern": "#/claim/roll-model/pattern/post-comment", "invariant": "#/claim/roll-model/invariant/entry-created-once", "finding": "#/claim/roll-model/finding/keyword-prefix",
	"policy": "#/claim/roll-model/policy/role/coach", "document": "#/document/roll-model.md/L200", "missing": "#/claim/of/another/run",
}

// shows goes to a view.
func (b *browser) shows(fragment string) {
	b.t.Helper()
	b.do(chromedp.Evaluate(fmt.Sprintf("location.hash = %q", fragment), nil))
	b.becomes(arrived, "true")
}

// picture keeps a picture of a whole page, where somebody wants to look.
func (b *browser) picture(name string) {
	b.t.Helper()
	folder := os.Getenv("DYNAPROOF_SCREENSHOTS")
	if folder == "" {
		return
	}
	var picture []byte
	b.do(chromedp.FullScreenshot(&picture, 100))
	require.NoError(b.t, os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644))
}

// What is printed is black on white, whatever the theme, with every fold open and no box that hides the rest of a table.
func TestPrintOfADarkTheme(t *testing.T) {
	b := look(t)
	b.do(chromedp.Evaluate(`document.documentElement.dataset.theme = "dark"`, nil))
	b.do(emulation.SetEmulatedMedia().WithMedia("print").WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}), chromedp.EmulateViewport(718, 1000))
	for name, fragment := range views {
		b.shows(fragment)
		b.do(chromedp.Evaluate(`dispatchEvent(new Event("beforeprint"))`, nil))
		b.becomes(`getComputedStyle(document.body).backgroundColor`, "rgb(255, 255, 255)")
		assert.Equal(t, "readable", b.says(contrast), "%s: expected a contrast of 4.5 or more on paper", name)
		assert.Equal(t, "0", b.says(`document.querySelectorAll(".view.current details:not([open])").length`), "%s: expected every fold to be open", name)
		assert.Equal(t, "", b.says(`Array.from(document.querySelectorAll(".view.current .wide, .view.current .case, .view.current pre")).filter((box) => box.getClientRects().length && (box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1)).map((box) => box.textContent.slice(0, 40)).slice(0, 3).join("; ")`), "%s: expected nothing to be cut off", name)
		b.picture("print-" + name)
	}
}

// Tab reaches every control of a view, and each shows where it is.
func TestEveryControlIsReachable(t *testing.T) {
	b := look(t)
	const controls = `Array.from(document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")).filter((node) => node.checkVisibility())`
	b.do(chromedp.Evaluate(`window.watch = (event) => { reached.add(event.target); const style = getComputedStyle(event.target); if (style.outlineStyle === "none" || style.outlineWidth === "0px") unseen.push(event.target.textContent.slice(0, 40)); };
		addEventListener("focusin", watch)`, nil))
	for _, name := range []string{"failure", "finding", "invariant", "policy"} {
		b.shows(views[name])
		// The first Tab leads to the head of the page, as behind a load.
		b.do(chromedp.Evaluate(`document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute("tabindex"); window.reached = new Set(); window.unseen = []`, nil))
		want := 0
		b.do(chromedp.Evaluate(controls+`.length`, &want))
		require.True(t, want >= 5 && want <= 300, "%s: expected some controls, found %d", name, want)
		for range want {
			b.do(chromedp.KeyEvent(kb.Tab))
		}
		assert.Empty(t, b.says(controls+`.filter((node) => !reached.has(node)).map((node) => node.tagName + " " + node.textContent.slice(0, 40)).join("; ")`), "%s: expected Tab to reach every control", name)
		assert.Empty(t, b.says(`unseen.join("; ")`), "%s: expected the focus to be seen", name)
	}
	b.do(chromedp.Evaluate(`removeEventListener("focusin", watch)`, nil))
}

// A screen reader finds headings in order, a name for every table, column and row, and for everything that can be used.
func TestScreenReadersTree(t *testing.T) {
	b := open(t, shown)
	b.visit("")
	// A tree is made of the whole page, anew for each view: the other views, which no reader is shown, are taken out.
	looked, err := json.Marshal(slices.Collect(maps.Values(views)))
	require.NoError(t, err)
	b.do(chromedp.Evaluate(fmt.Sprintf(`{
		const looked = new Set(%s.map((fragment) => document.getElementById(fragment.slice(1).split("?")[0]) || document.getElementById("/not-found")).map((found) => found.closest(".view")));
		for (const view of document.querySelectorAll(".view")) if (!looked.has(view)) view.remove();
	}`, looked), nil))
	for name, fragment := range views {
		b.shows(fragment)
		levels := strings.Split(b.says(`Array.from(document.querySelectorAll(".view.current h1, .view.current h2, .view.current h3, .view.current h4")).filter((node) => node.getClientRects().length).map((node) => node.tagName.slice(1)).join(" ")`), " ")
		for i, level := range levels {
			if i == 0 && level != "1" || i > 0 && level > string(levels[i-1][0]+1) {
				t.Errorf("%s: expected headings in order, found %s", name, strings.Join(levels, " "))
				break
			}
		}
		assert.Empty(t, b.says(`Array.from(document.querySelectorAll(".view.current table")).filter((table) => table.getClientRects().length && !(table.caption && table.caption.textContent.trim()) && !table.getAttribute("aria-label")).map((table) => table.textContent.slice(0, 60)).join("; ")`), "%s: expected a caption for each table", name)
		assert.Equal(t, "", b.says(`Array.from(document.querySelectorAll(".view.current th")).filter((cell) => cell.getClientRects().length && !cell.scope).map((cell) => cell.textContent.slice(0, 40)).join("; ")`), "%s: expected each heading of a table to say what it heads", name)
		var tree struct {
			Nodes []struct {
				Ignored bool  `json:"ignored"`
				Role    value `json:"role"`
				Name    value `json:"name"`
			} `json:"nodes"`
		}
		b.do(chromedp.ActionFunc(func(ctx context.Context) error {
			return cdp.Execute(ctx, accessibility.CommandGetFullAXTree, nil, &tree)
		}))
		named := 0
		for _, node := range tree.Nodes {
			role := fmt.Sprint(node.Role.Value)
			if node.Ignored || !slices.Contains([]string{"link", "button", "heading", "combobox", "searchbox", "region", "image", "navigation", "search", "table"}, role) {
				continue
			}
			named++
			assert.NotEmpty(t, node.Name.Value, "%s: expected a name for each %s", name, role)
		}
		assert.GreaterOrEqual(t, named, 10, "%s: expected a tree with links and headings", name)
	}
}
