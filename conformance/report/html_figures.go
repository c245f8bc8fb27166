package report

import (
	"fmt"
	"html/template"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/must"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
	"dynaproof/conformance/target"
)

// figure is a value on the first screen, with the jq expression that computes it
// from evidence.json.gz and a link to the claims behind it.
type figure struct {
	Label, Value, JQ string
	Href             template.URL
	// Column is what was counted of a part.
	Column string
}

func (f figure) Zero() bool { return f.Value == "0" }

type figureTable struct {
	ID, Caption string
	Columns     []string
	Rows        []figureRow
}

type figureRow struct {
	Name    string
	Href    template.URL
	Figures []figure
}

func (t figureTable) Figures() (all []figure) {
	return slices.Concat(lists.Map(t.Rows, func(row figureRow) []figure { return row.Figures })...)
}

// Line is what a shell takes to compute the figure from the file of the evidence.
func (f figure) Line(file string) string {
	if strings.HasSuffix(file, ".gz") {
		return "gzip -dc " + file + " | jq -r " + shellescape.Quote(f.JQ)
	}
	return "jq -r " + shellescape.Quote(f.JQ) + " " + file
}

// jqText writes a text in jq's language, which takes JSON's.
func jqText(text string) string {
	return must.Have(dynamo.PlainJSON(text, "")) // a text can always be written
}

// counted is a column: which results it counts, in Go, in jq and as filters of
// the list of claims.
type counted struct {
	label  string
	count  func(evidence.Result) bool
	jq     string
	filter url.Values
}

// equal counts the results of which a member has a value.
func equal(jq, filter, value string, member func(evidence.Result) string) counted {
	return counted{value, func(r evidence.Result) bool { return member(r) == value }, fmt.Sprintf("%s==%q", jq, value), url.Values{filter: {value}}}
}

func ofVerdict(verdict evidence.Verdict) counted {
	return equal(".verdict", "verdict", string(verdict), func(r evidence.Result) string { return string(r.Verdict) })
}

func ofGrade(grade evidence.Grade) counted {
	return equal(".grade", "grade", string(grade), func(r evidence.Result) string { return string(r.Grade) })
}

func ofSeverity(severity string) counted {
	column := equal(".finding.severity", "severity", severity, severityOf)
	column.filter.Set("kind", "finding")
	return column
}

// both counts the results that two columns count.
func both(label string, a, b counted) counted {
	filter := maps.Clone(a.filter)
	maps.Copy(filter, b.filter)
	return counted{label, func(r evidence.Result) bool { return a.count(r) && b.count(r) }, a.jq + " and " + b.jq, filter}
}

func passing(column counted) counted {
	return both(column.label, ofVerdict(evidence.Pass), column)
}

func claimColumns() []counted {
	return append([]counted{{"claims", func(evidence.Result) bool { return true }, "true", nil}}, verdictColumns()...)
}

func verdictColumns() (columns []counted) {
	return lists.Map(evidence.Verdicts(), ofVerdict)
}

func gradeColumns() []counted {
	columns := lists.Map(evidence.Grades(), func(grade evidence.Grade) counted { return passing(ofGrade(grade)) })
	return append(columns, passing(counted{
		"without AWS evidence", func(r evidence.Result) bool { return r.Grade != evidence.AWS },
		fmt.Sprintf(".grade!=%q", evidence.AWS), url.Values{"grade": {"not-aws"}},
	}))
}

// basisColumns count what passed by how the documents carry it. Evidence without a basis is of claims that are stated.
func basisColumns() []counted {
	return lists.Map(accesspatterns.BasisKinds(), func(basis accesspatterns.BasisKind) counted {
		return passing(equal(fmt.Sprintf("(.basis//%q)", accesspatterns.Stated), "basis", basis.String(), basisOf))
	})
}

func severityOf(r evidence.Result) string {
	if r.Finding == nil {
		return ""
	}
	return r.Finding.Severity
}

// findingColumns count the findings that the run looked at: by severity, and how each came to be known.
func findingColumns() []counted {
	looked := counted{"findings", func(r evidence.Result) bool { return r.Finding != nil }, ".finding", url.Values{"kind": {"finding"}}}
	columns := append([]counted{looked}, lists.Map(severities, ofSeverity)...)
	for _, verdict := range []evidence.Verdict{evidence.Shown, evidence.Told} {
		columns = append(columns, both(string(verdict), looked, ofVerdict(verdict)))
	}
	return columns
}

// part is some of the results of a run, and how jq and the list of claims find them.
type part struct {
	name string
	// designs is what jq takes of the evidence, and where what holds of each of their results, if anything.
	designs, where string
	results        []evidence.Result
	filter         url.Values
	href           template.URL
}

