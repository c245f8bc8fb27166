// Package cli is the command line: it deploys documented DynamoDB data models and proves that what
// is deployed is what the document promises.
//
// Exit codes: 0 conforms; 1 does not conform; 2 wrong usage or configuration;
// 3 could not tell.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"al.essio.dev/pkg/shellescape"
	"github.com/spf13/cobra"

	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/must"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/redact"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/target"
)

// Main runs the command line of this process and returns its exit code.
func Main(options ...Option) int {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // else whoever stops reading the output ends a run half-way, with tables left and no report
	return int(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, options...))
}

// run runs one command line. A process of its own runs one, and the tests of this package several, one after the other.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, options ...Option) evidence.ExitCode {
	given = args
	defer releaseReports()
	names = redact.New(redact.Names{})
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	remove, err := bring(options)
	defer remove()
	out, problems := names.Writer(stdout), names.Writer(stderr)
	if err == nil {
		root := command()
		root.SetArgs(args)
		root.SetIn(stdin)
		root.SetOut(out)
		root.SetErr(problems)
		err = root.ExecuteContext(ctx)
	}
	putBack()
	code := evidence.WrongUsage
	var decided outcome
	var broken brokenDesign
	switch {
	case err == nil:
		code = evidence.Conforms
	case errors.As(err, &broken):
		fmt.Fprintln(problems, "dynaproof:", broken) // a mistake on each line
		err = nil
	case errors.As(err, &decided):
		code, err = decided.code, decided.err
	}
	if errors.As(err, new(input.Refusal)) {
		code = evidence.WrongUsage
	}
	if lost := out.Flush(); lost != nil && (err == nil || errors.Is(err, lost)) {
		if code == evidence.Conforms || err != nil {
			code = evidence.CouldNotTell // what does not conform still does not
		}
		err = fmt.Errorf("the output: %w", lost)
	}
	if code == evidence.WrongUsage && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		code = evidence.CouldNotTell // whatever the command was about to look at
	}
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("interrupted: %w", err) // what follows may name something else, such as an engine that did not come up
	}
	if err != nil {
		fmt.Fprintln(problems, "dynaproof:", oneLine(err))
	}
	_ = problems.Flush() // there is nowhere left to say so
	return code
}

// endings are the signals that end a command. A terminal that closes sends SIGHUP; where nohup lets this process ignore it, it goes on doing so.
func endings() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return []os.Signal{os.Interrupt, syscall.SIGTERM}
	}
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
}

// names keeps names of accounts, callers and people out of all that a run prints. A command tells it who calls.
var names *redact.Redactor

// withoutNames returns a copy of what a command found, without names of others unless they are kept, for everything
// that is no evidence of one run.
func withoutNames[T any](found T) T { return redact.Copy(found, names.Text) }

// named returns a run as it is written: without names of others, unless --unredacted asks for them.
func named(run *evidence.Run) *evidence.Run {
	switch {
	case !names.Kept() && run.Names == evidence.NamesKept:
		run.Names = ""
	case names.Kept() && run.Names == "":
		run.Names = evidence.NamesKept
	}
	return run.Redacted()
}

// outcome ends the command with an exit code; its error, if any, is printed.
type outcome struct {
	code evidence.ExitCode
	err  error
}

func (o outcome) Error() string { return fmt.Sprintf("exit code %d: %v", o.code, o.err) }
func (o outcome) Unwrap() error { return o.err }

// misused ends the command with the exit code of wrong usage, and says what to do instead.
func misused(format string, args ...any) error {
	return outcome{evidence.WrongUsage, fmt.Errorf(format, args...)}
}

// exitWith ends the command with an exit code, of which the output has said why.
func exitWith(code evidence.ExitCode) error {
	if code == evidence.Conforms {
		return nil
	}
	return outcome{code: code}
}

// commandLine is the command as it was given, for reports and as a shell takes it.
func commandLine() string { return shellescape.QuoteCommand(append([]string{"dynaproof"}, given...)) }

// given are the arguments of the command line that runs.
var given []string

