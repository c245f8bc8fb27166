package browser_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/replay"
	_ "dynaproof/conformance/internal/test/command" // it deploys the designs
	"dynaproof/conformance/report"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/session"
)

// patience bounds every wait for the browser.
const patience = 5 * time.Minute

// The report of a run of all designs in which one index was deployed with
// another projection than documented.
const brokenClaim = "osem-ladders/index/Teams/managerId-index/projection"

// document stands in for a design document, which the tests do not need: its
// lines say their number.
func document() []string {
	var lines []string
	for n := 1; n <= 600; n++ {
		lines = append(lines, fmt.Sprintf("text of line %d", n))
	}
	return lines
}

type rendered struct {
	run  *evidence.Run
	page string
	err  error
}

var render = sync.OnceValue(func() rendered {
	run, err := brokenRun(context.Background())
	if err != nil {
		return rendered{err: err}
	}
	documents := map[string][]string{}
	for i := range run.Designs {
		if !whole[run.Designs[i].Name] {
			continue // the tests read no other document
		}
		documents[run.Designs[i].Document] = document()
		run.Designs[i].SHA256 = fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(document(), "\n"))))
	}
	var page strings.Builder
	err = report.HTML(&page, run, report.HTMLOptions{Documents: documents})
	return rendered{run, page.String(), err}
})

// whole are designs of which every claim is shown, and tabled the kinds of claims that fill the tables of a design's page.
var (
	whole  = map[string]bool{"roll-model": true, "osem-ladders": true}
	tabled = []manifest.Kind{manifest.KindSchema, manifest.KindIndex, manifest.KindPattern}
)

func brokenRun(ctx context.Context) (*evidence.Run, error) {
	run, err := replay.Start(ctx, replay.Options{
		Command: "dynaproof verify", Bounds: session.Bounds{IndexRead: 30 * time.Millisecond, Poll: 5 * time.Millisecond},
		Orders: 1, Interruptions: 1, // TestConformance renders a run with all of them
		Wrong: func(asked *deploy.Inputs) {
			if teams := asked.Tables["Teams"]; teams != nil {
				teams["globalSecondaryIndexes"].([]any)[0].(map[string]any)["projectionType"] = "KEYS_ONLY"
			}
		},
	})
	if err != nil {
		return nil, err
	}
	plan := run.Plan(nil)
	for _, design := range run.Designs() {
		session, failure := plan.Open(ctx, design)
		for _, claim := range manifest.InOrder(design) {
			if session != nil {
				session.Unexplored = "#/claim/"+claim.ID != views["invariant"] // TestConformance renders all that is explored
			}
			if whole[design.Name] || slices.Contains(tabled, claim.Kind) {
				plan.Record(suite.Decide(ctx, claim, session, failure))
			}
		}
		if err := plan.Close(ctx, design, session); err != nil {
			return nil, err
		}
	}
	seen := run.Evidence(false)
	return seen, run.Close(ctx)
}

// executable finds Chromium, or ends the test.
func executable(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	message := "expected chromium on the PATH, to try the report in a real browser, found none; install it (Debian: apt-get install chromium)"
	if os.Getenv("CI") == "true" || os.Getenv("DYNAPROOF_BROWSER") != "" {
		t.Fatal(message)
	}
	t.Skip("skipped: " + message)
	return ""
}

// browser is one tab that shows the report, and what it did besides.
type browser struct {
	t   *testing.T
	ctx context.Context
	url string

	mu       sync.Mutex
	messages []string
	requests []string
}

// open opens a tab for the report, or for another page. Each test serves it on a port of its own, so that no page sees what another keeps.
func open(t *testing.T, page func(*testing.T) string) *browser {
	t.Helper()
	path := executable(t)
	server := served(page(t))
	t.Cleanup(server.Close)
	b, closeTab := tab(t, path, server.URL+"/index.html")
	t.Cleanup(closeTab)
	return b
}

// looking is the one tab of the tests that look at the report from its overview on, and keep nothing in it: the report is loaded once for
// them, since a browser takes longer to load it than to do all that most of them ask.
var looking struct {
	sync.Once
	*browser
}

