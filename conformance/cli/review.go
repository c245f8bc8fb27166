package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/document/review"
	"dynaproof/accesspatterns/input"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wholefile"
	"dynaproof/conformance/report"
)

type reviewOutput struct {
	json, strict, rules bool
	html, sarif, uri    string
}

func reviewCommand() *cobra.Command {
	var output reviewOutput
	c := help("review", &cobra.Command{
		Args: func(_ *cobra.Command, args []string) error {
			if output.rules && len(args) == 0 || len(args) == 1 && !output.rules {
				return nil
			}
			return fmt.Errorf("review: expected FILE, one design document, or --rules alone; found %d arguments", len(args))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if output.rules {
				return show(cmd.OutOrStdout(), output.json, "rules", review.Rules())
			}
			return reviewFile(cmd, args[0], output)
		},
	})
	c.Flags().BoolVar(&output.json, "json", false, "print JSON instead")
	c.Flags().BoolVar(&output.strict, "strict", false, "exit with 1 whatever was found")
	c.Flags().BoolVar(&output.rules, "rules", false, "print the rules, with what, why and what to write instead")
	c.Flags().StringVar(&output.html, "html", "", "write the review as one page to this file")
	c.Flags().StringVar(&output.sarif, "sarif", "", "write the hits as SARIF 2.1.0 to this file")
	c.Flags().StringVar(&output.uri, "uri", "", "the document's address in the SARIF file (FILE unless given)")
	return c
}

func reviewFile(cmd *cobra.Command, path string, output reviewOutput) error {
	r, err := within(cmd, func() (*report.Review, error) {
		document, _, err := readDocument("review", path)
		if err != nil {
			return nil, err
		}
		return &report.Review{File: path, Document: document, Hits: append([]review.Hit{}, review.Look(document)...)}, nil
	})
	if err != nil {
		return err
	}
	if output.html != "" {
		if err := wholefile.Render(output.html, wholefile.Report, r.Paper().HTML); err != nil {
			return misused("--html: %w", err)
		}
	}
	if output.sarif != "" {
		uri := cmp.Or(output.uri, report.AddressOf(filepath.ToSlash(path)))
		if err := wholefile.Render(output.sarif, wholefile.Report, func(w io.Writer) error { return report.ReviewSARIF(w, r, uri, versionText()) }); err != nil {
			return misused("--sarif: %w", err)
		}
	}
	if output.json {
		if err := printJSON(cmd.OutOrStdout(), r); err != nil {
			return err
		}
	} else {
		r.Paper().Text(cmd.OutOrStdout())
	}
	if r.Count(review.CannotWork) > 0 || output.strict && len(r.Hits) > 0 {
		return outcome{code: evidence.DoesNotConform}
	}
	return nil
}

// readDocument reads the design document that a command is given, and returns its text too.
func readDocument(command, path string) (document *reader.Document, text []byte, err error) {
	if text, err = input.File(path, reader.MaxBytes); err != nil {
		return nil, nil, misused("%s: %w", command, err)
	}
	document, err = reader.Read(text)
	switch {
	case errors.Is(err, reader.ErrNoDocument):
		return nil, nil, misused("%s: %s: %w", command, path, err)
	case err != nil:
		return nil, nil, fmt.Errorf("%s: %w", command, err)
	}
	return document, text, nil
}

// within returns what a work gives that knows no context, such as one that reads documents, or an error as soon as the command is over: the
// work writes nothing, and ends with the process.
func within[T any](cmd *cobra.Command, work func() (T, error)) (given T, err error) {
	type end struct {
		given T
		err   error
	}
	done, ended := make(chan end, 1), end{}
	if cmd.Context().Err() == nil {
		go func() {
			given, err := work()
			done <- end{given, err}
		}()
		select {
		case ended = <-done:
		case <-cmd.Context().Done():
		}
	}
	if over := cmd.Context().Err(); over != nil {
		return given, fmt.Errorf("%s: interrupted; nothing is decided, and nothing was written: %w", cmd.Name(), over)
	}
	return ended.given, ended.err
}
