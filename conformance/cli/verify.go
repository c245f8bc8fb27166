package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/explore"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/internal/wholefile"
	"dynaproof/conformance/lab/engines"
	"dynaproof/conformance/report"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/patterns"
	"dynaproof/conformance/suite/session"
	"dynaproof/conformance/target"
	"dynaproof/fixtures"
)

// closeTime bounds the clean-up after a run, which must happen even when the
// run was interrupted.
const closeTime = 30 * time.Second

// hurriedClose is the same after an interrupt, when no answer is waited for any more.
const hurriedClose = 3 * time.Second

func verifyCommand() *cobra.Command {
	options := replay.Options{}
	var reportDir, filter, targetName, trailGroup, keyFile string
	var asJSON, all, yes bool
	var confirm, engine, note string
	var status *string
	var tool replay.Tool
	c := help("verify", &cobra.Command{
		ValidArgsFunction: completeDesigns,
		RunE: func(cmd *cobra.Command, args []string) error {
			options.Designs = args
			if options.Existing && !cmd.Flags().Changed("env") {
				return misused("--existing: expected --env, the environment whose tables may be written to, found none; name it")
			}
			for _, name := range []string{"confirm", "share-capacity"} {
				if cmd.Flags().Changed(name) && !options.Existing {
					return misused("--%s: expected it with --existing alone; leave it out", name)
				}
			}
			if cmd.Flags().Changed("deploy") || cmd.Flags().Changed("destroy") || cmd.Flags().Changed("deploy-timeout") {
				options.Tool = &tool
			}
			if len(options.TableNames) > 0 && !options.Existing && options.Tool == nil {
				return misused("--table works only with --existing or --deploy; any other replay deploys its own tables")
			}
			if err := followTrail(cmd, &options, trailGroup, targetName != "", false); err != nil {
				return err
			}
			options.Documents = documentsFolder()
			var err error
			if options.Accepted, err = accepted(*status, broughtDocuments); err != nil {
				return err
			}
			options.Command = commandLine()
			selected, err := selection(filter)
			if err != nil {
				return outcome{evidence.WrongUsage, err}
			}
			key, err := signingKey(keyFile)
			if err != nil {
				return outcome{evidence.WrongUsage, err}
			}
			if err := writable(reportDir, append(report.Attested(), report.AttestationFile)...); err != nil {
				return outcome{evidence.WrongUsage, err}
			}
			if err := openCloud(cmd.Context(), targetName, &options); err != nil {
				return err
			}
			if options.Cloud == nil && options.Endpoint == "" || engine != "" {
				if options.Engine, note, err = engineFor(engine, target.NoEmbedded(), options.Cloud); err != nil {
					return outcome{evidence.WrongUsage, err}
				}
			}
			if options.Existing {
				if err := consentExisting(cmd, options, confirm); err != nil {
					return err
				}
			}
			if options.Cloud != nil {
				if err := consent(cmd, options, yes); err != nil {
					return err
				}
			}
			return verify(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), options, verifyOutput{reportDir, filter, selected, asJSON, all, key, note})
		},
	})
	designFlag(c)
	status = statusFlag(c)
	c.Flags().StringVar(&tool.Deploy, "deploy", "", "command for /bin/sh that makes the design's tables at AWS_ENDPOINT_URL, in place of its Pulumi program")
	c.Flags().StringVar(&tool.Destroy, "destroy", "", "with --deploy: command that removes them again (default: they go with the engine)")
	c.Flags().DurationVar(&tool.Time, "deploy-timeout", replay.DefaultToolTime, "with --deploy: longest time of each of the two commands; one that takes longer is ended with all its children, but on other systems than Linux a child that left its process group lives on")
	targetFlags(c, &options, "default: an embedded engine")
	c.Flags().StringVar(&engine, "engine", "", "engine to start: dynoxide or dynalite (default: dynoxide, and dynalite where no dynoxide is for the platform); with --target aws: moto, where AWS_ENDPOINT_URL names one, so that what it is known to do otherwise than AWS is unsupported")
	offer(c, "engine", engines.Names())
	lacksFlag(c, &options)
	c.Flags().StringVar(&options.StateDir, "state", "build/state", "folder of the state of a run on an endpoint; it says what an interrupted run left")
	cloudFlag(c, &targetName)
	c.Flags().BoolVar(&options.Strict, "strict", false, strictHelp)
	c.Flags().BoolVar(&yes, "yes", false, "with --target aws: start without asking")
	c.Flags().DurationVar(&options.MetricsWait, "metrics-wait", replay.DefaultMetricsWait, "with --target aws: longest wait for CloudWatch to count the run's requests")
	trailFlags(c, &options, &trailGroup)
	c.Flags().BoolVar(&options.Existing, "existing", false, "replay on the deployed tables of --env, beside the items of others: writes only under free keys, and deletes exactly what it wrote")
	c.Flags().BoolVar(&options.ShareCapacity, "share-capacity", false, "with --existing --target aws: also where the capacity of a table has a bound, so that requests of others may be throttled for those of the run")
	c.Flags().StringVar(&confirm, "confirm", "", "with --existing: the name of the environment once more, in place of typing it when asked")
	c.Flags().StringToStringVar(&options.TableNames, "table", nil, "with --existing or --deploy: deployed name of a table where it has another one, such as fus-main=NAME")
	c.Flags().StringVar(&reportDir, "report", "build/report", "folder for the evidence and the reports")
	c.Flags().StringVar(&keyFile, "sign-key", "", "file with the PEM of the private key (ECDSA P-256 or Ed25519) that signs the attestation; default: "+evidence.SignKeyVariable+", which may hold the PEM itself")
	c.Flags().StringVar(&filter, "label-filter", "", "run only specs with these Ginkgo labels: design:NAME, kind:KIND, id:CLAIM.WITH.DOTS")
	c.Flags().Uint64Var(&options.Seed, "seed", 1, "decides the order in which the requests of racing clients are sent; the same seed makes the same races")
	c.Flags().IntVar(&options.Orders, "orders", 0, "try at most `N` interleavings of two clients per attempt on an invariant (default 100, on AWS 10)")
	c.Flags().IntVar(&options.Interruptions, "interruptions", 0, "stop a flow after at most `N` different requests per attempt on an invariant (default: after each)")
	c.Flags().BoolVar(&asJSON, "json", false, "print the evidence as JSON instead of a summary")
	c.Flags().BoolVar(&all, "all", false, "write out every claim that did not pass, not only the first of each design")
	return c
}

