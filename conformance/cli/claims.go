package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
)

// unchecked stands for the verdict on a claim that the last run did not check.
const unchecked = "unchecked"

// listed is a claim of the manifest with the verdict of the last run.
type listed struct {
	accesspatterns.Claim
	Verdict      string `json:"verdict"`
	Grade        string `json:"grade,omitempty"`
	Observations int    `json:"observations"`
	Microseconds int64  `json:"microseconds"`
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

func claimsCommand() *cobra.Command {
	var reportDir, order string
	var kinds, verdicts, grades []string
	var asJSON bool
	allKinds := kindNames()
	allVerdicts := append(texts(evidence.Verdicts()), unchecked)
	allGrades := texts(evidence.Grades())
	allOrders := []string{"manifest", "id", "kind", "verdict", "grade", "time"}
	c := &cobra.Command{
		Use:   "claims [DESIGN...]",
		Short: "List the manifest of claims, with the verdicts of the last run",
		Long: `Lists every claim of the manifest, or those of some designs, with the verdict and
the grade of its evidence in the last run. Filters of one kind widen the list
(--kind schema,index), filters of different kinds narrow it. Sorted by verdict, the claims to look at come first;
by grade, those with the weakest evidence; by time, the slowest.`,
		Example: `  dynaproof claims osem-ladders --kind pattern,finding
  dynaproof claims --verdict fail,unchecked --sort verdict
  dynaproof claims --grade emulated --json | jq -r '.[].id'`,
		ValidArgsFunction: completeDesigns,
		RunE: func(cmd *cobra.Command, ofDesigns []string) error {
			for _, name := range ofDesigns {
				if _, err := designs.Find(name); err != nil {
					return outcome{evidence.WrongUsage, err}
				}
			}
			for _, filter := range []struct {
				flag           string
				given, allowed []string
			}{{"kind", kinds, allKinds}, {"verdict", verdicts, allVerdicts}, {"grade", grades, allGrades}, {"sort", []string{order}, allOrders}} {
				for _, value := range filter.given {
					if !slices.Contains(filter.allowed, value) {
						return outcome{evidence.WrongUsage, fmt.Errorf("--%s: expected one of %s, found %q", filter.flag, strings.Join(filter.allowed, ", "), value)}
					}
				}
			}
			last, err := lastRun(reportDir)
			if err != nil {
				return outcome{evidence.CouldNotTell, err}
			}
			claims, err := listClaims(last)
			if err != nil {
				return outcome{evidence.CouldNotTell, err}
			}
			claims = slices.DeleteFunc(claims, func(claim listed) bool {
				return !among(ofDesigns, claim.Design) || !among(kinds, string(claim.Kind)) || !among(verdicts, claim.Verdict) || !among(grades, claim.Grade)
			})
			slices.SortStableFunc(claims, orders[order])
			if asJSON {
				return writeJSON(cmd, claims)
			}
			writeClaims(cmd.OutOrStdout(), claims, last)
			return nil
		},
	}
	designFlag(c)
	c.Flags().StringVar(&reportDir, "report", "build/report", "folder of the last run's evidence.json")
	c.Flags().StringSliceVar(&kinds, "kind", nil, "only these kinds: "+strings.Join(allKinds, ", "))
	c.Flags().StringSliceVar(&verdicts, "verdict", nil, "only these verdicts: "+strings.Join(allVerdicts, ", "))
	c.Flags().StringSliceVar(&grades, "grade", nil, "only evidence of these grades: "+strings.Join(allGrades, ", "))
	c.Flags().StringVar(&order, "sort", "manifest", "order: "+strings.Join(allOrders, ", "))
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	for flag, allowed := range map[string][]string{"kind": allKinds, "verdict": allVerdicts, "grade": allGrades, "sort": allOrders} {
		offer(c, flag, allowed)
	}
	return c
}

// offer offers values of a flag to the shell.
func offer(c *cobra.Command, flag string, values []string) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag is not declared
	}
}

func texts[T ~string](values []T) []string {
	var all []string
	for _, value := range values {
		all = append(all, string(value))
	}
	return all
}

// kindNames lists the kinds that the manifest has.
func kindNames() []string {
	var kinds []string
	for _, design := range designs.All() {
		for _, claim := range design.Claims() {
			if !slices.Contains(kinds, string(claim.Kind)) {
				kinds = append(kinds, string(claim.Kind))
			}
		}
	}
	return kinds
}

func among(chosen []string, value string) bool {
	return len(chosen) == 0 || slices.Contains(chosen, value)
}

// listClaims joins the manifest with the last run.
func listClaims(last *evidence.Run) ([]listed, error) {
	manifest, err := designs.Manifest()
	if err != nil {
		return nil, err
	}
	seen := map[string]evidence.Result{}
	if last != nil {
		for _, result := range last.Results() {
			seen[result.ID] = result
		}
	}
	claims := make([]listed, 0, len(manifest))
	for _, claim := range manifest {
		one := listed{Claim: claim, Verdict: unchecked}
		if result, checked := seen[claim.ID]; checked {
			one.Verdict, one.Grade = string(result.Verdict), string(result.Grade)
			one.Observations, one.Microseconds = result.Observations, result.Microseconds
		}
		claims = append(claims, one)
	}
	return claims, nil
}

func writeClaims(w io.Writer, claims []listed, last *evidence.Run) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	counts := map[string]int{}
	for _, claim := range claims {
		grade := claim.Grade
		if grade == "" {
			grade = "-"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", claim.Verdict, grade, claim.ID, claim.Cite)
		counts[claim.Verdict]++
	}
	table.Flush()
	var figures []string
	for _, verdict := range append(texts(evidence.Verdicts()), unchecked) {
		if counts[verdict] > 0 {
			figures = append(figures, fmt.Sprintf("%d %s", counts[verdict], verdict))
		}
	}
	run := "no run yet; `dynaproof verify` makes one"
	if last != nil {
		run = "last run " + last.Finished.UTC().Format(time.RFC3339)
	}
	fmt.Fprintf(w, "%d claims (%s): %s\n", len(claims), run, strings.Join(figures, ", "))
}
