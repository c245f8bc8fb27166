package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"time"

	"github.com/onsi/ginkgo/v2/reporters"

	"dynaproof/conformance/evidence"
)

// junit writes the verdicts as JUnit XML, in the types of Ginkgo's own reporter. A
// suite is a design, a test case is a claim: its name is the claim's id, its class
// name the design, so that a CI server shows the trend of each claim. Only pass
// is a passed test: waived and unsupported are skipped, with the reason, and so are
// findings of the documents, with their severity; fail is a failure; indeterminate
// and error are errors.
func junit(w io.Writer, run *evidence.Run) error {
	suites := reporters.JUnitTestSuites{Time: run.Finished.Sub(run.Started).Seconds()}
	for i := range run.Designs {
		suite := junitSuite(run, &run.Designs[i])
		suites.Tests += suite.Tests
		suites.Errors += suite.Errors
		suites.Failures += suite.Failures
		suites.TestSuites = append(suites.TestSuites, suite)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("junit: %w", err)
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", " ")
	if err := encoder.Encode(suites); err != nil {
		return fmt.Errorf("junit: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitSuite(run *evidence.Run, design *evidence.Design) reporters.JUnitTestSuite {
	suite := reporters.JUnitTestSuite{
		Name: design.Name, Package: design.Document, Timestamp: run.Started.UTC().Format("2006-01-02T15:04:05"),
		Properties: reporters.JUnitProperties{Properties: []reporters.JUnitProperty{
			{Name: "conclusion", Value: concluded(run).Outcome},
			{Name: "command", Value: run.Command},
			{Name: "document.sha256", Value: design.SHA256},
			{Name: "engine", Value: engineOf(run)},
			{Name: "region", Value: design.Region},
			{Name: "stack", Value: design.Stack},
		}},
	}
	for _, result := range design.Results {
		test := junitCase(design, result)
		suite.Tests++
		suite.Time += test.Time
		switch {
		case test.Failure != nil:
			suite.Failures++
		case test.Error != nil:
			suite.Errors++
		case test.Skipped != nil:
			suite.Skipped++
		}
		suite.TestCases = append(suite.TestCases, test)
	}
	if design.Failure != "" {
		suite.Tests++
		suite.Errors++
		suite.TestCases = append(suite.TestCases, reporters.JUnitTestCase{
			Name: design.Name + "/deployment", Classname: design.Name, Status: string(evidence.Error),
			Error: &reporters.JUnitError{Message: design.Failure, Type: string(evidence.Error)},
		})
	}
	return suite
}

func junitCase(design *evidence.Design, result evidence.Result) reporters.JUnitTestCase {
	test := reporters.JUnitTestCase{
		Name: result.ID, Classname: design.Name, Status: string(result.Verdict),
		Time: (time.Duration(result.Microseconds) * time.Microsecond).Seconds(),
		Properties: &reporters.JUnitProperties{Properties: []reporters.JUnitProperty{
			{Name: "kind", Value: result.Kind},
			{Name: "title", Value: result.Title},
			{Name: "document", Value: result.Cite},
			{Name: "grade", Value: string(result.Grade)},
			{Name: "observations", Value: fmt.Sprint(result.Observations)},
		}},
	}
	finding := "finding"
	if seen := result.Finding; seen != nil {
		finding += " of severity " + seen.Severity
		test.Properties.Properties = append(test.Properties.Properties, reporters.JUnitProperty{Name: "severity", Value: seen.Severity})
		if seen.Instead != "" {
			test.Properties.Properties = append(test.Properties.Properties, reporters.JUnitProperty{Name: "to the author", Value: seen.Instead})
		}
	}
	switch result.Verdict {
	case evidence.Pass:
	case evidence.Fail:
		test.Failure = &reporters.JUnitFailure{Message: said("headline", result), Type: string(result.Verdict), Description: said("details", result)}
	case evidence.Waived, evidence.Unsupported:
		test.Skipped = &reporters.JUnitSkipped{Message: string(result.Verdict) + ": " + reason(design, result)}
	case evidence.Shown, evidence.Told:
		test.Skipped = &reporters.JUnitSkipped{Message: fmt.Sprintf("%s, %s: %s", finding, result.Verdict, result.Title)}
	default:
		test.Error = &reporters.JUnitError{Message: said("headline", result), Type: string(result.Verdict), Description: said("details", result)}
	}
	return test
}

// reason says why a claim that did not pass did not fail either.
func reason(design *evidence.Design, result evidence.Result) string {
	if result.Verdict == evidence.Waived {
		for _, waiver := range design.Waivers {
			if waiver.ID == result.Waiver {
				return fmt.Sprintf("%s (%s): %s", waiver.ID, waiver.Cite, waiver.Reason)
			}
		}
		return result.Waiver
	}
	if len(result.Problems) > 0 {
		return result.Problems[0].Found
	}
	return result.Title
}