// ran gives an error of a command that runs its exit code, where it has none. Mistakes of the caller, and a command that is not
// built, are wrong usage; everything else means that the command could not tell. Errors of the command line itself never come
// through here. A command that writes files too joins the errors of all that it prints and writes: a disk that is full must not
// cost the verdicts, and a terminal that is gone not the files.
func ran(err error) error {
	var missing *deploy.MissingError
	switch {
	case err == nil, errors.As(err, new(outcome)):
		return err
	case errors.As(err, &missing): // said once, however many tried
		return outcome{evidence.WrongUsage, missing}
	case errors.As(err, new(*target.ConfigError)), errors.As(err, new(replay.ConfigError)):
		return outcome{evidence.WrongUsage, err}
	}
	return outcome{evidence.CouldNotTell, err}
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// defaultTimeout bounds a command for which no other time is given. The longest
// runs, on AWS or of all mutants, take less than one hour.
const defaultTimeout = 2 * time.Hour

func command() *cobra.Command {
	root := help("dynaproof", &cobra.Command{
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}, "{designs}", strings.Join(designs.Names(), ", "))
	unredacted := root.PersistentFlags().Bool("unredacted", false, "show names of accounts, callers and people, and of tables that are not the run's own, in everything that is printed and written")
	root.PersistentFlags().BoolVar(&attached, "attached", false, "for another process of this program: print steps, and end with standard input")
	must.Do(root.PersistentFlags().MarkHidden("attached")) // it is declared above
	var timeout time.Duration
	root.PersistentFlags().DurationVar(&timeout, "timeout", defaultTimeout, "longest time of the whole command, after which it ends with exit code 3; 0 means no bound")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if *unredacted {
			names.Keep()
		}
		if attached {
			ctx, cancel := context.WithCancel(cmd.Context())
			cmd.SetContext(ctx)
			go func() {
				_, _ = io.Copy(io.Discard, cmd.InOrStdin()) // nothing is sent; its end is what counts
				cancel()
			}()
		}
		switch {
		case timeout < 0:
			return misused("--timeout: expected a duration such as 30m, found %s", timeout)
		case timeout == 0, (cmd.Name() == "serve" || cmd.Name() == "mcp") && !cmd.Flags().Changed("timeout"):
			return nil
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
		context.AfterFunc(ctx, func() {
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				fmt.Fprintf(cmd.ErrOrStderr(), "dynaproof: %s are over (--timeout); ending\n", timeout)
			}
		})
		cobra.OnFinalize(cancel)
		cmd.SetContext(ctx)
		return nil
	}
	root.SetFlagErrorFunc(mistyped)
	group(root, "prove", "Prove a deployment:", verifyCommand(), auditCommand(), explainCommand(), claimsCommand(), documentsCommand(), reportCommand())
	group(root, "design", "Your own design:", reviewCommand(), initCommand(), importCommand(), checkCommand(), exportCommand(), schemaCommand(), mcpCommand())
	group(root, "deploy", "Deploy on an engine on this machine, and clean up:", deployCommand("deploy"), deployCommand("preview"), deployCommand("refresh"), deployCommand("destroy"), serveCommand(), cleanupCommand())
	group(root, "laboratory", "Test the tests:", mutantsCommand(), faultsCommand(), enginesCommand(), scaleCommand(), engineCommand())
	root.InitDefaultHelpCmd()
	helped, _, err := root.Find([]string{"help"})
	must.Do(err) // it was just made
	helped.Args = func(_ *cobra.Command, args []string) error {
		_, _, err := root.Find(args)
		return err
	}
	return root
}

// completeDesigns offers the names of designs to the shell.
func completeDesigns(_ *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return designs.Names(), cobra.ShellCompDirectiveNoFileComp
}

// documentsFolder is where the design documents are looked for.
func documentsFolder() string {
	if broughtDocuments != "" {
		return broughtDocuments
	}
	if folder := os.Getenv("DYNAPROOF_DOCUMENTS"); folder != "" {
		return folder
	}
	return "../shared/designs"
}
