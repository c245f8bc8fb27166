package report

import (
	"embed"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
	"text/template"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/columns"
	"dynaproof/conformance/internal/markdown"
)

//go:embed text/*.tmpl text/legend.txt
var textAssets embed.FS

// texts are the templates of what is written for terminals and as Markdown, parsed with the first text.
var texts = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("texts").Funcs(template.FuncMap{
		"md": markdown.Text, "code": markdown.Code, "plural": Plural, "join": joined, "orOf": func(all []string) string { return strings.Join(all, ", or ") },
		"outcome": outcomeOf, "engine": engineOf, "bySubject": bySubject, "verdictFigures": verdictFigures, "notPassed": notPassed, "countedRows": countedRows,
		"verdicts": evidence.Verdicts, "grades": evidence.Grades, "onlyWarnings": onlyWarnings, "openObjections": openObjections, "placeOf": placeOf,
		"answersFor": answersFor, "notCheckable": countNotCheckable, "noProof": noProof, "departed": departed, "shortOf": shortOf, "bases": bases, "lackAWS": lackAWS, "reproduce": reproduce,
		"capital": capital, "upper": func(fate evidence.Fate) string { return strings.ToUpper(string(fate)) },
		"word": func(verdict evidence.Verdict) string { return strings.ToUpper(string(verdict)) }, "most": func() int { return problemsOfAClaim }, "everything": func() bool { return false },
		"left": tabled(columns.Left), "right": tabled(columns.Right), "subjectRows": subjectRows, "verdictRows": verdictRows, "meaningRows": meaningRows,
		"guardrailRows": guardrailRows, "environmentRows": environmentRows, "target": targetInWords, "notRun": notRunOf, "either": either, "risk": riskOf,
		"phases": phases, "audited": audited, "sent": sentInWords, "unread": unread,
		"passes":  func(results []evidence.Result) int { return evidence.Count(results)[evidence.Pass] },
		"unasked": func(results []evidence.Result) int { return howMany(results, unasked) },
		"waivers": func(run *evidence.Run) bool {
			return slices.ContainsFunc(run.Designs, func(d evidence.Design) bool { return len(d.Waivers) > 0 })
		},
		"noted": func(run *evidence.Run) []evidence.Result {
			return slices.DeleteFunc(run.Results(), func(r evidence.Result) bool { return len(r.Noted) == 0 })
		},
		"unfenced": func(text string) string { return strings.ReplaceAll(printable(text), "````", "` ` ` `") },
		"last":     func(list any) any { all := reflect.ValueOf(list); return all.Index(all.Len() - 1).Interface() },
		"more":     more,
	}).ParseFS(textAssets, "text/*.tmpl"))
})

// more is how many elements of a list are left out behind the first ones; 0 where none is.
func more(list any, shown int) int { return max(0, reflect.ValueOf(list).Len()-shown) }

// writeText writes a text at once.
func writeText(w io.Writer, name string, data any) error {
	var text strings.Builder
	if err := texts().ExecuteTemplate(&text, name, data); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err := io.WriteString(w, text.String())
	return err
}
