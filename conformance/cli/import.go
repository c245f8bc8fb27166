package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract/importer"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/document/drafter"
	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/must"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/export"
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
		RunE: func(cmd *cobra.Command, args []string) error {
			if level != "" && !slices.Contains(accesspatterns.Levels()[:4], accesspatterns.Level(level)) {
				return misused("import: expected --level schema, items, reads or writes, found %s", level)
			}
			if folder == "" {
				return misused("import: expected --out, the folder to write the design to, found none")
			}
			var sources []importer.Source
			for _, path := range args {
				text, err := input.File(path, input.Export)
				if err != nil {
					return misused("import: %w", err)
				}
				sources = append(sources, importer.Source{Name: filepath.Base(path), Text: text})
			}
			sources[0].Parameters, sources[0].Taken = map[string]string{}, fixtures.Taken
			for _, each := range parameters {
				parameter, value, given := strings.Cut(each, "=")
				if !given || parameter == "" {
					return misused("import: expected --parameters NAME=VALUE, found %s", each)
				}
				sources[0].Parameters[parameter] = value
			}
			name = cmp.Or(name, designName(folder))
			var usage *importer.Source
			if len(sources) == 2 {
				usage = &sources[1]
			}
			result, err := importer.Import(name, accesspatterns.Level(level), sources[0], usage)
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
			return printText(cmd.OutOrStdout(), "import", map[string]any{"Name": name, "Folder": folder, "Files": slices.Sorted(maps.Keys(result.Files)), "Imported": result.Reads + result.Writes, "Result": result})
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
	err := os.MkdirAll(folder, 0o755)
	made := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		var file *os.File
		if err == nil {
			file, err = os.OpenFile(filepath.Join(folder, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		}
		if err == nil {
			made[name] = nil
			_, err = file.Write(files[name])
			err = errors.Join(err, file.Close())
		} else if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("expected no %s in %s, found one; choose another folder", name, folder)
		}
	}
	if err != nil {
		removeDesign(folder, made)
		return fmt.Errorf("%s: %w", command, err)
	}
	return nil
}

// removeDesign removes what writeDesign has written.
func removeDesign(folder string, files map[string][]byte) {
	for name := range files {
		_ = os.Remove(filepath.Join(folder, name))
	}
}

func initCommand() *cobra.Command {
	var document, folder, level string
	c := help("init", &cobra.Command{
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("init: expected NAME, the design's name in lower-case words joined by hyphens, found %q", strings.Join(args, " "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if designName(args[0]) != args[0] {
				return misused("init: expected NAME, the design's name in lower-case words joined by hyphens, found %q", args[0])
			}
			if document == "" {
				return misused("init: expected --document, the design document, found none; `dynaproof import` drafts from tables that exist")
			}
			if !slices.Contains(drafter.Levels, level) {
				return misused("init: expected --level %s, found %q", strings.Join(drafter.Levels, ", "), level)
			}
			return draftDesign(cmd, args[0], document, cmp.Or(folder, args[0]), level)
		},
	}, "{mark}", drafter.Mark)
	c.Flags().StringVar(&document, "document", "", "the design document: Markdown, or plain text with the same marks")
	c.Flags().StringVar(&folder, "out", "", "folder to write to; it must not hold a contract yet (default NAME)")
	c.Flags().StringVar(&level, "level", drafter.Levels[0], "how far to draft: "+strings.Join(drafter.Levels, ", "))
	must.Do(c.MarkFlagFilename("document")) // it is declared above
	return c
}

func draftDesign(cmd *cobra.Command, name, path, folder, level string) error {
	file := filepath.Base(path)
	var content []byte
	result, err := within(cmd, func() (result *drafter.Result, err error) {
		var read *reader.Document
		if read, content, err = readDocument("init", path); err != nil {
			return nil, err
		}
		return drafter.Draft(name, file, level, content, read), nil
	})
	if err != nil {
		return err
	}
	files := map[string][]byte{"contract.yaml": result.Contract, file: content}
	if there, err := input.File(filepath.Join(folder, file), input.Text); err == nil && bytes.Equal(there, content) {
		delete(files, file) // the document is in its place already
	}
	if err := writeDesign("init", folder, files); err != nil {
		return outcome{evidence.WrongUsage, err}
	}
	var todos []string
	for n, line := range strings.Split(string(result.Contract), "\n") {
		if _, todo, is := strings.Cut(line, "# TODO "); is {
			todos = append(todos, fmt.Sprintf("contract.yaml:%d: %s", n+1, todo))
		}
	}
	err = printText(cmd.OutOrStdout(), "init", map[string]any{
		"Name": name, "Folder": folder, "File": filepath.Join(folder, "contract.yaml"), "ToDos": todos, "Passages": len(todos) - result.ToDo, "Result": result,
	})
	if err == nil && result.Level == "" {
		return outcome{code: evidence.DoesNotConform}
	}
	return err
}

func exportCommand() *cobra.Command {
	var format, environment, folder string
	formats := strings.Join(slices.Sorted(maps.Keys(export.Formats)), ", ") + " or schema"
	c := help("export", &cobra.Command{
		ValidArgsFunction: completeDesigns,
		RunE: func(cmd *cobra.Command, args []string) error {
			write, known := export.Formats[format]
			if !known && format != "schema" {
				return misused("export: expected --format %s, found %q", formats, format)
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
				return misused("export: %w", err)
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
		return misused("export: expected --out, the folder for schema.json and usage_data.json, found none")
	}
	schema, usage, left, err := export.Schema(design, set, environment)
	if err != nil {
		return misused("export: %w", err)
	}
	files := map[string][]byte{}
	for name, model := range map[string]any{"schema.json": schema, "usage_data.json": usage} {
		if files[name], err = json.MarshalIndent(model, "", "  "); err != nil {
			return misused("export: %w", err)
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
