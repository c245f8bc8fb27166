package replay

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/redact"
	"dynaproof/conformance/internal/watchdog"
	"dynaproof/conformance/suite/session"
	"dynaproof/conformance/target"
)

// DefaultToolTime bounds a command of [Tool].
const DefaultToolTime = 10 * time.Minute

// Tool is another tool than Pulumi's engine in this process, which deploys a design to
// the embedded engine: `terraform apply`, `pulumi up`, a script.
type Tool struct {
	// Deploy and Destroy are commands for /bin/sh. Without Destroy the tables go with
	// the engine.
	Deploy, Destroy string
	// Time bounds each command; 0 means [DefaultToolTime].
	Time time.Duration
	// Make deploys in place of a command, where it is set. It is given a client of the
	// engine, the design and the names of its tables by their logical ids.
	Make func(ctx context.Context, client *dynamodb.Client, design *accesspatterns.Design, tables map[string]string) error
}

// ToolError says that a command of a [Tool] did not do its work.
type ToolError struct {
	// Flag names the command: --deploy or --destroy.
	Flag string
	// Problem is one line, Output the last of what the command printed.
	Problem, Output string
}

func (e *ToolError) Error() string { return e.Flag + ": " + e.Problem }

// checkTool refuses what a tool cannot do.
func (o *Options) checkTool() error {
	switch {
	case o.Tool == nil:
		return nil
	case o.Tool.Deploy == "" && o.Tool.Make == nil:
		return errors.New("--destroy: expected --deploy with it, the command that deploys, found none")
	case o.Endpoint != "" || o.Cloud != nil || o.Existing:
		return errors.New("--deploy: expected the embedded engine, found --endpoint, --target or --existing; leave them out, or deploy yourself and run `dynaproof audit`")
	}
	for _, command := range []struct{ flag, text string }{{"--deploy", o.Tool.Deploy}, {"--destroy", o.Tool.Destroy}} {
		if err := staysHere(command.text); err != nil {
			return fmt.Errorf("%s: %w", command.flag, err)
		}
	}
	return o.oneDesign("--deploy", "that the command deploys")
}

// Begin lets the tool deploy, before the suite asks for what it deploys. A command that
// fails, does not end or makes nothing is a [*ToolError].
func (r *Replay) Begin(ctx context.Context) error {
	if r.options.Tool == nil {
		return nil
	}
	deployment, err := r.Deploy(ctx, r.designs[0])
	if err == nil {
		r.begun = &deployment
	}
	return err
}

// deployByTool lets the tool deploy a design, and returns its tables under their
// documented names, or those that the caller gives.
func (r *Replay) deployByTool(ctx context.Context, design *accesspatterns.Design) (session.Deployment, error) {
	var none session.Deployment
	deployment := r.options.documented(design)
	where := r.at(design.Name)
	client := target.NewClient(where.target.URL(), deployment.Region)
	var err error
	var said *deploy.Result
	if r.options.Tool.Make != nil {
		err = r.options.Tool.Make(ctx, target.NewClient(where.endpoint(), deployment.Region), design, deployment.Tables)
	} else {
		said, err = r.command(ctx, "--deploy", r.options.Tool.Deploy, design.Name, deployment.Region)
	}
	if err == nil && said != nil {
		if deployment, err = Outputs(said.Outputs); err != nil {
			err = &ToolError{Flag: "--deploy", Problem: "what the command printed that it made: " + err.Error()}
		}
	}
	if err != nil {
		return none, err
	}
	made, err := target.TableNames(ctx, client)
	if err != nil {
		return none, fmt.Errorf("which tables --deploy made: %w", err)
	}
	if len(made) == 0 {
		return none, &ToolError{Flag: "--deploy", Problem: "expected the command to make tables, found none; it has to send its requests to AWS_ENDPOINT_URL, which stands in its environment"}
	}
	promised := slices.Collect(maps.Values(deployment.Tables))
	arns, err := r.awaitActive(ctx, client, slices.DeleteFunc(promised, func(table string) bool { return !slices.Contains(made, table) })) // of what is missing the claims speak
	if err != nil {
		return none, err
	}
	deployment.TableARNs = map[string]string{}
	for id, table := range deployment.Tables {
		if arn := arns[table]; arn != "" {
			deployment.TableARNs[id] = arn
		}
	}
	return deployment, nil
}

// destroyByTool lets the tool remove what it deployed. Without a command the tables go
// with the engine.
func (r *Replay) destroyByTool(ctx context.Context, design *accesspatterns.Design) error {
	if r.options.Tool.Destroy == "" || r.Lost() != nil {
		return nil
	}
	region := r.options.documented(design).Region
	if _, err := r.command(ctx, "--destroy", r.options.Tool.Destroy, design.Name, region); err != nil {
		return err
	}
	left, err := target.TableNames(ctx, target.NewClient(r.at(design.Name).target.URL(), region))
	if err == nil && len(left) > 0 {
		err = &ToolError{Flag: "--destroy", Problem: fmt.Sprintf("expected the command to remove all tables, found %s", strings.Join(left, ", "))}
	}
	return err
}

