package localaws

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// step is one request that brings a table nearer to what is wanted.
type step struct {
	what   string                                      // for errors, such as `delete index "by-x"`
	advice string                                      // what to do on an engine that does not implement the step, or nothing
	apply  func(context.Context, *client) error        // sends the request
	read   func(*client, context.Context, *live) error // reads again what the request changed
}

// nextStep returns the next request in the real provider's order, or nil when the table is as wanted: tags, index deletions
// one by one (a changed key or projection is a deletion and a creation), table class alone, then one request for
// billing, capacity, streams and protection, then index creations one by one, then TTL and point-in-time recovery.
func nextStep(have live, want table) *step {
	if !maps.Equal(have.Tags, want.Tags) {
		return tagStep(have, want)
	}
	for _, i := range have.Indexes {
		if wanted, ok := want.index(i.Name); !ok || !i.sameShape(wanted) {
			return updateStep(fmt.Sprintf("delete index %q", i.Name), &dynamodb.UpdateTableInput{
				TableName: &want.Name,
				GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{
					{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: aws.String(i.Name)}},
				},
			})
		}
	}
	if have.Class != want.Class {
		return updateStep("change the table class", &dynamodb.UpdateTableInput{
			TableName: &want.Name, TableClass: types.TableClass(want.Class),
		})
	}
	if in, parts := settings(have, want); len(parts) > 0 {
		change := updateStep("change "+strings.Join(parts, ", "), in)
		if in.DeletionProtectionEnabled != nil {
			change.advice = "; use an engine that does, or set dynaproof:protect to false"
		}
		return change
	}
	for _, i := range want.Indexes {
		if _, ok := have.index(i.Name); ok {
			continue
		}
		create := &types.CreateGlobalSecondaryIndexAction{
			IndexName: aws.String(i.Name), KeySchema: keySchema(i.HashKey, i.RangeKey), Projection: projection(i), ProvisionedThroughput: want.throughput(i.capacity),
		}
		return updateStep(fmt.Sprintf("create index %q", i.Name), &dynamodb.UpdateTableInput{
			TableName:                   &want.Name,
			AttributeDefinitions:        definitions(want.Attributes),
			GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Create: create}},
		})
	}
	switch {
	case !have.TTL.same(want.TTL):
		return ttlStep(have, want)
	case have.PITR != want.PITR:
		return pitrStep(want)
	}
	return nil
}

// settings is the one request for billing, capacity, streams and protection, with the names of what it changes; there are
// none when all is as wanted. DynamoDB rejects a capacity that is equal to the present one, so only what differs is sent.
func settings(have live, want table) (in *dynamodb.UpdateTableInput, parts []string) {
	in = &dynamodb.UpdateTableInput{TableName: &want.Name}
	switching := have.BillingMode != want.BillingMode
	if switching {
		in.BillingMode = types.BillingMode(want.BillingMode)
		parts = append(parts, "billing mode")
	}
	if want.BillingMode == provisioned {
		if switching || have.capacity != want.capacity {
			// The real provider names the billing mode with every change of the table's capacity.
			in.BillingMode, in.ProvisionedThroughput = types.BillingMode(want.BillingMode), want.throughput(want.capacity)
			parts = append(parts, "capacity")
		}
		for _, i := range have.Indexes {
			if wanted, ok := want.index(i.Name); ok && (switching || i.capacity != wanted.capacity) {
				in.GlobalSecondaryIndexUpdates = append(in.GlobalSecondaryIndexUpdates, types.GlobalSecondaryIndexUpdate{
					Update: &types.UpdateGlobalSecondaryIndexAction{
						IndexName: aws.String(i.Name), ProvisionedThroughput: want.throughput(wanted.capacity),
					},
				})
				parts = append(parts, fmt.Sprintf("capacity of index %q", i.Name))
			}
		}
	}
	if have.StreamView != want.StreamView {
		in.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(false)} // a program cannot ask for one
		parts = append(parts, "stream")
	}
	if have.Protection != want.Protection {
		in.DeletionProtectionEnabled = &want.Protection
		parts = append(parts, "deletion protection")
	}
	return in, parts
}

