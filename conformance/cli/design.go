package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/must"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/own"
	"dynaproof/conformance/report"
)

// ownDesign is the value of --design: the folder of a design of the caller's, with
// its contract (*.yaml), its document and its fixtures beside each other. It takes
// the place of the shipped designs as soon as the flag is read, so that everything
// that is checked afterwards is checked against it.
type ownDesign string

// putBack puts the shipped designs back. A process runs one command, its tests
// several.
var putBack = func() {}

func designFlag(c *cobra.Command) {
	c.Flags().Var(new(ownDesign), "design", "folder of a design of your own, in place of DESIGN: its contract (*.yaml), its document and its fixtures")
	must.Do(c.MarkFlagDirname("design")) // it is declared above
}

// String returns the folder.
func (d *ownDesign) String() string { return string(*d) }

// Type names the value in the help.
func (d *ownDesign) Type() string { return "DIR" }

// Set reads the contract.
func (d *ownDesign) Set(folder string) error {
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return misused("--design: expected a folder with a contract (*.yaml), found none at %q", folder)
	}
	restore, err := own.Use(own.Design{Folder: input.Design(folder)})
	if err != nil {
		return brokenDesign{err: err, where: "--design " + folder}
	}
	before, documents := putBack, broughtDocuments
	putBack = func() {
		restore()
		putBack, broughtDocuments = before, documents
	}
	if err := own.Readable(designs.All()[0], folder); err != nil {
		return brokenDesign{err: err, where: "--design " + folder}
	}
	*d, broughtDocuments = ownDesign(folder), folder
	return nil
}

// statusFlag adds --status to a command.
func statusFlag(c *cobra.Command) *string {
	return c.Flags().String("status", "", "file (YAML) that says which open points are accepted, by whom and until when; with --design "+contract.StatusFile+" of its folder, where there is one")
}

// accepted reads the status file that was named, or the one in the folder of a design of the caller's, if there is one.
func accepted(path, folder string) ([]evidence.Acceptance, error) {
	var content []byte
	var err error
	if path != "" {
		content, err = input.File(path, input.Text)
	} else if folder != "" {
		path = filepath.Join(folder, contract.StatusFile)
		content, err = fs.ReadFile(input.Design(folder), contract.StatusFile)
		if errors.Is(err, fs.ErrNotExist) {
			path, err = "", nil
		}
	}
	if err != nil {
		return nil, misused("--status: %w", err)
	}
	if path == "" {
		return nil, nil
	}
	committed, err := designs.Manifest()
	if err != nil {
		return nil, err
	}
	ids := lists.Map(committed, func(claim manifest.Claim) string { return claim.ID })
	read, err := acceptances(filepath.Base(path), content, ids)
	if err != nil {
		return nil, misused("--status %s: %w", path, err)
	}
	return read, nil
}

// brokenDesign is a contract, fixtures or another file with mistakes. They are printed one a line, each with its
// file and line, as compilers do.
type brokenDesign struct {
	err   error
	where string
	// what has the mistakes; "" means the design.
	what string
}

func (e brokenDesign) Error() string {
	lines := strings.Split(e.err.Error(), "\n")
	if refused := input.Refusal(""); len(lines) == 1 && errors.As(e.err, &refused) {
		return e.where + ": " + lines[0]
	}
	return fmt.Sprintf("%s: the %s has %s\n  %s", e.where, cmp.Or(e.what, "design"), report.Plural(len(lines), "mistake"), strings.Join(few(lines, mostLines, "and %d more"), "\n  "))
}

// mostLines is how many lines of a list are printed.
const mostLines = 50

// few returns the first lines, and how many more there are.
func few(lines []string, most int, more string) []string {
	if len(lines) <= most {
		return lines
	}
	return append(slices.Clone(lines[:most]), fmt.Sprintf(more, len(lines)-most))
}

func (e brokenDesign) Unwrap() error { return e.err }

func schemaCommand() *cobra.Command {
	return help("schema", &cobra.Command{
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(contract.Schema())
			return err
		},
	})
}