// targetFlags are the flags of every command that chooses where to run.
func targetFlags(c *cobra.Command, options *replay.Options, withoutEndpoint string) {
	c.Flags().StringVar(&options.Endpoint, "endpoint", "", "URL of a DynamoDB-compatible engine on this machine ("+withoutEndpoint+")")
	c.Flags().StringVar(&options.NamePrefix, "prefix", "", "text before every table name (dynaproof:namePrefix), to get out of the way of other tables")
	environmentFlags(c, options)
}

// lacksFlag declares what an endpoint does not have.
func lacksFlag(c *cobra.Command, options *replay.Options) {
	c.Flags().StringSliceVar(&options.Lacks, "unsupported", nil, "with --endpoint: operations that its engine is known to lack, such as TransactWriteItems; any other operation that it does not know ends with exit code 3")
}

// environmentFlags are the flags that say what is deployed.
func environmentFlags(c *cobra.Command, options *replay.Options) {
	c.Flags().StringVar(&options.Environment, "env", "dev", "environment, the second half of the stack's name")
	c.Flags().StringVar(&options.Region, "region", "", "region that requests are signed for, where the document names none (default "+replay.DefaultRegion+")")
}

// refuseWrongValues refuses a flag that was given without a value, such as
// --env "$ENVIRONMENT" with the variable unset: the default would be something
// else than what was meant. It refuses a number below 0, and a time that is not above 0,
// except for --timeout, where 0 means no bound.
func refuseWrongValues(c *cobra.Command, _ []string) error {
	var problems []error
	c.Flags().Visit(func(given *pflag.Flag) {
		if given.Value.String() == "" && given.Name != "prefix" && given.Name != "label-filter" {
			problems = append(problems, fmt.Errorf("--%s: expected a value, found an empty text; leave the flag out for its default", given.Name))
		}
		below := strings.HasPrefix(given.Value.String(), "-")
		if given.Value.Type() == "int" && below {
			problems = append(problems, fmt.Errorf("--%s: expected a number that is not below 0, found %s", given.Name, given.Value))
		}
		if given.Value.Type() == "duration" && given.Name != "timeout" && (below || given.Value.String() == "0s") {
			problems = append(problems, fmt.Errorf("--%s: expected a time above 0, such as 24h, found %s", given.Name, given.Value))
		}
	})
	return errors.Join(problems...)
}

