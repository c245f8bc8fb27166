package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/redact"
)

// String writes a range as "24" or "24-26".
func (l lines) String() string {
	if l.first == l.last {
		return strconv.Itoa(l.first)
	}
	return fmt.Sprintf("%d-%d", l.first, l.last)
}

func documentHref(file string, line int) template.URL {
	return template.URL("#/document/" + escapedPath(file) + "/L" + strconv.Itoa(line))
}

// documentView is the page of one document.
type documentView struct {
	File, Anchor, Design string
	// Changed says that this text is not the one that was transcribed.
	Changed bool
	Lines   []documentLine
	// Cited and Uncited count lines that are not blank.
	Cited, Uncited int
}

// documentLine is a line beside its verdicts.
type documentLine struct {
	Number int
	Anchor string
	Text   string
	// State is the worst verdict of the claims that cite the line, "uncited", or
	// empty for a blank line.
	State  string
	Claims []*claimView
	// Reason says why no claim rests on the line; empty for cited lines, and
	// where the contract was not at hand.
	Reason string
	// Numbers are the places of Claims in the list of all claims, for the script
	// that writes the links.
	Numbers string
	// Wide counts the claims that cite the line within more lines than
	// widestSpan: they speak of a section, not of this line.
	Wide int
}

// widestSpan is the longest range of lines whose claims are written beside every
// one of them.
const widestSpan = 5

// badness orders verdicts, the worst first.
var badness = []evidence.Verdict{
	evidence.Fail, evidence.Error, evidence.Indeterminate, evidence.Unsupported, evidence.Waived, evidence.Shown, evidence.Told, evidence.Pass,
}

func documentViews(run *evidence.Run, claims []claimView, options HTMLOptions) []documentView {
	var views []documentView
	for i := range run.Designs {
		design := &run.Designs[i]
		text, given := options.Documents[design.Document]
		if !given {
			continue
		}
		view := documentView{
			File: design.Document, Anchor: "/document/" + design.Document, Design: design.Name, Changed: !transcribed(text, design.SHA256),
		}
		if n := len(text); n > 0 && text[n-1] == "" {
			text = text[:n-1]
		}
		for n, line := range text {
			view.Lines = append(view.Lines, documentLine{Number: n + 1, Anchor: view.Anchor + "/L" + strconv.Itoa(n+1), Text: redact.Visible(redact.Secrets(redact.New(redact.Names{}).Text(line)))})
		}
		for at := range claims {
			if claims[at].Design == design.Name {
				view.cite(&claims[at])
			}
		}
		for n := range view.Lines {
			reason, unclaimed := options.Reasons[design.Document][n+1]
			view.count(&view.Lines[n], reason, unclaimed)
		}
		views = append(views, view)
	}
	return views
}

// transcribed reports whether the lines are those of the file with the digest.
func transcribed(lines []string, digest string) bool {
	text := strings.Join(lines, "\n")
	for _, content := range []string{text, text + "\n"} {
		sum := sha256.Sum256([]byte(content))
		if hex.EncodeToString(sum[:]) == digest {
			return true
		}
	}
	return false
}

func (v *documentView) cite(claim *claimView) {
	_, places := cited(claim.Cite)
	for _, place := range places {
		for n := place.first; n <= min(place.last, len(v.Lines)); n++ {
			line := &v.Lines[n-1]
			if at := slices.Index(badness, claim.Verdict); line.State == "" || at < slices.Index(badness, evidence.Verdict(line.State)) {
				line.State = string(claim.Verdict)
			}
			switch {
			case place.last-place.first >= widestSpan && n != place.first:
				line.Wide++
			case !slices.Contains(line.Claims, claim):
				line.Claims = append(line.Claims, claim)
			}
		}
	}
}

// count decides what a line is. A line that nothing rests on keeps no verdict of
// the wide citations that merely span it.
func (v *documentView) count(line *documentLine, reason string, unclaimed bool) {
	line.Reason = reason
	switch {
	case unclaimed && len(line.Claims) == 0 && reason == "":
		line.State = ""
	case unclaimed && len(line.Claims) == 0:
		line.State = "uncited"
		v.Uncited++
	case strings.TrimSpace(line.Text) == "":
		line.State = ""
	case line.State == "":
		line.State = "uncited"
		v.Uncited++
	default:
		v.Cited++
	}
	slices.SortStableFunc(line.Claims, func(a, b *claimView) int {
		return slices.Index(badness, a.Verdict) - slices.Index(badness, b.Verdict)
	})
	var numbers []string
	for _, claim := range line.Claims {
		numbers = append(numbers, strconv.Itoa(claim.Number))
	}
	line.Numbers = strings.Join(numbers, " ")
}

// DesignHref leads to the document's design.
func (v *documentView) DesignHref() template.URL { return designHref(v.Design) }
