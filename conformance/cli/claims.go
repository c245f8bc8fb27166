package cli

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/must"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/columns"
	"dynaproof/conformance/internal/explain"
	"dynaproof/conformance/report"
)

// unchecked stands for the verdict on a claim that no stored run checked.
const unchecked = "unchecked"

// listed is a claim of the manifest with the verdict of the last run that checked it.
type listed struct {
	manifest.Claim
	Verdict string `json:"verdict"`
	Grade   string `json:"grade,omitempty"`
	// Severity is that of a finding. Departs are the findings because of which another thing was asked than the document says.
	Severity string   `json:"severity,omitempty"`
	Departs  []string `json:"departs,omitempty"`
	// Requests are the numbers of the requests in the ledger of the run that the verdict rests on.
	Requests     []int              `json:"requests,omitempty"`
	Problems     []evidence.Problem `json:"problems,omitempty"`
	Observations int                `json:"observations"`
	Microseconds int64              `json:"microseconds"`
	// Run is the file of the run, and Finished its end in UTC.
	Run      string `json:"run,omitempty"`
	Finished string `json:"finished,omitempty"`
}

// orders are the ways to sort claims. Those that compare equal stay in the
// manifest's order.
var orders = map[string]func(a, b listed) int{
	"manifest": func(_, _ listed) int { return 0 },
	"id":       func(a, b listed) int { return strings.Compare(a.ID, b.ID) },
	"kind":     func(a, b listed) int { return strings.Compare(string(a.Kind), string(b.Kind)) },
	"verdict":  func(a, b listed) int { return cmp.Compare(worst(a.Verdict), worst(b.Verdict)) },
	"grade":    func(a, b listed) int { return cmp.Compare(weakest(a.Grade), weakest(b.Grade)) },
	"time":     func(a, b listed) int { return cmp.Compare(b.Microseconds, a.Microseconds) },
}

// worst orders verdicts from the one to look at first.
func worst(verdict string) int {
	return slices.Index([]string{"fail", "error", "indeterminate", "unsupported", unchecked, "waived", "shown", "told", "pass"}, verdict)
}

// weakest orders grades from the weakest evidence; none at all comes first.
func weakest(grade string) int {
	if grade == "" {
		return -len(evidence.Grades())
	}
	return -slices.Index(evidence.Grades(), evidence.Grade(grade))
}

// filter narrows a list of claims to those whose value is among the given ones; none given means all.
type filter struct {
	flag, help     string
	allowed, given []string
	of             func(listed) string
}

func claimsCommand() *cobra.Command {
	var reportDir, order string
	var asJSON, asCSV bool
	bases := lists.Map(accesspatterns.BasisKinds(), accesspatterns.BasisKind.String)
	filters := []*filter{
		{flag: "kind", help: "these kinds", allowed: lists.Texts(manifest.Kinds()), of: func(l listed) string { return string(l.Kind) }},
		{flag: "verdict", help: "these verdicts", allowed: append(lists.Texts(evidence.Verdicts()), unchecked), of: func(l listed) string { return l.Verdict }},
		{flag: "grade", help: "evidence of these grades", allowed: lists.Texts(evidence.Grades()), of: func(l listed) string { return l.Grade }},
		{flag: "basis", help: "claims with this basis", allowed: bases, of: func(l listed) string { return l.Basis.String() }},
		{flag: "severity", help: "findings of these severities", allowed: lists.Texts(accesspatterns.Severities()), of: func(l listed) string { return l.Severity }},
	}
	allOrders := []string{"manifest", "id", "kind", "verdict", "grade", "time"}
	c := help("claims", &cobra.Command{
		ValidArgsFunction: completeDesigns,
		RunE: func(cmd *cobra.Command, ofDesigns []string) error {
			for _, name := range ofDesigns {
				if _, err := designs.Find(name); err != nil {
					return outcome{evidence.WrongUsage, err}
				}
			}
			for _, each := range append(filters, &filter{flag: "sort", given: []string{order}, allowed: allOrders}) {
				for _, value := range each.given {
					if !slices.Contains(each.allowed, value) {
						return misused("--%s: expected one of %s, found %q", each.flag, strings.Join(each.allowed, ", "), value)
					}
				}
			}
			last, err := lastRuns(reportDir)
			if err != nil {
				return err
			}
			claims, err := listClaims(last, ofDesigns)
			if err != nil {
				return err
			}
			claims = slices.DeleteFunc(claims, func(claim listed) bool {
				return slices.ContainsFunc(filters, func(f *filter) bool { return !among(f.given, f.of(claim)) })
			})
			slices.SortStableFunc(claims, orders[order])
			switch {
			case asCSV:
				return writeCSV(cmd.OutOrStdout(), claims)
			case asJSON:
				return printJSON(cmd.OutOrStdout(), claims)
			}
			writeClaims(cmd.OutOrStdout(), claims, last)
			return nil
		},
	})
	designFlag(c)
	c.Flags().StringVar(&reportDir, "report", "build/report", "folder of the last runs' evidence.json.gz and audit.json")
	for _, each := range filters {
		c.Flags().StringSliceVar(&each.given, each.flag, nil, "only "+each.help+": "+strings.Join(each.allowed, ", "))
		offer(c, each.flag, each.allowed)
	}
	c.Flags().StringVar(&order, "sort", "manifest", "order: "+strings.Join(allOrders, ", "))
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&asCSV, "csv", false, "print comma-separated values, a working paper for a spreadsheet")
	c.MarkFlagsMutuallyExclusive("json", "csv")
	offer(c, "sort", allOrders)
	return c
}

