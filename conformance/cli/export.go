package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/export"
	"dynaproof/fixtures"
)

func exportCommand() *cobra.Command {
	var format, environment, folder string
	formats := strings.Join(slices.Sorted(maps.Keys(export.Formats)), ", ") + " or schema"
	c := help("export", &cobra.Command{
		ValidArgsFunction: completeDesigns,
		RunE: func(cmd *cobra.Command, args []string) error {
			write, known := export.Formats[format]
			if !known && format != "schema" {
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
			if format == "schema" {
				return exportSchema(cmd, chosen[0], set, environment, folder)
			}
			model, left, err := write(chosen[0], set, environment)
			if err != nil {
				return outcome{evidence.WrongUsage, fmt.Errorf("export: %w", err)}
			}
			sayLeft(cmd, left)
			return printJSON(cmd.OutOrStdout(), model)
		},
	})
	designFlag(c)
	c.Flags().StringVar(&folder, "out", "", "folder for schema.json and usage_data.json, which --format schema writes")
	c.Flags().StringVar(&format, "format", "", formats)
	c.Flags().StringVar(&environment, "env", "dev", "environment in the tables' names")
	return c
}

// exportSchema writes schema.json and usage_data.json into a folder.
func exportSchema(cmd *cobra.Command, design *accesspatterns.Design, set *fixtures.Set, environment, folder string) error {
	if folder == "" {
		return outcome{evidence.WrongUsage, errors.New("export: expected --out, the folder for schema.json and usage_data.json, found none")}
	}
	schema, usage, left, err := export.Schema(design, set, environment)
	if err != nil {
		return outcome{evidence.WrongUsage, fmt.Errorf("export: %w", err)}
	}
	files := map[string][]byte{}
	for name, model := range map[string]any{"schema.json": schema, "usage_data.json": usage} {
		if files[name], err = json.MarshalIndent(model, "", "  "); err != nil {
			return outcome{evidence.WrongUsage, fmt.Errorf("export: %w", err)}
		}
	}
	if err := writeDesign("export", folder, files); err != nil {
		return outcome{evidence.WrongUsage, err}
	}
	sayLeft(cmd, left)
	return nil
}

// sayLeft lists what the format cannot hold, or holds in another form.
func sayLeft(cmd *cobra.Command, left []string) {
	for _, each := range left {
		fmt.Fprintln(cmd.ErrOrStderr(), "left out or changed: "+each)
	}
}