// look leads that tab to the overview, as it is when the report is opened.
func look(t *testing.T) *browser {
	t.Helper()
	path := executable(t)
	looking.Do(func() {
		b, _ := tab(t, path, served(shown(t)).URL+"/index.html") // both end with the process
		b.visit("")
		looking.browser = b
	})
	require.NotNil(t, looking.browser, "the report could not be opened for an earlier test")
	b := looking.browser
	b.t = t
	b.mu.Lock()
	b.messages, b.requests = nil, nil
	b.mu.Unlock()
	b.do(emulation.SetEmulatedMedia(), chromedp.EmulateViewport(1440, 1000), chromedp.Evaluate(`for (const fold of document.querySelectorAll("details[open]")) fold.open = false; delete document.documentElement.dataset.theme`, nil))
	b.shows("#/overview")
	return b
}

// shown is the page of the report.
func shown(t *testing.T) string {
	t.Helper()
	report := render()
	require.NoError(t, report.err)
	return report.page
}

// served is a server that has a page.
func served(page string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/index.html" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(page)) // a browser that went away is noticed below
	}))
}

// shared is the one browser of all tests; ended waits until it has gone.
var shared struct {
	sync.Once
	ctx   context.Context
	ended func() error
}

// process starts the browser when the first test needs it.
func process(path string) context.Context {
	shared.Do(func() {
		folder, err := os.MkdirTemp("", "dynaproof-browser-")
		if err != nil {
			panic(err)
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.UserDataDir(folder),
			chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
			chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
			chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"), chromedp.WSURLReadTimeout(patience),
			// Those that are off usually, and what gives each load of a page a process of its own, of which some wait for none.
			chromedp.Flag("disable-features", "site-per-process,Translate,BlinkGenPropertyTrees,BackForwardCache,ProactivelySwapBrowsingInstance,SpareRendererForSitePerProcess"),
		)
		allocator, free := chromedp.NewExecAllocator(context.Background(), options...)
		shared.ctx, _ = chromedp.NewContext(allocator)
		shared.ended = func() error {
			err := chromedp.Cancel(shared.ctx) // waits until the browser has ended
			free()
			return errors.Join(err, os.RemoveAll(folder))
		}
		if err := chromedp.Run(shared.ctx); err != nil {
			panic(err)
		}
	})
	return shared.ctx
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.ended != nil {
		if err := shared.ended(); err != nil {
			fmt.Fprintln(os.Stderr, "closing the browser:", err)
		}
	}
	os.Exit(code)
}

// tab opens a tab for a page.
func tab(t *testing.T, path, url string) (b *browser, closeTab func()) {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(process(path))
	if whole, bounded := t.Deadline(); bounded { // a test takes many waits, and only a wait that is over its own bound has found something
		var stop context.CancelFunc
		ctx, stop = context.WithDeadline(ctx, whole)
		closeAlone := closeTab
		closeTab = func() { stop(); closeAlone() }
	}
	b = &browser{t: t, ctx: ctx, url: url}
	chromedp.ListenTarget(ctx, b.witness)
	b.do(network.Enable(), chromedp.EmulateViewport(1440, 1000))
	return b, closeTab
}

// witness keeps what must not happen: messages on the console, exceptions, and
// requests for anything but the page.
func (b *browser) witness(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch event := event.(type) {
	case *runtime.EventConsoleAPICalled:
		text := string(event.Type)
		for _, argument := range event.Args {
			text += " " + string(argument.Value)
		}
		b.messages = append(b.messages, text)
	case *runtime.EventExceptionThrown:
		b.messages = append(b.messages, event.ExceptionDetails.Error())
	case *network.EventRequestWillBeSent:
		if address, _, _ := strings.Cut(event.Request.URL, "#"); address != b.url && !strings.HasPrefix(address, "data:") {
			b.requests = append(b.requests, address)
		}
	}
}

func (b *browser) do(actions ...chromedp.Action) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Run(b.ctx, actions...))
}

// visit opens an address afresh, as a link from somebody else does.
func (b *browser) visit(fragment string) {
	b.t.Helper()
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(b.url+fragment))
}

// says evaluates an expression in the page and returns its text.
func (b *browser) says(expression string) string {
	b.t.Helper()
	var text string
	b.do(chromedp.Evaluate("String("+expression+")", &text))
	return text
}

// becomes waits until an expression has the expected text.
func (b *browser) becomes(expression, expected string) {
	b.t.Helper()
	var err error
	for range 3 { // a page that is left takes its wait with it
		err = chromedp.Run(b.ctx, chromedp.Poll(fmt.Sprintf("%s === %q", tried(expression), expected), nil, chromedp.WithPollingTimeout(patience)))
		if err == nil || errors.Is(err, chromedp.ErrPollingTimeout) {
			break
		}
	}
	if err != nil {
		b.t.Fatalf("%s: expected %q, found %q (%v)", expression, expected, b.says(tried(expression)), err)
	}
}