// selection returns the claims that a label filter selects: all when it is
// empty.
func selection(filter string) (func(manifest.Claim) bool, error) {
	matches, err := types.ParseLabelFilter(filter)
	if err != nil {
		var syntax types.GinkgoError
		text := err.Error()
		if errors.As(err, &syntax) { // its own text is laid out and coloured for a terminal
			lines := strings.Split(strings.TrimSpace(syntax.Message), "\n")
			text = lines[len(lines)-1]
		}
		return nil, fmt.Errorf("--label-filter: expected a filter such as 'kind:pattern && design:fus-main', found %q: %s", filter, text)
	}
	return func(claim manifest.Claim) bool {
		return matches(append(suite.Labels(claim), "design:"+claim.Design))
	}, nil
}

// writable checks that a folder takes reports, in files of these names, before a run that would end
// without one.
func writable(folder string, files ...string) error {
	var missing []string
	for at := filepath.Clean(folder); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, at)
	}
	err, held := os.MkdirAll(folder, 0o755), false
	if err == nil { // given up when the process ends, however it ends
		madeForReports = missing
		reports = flock.New(filepath.Join(folder, ".dynaproof.lock"))
		held, err = reports.TryLock()
	}
	switch {
	case err != nil:
		return fmt.Errorf("--report: expected a folder to write to: %w; choose another one", err)
	case !held:
		return fmt.Errorf("--report: expected no other run that writes to %s, found one; wait for it to end, or choose another folder", folder)
	}
	return replaces("--report", folder, files)
}

// replaces returns an error where files of these names in a folder are somebody else's.
func replaces(option, folder string, files []string) error {
	for _, name := range files {
		if err := wholefile.Replaces(filepath.Join(folder, name), nil); err != nil {
			return fmt.Errorf("%s: %w", option, err)
		}
	}
	return nil
}

// reports is the lock on the folder that this process writes its reports to, and madeForReports are the folders that it made for that, the
// innermost first.
var (
	reports        *flock.Flock
	madeForReports []string
)

// releaseReports removes the lock, and the folders that were made for it where nothing was written to them.
func releaseReports() {
	if reports == nil || !reports.Locked() {
		return
	}
	_ = os.Remove(reports.Path()) // another run makes its own
	_ = reports.Unlock()          // the process ends
	for _, folder := range madeForReports {
		_ = os.Remove(folder) // fails where it holds anything
	}
}

type verifyOutput struct {
	reportDir, filter string
	selected          func(manifest.Claim) bool
	json, all         bool
	key               *report.Key // nil for an unsigned attestation
	engineNote        string      // why another engine answers than the embedded one
}

// exploreAhead explores the selected claims one after the other, so that their checks need not wait. What cannot be loaded is
// told by who asks again.
func exploreAhead(names []string, selected func(manifest.Claim) bool) {
	chosen, _ := designs.Chosen(names)
	for _, design := range chosen {
		explored := explore.Claims(design)
		load := sync.OnceValues(func() (*fixtures.Set, error) { return fixtures.Load(design.Name, time.Now()) })
		for _, claim := range manifest.Claims(design) {
			if id := strings.TrimPrefix(claim.ID, design.Name+"/"); selected(claim) && slices.Contains(explored, id) {
				if set, err := load(); err == nil {
					_, _ = patterns.Explore(design, set, id)
				}
			}
		}
	}
}

