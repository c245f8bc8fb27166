//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	terratest "github.com/gruntwork-io/terratest/modules/aws"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/internal/wire"
)

// deployed deploys all designs through a proxy, does something, and ends both.
// seconds is the time of the deployment.
func deployed(ctx context.Context, do func(engine string, proxy *wire.Proxy) error) (seconds float64, err error) {
	err = inFolder(func(folder string) error {
		_, err = onEngine(ctx, func(url string) (err error) {
			seconds, err = deployTo(ctx, url, folder, do)
			return err
		})
		return err
	})
	return seconds, err
}

func deployTo(ctx context.Context, url, folder string, do func(engine string, proxy *wire.Proxy) error) (seconds float64, err error) {
	proxy, err := wire.Start(wire.Options{Upstream: url})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, proxy.Close(context.WithoutCancel(ctx))) }()
	began := time.Now()
	for _, design := range designs.All() {
		options := replay.StackOptions(design, "bench", replay.DefaultRegion, "")
		options.Endpoint, options.StateDir = proxy.URL(), folder
		options.Unprotected()
		stack, err := deploy.Open(ctx, options)
		if err != nil {
			return 0, err
		}
		if _, err := stack.Up(ctx); err != nil {
			return 0, err
		}
	}
	return time.Since(began).Seconds(), do(url, proxy)
}

// deployRows compares the deployment of all tables with the bare requests that
// make them.
func deployRows(ctx context.Context, _ string) ([]row, error) {
	var s sides
	tables := 0
	for range rounds {
		var making []wire.Entry
		tables = 0
		ours, err := deployed(ctx, func(_ string, proxy *wire.Proxy) error {
			for _, entry := range proxy.Ledger().Entries(0) {
				if entry.Operation == "CreateTable" {
					tables++
				}
				if entry.Operation == "CreateTable" || entry.Operation == "UpdateTimeToLive" {
					making = append(making, entry)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		calls, err := prepare(making)
		if err != nil {
			return nil, err
		}
		theirs, err := onEngine(ctx, func(url string) error { return send(ctx, newClient(url), calls) })
		if err != nil {
			return nil, err
		}
		s.ours, s.theirs = append(s.ours, ours), append(s.theirs, theirs)
	}
	return []row{s.row(fmt.Sprintf("deploy, %d tables", tables), "Pulumi's engine in its process", "bare CreateTable, UpdateTimeToLive", 0)}, nil
}

// auditRows compares the schema audit of all designs with what users do today: a
// script that describes the same tables with terratest's helpers, which make a
// client for every call.
func auditRows(ctx context.Context, _ string) ([]row, error) {
	var s, each sides
	claims, tables := 0, 0
	_, err := deployed(ctx, func(url string, _ *wire.Proxy) error {
		bare := newClient(url)
		for range rounds {
			began := time.Now()
			claims = 0
			for _, name := range designs.Names() {
				seen, err := replay.Audit(ctx, replay.Options{Designs: []string{name}, Environment: "bench", Endpoint: url})
				if err != nil {
					return err
				}
				claims += len(seen.Results())
			}
			s.ours = append(s.ours, time.Since(began).Seconds())
			began = time.Now()
			var err error
			if tables, err = describeAll(ctx, url); err != nil {
				return err
			}
			s.theirs = append(s.theirs, time.Since(began).Seconds())
			trip, err := describeOnce(ctx, bare)
			if err != nil {
				return err
			}
			each.ours, each.theirs = append(each.ours, 1e3*s.ours[len(s.ours)-1]/float64(tables)), append(each.theirs, 1e3*trip)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	ratio := median(each.ours) / median(each.theirs)
	return []row{
		s.row(fmt.Sprintf("schema audit, %d claims", claims), "ledger included", fmt.Sprintf("terratest, 3 calls for each of %d tables", tables), 0),
		limited("schema audit, a table", fmt.Sprintf("%.2f ms all of its claims", median(each.ours)), fmt.Sprintf("%.2f ms one bare DescribeTable", median(each.theirs)),
			"at most 5", ratio, ratio/5),
	}, nil
}

// describeOnce returns how long one DescribeTable takes, in seconds: every table is asked for ten times.
func describeOnce(ctx context.Context, client *dynamodb.Client) (float64, error) {
	const times = 10
	began := time.Now()
	asked := 0
	for range times {
		for _, design := range designs.All() {
			for i := range design.Tables {
				if _, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(design.Tables[i].Name.In("bench"))}); err != nil {
					return 0, err
				}
				asked++
			}
		}
	}
	return time.Since(began).Seconds() / float64(asked), nil
}

// describeAll is the script. It judges nothing of what it is told. Helpers that
// return errors need no test.
func describeAll(ctx context.Context, url string) (int, error) {
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL_DYNAMODB": url, "AWS_ACCESS_KEY_ID": "bench", "AWS_SECRET_ACCESS_KEY": "bench", "AWS_REGION": replay.DefaultRegion,
	} {
		if err := os.Setenv(name, value); err != nil {
			return 0, err
		}
	}
	tables := 0
	for _, design := range designs.All() {
		for i := range design.Tables {
			name := design.Tables[i].Name.In("bench")
			tables++
			if _, err := terratest.GetDynamoDBTableContextE(nil, ctx, replay.DefaultRegion, name); err != nil {
				return 0, err
			}
			if _, err := terratest.GetDynamoDBTableTimeToLiveContextE(nil, ctx, replay.DefaultRegion, name); err != nil {
				return 0, err
			}
			if _, err := terratest.GetDynamoDBTableTagsContextE(nil, ctx, replay.DefaultRegion, name); err != nil {
				return 0, err
			}
		}
	}
	return tables, nil
}