// tried is an expression as a text, or what it threw: an element that is waited
// for is not there at first.
func tried(expression string) string {
	return fmt.Sprintf("(() => { try { return String(%s) } catch (thrown) { return String(thrown) } })()", expression)
}

// click finds a link in the current view by its text, scrolls it into view and
// clicks it with the mouse.
func (b *browser) click(selector, text string) {
	b.t.Helper()
	var at []float64
	b.do(chromedp.Evaluate(fmt.Sprintf(`(() => {
		const link = Array.from(document.querySelectorAll(%q)).find((one) => one.textContent.includes(%q) && one.checkVisibility());
		if (!link) return [];
		link.scrollIntoView({ block: "center" });
		const box = link.getClientRects()[0];
		return [box.x + Math.min(box.width / 2, 20), box.y + box.height / 2];
	})()`, selector, text), &at))
	require.Len(b.t, at, 2, "expected %s with the text %q in sight", selector, text)
	b.do(chromedp.MouseClickXY(at[0], at[1]))
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// TestTabs does in a tab what scripts say, and holds the page to what it shows then.
func TestTabs(t *testing.T) {
	table := tabletest.Read[struct {
		Expressions map[string]string
		Scripts     []struct {
			Name  string
			Fresh bool
			Steps []step
		}
	}](t, "tabs.yaml")
	for _, script := range table.Scripts {
		t.Run(script.Name, func(t *testing.T) {
			b := tabs[script.Fresh](t)
			for _, step := range script.Steps {
				b.take(step)
				for expression, want := range step.Sees {
					b.becomes(cmp.Or(table.Expressions[expression], expression), strings.ReplaceAll(want, "{headline}", headline()))
				}
			}
			b.clean()
		})
	}
}

var tabs = map[bool]func(*testing.T) *browser{false: look, true: func(t *testing.T) *browser { return open(t, shown) }}

// step is what is done in a tab, in this order, and what the page shows then.
type step struct {
	Theme, Medium string
	Width         int64
	Visit, Shows  *string
	Choose, Click map[string]string
	Keys          string
	Back          bool
	Fires         []string
	Counts        string
	Sees          map[string]string
}

func (b *browser) take(step step) {
	b.t.Helper()
	if step.Theme+step.Medium != "" {
		b.do(emulation.SetEmulatedMedia().WithMedia(step.Medium).WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: step.Theme}}))
	}
	if step.Width > 0 {
		b.do(chromedp.EmulateViewport(step.Width, 1000))
	}
	if step.Visit != nil {
		b.visit(*step.Visit)
	}
	if step.Shows != nil {
		b.shows(*step.Shows)
	}
	for name, value := range step.Choose {
		b.choose(name, value)
	}
	for selector, text := range step.Click {
		b.click(selector, text)
	}
	b.do(chromedp.KeyEvent(step.Keys))
	if step.Back {
		b.do(chromedp.NavigateBack())
	}
	for _, event := range step.Fires {
		b.do(chromedp.Evaluate(fmt.Sprintf("dispatchEvent(new Event(%q))", event), nil))
	}
	if step.Counts != "" {
		n, all := tabletest.JQ(b.t, "map(select("+step.Counts+")) | length", claims()), len(claims())
		of := map[bool]string{false: thousands(int(n.(float64))) + " of ", true: ""}[n == float64(all)]
		b.becomes(`document.getElementById("count").textContent`, of+thousands(all)+" claims")
		b.becomes(`Array.from(document.querySelectorAll("#list tbody tr")).filter((row) => row.getClientRects().length > 0).length`, fmt.Sprint(n))
	}
}

// choose makes a choice by the keyboard: one key for each, since letters of a word are a word only where they come within a second.
func (b *browser) choose(name, value string) {
	b.t.Helper()
	b.do(chromedp.Focus(`select[name=`+name+`]`, chromedp.ByQuery))
	for range 40 {
		b.do(chromedp.KeyEvent(kb.ArrowDown))
		if b.says(`document.activeElement.value`) == value {
			return
		}
	}
	b.t.Fatalf("expected the choice %s of %s, found none", value, name)
}

// claims are what can be counted of the claims of the report.
var claims = sync.OnceValue(func() []map[string]any {
	var all []map[string]any
	for _, result := range render().run.Results() {
		all = append(all, map[string]any{"id": result.ID, "design": result.Design, "kind": result.Kind, "verdict": result.Verdict, "grade": result.Grade, "finding": result.Finding})
	}
	return all
})