func verify(ctx context.Context, out, progressOut io.Writer, options replay.Options, output verifyOutput) error {
	progress := newProgress(progressOut)
	options.Progress = progress.note
	if err := anySelected(options.Designs, output); err != nil {
		return outcome{evidence.WrongUsage, err}
	}
	options.Apart = true
	run, err := replay.Start(ctx, options)
	if err != nil {
		progress.clear()
		return err
	}
	if output.engineNote != "" {
		first := out
		if output.json {
			first = progressOut
		}
		progress.clear()
		fmt.Fprintf(first, "engine: %s, %s\n", run.Engine(), output.engineNote)
	}
	if err := run.Begin(ctx); err != nil {
		progress.clear()
		return toolFailed(ctx, run, progressOut, err)
	}
	go func() { _, _ = evidence.ExecutableDigest() }() // ready when the evidence is
	go exploreAhead(options.Designs, output.selected)  // in memory, beside the replay
	unremoved := runSpecs(ctx, run, progress, output)
	interrupted := ctx.Err() != nil
	switch lost := run.Lost(); {
	case lost != nil:
		run.Undecided(output.selected, evidence.Error, lost.Error())
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		run.Undecided(output.selected, evidence.Indeterminate, "not examined: the time of --timeout was over before")
	case interrupted:
		run.Undecided(output.selected, evidence.Indeterminate, replay.Interrupted)
	default:
		run.Undecided(output.selected, evidence.Error, "not examined, although nothing stopped the run; this is a defect, please report it")
	}
	patience := closeTime
	if interrupted {
		patience = hurriedClose
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	seen := named(run.Evidence(interrupted))
	progress.clear()
	for _, problem := range unremoved {
		fmt.Fprintln(progressOut, "dynaproof:", oneLine(problem))
	}
	if err := run.Close(closing); err != nil {
		fmt.Fprintln(progressOut, "dynaproof: ending the engine:", oneLine(err))
	}
	// The verdicts come first: a disk that is full must not cost them.
	problems := []error{seen.RecordExecutable()}
	if output.key != nil {
		seen.Signer = output.key.ID()
	}
	problems = append(problems, printRun(out, seen, output.json, output.all))
	if !output.json {
		problems = append(problems, verified(out, run, seen, !designs.Shipped() && options.Tool == nil && !options.Existing, output.engineNote != ""))
	}
	file, page := filepath.Join(output.reportDir, report.EvidenceFile), filepath.Join(output.reportDir, report.PageFile)
	problems = append(problems, announceOverwriting(progressOut, output.reportDir, seen.ID))
	defer collectAt(50)()
	unwritten := report.WriteFolder(output.reportDir, seen, report.DocumentsIn(options.Documents, seen), output.key)
	problems = append(problems, unwritten)
	if !output.json && unwritten == nil {
		fmt.Fprintf(out, "evidence: %s\nreport: %s\nattestation: %s, %s\n", file, page, filepath.Join(output.reportDir, report.AttestationFile), seen.Signature())
	}
	return verdict(seen, errors.Join(problems...), unremoved)
}

// engineFor is the engine of that name for a run, nil for the embedded one; where none is
// named and there is no embedded one for the platform, the second. The note says why it is
// another and how far its answers carry. In an account it is what stands in for AWS there.
func engineFor(name string, missing error, account *target.Account) (engine *replay.Engine, note string, err error) {
	version, inPlace := target.DynaliteVersion, ""
	switch {
	case account != nil:
		if name != "moto" || account.Override() == "" {
			return nil, "", fmt.Errorf("--engine: with --target aws expected moto, where AWS_ENDPOINT_URL names one in place of AWS, found %q; leave the option out", name)
		}
		version, inPlace = target.MotoVersion, "moto "+target.MotoVersion+", which "
	case name == "" && missing == nil || name == "dynoxide":
		return nil, "", nil
	case name == "":
		name, note = "dynalite", oneLine(missing)+"; "
	case name != "dynalite":
		return nil, "", fmt.Errorf("--engine: expected dynoxide or dynalite, found %q", name)
	}
	found, err := engines.Find([]string{name})
	if err != nil {
		return nil, "", err
	}
	found[0].Deviates, err = engines.DeviationsOf(name, version)
	return &found[0].Engine, note + inPlace + found[0].Note, err
}

// verified says of which designs no claim about a table was held against a deployment, and where another engine than the embedded one
// answered what it could not answer, by the reason that was declared.
func verified(out io.Writer, run *replay.Replay, seen *evidence.Run, made, another bool) error {
	says, by, unsupported := map[string]any{"Claims": len(seen.Results())}, map[string]int{}, 0
	if made {
		says["Made"] = slices.DeleteFunc(slices.Clone(run.Designs()), func(design *accesspatterns.Design) bool { return !deploy.FromContract(design.Name) })
	}
	if another {
		says["Engine"] = run.Engine()
	}
	for _, result := range seen.Results() {
		if result.Verdict == evidence.Unsupported {
			unsupported++
			by[result.Declared]++
		}
	}
	says["Unsupported"], says["By"] = unsupported, by
	return printText(out, "verified", says)
}

// toolFailed ends a run whose tool did not deploy: it shows what the tool printed, lets
// it remove what it may have made, and ends the engine.
func toolFailed(ctx context.Context, run *replay.Replay, out io.Writer, failure error) error {
	show := func(err error) {
		if tool, is := errors.AsType[*replay.ToolError](err); is && tool.Output != "" {
			fmt.Fprintf(out, "%s printed:\n%s\n", tool.Flag, tool.Output)
		}
	}
	show(failure)
	closing, end := hurried(ctx)
	defer end()
	if err := run.Remove(closing, run.Designs()[0], nil); err != nil {
		show(err)
		fmt.Fprintf(out, "dynaproof: removing %s: %s\n", run.Designs()[0].Name, oneLine(err))
	}
	if err := run.Close(context.WithoutCancel(ctx)); err != nil {
		fmt.Fprintln(out, "dynaproof: ending the engine:", oneLine(err))
	}
	return outcome{evidence.CouldNotTell, failure}
}

// verdict ends a command with the exit code of a run, or with that of one that could not tell where the run's reports could
// not be written, or it did not end as it should.
func verdict(seen *evidence.Run, unwritten error, problems []error) error {
	code := seen.ExitCode()
	switch {
	case unwritten != nil:
		return unwritten
	case code == evidence.Conforms && len(problems) > 0:
		code = evidence.CouldNotTell
	}
	return exitWith(code)
}

// anySelected refuses a filter that selects nothing: the run would start an
// engine and find out nothing.
func anySelected(names []string, output verifyOutput) error {
	chosen, err := designs.Chosen(names)
	if err != nil {
		return err
	}
	var tried []string
	for _, design := range chosen {
		if slices.ContainsFunc(manifest.Claims(design), output.selected) {
			return nil
		}
		tried = append(tried, design.Name)
	}
	return fmt.Errorf("--label-filter: expected to select claims of %s, found none for %q; labels are design:NAME, kind:KIND and id:CLAIM.WITH.DOTS",
		strings.Join(tried, ", "), output.filter)
}

// runSpecs replays the selected claims, and says what could not be removed. When the engine is lost the run is given up, for
// the same reason would stand behind every claim. Behind a second interrupt no removal begins, and those under way are waited for.
func runSpecs(ctx context.Context, run *replay.Replay, progress *progress, output verifyOutput) (problems []error) {
	total, done := 0, 0
	for _, design := range run.Designs() {
		total += lists.Count(manifest.Claims(design), output.selected)
	}
	replaying, giveUp := context.WithCancel(ctx)
	defer giveUp()
	plan := run.Plan(func(result evidence.Result) {
		done++
		progress.note(fmt.Sprintf("%d/%d  %s", done, total, result.ID))
		if run.Lost() != nil {
			giveUp()
		}
	})
	remove := plan.Close
	var mu sync.Mutex
	plan.Close = func(ctx context.Context, design *accesspatterns.Design, session *session.Session) error {
		err := remove(ctx, design, session)
		if err != nil {
			left := "goes with the embedded engine"
			if !run.Alone() {
				left = fmt.Sprintf("stands in the state folder, and the next verify, or `dynaproof cleanup %s` with the same --design, --endpoint or --target, removes what is the run's", design.Name)
			}
			mu.Lock()
			defer mu.Unlock()
			problems = append(problems, fmt.Errorf("removing %s: %w; what is left %s", design.Name, err, left))
		}
		return err
	}
	closing, end := hurried(ctx)
	defer end()
	plan.Replay(replaying, closing, run.AtOnce(), output.selected)
	return problems
}

// hurried is the context of what is done behind the end of another, until a second interrupt, or until end is called.
func hurried(ctx context.Context) (closing context.Context, end func()) {
	closing, hurry := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		again, stop := signal.NotifyContext(closing, endings()...)
		defer stop()
		<-again.Done()
		hurry()
	})
	return closing, func() {
		stop()
		hurry()
	}
}

// oneDesign checks that exactly one known design was named. Where there is but one it need not be.
func oneDesign(_ *cobra.Command, args []string) error {
	if len(args) == 0 && len(designs.Names()) == 1 {
		return nil
	}
	if len(args) != 1 {
		return fmt.Errorf("expected one design (%s), found %d", strings.Join(designs.Names(), ", "), len(args))
	}
	_, err := designs.Find(args[0])
	return err
}
