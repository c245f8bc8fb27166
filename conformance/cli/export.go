package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/export"
	"dynaproof/fixtures"
)

func exportCommand() *cobra.Command {
	var format, environment string
	formats := strings.Join(slices.Sorted(maps.Keys(export.Formats)), " or ")
	c := &cobra.Command{
		Use:   "export DESIGN | export --design DIR",
		Short: "Write a design for NoSQL Workbench or AWS's modelling tools",
		Long: `Prints a design as a model of NoSQL Workbench, or as dynamodb_data_model.json of
AWS's modelling tools: its tables, the items that it is tried with, and in the data model
its access patterns, those of one step as a line of the AWS CLI. Relative times in items are
those of now. What the notation has no room for is told on standard error.`,
		Example: `  dynaproof export fus-main --format workbench > fus-main.json
  dynaproof export --design ../orders --format data-model > dynamodb_data_model.json`,
		ValidArgsFunction: completeDesigns,
		RunE: func(cmd *cobra.Command, args []string) error {
			write, known := export.Formats[format]
			if !known {
				return outcome{evidence.WrongUsage, fmt.Errorf("export: expected --format %s, found %q", formats, format)}
			}
			chosen, err := designs.Chosen(args)
			if err == nil && len(chosen) != 1 {
				err = errors.New("export: expected one design, because the file holds one; name it")
			}
			if err != nil {
				return outcome{evidence.WrongUsage, err}
			}
			set, err := fixtures.Load(chosen[0].Name, time.Now())
			if err != nil {
				return outcome{evidence.WrongUsage, err}
			}
			model, left, err := write(chosen[0], set, environment)
			if err != nil {
				return outcome{evidence.WrongUsage, fmt.Errorf("export: %w", err)}
			}
			if len(left) > 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "export: the notation has no room for: %s\n", strings.Join(left, "; "))
			}
			return printJSON(cmd.OutOrStdout(), model)
		},
	}
	designFlag(c)
	c.Flags().StringVar(&format, "format", "", formats)
	c.Flags().StringVar(&environment, "env", "dev", "environment in the tables' names")
	return c
}