// offer offers values of a flag to the shell.
func offer(c *cobra.Command, flag string, values []string) {
	must.Do(c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))) // the flag is not declared
}

func among(chosen []string, value string) bool {
	return len(chosen) == 0 || slices.Contains(chosen, value)
}

// listClaims joins the manifest of designs, or of all when none is named, with the last runs: of each claim the verdict of the latest one that
// checked it. The contracts are read side by side, and no other than these.
func listClaims(last []storedRun, ofDesigns []string) ([]listed, error) {
	if len(ofDesigns) == 0 {
		ofDesigns = designs.Names()
	}
	contracts := make([]*accesspatterns.Design, len(ofDesigns))
	var reading errgroup.Group
	for i, name := range ofDesigns {
		reading.Go(func() (err error) { contracts[i], err = designs.Find(name); return err })
	}
	committed, err := designs.Manifest()
	if err = errors.Join(err, reading.Wait()); err != nil {
		return nil, err
	}
	type checked struct {
		storedRun
		evidence.Result
	}
	seen := map[string]checked{}
	for _, run := range slices.Backward(last) {
		for _, result := range run.Results() {
			seen[result.ID] = checked{run, result}
		}
	}
	severity := map[string]accesspatterns.Severity{}
	for _, design := range contracts {
		for _, finding := range design.Findings {
			severity[design.Name+"/finding/"+finding.ID] = finding.Severity
		}
	}
	claims := make([]listed, 0, len(committed))
	for _, claim := range committed {
		if !slices.Contains(ofDesigns, claim.Design) {
			continue
		}
		one := listed{Claim: claim, Verdict: unchecked, Severity: string(severity[claim.ID])}
		if found, checked := seen[claim.ID]; checked {
			result := found.Result
			one.Verdict, one.Grade, one.Departs = string(result.Verdict), string(result.Grade), result.Departs
			one.Observations, one.Microseconds, one.Requests, one.Problems = result.Observations, result.Microseconds, result.Requests, result.Problems
			one.Run, one.Finished = found.file, found.Finished.UTC().Format(time.RFC3339)
		}
		claims = append(claims, one)
	}
	return claims, nil
}

// spreadsheet keeps a spreadsheet from taking a text for a formula.
func spreadsheet(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}

