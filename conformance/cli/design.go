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
type ownDesign struct{ folder string }

// putBack puts the shipped designs back. A process runs one command, its tests
// several.
var putBack = func() {}

func designFlag(c *cobra.Command) *ownDesign {
	own := &ownDesign{}
	c.Flags().Var(own, "design", "folder of a design of your own, in place of DESIGN: its contract (*.yaml), its document and its fixtures")
	must.Do(c.MarkFlagDirname("design")) // it is declared above
	return own
}

// String returns the folder.
func (d *ownDesign) String() string { return d.folder }

// Type names the value in the help.
func (d *ownDesign) Type() string { return "DIR" }

// Set reads the contract.
func (d *ownDesign) Set(folder string) error {
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return outcome{evidence.WrongUsage, fmt.Errorf("--design: expected a folder with a contract (*.yaml), found none at %q", folder)}
	}
	restore, err := own.Use(own.Design{Folder: input.Design(folder)})
	if err != nil {
		return brokenDesign{err: err, where: "--design " + folder}
	}
	before := putBack
	putBack = func() {
		restore()
		putBack = before
	}
	if err := own.Readable(designs.All()[0], folder); err != nil {
		return brokenDesign{err: err, where: "--design " + folder}
	}
	d.folder = folder
	return nil
}

// documents is the folder of the design documents.
func (d *ownDesign) documents() string {
	if d.folder != "" {
		return d.folder
	}
	return documentsFolder()
}

// statusFlag adds --status to a command.
func statusFlag(c *cobra.Command) *string {
	return c.Flags().String("status", "", "file (YAML) that says which open points are accepted, by whom and until when; with --design "+contract.StatusFile+" of its folder, where there is one")
}

// accepted reads the status file that was named, or the one beside the contract of a design of the caller's.
func (d *ownDesign) accepted(path string) ([]evidence.Acceptance, error) {
	var content []byte
	var err error
	if path != "" {
		content, err = input.File(path, input.Text)
	} else if d.folder != "" {
		path = filepath.Join(d.folder, contract.StatusFile)
		content, err = fs.ReadFile(input.Design(d.folder), contract.StatusFile)
		if errors.Is(err, fs.ErrNotExist) {
			path, err = "", nil
		}
	}
	if err != nil {
		return nil, outcome{evidence.WrongUsage, fmt.Errorf("--status: %w", err)}
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
		return nil, outcome{evidence.WrongUsage, fmt.Errorf("--status %s: %w", path, err)}
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
	return fmt.Sprintf("%s: the %s has %s\n  %s", e.where, cmp.Or(e.what, "design"), report.Plural(len(lines), "mistake"), strings.Join(few(lines), "\n  "))
}

// few returns the first 50 lines, and how many more there are.
func few(lines []string) []string {
	const most = 50
	if len(lines) <= most {
		return lines
	}
	return append(slices.Clone(lines[:most]), fmt.Sprintf("and %d more", len(lines)-most))
}

func (e brokenDesign) Unwrap() error { return e.err }

func schemaCommand() *cobra.Command {
	return help("schema", &cobra.Command{
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(contract.Schema())
			return couldNotTell(err)
		},
	})
}
