package cli

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"
	"text/template"

	"al.essio.dev/pkg/shellescape"
	"github.com/agext/levenshtein"
	"github.com/charmbracelet/lipgloss"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/document/drafter"
	"dynaproof/accesspatterns/document/witness"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/must"
	"dynaproof/conformance/internal/columns"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/report"
)

// group puts commands under a heading of the help, refuses wrong values of their flags, and gives each of their errors an exit code.
func group(root *cobra.Command, id, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: id, Title: title})
	for _, c := range commands {
		c.GroupID, c.PreRunE = id, refuseWrongValues
		run := c.RunE
		c.RunE = func(cmd *cobra.Command, args []string) error { return ran(run(cmd, args)) }
	}
	root.AddCommand(commands...)
}

// likeness is the most letters that a flag may be away from the one that is proposed for it.
const likeness = 3

// values are what flags of a type take, in words.
var values = map[string]string{"int": "a whole number", "uint64": "a whole number that is not below 0", "float64": "a number", "bool": "true or false", "duration": "a time such as 90s or 5m", "stringToString": "NAME=VALUE"}

// mistyped names the command whose flag is wrong, the flag that was likely meant, and where all of them stand.
func mistyped(c *cobra.Command, err error) error {
	if errors.As(err, new(outcome)) { // a value that was refused with words of its own
		return err
	}
	var unknown *pflag.NotExistError
	nearest, distance := "", likeness+1
	if errors.As(err, &unknown) {
		given := unknown.GetSpecifiedName()
		consider := func(flag *pflag.Flag) {
			if d := levenshtein.Distance(given, flag.Name, nil); !flag.Hidden && d < distance && d < len(given) {
				nearest, distance = flag.Name, d
			}
		}
		c.Flags().VisitAll(consider)
		c.InheritedFlags().VisitAll(consider)
	}
	if wrong, is := errors.AsType[*pflag.InvalidValueError](err); is && values[wrong.GetFlag().Value.Type()] != "" {
		err = fmt.Errorf("--%s: expected %s, found %q", wrong.GetFlag().Name, values[wrong.GetFlag().Value.Type()], wrong.GetValue())
	}
	if nearest != "" {
		nearest = "; did you mean --" + nearest + "?"
	}
	return fmt.Errorf("%s: %w%s (`%s --help` lists the flags)", c.Name(), err, nearest, c.CommandPath())
}

// jsonFlag declares --json of a command that otherwise prints text.
func jsonFlag(c *cobra.Command) *bool {
	return c.Flags().Bool("json", false, "print JSON instead of text")
}

// printJSON prints what a command says, for another program.
func printJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// helpText holds the texts of the commands: behind "=== " how a command is used, then what it does in a line, then in full, and
// behind "Example:" its examples.
//
//go:embed help.txt
var helpText string

// layout holds what commands print for people, by their names.
//
//go:embed text.tmpl
var layout string

// layouts are the templates of layout, parsed with the first of them.
var layouts = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("text").Funcs(template.FuncMap{
		"plural": report.Plural, "right": columns.Right, "join": func(all []string) string { return strings.Join(all, ", ") }, "word": strings.ToUpper, "mark": func() string { return drafter.Mark }, "runMark": func() string { return safewrite.Mark }, "shell": shellescape.Quote,
		"list": func(one string) []string { return []string{one} }, "titled": titled, "levels": accesspatterns.Levels, "needs": func(level accesspatterns.Level) string { return needs[level] },
		"named": func(all []witness.Objection) (lines []string) {
			for _, objection := range all {
				lines = append(lines, objection.ID+": "+objection.Message)
			}
			return lines
		},
	}).Parse(layout))
})

// titled is a title with what stands under it, a line each; empty where nothing does.
func titled(title string, all any) string {
	var lines []string
	for _, one := range reflect.ValueOf(all).Seq2() {
		lines = append(lines, fmt.Sprint(one))
	}
	if len(lines) == 0 {
		return ""
	}
	return "  " + title + ":\n    " + strings.Join(few(lines, mostLines, "and %d more"), "\n    ") + "\n"
}

// printText prints what a command says to people, by the name of its template.
func printText(out io.Writer, name string, data any) error {
	bold := lipgloss.NewRenderer(out).NewStyle().Bold(true)
	colours := map[string]lipgloss.Color{"PASS": "2", "FAIL": "1", "INDETERMINATE": "3"}
	of := template.Must(layouts().Clone()).Funcs(template.FuncMap{"word": func(verdict string) string { return bold.Foreground(colours[verdict]).Render(verdict) }})
	var text strings.Builder
	if err := of.ExecuteTemplate(&text, name, data); err != nil {
		return err
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// show prints what a command says, for another program or by a template for people.
func show(out io.Writer, asJSON bool, name string, value any) error {
	if asJSON {
		return printJSON(out, value)
	}
	return printText(out, name, value)
}

// said is a text without colours, by the name of its template.
func said(name string, data any) string {
	var text strings.Builder
	must.Do(layouts().ExecuteTemplate(&text, name, data)) // the template is embedded
	return text.String()
}

// help gives a command its texts. Each pair is a {word} of them, and what stands for it.
func help(name string, c *cobra.Command, pairs ...string) *cobra.Command {
	for section := range strings.SplitSeq(strings.TrimPrefix(helpText, "=== "), "\n=== ") {
		use, text, _ := strings.Cut(strings.TrimSpace(section), "\n")
		if word, _, _ := strings.Cut(use, " "); word != name {
			continue
		}
		text = strings.NewReplacer(pairs...).Replace(text)
		text, c.Example, _ = strings.Cut(text, "\n\nExample:\n")
		c.Use = use
		c.Short, c.Long, _ = strings.Cut(text, "\n\n")
		return c
	}
	panic("help.txt has nothing on " + name)
}

// version is the release; the linker sets it in the binaries of a release.
var version string

// versionText says what this binary is: the release, or else what Go noted about the source when it built it.
func versionText() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return cmp.Or(version, "unknown")
	}
	noted := lists.Index(info.Settings, func(setting debug.BuildSetting) (string, string) { return setting.Key, setting.Value })
	text := cmp.Or(version, info.Main.Version, "unknown")
	if revision := noted["vcs.revision"]; revision != "" {
		text += fmt.Sprintf(" (commit %s", revision)
		if noted["vcs.modified"] == "true" {
			text += ", changed since"
		}
		text += ")"
	}
	return text + " " + info.GoVersion
}
