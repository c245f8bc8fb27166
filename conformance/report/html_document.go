package report

import (
	"html/template"
	"slices"
	"strconv"
	"strings"

	"dynaproof/accesspatterns/document/coverage"
	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
)

type documentView struct {
	File, Anchor, Design string
	// Changed says that the text was not the one that was transcribed; it is then left out.
	Changed bool
	Lines   []documentLine
	// Cited and Uncited count lines: those that claims rest on, and the others that are no layout. Counts says of the cited ones how
	// they stand: "3 fail, 1 held".
	Cited, Uncited int
	Counts         string
}

type documentLine struct {
	Number int
	Anchor string
	Text   string
	// Standing is how the line stands; empty for one that no claim rests on. Severity is that of its worst finding.
	Standing Standing
	Severity string
	Claims   []*claimView
	// Reason says why no claim rests on the line, as "narrative: ..."; empty for cited lines and for layout.
	Reason string
	// Numbers are the places of Claims in the list of all claims, for the script
	// that writes the links.
	Numbers string
	// Around counts the further claims that cite a range of lines around this one, and rest on others of them.
	Around int
}

func (l *documentLine) Class() string { return strings.ReplaceAll(string(l.Standing), " ", "-") }

// widestSpan is the longest range of lines whose claims are written beside every
// one of them, where the lines are not accounted for one by one.
const widestSpan = 5

// badness orders verdicts, the worst first.
var badness = append(slices.Clone(undecided), evidence.Waived, evidence.Shown, evidence.Told, evidence.Pass)

func documentViews(run *evidence.Run, claims []claimView, options HTMLOptions) []documentView {
	var views []documentView
	for design := range lists.Each(run.Designs) {
		text, given := options.Documents[design.Document]
		if !given {
			continue
		}
		view := documentView{
			File: design.Document, Anchor: "/document/" + design.Document, Design: design.Name, Changed: !transcribed(text, design.SHA256),
		}
		if view.Changed {
			text = nil // whatever it is, it is not what the run speaks of
		}
		if n := len(text); n > 0 && text[n-1] == "" {
			text = text[:n-1]
		}
		for n, line := range text {
			view.Lines = append(view.Lines, documentLine{Number: n + 1, Anchor: view.Anchor + "/L" + strconv.Itoa(n+1), Text: shownText(line)})
		}
		if accounts := options.Lines[design.Document]; len(accounts) > 0 {
			view.account(claims, accounts)
		} else {
			for at := range claims {
				if claims[at].Design == design.Name {
					view.cite(&claims[at])
				}
			}
		}
		counts := map[Standing]int{}
		for n := range view.Lines {
			view.stand(&view.Lines[n], options.Lines[design.Document])
			counts[view.Lines[n].Standing]++
		}
		view.Counts = Figures(counts, Standings())
		views = append(views, view)
	}
	return views
}

// transcribed reports whether the lines are those of the file with the digest.
func transcribed(lines []string, digest string) bool {
	text := strings.Join(lines, "\n")
	return digestOf([]byte(text)) == digest || digestOf([]byte(text+"\n")) == digest
}

// account puts the claims of a line beside it, as the contract accounts for the line.
func (v *documentView) account(claims []claimView, accounts []coverage.LineAccount) {
	byID := map[string]*claimView{}
	for claim := range lists.Each(claims) {
		byID[claim.ID] = claim
	}
	for _, account := range accounts[:min(len(accounts), len(v.Lines))] {
		line := &v.Lines[account.Line-1]
		for _, id := range account.Claims {
			if claim := byID[id]; claim != nil {
				line.Claims = append(line.Claims, claim)
			} else {
				line.Standing = NotRun
			}
		}
		line.Around = len(account.Spanning)
		if account.Status != coverage.LineCited && account.Status != coverage.LineLayout {
			line.Reason = string(account.Status) + ": " + account.Reason
		}
	}
}

func (v *documentView) cite(claim *claimView) {
	_, places := cited(claim.Cite)
	for _, place := range places {
		for n := place.first; n <= min(place.last, len(v.Lines)); n++ {
			line := &v.Lines[n-1]
			switch {
			case place.last-place.first >= widestSpan && n != place.first:
				line.Around++
			case !slices.Contains(line.Claims, claim):
				line.Claims = append(line.Claims, claim)
			}
		}
	}
}

func (v *documentView) stand(line *documentLine, accounts []coverage.LineAccount) {
	if strings.TrimSpace(line.Text) == "" {
		line.Claims, line.Around, line.Standing = nil, 0, ""
		return
	}
	results := lists.Map(line.Claims, func(claim *claimView) evidence.Result { return claim.Result })
	if line.Standing == NotRun && len(results) > 0 {
		results = append(results, evidence.Result{})
	}
	if line.Standing != NotRun || len(results) > 0 {
		line.Standing = StandingOf(results)
	}
	line.Severity = worstFinding(results)
	switch {
	case line.Standing != "":
		v.Cited++
	case len(accounts) == 0 || line.Reason != "":
		v.Uncited++
	}
	slices.SortStableFunc(line.Claims, func(a, b *claimView) int {
		return slices.Index(badness, a.Verdict) - slices.Index(badness, b.Verdict)
	})
	numbers := lists.Map(line.Claims, func(claim *claimView) string { return strconv.Itoa(claim.Number) })
	line.Numbers = strings.Join(numbers, " ")
}

// Words counts the lines with words.
func (v *documentView) Words() int { return v.Cited + v.Uncited }

// DesignHref leads to the document's design.
func (v *documentView) DesignHref() template.URL { return designHref(v.Design) }
