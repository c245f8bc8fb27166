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

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/must"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/columns"
	"dynaproof/conformance/internal/markdown"
	"dynaproof/conformance/internal/redact"
)

//go:embed text/*.tmpl
var textAssets embed.FS

// functions are those of all templates, for terminals, Markdown and pages.
var functions = template.FuncMap{
	// Words and lists.
	"md": markdown.Text, "code": markdown.Code, "plural": Plural, "either": either, "join": joined, "capital": capital, "thousands": thousands, "more": more,
	"orOf":  func(all []string) string { return strings.Join(all, ", or ") },
	"upper": func(fate evidence.Fate) string { return strings.ToUpper(string(fate)) },
	"unfenced": func(text string) string {
		return strings.ReplaceAll(redact.Visible(strings.TrimSuffix(text, "\r")), "````", "` ` ` `")
	},
	"last":   func(list any) any { all := reflect.ValueOf(list); return all.Index(all.Len() - 1).Interface() },
	"list":   func(all ...string) []string { return all },
	"object": object,
	"left":   columns.Left, "right": columns.Right,
	// Words of the evidence.
	"verdicts": evidence.Verdicts, "grades": evidence.Grades, "severities": func() []string { return severities }, "severity": severityOf, "bases": accesspatterns.BasisKinds,
	"kinds": kindsOf, "subjects": subjects, "legend": func() []chapter { return legend }, "explained": wordHTML, "anchor": wordAnchor,
	"word": func(verdict evidence.Verdict) string { return strings.ToUpper(string(verdict)) }, "most": func() int { return problemsOfAClaim }, "everything": func() bool { return false },
	// What is said of a run.
	"concluded": concluded, "engine": engineOf, "open": openPoints, "audited": audited, "limits": limitsOf, "auditLimits": func() []string { return auditLimits },
	"reproduce": reproduce, "facts": factFigures, "phases": phases, "scans": scanRows, "sent": sentOf, "tables": figureTables, "lookedAtFindings": lookedAtFindings,
	"verdictFigures": verdictFigures, "bySubject": bySubject, "subjectRows": subjectRows, "verdictRows": verdictRows, "meaningRows": meaningRows, "guardrailRows": guardrailRows,
	"countedRows": countedRows, "environmentRows": environmentRows, "notPassed": notPassed, "notRun": notRunOf, "unread": unread, "waivers": waiverFigures,
	"notCheckable": countNotCheckable, "noProof": noProof, "departed": departed, "shortOf": shortOf, "carried": carried, "lackAWS": lackAWS,
	"placeOf": placeOf, "risk": riskOf,
	"count":  func(results []evidence.Result, verdict evidence.Verdict) int { return evidence.Count(results)[verdict] },
	"levels": levels, "say": said,
	"unasked": func(results []evidence.Result) int { return lists.Count(results, unasked) },
	"noted": func(run *evidence.Run) []evidence.Result {
		return lists.Where(run.Results(), func(r evidence.Result) bool { return len(r.Noted) > 0 })
	},
	"objected": func(run *evidence.Run) bool {
		return slices.ContainsFunc(run.Designs, func(d evidence.Design) bool { return len(d.Objections) > 0 })
	},
	"broken": func(run *evidence.Run) []evidence.Design {
		return lists.Where(run.Designs, func(d evidence.Design) bool { return d.Failure != "" })
	},
	"claimHref": claimHref, "problemOf": problemOf,
}

// texts are the templates of what is written for terminals and as Markdown, parsed with the first text. Functions of theirs ask for texts.
var texts func() *template.Template

func init() {
	texts = sync.OnceValue(func() *template.Template {
		return template.Must(template.New("texts").Funcs(functions).ParseFS(textAssets, "text/*.tmpl"))
	})
}

// object makes a value of several, names and values in turn, because a template takes one.
func object(members ...any) map[string]any {
	of := map[string]any{}
	for pair := range slices.Chunk(members, 2) {
		of[fmt.Sprint(pair[0])] = pair[1]
	}
	return of
}

// more is how many elements of a list are left out behind the first ones; 0 where none is.
func more(list any, shown int) int { return max(0, reflect.ValueOf(list).Len()-shown) }

func writeText(w io.Writer, name string, data any) error {
	var text strings.Builder
	if err := texts().ExecuteTemplate(&text, name, data); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// said is a short text, by the name of its template.
func said(name string, data any) string {
	var text strings.Builder
	must.Do(writeText(&text, name, data)) // the template is embedded
	return text.String()
}

// problemsOfAClaim is how many problems of one claim are written out, unless
// everything is.
const problemsOfAClaim = 3