func TestFiguresLeadToAsManyClaims(t *testing.T) {
	b := look(t)
	wrong := b.says(`(() => {
		const wrong = [];
		for (const link of document.querySelectorAll("table.figures tbody td a")) {
			history.replaceState(null, "", link.getAttribute("href"));
			dispatchEvent(new HashChangeEvent("hashchange"));
			const shown = document.getElementById("count").textContent.split(" ")[0].replace(",", "");
			if (shown !== link.textContent) wrong.push(link.getAttribute("href") + ": " + link.textContent + ", but " + shown + " claims");
		}
		return wrong.join("\n");
	})()`)
	assert.Empty(t, wrong, "expected each figure to lead to as many claims as it counts")
}

// beyond is how many pixels of the page the window is too narrow for.
const beyond = `document.documentElement.scrollWidth - document.documentElement.clientWidth`

// contrast is the lowest contrast between text and what it stands on, over all
// texts in sight: WCAG 2 asks for 4.5.
const contrast = `(() => {
	const parse = (colour) => colour.match(/[\d.]+/g).map(Number);
	const light = ([r, g, b]) => [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = (node) => { for (; node; node = node.parentElement) { const c = parse(getComputedStyle(node).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
	let worst = [21, ""];
	for (const node of document.querySelectorAll("body :not(.view, .view *), .view.current, .view.current *")) { // no other view is in sight
		if (!node.getClientRects().length || !Array.from(node.childNodes).some((child) => child.nodeType === 3 && child.data.trim())) continue;
		if (node.closest("svg")) continue;
		const [a, b] = [light(parse(getComputedStyle(node).color)), light(behind(node))].sort((x, y) => y - x);
		const ratio = (a + 0.05) / (b + 0.05);
		if (ratio < worst[0]) worst = [ratio, node.tagName + "." + node.className + " " + node.textContent.slice(0, 40)];
	}
	return worst[0] >= 4.5 ? "readable" : worst.join(" ");
})()`

// unboxed are the elements in sight that are wider than the window, and stand in no box that scrolls.
const unboxed = `Array.from(document.querySelectorAll(".view.current *")).filter((node) => node.getClientRects().length && !node.closest(".wide, .case, pre, svg") && node.getBoundingClientRect().right > innerWidth + 1).map((node) => node.tagName + " " + node.textContent.slice(0, 40)).slice(0, 3).join("; ")`

// Every view fits a window and can be read in both themes; on a telephone nothing but a table in its own box is wider than the window.
func TestEveryView(t *testing.T) {
	b := look(t)
	for _, look := range []struct {
		theme            string
		width            int64
		expression, want string
	}{
		{"light", 1440, beyond, "0"}, {"light", 900, contrast, "readable"}, {"dark", 900, contrast, "readable"}, // themes differ in colours, not in what fits
		{"light", 360, unboxed, ""},
	} {
		b.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: look.theme}}), chromedp.EmulateViewport(look.width, 1000))
		for name, fragment := range views {
			b.shows(fragment)
			assert.Equal(t, "0", b.says(beyond), "%s, %d pixels wide: expected nothing beyond the window", name, look.width)
			assert.Equal(t, look.want, b.says(look.expression), "%s, %s, %d pixels wide", name, look.theme, look.width)
			b.picture(fmt.Sprintf("%s-%d-%s", name, look.width, look.theme))
		}
	}
	b.clean()
}

// clean fails when the page wrote to the console or asked for anything.
func (b *browser) clean() {
	b.t.Helper()
	assert.Empty(b.t, b.seen(), "expected no message and no request")
}

func (b *browser) seen() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append(append([]string{}, b.messages...), b.requests...)
}

func TestTheWitnessSeesMessagesAndRequests(t *testing.T) {
	b := open(t, func(*testing.T) string { return "<!DOCTYPE html><title>another page</title>" })
	b.visit("")
	b.do(chromedp.Evaluate(`console.error("broken"); location.href = "/elsewhere";`, nil))
	b.becomes(`location.pathname`, "/elsewhere")
	got := strings.Join(b.seen(), "; ")
	assert.Contains(t, got, "broken", "expected the message to be noticed")
	assert.Contains(t, got, "/elsewhere", "expected the request to be noticed")
}

// headline is the heading of the overview: the verdict, and how many findings stand.
func headline() string {
	found, high := evidence.Findings(render().run.Results())
	return fmt.Sprintf("fail The deployment does not conform; the documents have %s, %d high.", report.Plural(found, "finding"), high)
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
