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
)

// link is one click: a link or a fold of the current view, or of the head, by its text.
type link struct{ selector, text string }

const (
	inView = ".view.current a"
	inHead = "nav a"
	fold   = ".view.current summary"
)

// questions are what readers ask of a report, who asks, the links from its first screen to the answer, at most three, and words of the
// answer that stand in sight there.
var questions = []struct {
	who, asks string
	path      []link
	answer    []string
}{
	{"an auditor", "Which Scans were sent to osem-ladders, and why?", nil, []string{"Scans and PartiQL statements in the ledger", "osem-ladders/pattern/list-users", "waived"}},
	{"an auditor", "What became of line 200 of roll-model?", []link{{inHead, "roll-model"}, {inView, "roll-model.md beside its verdicts"}}, []string{"▲ high text of line 200"}},
	{"an auditor", "Was anything of AWS looked at?", nil, []string{"nothing of AWS took part", "any environment of yours on AWS"}},
	{"an auditor", "By which attribute do audit records expire, and who decided that?", []link{{inHead, "commit-collect"}, {inView, "claims about CommitCollectAudit"}, {inView, "CommitCollectAudit: expires items by expiresAt"}}, []string{"on, by attribute expiresAt", "ruling commit-collect 2"}},
	{"an auditor", "Which findings are worst?", []link{{inView, "findings of high severity"}}, []string{"finding, high"}},
	{"an auditor", "How do I recompute a figure?", []link{{fold, "How to recompute these"}}, []string{"gzip -dc evidence.json.gz | jq -r"}},
	{"an auditor", "Is the folder as it was written, and signed?", nil, []string{"unsigned", "dynaproof report --verify"}},
	{"an auditor", "What changed since the last run?", nil, []string{"dynaproof report OLDER NEWER"}},
	{"an auditor", "What do I sign for?", nil, []string{"Open points: what a reader has to accept, or to ask about", "waived"}},
	{"an auditor", "What does not hold, and what is to be done?", nil, []string{"KEYS_ONLY", "Delete the index and make it anew", "At risk"}},

	{"an auditor of IAM", "Who may Scan?", []link{{inView, "waived"}, {inView, "and Scan to all but role"}}, []string{"principals with the tag role=admin may Scan", "waiver"}},
	{"an auditor of IAM", "Does a policy keep a user out of another user's partition?", []link{{inView, "policy"}, {inView, "confines a user to partitions of its own"}}, []string{"Must be denied", "another user's partition", "that AWS enforces them is not observed"}},
	{"an auditor of IAM", "What can no policy keep from a coach?", []link{{inView, "policy"}, {inView, "the policy of role coach"}}, []string{"Beyond what a policy can do", "Must be allowed"}},
	{"an auditor of IAM", "Who answers for the exceptions, until when?", nil, []string{"owner: the maintainers of this contract", "without an end"}},
	{"a DBA", "Which keys, which billing, which time to live has a table?", []link{{inHead, "roll-model"}}, []string{"PK S, SK S", "PAY_PER_REQUEST", "Time to live"}},
	{"a DBA", "How many items does a pattern inspect to return how many, and for what capacity?", []link{{inHead, "personal-os"}}, []string{"Scanned", "Capacity", "Decoys avoided"}},
	{"a DBA", "What happens when two clients create the same entry at once?", []link{{inView, "invariant"}, {inView, "an entry, its meta and its keyword items come into being together"}}, []string{"Attempts to break it", "attribute_not_exists(PK)", "TransactionCanceledException"}},
	{"a DBA", "Which values may an attribute have?", []link{{inView, "attribute"}, {inView, "Gap priority override: status"}}, []string{"Presence", "one of accepted, watch, dismissed"}},
	{"a product owner", "What does the document lose, and what should it say?", []link{{inView, "findings of high severity"}, {inView, "The documented prefix matches longer tokens"}}, []string{"To the letter", "To the author", "Rests on"}},
	{"a product owner", "What did this project decide because the document is silent?", []link{{inView, "chosen"}}, []string{"chosen"}},
	{"a product owner", "What does a pass not say?", nil, []string{"Not asked, and not to be read from a pass", "your application"}},
	{"a product owner", "What does \"told\" mean?", []link{{inView, "told"}}, []string{"a fault of the document, found by reading; never a pass"}},
}

// state is where the page is, and arrived whether it shows what its address says.
const (
	state   = `(location.href + document.querySelectorAll("details[open]").length)`
	arrived = `!!(document.getElementById(decodeURIComponent(location.hash.slice(1).split("?")[0]) || "/overview") || document.getElementById("/not-found")).closest(".view.current")`
)

// value is a value of the browser's accessibility tree.
type value struct {
	Value any `json:"value"`
}

// Each question is answered in at most three clicks from the first screen.
func TestReadersQuestions(t *testing.T) {
	b := look(t)
	for _, question := range questions {
		t.Run(question.asks, func(t *testing.T) {
			if len(question.path) > 3 {
				t.Fatalf("%s: expected at most three clicks, found %d", question.who, len(question.path))
			}
			b.t = t
			b.shows("#/overview")
			for _, step := range question.path {
				before := b.says(state)
				b.click(step.selector, step.text)
				b.becomes(fmt.Sprintf("%s !== %q && %s", state, before, arrived), "true")
			}
			text := strings.Join(strings.Fields(b.says(`document.querySelector(".view.current").innerText`)), " ") + b.says(`document.querySelector("footer").innerText`)
			for _, answer := range question.answer {
				assert.Contains(t, text, answer, question.who)
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
		if want < 5 || want > 300 {
			t.Fatalf("%s: expected some controls, found %d", name, want)
		}
		for range want {
			b.do(chromedp.KeyEvent(kb.Tab))
		}
		if missed := b.says(controls + `.filter((node) => !reached.has(node)).map((node) => node.tagName + " " + node.textContent.slice(0, 40)).join("; ")`); missed != "" {
			t.Errorf("%s: expected Tab to reach every control, found these left: %s", name, missed)
		}
		if unseen := b.says(`unseen.join("; ")`); unseen != "" {
			t.Errorf("%s: expected the focus to be seen, found none on %s", name, unseen)
		}
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
		if bare := b.says(`Array.from(document.querySelectorAll(".view.current table")).filter((table) => table.getClientRects().length && !(table.caption && table.caption.textContent.trim()) && !table.getAttribute("aria-label")).map((table) => table.textContent.slice(0, 60)).join("; ")`); bare != "" {
			t.Errorf("%s: expected a caption for each table, found none of %s", name, bare)
		}
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
			if name := node.Name.Value; name == nil || name == "" {
				t.Errorf("%s: expected a name for each %s, found one without", name, role)
			}
		}
		if named < 10 {
			t.Errorf("%s: expected a tree with links and headings, found %d", name, named)
		}
	}
}