func whole(run *evidence.Run) part {
	return part{name: "total", designs: ".designs[]|", results: run.Results()}
}

// partsOf are the designs of a run, and the whole where there are several.
func partsOf(run *evidence.Run) []part {
	var parts []part
	for design := range lists.Each(run.Designs) {
		parts = append(parts, part{
			name: design.Name, designs: ".designs[]|select(.name==" + jqText(design.Name) + ")|", results: design.Results,
			filter: url.Values{"design": {design.Name}}, href: designHref(design.Name),
		})
	}
	if len(run.Designs) > 1 {
		parts = append(parts, whole(run))
	}
	return parts
}

// figure counts what a column counts of the part.
func (p part) figure(column counted) figure {
	query := url.Values{}
	maps.Copy(query, p.filter)
	maps.Copy(query, column.filter)
	return figure{
		Label: p.name + ", " + column.label, Value: strconv.Itoa(lists.Count(p.results, column.count)),
		JQ: "[" + p.designs + ".results[]?|select(" + p.where + column.jq + ")]|length", Href: claimsHref(query), Column: column.label,
	}
}

func (p part) figures(columns []counted) (all []figure) {
	return lists.Map(columns, p.figure)
}

func newFigureTable(id, caption string, parts []part, columns []counted) figureTable {
	return figureTable{
		ID: id, Caption: caption,
		Columns: lists.Map(columns, func(column counted) string { return column.label }),
		Rows:    lists.Map(parts, func(part part) figureRow { return figureRow{part.name, part.href, part.figures(columns)} }),
	}
}

// countedRows count the verdicts and the grades of what passed, for each design and for all.
func countedRows(run *evidence.Run) []figureRow {
	return newFigureTable("", "", partsOf(run), append(claimColumns(), gradeColumns()[:len(evidence.Grades())]...)).Rows
}