// command runs a command of the tool to its end, and returns what it said that it made; nil where it said nothing. Whatever it
// started ends with it.
func (r *Replay) command(ctx context.Context, flag, command, name, region string) (*deploy.Result, error) {
	limit := cmp.Or(r.options.Tool.Time, DefaultToolTime)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTooLong)
	defer cancel()
	r.progress("%s: %s: %s", name, strings.TrimPrefix(flag, "--"), command)
	printed, heard := &watchdog.Tail{Kept: keptOutput}, &hearing{}
	err := run(ctx, command, r.toolEnvironment(name, region), io.MultiWriter(printed, heard))
	_, _ = heard.Write([]byte("\n")) // a last line may have no end
	switch {
	case err == nil && heard.twice:
		return nil, &ToolError{flag, "expected the command to print once what it made, found lines that say different things; print the last word alone", lastLines(printed)}
	case err == nil:
		return heard.said, nil
	case errors.Is(context.Cause(ctx), errTooLong):
		return nil, &ToolError{flag, fmt.Sprintf("expected the command to end within %s, found it running; it was ended with all that it started (--deploy-timeout)", limit), lastLines(printed)}
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return nil, &ToolError{flag, fmt.Sprintf("expected the command to succeed, found %v", err), lastLines(printed)}
}

// endTime bounds the wait for a command that was told to end. It is reached only when the command keeps its watchdog from it.
const endTime = 2 * time.Second

// run runs a command for /bin/sh, and ends all that it started when it ends, or the context does.
func run(ctx context.Context, command string, environment []string, output io.Writer) error {
	running, err := watchdog.Start([]string{"/bin/sh", "-c", command}, environment, output)
	if err != nil {
		return err
	}
	select {
	case <-running.Done():
	case <-ctx.Done():
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
		defer cancel()
		_ = running.End(bounded) // by force, where it takes longer
		return ctx.Err()
	}
	switch {
	case running.Status == 0:
		return nil
	case running.Status < 0:
		return errors.New("its watchdog killed")
	}
	return fmt.Errorf("exit status %d", running.Status)
}

var errTooLong = errors.New("the command ran too long")

// toolEnvironment is this process's environment with the engine's address in it, to which no proxy stands in the way. No
// credentials and no profile of the caller's reach the command, so that nothing can
// reach an account by mistake.
func (r *Replay) toolEnvironment(name, region string) []string {
	environment := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "AWS_") || strings.HasPrefix(strings.ToUpper(entry), "NO_PROXY=")
	})
	endpoint := r.at(name).endpoint()
	host, _, _ := strings.Cut(strings.TrimPrefix(endpoint, "http://"), ":")
	for _, direct := range []string{"NO_PROXY", "no_proxy"} {
		environment = append(environment, direct+"="+strings.TrimPrefix(os.Getenv(direct)+","+host, ","))
	}
	return append(environment,
		"AWS_ENDPOINT_URL="+endpoint, "AWS_ENDPOINT_URL_DYNAMODB="+endpoint, "AWS_REGION="+region, "AWS_DEFAULT_REGION="+region,
		"AWS_ACCESS_KEY_ID=dynaproof", "AWS_SECRET_ACCESS_KEY=dynaproof", "AWS_EC2_METADATA_DISABLED=true",
		// What Terraform calls the endpoint: a variable that a configuration may declare, and the names that its provider reads from 4.1 on.
		"TF_VAR_dynamodb_endpoint="+endpoint, "TF_AWS_DYNAMODB_ENDPOINT="+endpoint, "TF_AWS_STS_ENDPOINT="+endpoint, "TF_AWS_IAM_ENDPOINT="+endpoint,
		"AWS_CONFIG_FILE="+os.DevNull, "AWS_SHARED_CREDENTIALS_FILE="+os.DevNull,
		"DYNAPROOF_DESIGN="+name, "DYNAPROOF_ENVIRONMENT="+r.options.Environment, "DYNAPROOF_NAME_PREFIX="+r.options.NamePrefix,
	)
}

// hearing looks for a line that says what was made, among all that a command prints.
type hearing struct {
	line []byte
	said *deploy.Result
	// twice says that two lines say different things.
	twice bool
}

// Write implements io.Writer; it never fails.
func (h *hearing) Write(text []byte) (int, error) {
	const longest = 4 << 20 // bytes of a line
	for line := range bytes.Lines(text) {
		if len(h.line) < longest {
			h.line = append(h.line, line...)
		}
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		if said := deploy.Said(h.line); said != nil {
			h.twice = h.twice || h.said != nil && !reflect.DeepEqual(h.said.Outputs, said.Outputs)
			h.said = said
		}
		h.line = h.line[:0]
	}
	return len(text), nil
}

// keptOutput is how many bytes of a command's output are kept: its last ones.
const keptOutput = 16 << 10

// lastLines are the last lines that a command printed, whole and without secrets.
func lastLines(printed *watchdog.Tail) string {
	text, cut := printed.Text()
	if _, whole, found := strings.Cut(text, "\n"); cut && found {
		text = "...\n" + whole
	}
	return redact.Output(strings.TrimRight(text, "\n"))
}