// request is the step that sends a request.
func request[In, Out any](what, name string, method func(*dynamodb.Client, context.Context, *In, ...func(*dynamodb.Options)) (*Out, error), in *In, read func(*client, context.Context, *live) error) *step {
	return &step{what: what, read: read, apply: func(ctx context.Context, c *client) error {
		_, err := ask(ctx, c, name, method, in)
		return err
	}}
}

func updateStep(what string, in *dynamodb.UpdateTableInput) *step {
	return request(what, aws.ToString(in.TableName), (*dynamodb.Client).UpdateTable, in, (*client).readSettled)
}

// readSettled reads what DescribeTable tells, once the table is active.
func (c *client) readSettled(ctx context.Context, l *live) error {
	now, err := c.awaitActive(ctx, l.Name, l.Made)
	if err != nil {
		return err
	}
	now.TTL, now.PITR, now.Tags = l.TTL, l.PITR, l.Tags
	*l = *now
	return nil
}

// ttlStep switches TTL. Another attribute needs TTL to be off first.
func ttlStep(have live, want table) *step {
	to := want.TTL
	what := "enable TTL"
	if have.TTL.Enabled {
		to, what = ttl{false, have.TTL.Attribute}, "disable TTL"
	}
	return request(what, want.Name, (*dynamodb.Client).UpdateTimeToLive, &dynamodb.UpdateTimeToLiveInput{
		TableName: &want.Name, TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &to.Attribute, Enabled: &to.Enabled},
	}, (*client).readTTL)
}

func pitrStep(want table) *step {
	return request("switch point-in-time recovery", want.Name, (*dynamodb.Client).UpdateContinuousBackups, &dynamodb.UpdateContinuousBackupsInput{
		TableName: &want.Name, PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: &want.PITR.Enabled},
	}, (*client).readPITR)
}

// tagStep removes the tags that are not wanted first, then sets those that are missing or differ.
func tagStep(have live, want table) *step {
	extra := slices.DeleteFunc(sortedKeys(have.Tags), func(k string) bool {
		_, wanted := want.Tags[k]
		return wanted
	})
	if len(extra) > 0 {
		return request("remove tags", want.Name, (*dynamodb.Client).UntagResource, &dynamodb.UntagResourceInput{ResourceArn: &have.ARN, TagKeys: extra}, (*client).readTags)
	}
	return request("set tags", want.Name, (*dynamodb.Client).TagResource, &dynamodb.TagResourceInput{ResourceArn: &have.ARN, Tags: tagsOf(without(want.Tags, have.Tags))}, (*client).readTags)
}

// without are the tags of a map that another one has not, or has with another value.
func without(tags, other map[string]string) map[string]string {
	left := maps.Clone(tags)
	maps.DeleteFunc(left, func(key, value string) bool {
		has, known := other[key]
		return known && has == value
	})
	return left
}

// converge brings an existing table to what is wanted, step by step, from what the endpoint reports. It can be repeated after
// any failure: this is how the next update heals a create or an update that stopped half-way. It returns the table as
// last reported, also with an error.
func (c *client) converge(ctx context.Context, want table, made string, inputs resource.PropertyMap, ignored []string) (*live, error) {
	have, err := c.awaitActive(ctx, want.Name, made)
	if err != nil {
		return have, err
	}
	if err := c.readRest(ctx, have); err != nil {
		return have, err
	}
	want.leave(inputs, ignored, have.table)
	last := ""
	for {
		next := nextStep(*have, want)
		if next == nil {
			return have, nil
		}
		if next.what == last {
			return have, fmt.Errorf("%s of table %q: the endpoint %s accepted the request and still reports the table as before: it does not implement this%s", next.what, want.Name, c.config.Endpoint, next.advice)
		}
		select {
		case <-c.canceled:
			return have, fmt.Errorf("%s of table %q: %w", next.what, want.Name, errCanceled)
		default:
		}
		failed := next.apply(ctx, c)
		if err := next.read(c, ctx, have); err != nil {
			if failed != nil {
				err = failed
			}
			return have, fmt.Errorf("%s: %w", next.what, err)
		}
		if failed != nil {
			// A retried request fails when an earlier attempt took effect and only its answer was lost.
			if again := nextStep(*have, want); again != nil && again.what == next.what {
				return have, fmt.Errorf("%s: %w", next.what, failed)
			}
		}
		last = next.what
	}
}