// newKindTable has a row for each kind of claims that can pass, all but findings, because there are more kinds than designs: passed of all,
// for each part of the run.
func newKindTable(run *evidence.Run) figureTable {
	table := figureTable{ID: "kinds", Caption: "Verdicts by kind of claim: passed, and not passed"}
	parts := partsOf(run)
	for _, part := range parts {
		table.Columns = append(table.Columns, part.name+" passed", part.name+" other")
	}
	other := counted{
		"not passed", func(r evidence.Result) bool { return r.Verdict != evidence.Pass },
		fmt.Sprintf(".verdict!=%q", evidence.Pass), url.Values{"verdict": {"not-pass"}},
	}
	for _, kind := range kindsOf(run) {
		if kind == string(manifest.KindFinding) {
			continue
		}
		of := equal(".kind", "kind", kind, func(r evidence.Result) string { return r.Kind })
		row := figureRow{Name: kind, Href: claimsHref(of.filter)}
		for _, part := range parts {
			row.Figures = append(row.Figures, part.figure(both(kind, of, ofVerdict(evidence.Pass))), part.figure(both(kind+" not passed", of, other)))
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

func kindsOf(run *evidence.Run) []string {
	return lists.With(nil, lists.Map(run.Results(), func(r evidence.Result) string { return r.Kind })...)
}

func waiverFigures(run *evidence.Run) []waiverRow {
	var rows []waiverRow
	for design := range lists.Each(run.Designs) {
		for _, waiver := range design.Waivers {
			rows = append(rows, waiverRow{figure{
				Label: "requests under the waiver " + design.Name + "/" + waiver.ID, Value: strconv.Itoa(waiver.Requests), JQ: jqOfWaiver(run, design, waiver.ID),
			}, design.Name, waiver})
		}
	}
	return rows
}

// jqOfWaiver counts the Scans of the waiver's patterns in the ledger. Where no request says whose it is, as on AWS, where a trail counts
// those of others too, it reads the number that was stored.
func jqOfWaiver(run *evidence.Run, design *evidence.Design, id string) string {
	from := ".designs[]|select(.name==" + jqText(design.Name) + ")|"
	if run.Target.Kind == target.KindAWS || !slices.ContainsFunc(run.Ledger, func(entry wire.Entry) bool { return entry.Claim != "" }) {
		return from + ".waivers[]|select(.id==" + jqText(id) + ").requests"
	}
	return "[" + from + ".results[]|select(.kind==\"pattern\" and .waiver==" + jqText(id) + ").id] as $c|[.ledger[]|select((.operation|" + jqKeyless() + ") and (.claim|IN($c[])))]|length"
}

type waiverRow struct {
	figure
	Design string
	Waiver evidence.Waiver
}

// factFigures are what the run was: versions, digests, times.
func factFigures(run *evidence.Run) []figure {
	facts := []figure{
		{Label: "format of the evidence", Value: run.Version, JQ: ".version"},
		{Label: "started", Value: run.Started.Format(time.RFC3339Nano), JQ: ".started"},
		{Label: "finished", Value: run.Finished.Format(time.RFC3339Nano), JQ: ".finished"},
		{
			Label: "seconds in all", Value: strconv.FormatFloat(math.Round(run.Finished.Sub(run.Started).Seconds()*10)/10, 'f', -1, 64),
			JQ: `def t:capture("(?<s>[^.Z]*)([.](?<f>[0-9]*))?Z")|(.s+"Z"|fromdate)+("0."+(.f//"0")|tonumber);((.finished|t)-(.started|t))*10|round/10`,
		},
		{Label: "requests in the ledger", Value: strconv.Itoa(len(run.Ledger)), JQ: ".ledger|length"},
		{Label: "kind of target", Value: string(run.Target.Kind), JQ: ".target.kind"},
	}
	add := func(label, value, jq string) {
		if value != "" {
			facts = append(facts, figure{Label: label, Value: value, JQ: jq})
		}
	}
	add("run", run.ID, ".id")
	add("key of the signature", run.Signer, ".signer")
	add("guardrails", run.Guardrails, ".guardrails")
	for _, name := range slices.Sorted(maps.Keys(run.Environment)) {
		add("environment: "+name, run.Environment[name], ".environment["+jqText(name)+"]")
	}
	for _, name := range slices.Sorted(maps.Keys(run.Inputs)) {
		add("digest of "+name, run.Inputs[name], ".inputs["+jqText(name)+"]")
	}
	add("engine", run.Target.Engine, ".target.engine")
	add("engine's version", run.Target.Version, ".target.version")
	add("engine's digest", run.Target.Digest, ".target.digest")
	add("engine's source", run.Target.Source, ".target.source")
	for _, phase := range run.Phases {
		add("milliseconds of "+phase.Name, strconv.FormatInt(phase.Microseconds/1000, 10), ".phases[]|select(.name=="+jqText(phase.Name)+")|.microseconds/1000|floor")
	}
	for _, module := range slices.Sorted(maps.Keys(run.Modules)) {
		add(module, run.Modules[module], ".modules["+jqText(module)+"]")
	}
	for design := range lists.Each(run.Designs) {
		add("SHA-256 of "+design.Document, design.SHA256, ".designs[]|select(.name=="+jqText(design.Name)+").sha256")
	}
	return facts
}

func thousands(n int) string { return message.NewPrinter(language.English).Sprint(n) }

func claimsHref(query url.Values) template.URL {
	if len(query) == 0 {
		return "#/claims"
	}
	return template.URL("#/claims?" + query.Encode())
}

func claimHref(id string) template.URL    { return template.URL("#/claim/" + escapedPath(id)) }
func designHref(name string) template.URL { return template.URL("#/design/" + escapedPath(name)) }

func escapedPath(path string) string { return (&url.URL{Path: path}).EscapedPath() }

// jqKeyless asks in jq whether an operation reads without a key.
func jqKeyless() string {
	return "IN(" + strings.Join(lists.Map(wire.Keyless(), jqText), ",") + ")"
}

func figureTables(run *evidence.Run) []figureTable {
	parts := partsOf(run)
	tables := []figureTable{
		newFigureTable("subjects", "What the claims are about", subjectParts(run), claimColumns()),
		newFigureTable("verdicts", "Verdicts by design", parts, claimColumns()),
		newKindTable(run),
		newFigureTable("grades", "Evidence behind the claims that passed, by grade", parts, gradeColumns()),
		newFigureTable("basis", "How the documents carry the claims that passed", parts, basisColumns()),
	}
	if lookedAtFindings(run) {
		tables = slices.Insert(tables, 2, newFigureTable("findings", "Findings in the documents", parts, findingColumns()))
	}
	return tables
}

func lookedAtFindings(run *evidence.Run) bool {
	return slices.ContainsFunc(run.Results(), func(r evidence.Result) bool { return r.Finding != nil })
}

// subjectParts are the results of a run by what they are about.
func subjectParts(run *evidence.Run) (parts []part) {
	return lists.Map(bySubject(run.Results()), func(group about) part {
		of := whole(run)
		of.name, of.results, of.filter = string(group.Name), group.results, url.Values{"kind": {string(group.Name)}}
		of.where = `(.kind|IN("` + strings.ReplaceAll(group.Kinds(), " ", `","`) + `")) and `
		of.href = claimsHref(of.filter)
		return of
	})
}
