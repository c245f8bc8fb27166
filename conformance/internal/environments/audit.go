package environments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/report"
	"dynaproof/conformance/target"
)

// Options say how several environments are audited.
type Options struct {
	// Replay holds what is the same for all: documents, strictness, command. Its designs, environment and place are those of each entry.
	Replay replay.Options
	// Parallel is how many are audited at the same time. Where there are several accounts or endpoints, one of them takes at most half: one that answers
	// slowly does not hold up the others.
	Parallel int
	// Time bounds the audit of one environment.
	Time time.Duration
	// Folder is the folder of the report; each environment's own evidence is in environments/NAME below it.
	Folder string
	// Opened is told each account before anything of it is shown.
	Opened func(*target.Account)
	// Shown returns evidence as it is stored and shown, such as without names of others.
	Shown func(*evidence.Run) *evidence.Run
}

// Audit audits every environment of a list, and returns what it saw, in the order of the list. What keeps one from being audited
// stands beside it, and keeps nothing from the others.
func Audit(ctx context.Context, list []Environment, options Options) *report.Audits {
	seen := &report.Audits{
		Version: report.AuditsVersion, ID: evidence.NewID(), Command: options.Replay.Command, Started: time.Now().UTC(), Environments: make([]report.Audited, len(list)),
	}
	var running sync.WaitGroup
	places := map[string]chan struct{}{} // the slots of each account or endpoint
	for i := range list {
		places[list[i].place()] = nil
	}
	slots := make(chan struct{}, options.Parallel)
	for place := range places {
		share := options.Parallel
		if len(places) > 1 {
			share = max(1, share/2)
		}
		places[place] = make(chan struct{}, share)
	}
	var progress sync.Mutex
	done := 0
	for i := range list {
		running.Go(func() {
			own := places[list[i].place()]
			own <- struct{}{}
			slots <- struct{}{}
			defer func() { <-slots; <-own }()
			seen.Environments[i] = audit(ctx, &list[i], options)
			progress.Lock()
			defer progress.Unlock()
			done++
			options.Replay.Progress(fmt.Sprintf("%d/%d  %s", done, len(list), list[i].Name))
		})
	}
	running.Wait()
	seen.Finished = time.Now().UTC()
	return seen
}

// place tells what answers from what answers another environment: an account, or an endpoint.
func (e *Environment) place() string { return e.Endpoint + " " + e.Account + " " + e.Role }

// errTooSlow says that an environment was not audited in its time.
var errTooSlow = errors.New("not audited in its time")

// audit audits one environment.
func audit(ctx context.Context, e *Environment, options Options) report.Audited {
	seen := report.Audited{Name: e.Name, Stack: e.Stack(), Region: e.Region, Endpoint: e.Endpoint, Folder: filepath.ToSlash(filepath.Join("environments", e.Name))}
	failed := func(err error) report.Audited {
		if errors.Is(context.Cause(ctx), errTooSlow) {
			err = fmt.Errorf("expected it to be audited within %s, found it waiting for answers (--environment-timeout)", options.Time)
		}
		seen.Failure, seen.Code = err.Error(), evidence.CouldNotTell
		if errors.As(err, new(*target.ConfigError)) || errors.As(err, new(replay.ConfigError)) {
			seen.Code = evidence.WrongUsage
		}
		return seen
	}
	chosen := options.Replay
	chosen.Designs, chosen.Environment, chosen.Endpoint, chosen.NamePrefix, chosen.TableNames, chosen.Region = []string{e.Design}, e.Env, e.Endpoint, e.Prefix, e.Tables, e.Region
	chosen.Progress, chosen.TrailGroup = nil, nil
	if e.Folder != "" {
		chosen.Documents, chosen.Accepted = e.Folder, slices.Concat(chosen.Accepted, e.Accepted)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, options.Time, errTooSlow)
	defer cancel()
	if e.Endpoint == "" {
		chosen.TrailGroup = cmp.Or(e.Trail, options.Replay.TrailGroup)
		region, err := replay.CloudRegion(chosen.Designs, e.Region)
		if err != nil {
			return failed(err)
		}
		account, err := target.Cloud(ctx, target.CloudOptions{Region: region, Role: e.Role, ID: e.Account})
		if err != nil {
			return failed(err)
		}
		options.Opened(account)
		chosen.Cloud = account
	}
	run, err := replay.Audit(ctx, chosen)
	if err != nil || errors.Is(context.Cause(ctx), errTooSlow) {
		return failed(err)
	}
	run = options.Shown(run)
	seen.Run, seen.Code, seen.Region = run, run.ExitCode(), run.Designs[0].Region
	folder := filepath.Join(options.Folder, "environments", e.Name)
	last, err := evidence.ReadValid(filepath.Join(folder, report.AuditFile))
	switch {
	case err == nil:
		seen.Since = report.SinceLast(last, run)
	case !errors.Is(err, fs.ErrNotExist):
		seen.Lost = "the last audit cannot be read, so nothing is compared: " + err.Error()
	}
	if err := report.WriteAudit(folder, run, chosen.Documents); err != nil {
		seen.Failure, seen.Code = "its report could not be written: "+err.Error(), evidence.CouldNotTell
	}
	return seen
}
