package cli

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract/importer"
	"dynaproof/accesspatterns/input"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/own"
	"dynaproof/fixtures"
)

func importCommand() *cobra.Command {
	var folder, name, level string
	var parameters []string
	c := help("import", &cobra.Command{
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 && len(args) != 2 {
				return fmt.Errorf("import: expected SOURCE, and USAGE where there is one, found %d files", len(args))
			}
			return nil
		},
		PreRunE: refuseWrongValues,
		RunE: func(cmd *cobra.Command, args []string) error {
			if level != "" && !slices.Contains(accesspatterns.Levels()[:4], accesspatterns.Level(level)) {
				return outcome{evidence.WrongUsage, fmt.Errorf("import: expected --level schema, items, reads or writes, found %s", level)}
			}
			if folder == "" {
				return outcome{evidence.WrongUsage, errors.New("import: expected --out, the folder to write the design to, found none")}
			}
			var sources []importer.Source
			for _, path := range args {
				text, err := input.File(path, input.Export)
				if err != nil {
					return outcome{evidence.WrongUsage, fmt.Errorf("import: %w", err)}
				}
				sources = append(sources, importer.Source{Name: filepath.Base(path), Text: text})
			}
			sources[0].Parameters = map[string]string{}
			for _, each := range parameters {
				parameter, value, given := strings.Cut(each, "=")
				if !given || parameter == "" {
					return outcome{evidence.WrongUsage, fmt.Errorf("import: expected --parameters NAME=VALUE, found %s", each)}
				}
				sources[0].Parameters[parameter] = value
			}
			name = cmp.Or(name, designName(folder))
			var usage *importer.Source
			if len(sources) == 2 {
				usage = &sources[1]
			}
			result, err := importer.Import(name, accesspatterns.Level(level), sources[0], usage, fixtures.FileNames()...)
			if err != nil {
				return brokenDesign{err: err, where: "import " + args[0]}
			}
			if err := writeDesign("import", folder, result.Files); err != nil {
				return outcome{evidence.WrongUsage, err}
			}
			// What was written is held to what every design is held to.
			restore, err := own.Use(own.Design{Folder: input.Design(folder)})
			if err != nil {
				removeDesign(folder, result.Files)
				return brokenDesign{err: err, where: "import " + args[0]}
			}
			defer restore()
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, level %s: %s\n", name, result.Format, result.Level, strings.Join(slices.Sorted(maps.Keys(result.Files)), ", "))
			for _, note := range result.Notes {
				fmt.Fprintln(cmd.OutOrStdout(), "note:", note)
			}
			if result.Deployed {
				fmt.Fprintln(cmd.OutOrStdout(), "note: it describes a deployment, and is no independent witness of it")
			}
			if result.Computed > 0 {
				fmt.Fprintf(cmd.OutOrStdout(), "note: %d cases have computed expectations and prove nothing; compare each with the source, correct it, and take its mark `computed` away\n", result.Computed)
			}
			if result.Listed > 0 {
				fmt.Fprintf(cmd.OutOrStdout(), "access patterns: %d listed, %d imported (reads: %d, writes: %d), %d not checkable\n",
					result.Listed, result.Reads+result.Writes, result.Reads, result.Writes, len(result.NotCheckable))
			}
			for _, each := range result.NotCheckable {
				fmt.Fprintln(cmd.OutOrStdout(), "  not checkable:", each)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "next: dynaproof check --design %s\n", folder)
			return nil
		},
	})
	c.Flags().StringArrayVar(&parameters, "parameters", nil, "value of a parameter of a CloudFormation template, as NAME=VALUE; may be given several times")
	c.Flags().StringVar(&folder, "out", "", "folder to write to; it must not hold a contract yet")
	c.Flags().StringVar(&level, "level", "", "how far to go: schema, items, reads or writes (default: as far as the source comes along)")
	c.Flags().StringVar(&name, "name", "", "name of the design (default: that of the folder)")
	return c
}

// designName makes a name of a design from that of a folder.
func designName(folder string) string {
	if whole, err := filepath.Abs(folder); err == nil {
		folder = whole
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(filepath.Base(folder)))
	return cmp.Or(strings.Trim(name[:min(len(name), 64)], "-"), "design")
}

// writeDesign writes the files of a design, and never over what is there.
func writeDesign(command, folder string, files map[string][]byte) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if _, err := os.Lstat(filepath.Join(folder, name)); err == nil {
			return fmt.Errorf("%s: expected no %s in %s, found one; choose another folder", command, name, folder)
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			removeDesign(folder, files)
			return fmt.Errorf("%s: %w", command, err)
		}
	}
	return nil
}

// removeDesign removes what writeDesign has written.
func removeDesign(folder string, files map[string][]byte) {
	for name := range files {
		_ = os.Remove(filepath.Join(folder, name)) // it may not have come so far
	}
}