// writeCSV writes claims for a spreadsheet, one a row.
func writeCSV(w io.Writer, claims []listed) error {
	table := csv.NewWriter(w)
	rows := [][]string{{
		"claim", "design", "kind", "title", "document", "basis", "because", "verdict", "grade", "severity", "departs", "waiver", "expected", "found", "where",
		"requests", "run", "finished",
	}}
	for _, claim := range claims {
		var problem evidence.Problem
		if len(claim.Problems) > 0 {
			problem = claim.Problems[0]
		}
		requests := lists.Map(claim.Requests, strconv.Itoa)
		row := []string{
			claim.ID, claim.Design, string(claim.Kind), claim.Title, claim.Cite, claim.Basis.String(), claim.Because, claim.Verdict, claim.Grade, claim.Severity,
			strings.Join(claim.Departs, " "), claim.Waiver, problem.Expected, problem.Found, problem.Where, strings.Join(requests, " "), claim.Run, claim.Finished,
		}
		for i := range row {
			row[i] = spreadsheet(row[i])
		}
		rows = append(rows, row)
	}
	return table.WriteAll(rows)
}

func writeClaims(w io.Writer, claims []listed, last []storedRun) {
	counts := map[string]int{}
	rows := lists.Map(claims, func(claim listed) []string {
		counts[claim.Verdict]++
		return []string{claim.Verdict, cmp.Or(claim.Grade, "-"), claim.ID, claim.Cite, strings.TrimSpace(claim.Basis.String() + " " + claim.Severity)}
	})
	fmt.Fprint(w, columns.Left(rows))
	runs := lists.Map(last, func(stored storedRun) string {
		return "last run " + stored.Finished.UTC().Format(time.RFC3339) + ", " + stored.file
	})
	run := cmp.Or(strings.Join(runs, ", "), "no run yet; `dynaproof verify` makes one")
	fmt.Fprintf(w, "%s (%s): %s\n", report.Plural(len(claims), "claim"), run, report.Figures(counts, append(lists.Texts(evidence.Verdicts()), unchecked)))
}

func explainCommand() *cobra.Command {
	var reportDir, environment, region string
	var items, all, asJSON bool
	c := help("explain", &cobra.Command{
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("explain: expected one id of a claim, found %d; `dynaproof claims` lists all", len(args))
			}
			return nil
		},
		ValidArgsFunction: completeClaims,
		RunE: func(cmd *cobra.Command, args []string) error {
			last, err := lastRuns(reportDir)
			if err != nil {
				return err
			}
			options := explain.Options{Documents: documentsFolder(), Environment: environment, Region: region, At: time.Now(), Items: items}
			options.Last = lists.Map(last, func(run storedRun) *evidence.Run { return run.Run })
			x := explain.New(options)
			claim, err := x.Find(args[0])
			if err != nil {
				return outcome{evidence.WrongUsage, err}
			}
			explanation, err := x.Claim(claim.ID)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), explanation)
			}
			return explanation.Text(cmd.OutOrStdout(), all)
		},
	})
	designFlag(c)
	c.Flags().StringVar(&reportDir, "report", "build/report", "folder of the last runs' evidence.json.gz and audit.json")
	c.Flags().StringVar(&environment, "env", "dev", "environment that stands in table names")
	c.Flags().StringVar(&region, "region", "", "region in AWS CLI lines, where the document fixes none (default: the CLI's own)")
	c.Flags().BoolVar(&items, "items", false, "show the content of expected items and decoys")
	c.Flags().BoolVar(&all, "all", false, "show every request, not only the first ones")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// storedRun is the evidence in a file of a report folder.
type storedRun struct {
	*evidence.Run
	file string
}

// lastRuns reads the verdicts of the last verify and of the last audit, the latest first; none when there is none.
func lastRuns(reportDir string) ([]storedRun, error) {
	var last []storedRun
	for _, file := range []string{report.EvidenceFile, report.AuditFile} {
		run, err := evidence.ReadVerdicts(filepath.Join(reportDir, file))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		last = append(last, storedRun{run, file})
	}
	slices.SortStableFunc(last, func(a, b storedRun) int { return b.Finished.Compare(a.Finished) })
	return last, nil
}

// completeClaims offers the ids of claims to the shell, with their titles.
func completeClaims(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	claims, err := designs.Manifest()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var offered []string
	for _, claim := range claims {
		if strings.HasPrefix(claim.ID, begun) {
			offered = append(offered, cobra.CompletionWithDesc(claim.ID, claim.Title))
		}
	}
	return offered, cobra.ShellCompDirectiveNoFileComp
}
