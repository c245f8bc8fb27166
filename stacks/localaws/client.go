package localaws

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/logging"
	"github.com/aws/smithy-go/middleware"
)

const (
	// requestTimeout bounds one request with its retries.
	requestTimeout = 60 * time.Second

	// dialTimeout bounds the first connection to the endpoint, which is on the same machine.
	dialTimeout = 3 * time.Second

	// waitTimeout bounds the wait for a table or an index to become active or to be gone.
	waitTimeout = 10 * time.Minute

	// firstPoll and lastPoll are the shortest and the longest time between two looks while waiting.
	firstPoll = 2 * time.Millisecond
	lastPoll  = 500 * time.Millisecond
)

// errCanceled ends a wait because the engine asked the provider to stop.
var errCanceled = errors.New("stopped waiting because the deployment was canceled")

// client talks to one endpoint for one session.
type client struct {
	config   config
	api      *dynamodb.Client
	iam      *iam.Client // nil where policies are kept in the state alone
	canceled <-chan struct{}
}

func newClient(cfg config, canceled <-chan struct{}) *client {
	to := aws.Config{
		Region:      cfg.Region,
		Credentials: credentials.NewStaticCredentialsProvider(cfg.AccessKey, cfg.SecretKey, cfg.Token),
		HTTPClient:  &http.Client{Transport: loopbackTransport(), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		Logger:      logging.Nop{}, // the SDK's own warnings, which no reader of a terminal can use
	}
	c := &client{config: cfg, canceled: canceled, api: dynamodb.NewFromConfig(to, func(o *dynamodb.Options) { o.BaseEndpoint = wayTo(cfg.Endpoint) })}
	if cfg.IAM != "" {
		c.iam = iam.NewFromConfig(to, func(o *iam.Options) { o.BaseEndpoint = wayTo(cfg.IAM) })
	}
	return c
}

// ways are the addresses through which requests to endpoints go, by endpoint.
var ways sync.Map

// Through lets the requests of providers that are configured from now on for an endpoint go through another address on
// loopback, which passes them on and sees them, until direct is called. State and messages name the endpoint alone.
func Through(endpoint, address string) (direct func(), err error) {
	if err := CheckLoopback(address); err != nil {
		return nil, err
	}
	ways.Store(endpoint, address)
	return func() { ways.CompareAndDelete(endpoint, address) }, nil
}

// wayTo is where requests to an endpoint are sent.
func wayTo(endpoint string) *string {
	if way, known := ways.Load(endpoint); known {
		return aws.String(way.(string))
	}
	return &endpoint
}

// loopbackTransport connects to this machine alone, whatever a name resolves to, and heeds no proxy.
func loopbackTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: dialTimeout, Control: func(_, address string, _ syscall.RawConn) error {
		resolved, err := netip.ParseAddrPort(address)
		if err == nil && !resolved.Addr().Unmap().IsLoopback() {
			err = fmt.Errorf("expected an address on loopback, found %s; nothing was sent", address)
		}
		return err
	}}
	return &http.Transport{DialContext: dialer.DialContext, DisableCompression: true, ResponseHeaderTimeout: requestTimeout, IdleConnTimeout: 90 * time.Second}
}

// dial finds out at once whether anything listens at the endpoint. A request would find out only after the SDK's retries,
// which take seconds, and once for each table.
func (c *client) dial(ctx context.Context) error {
	u, err := url.Parse(c.config.Endpoint)
	if err != nil {
		return err
	}
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	connection, err := loopbackTransport().DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return c.silent(err)
	}
	return connection.Close()
}

// silent is the error of an endpoint that gave no answer.
func (c *client) silent(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return fmt.Errorf("expected an answer from the endpoint %s, found none (%w): start the engine or correct the endpoint", c.config.Endpoint, err)
}

// send sends one request to a service and words its error, which goes on to be the service's. It is bounded, and not ended by a
// cancellation: whether it took effect must be known.
func send[API, In, Out, Options any](
	ctx context.Context, c *client, api *API, of string, method func(*API, context.Context, *In, ...func(*Options)) (*Out, error), in *In, options ...func(*Options),
) (*Out, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTimeout)
	defer cancel()
	out, err := method(api, ctx, in, options...)
	if err == nil {
		return out, nil
	}
	what := strings.TrimSuffix(reflect.TypeFor[In]().Name(), "Input") + " of " + of
	var answered smithy.APIError
	switch {
	case !errors.As(err, &answered):
		return nil, fmt.Errorf("%s: %w", what, c.silent(err))
	case isUnknownOperation(err):
		return nil, &refusal{fmt.Sprintf("%s: the endpoint %s does not know this operation: use an engine that has it", what, c.config.Endpoint), err}
	}
	return nil, &refusal{fmt.Sprintf("%s: %s: %s", what, answered.ErrorCode(), answered.ErrorMessage()), err}
}

func ask[In, Out any](ctx context.Context, c *client, name string, method func(*dynamodb.Client, context.Context, *In, ...func(*dynamodb.Options)) (*Out, error), in *In, options ...func(*dynamodb.Options)) (*Out, error) {
	return send(ctx, c, c.api, fmt.Sprintf("table %q", name), method, in, options...)
}

// refusal is an answer that is an error, in one clear line.
type refusal struct {
	text string
	error
}

func (r *refusal) Error() string { return r.text }
func (r *refusal) Unwrap() error { return r.error }

func isUnknownOperation(err error) bool {
	var answered smithy.APIError
	return errors.As(err, &answered) && (answered.ErrorCode() == "UnknownOperationException" || answered.ErrorCode() == "UnknownOperation")
}

// unless is an error but for one that says nothing new, such as that what is to go is gone.
func unless(is func(error) bool, err error) error {
	if is(err) {
		return nil
	}
	return err
}

func isNotFound(err error) bool {
	return errors.As(err, new(*types.ResourceNotFoundException))
}

// countAttempts counts how often a request was sent. An error after a retry may be the echo of an earlier attempt that
// took effect and whose answer was lost.
func countAttempts(n *int) func(*dynamodb.Options) {
	return func(o *dynamodb.Options) {
		o.APIOptions = append(o.APIOptions, func(s *middleware.Stack) error {
			return s.Finalize.Insert(middleware.FinalizeMiddlewareFunc("CountAttempts",
				func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
					*n++
					return next.HandleFinalize(ctx, in)
				}), "Retry", middleware.After)
		})
	}
}

// poll calls look until it is done, with growing pauses, for at most waitTimeout.
func (c *client) poll(what string, look func() (done bool, err error)) error {
	deadline := time.NewTimer(waitTimeout)
	defer deadline.Stop()
	for pause := firstPoll; ; pause = min(2*pause, lastPoll) {
		if done, err := look(); done || err != nil {
			return err
		}
		next := time.NewTimer(pause)
		select {
		case <-next.C:
		case <-c.canceled:
			next.Stop()
			return fmt.Errorf("%s: %w", what, errCanceled)
		case <-deadline.C:
			next.Stop()
			return fmt.Errorf("%s: expected within %s, still not so at %s: look at the engine's log and run the operation again", what, waitTimeout, c.config.Endpoint)
		}
	}
}

// live is a table as the endpoint reports it.
type live struct {
	table
	active bool // the table and all its indexes
}

// describe reads the table without TTL, point-in-time recovery and tags. It returns nil when there is no such table.
func (c *client) describe(ctx context.Context, name string) (*live, error) {
	answer, err := ask(ctx, c, name, (*dynamodb.Client).DescribeTable, &dynamodb.DescribeTableInput{TableName: &name})
	if isNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	// What answers in the endpoint's place, such as a gateway, may leave out what DynamoDB always says.
	if d := answer.Table; d == nil || d.TableStatus == "" || len(d.KeySchema) == 0 {
		return nil, c.strange("DescribeTable", name, "a table with its status and its primary key")
	}
	return fromDescription(answer.Table), nil
}

// strange is the error of an answer that lacks what DynamoDB always says.
func (c *client) strange(operation, name, expected string) error {
	return fmt.Errorf("%s of table %q: expected %s, found an answer without: look for what answers at %s in place of the engine", operation, name, expected, c.config.Endpoint)
}

func fromDescription(d *types.TableDescription) *live {
	l := &live{active: d.TableStatus == types.TableStatusActive}
	l.Made = cmp.Or(aws.ToString(d.TableId), aws.ToTime(d.CreationDateTime).UTC().Format(time.RFC3339Nano))
	l.Name = aws.ToString(d.TableName)
	l.ARN = aws.ToString(d.TableArn)
	l.HashKey, l.RangeKey = keysOf(d.KeySchema)
	l.BillingMode = provisioned
	if d.BillingModeSummary != nil && d.BillingModeSummary.BillingMode != "" {
		l.BillingMode = string(d.BillingModeSummary.BillingMode)
	}
	capacityOf := func(t *types.ProvisionedThroughputDescription) capacity {
		if t == nil || l.BillingMode == payPerRequest {
			return capacity{}
		}
		return capacity{aws.ToInt64(t.ReadCapacityUnits), aws.ToInt64(t.WriteCapacityUnits)}
	}
	l.capacity = capacityOf(d.ProvisionedThroughput)
	for _, a := range d.AttributeDefinitions {
		l.Attributes = append(l.Attributes, attribute{aws.ToString(a.AttributeName), string(a.AttributeType)})
	}
	for _, g := range d.GlobalSecondaryIndexes {
		i := index{Name: aws.ToString(g.IndexName), capacity: capacityOf(g.ProvisionedThroughput)}
		i.HashKey, i.RangeKey = keysOf(g.KeySchema)
		if g.Projection != nil {
			i.Projection, i.NonKey = string(g.Projection.ProjectionType), g.Projection.NonKeyAttributes
		}
		l.Indexes = append(l.Indexes, i)
		l.active = l.active && (g.IndexStatus == types.IndexStatusActive || g.IndexStatus == "")
	}
	l.Class = standardClass
	if d.TableClassSummary != nil && d.TableClassSummary.TableClass != "" {
		l.Class = string(d.TableClassSummary.TableClass)
	}
	l.Protection = aws.ToBool(d.DeletionProtectionEnabled)
	if d.StreamSpecification != nil && aws.ToBool(d.StreamSpecification.StreamEnabled) {
		l.StreamView = string(d.StreamSpecification.StreamViewType)
		l.StreamARN, l.StreamLabel = aws.ToString(d.LatestStreamArn), aws.ToString(d.LatestStreamLabel)
	}
	l.Tags = map[string]string{}
	return l
}

func keysOf(schema []types.KeySchemaElement) (hash, rng string) {
	for _, k := range schema {
		if k.KeyType == types.KeyTypeHash {
			hash = aws.ToString(k.AttributeName)
		} else {
			rng = aws.ToString(k.AttributeName)
		}
	}
	return hash, rng
}

// readTTL, readPITR and readTags read what DescribeTable does not tell. An engine that does not know the operation
// cannot have the feature switched on, so its answer is the default; switching it on fails there.

func (c *client) readTTL(ctx context.Context, l *live) error {
	l.TTL = ttl{}
	answer, err := ask(ctx, c, l.Name, (*dynamodb.Client).DescribeTimeToLive, &dynamodb.DescribeTimeToLiveInput{TableName: &l.Name})
	if err != nil {
		return unless(isUnknownOperation, err)
	}
	d := answer.TimeToLiveDescription
	if d == nil || d.TimeToLiveStatus == "" {
		return c.strange("DescribeTimeToLive", l.Name, "the status of time to live")
	}
	switch d.TimeToLiveStatus {
	case types.TimeToLiveStatusEnabled, types.TimeToLiveStatusEnabling:
		l.TTL = ttl{true, aws.ToString(d.AttributeName)}
	}
	return nil
}

func (c *client) readPITR(ctx context.Context, l *live) error {
	l.PITR = recovery{}
	answer, err := ask(ctx, c, l.Name, (*dynamodb.Client).DescribeContinuousBackups, &dynamodb.DescribeContinuousBackupsInput{TableName: &l.Name})
	if err != nil {
		return unless(isUnknownOperation, err)
	}
	if d := answer.ContinuousBackupsDescription; d != nil && d.PointInTimeRecoveryDescription != nil {
		l.PITR.Enabled = d.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus == types.PointInTimeRecoveryStatusEnabled
	}
	return nil
}

func (c *client) readTags(ctx context.Context, l *live) error {
	l.Tags = map[string]string{}
	var next *string
	seen := map[string]bool{}
	for {
		answer, err := ask(ctx, c, l.Name, (*dynamodb.Client).ListTagsOfResource, &dynamodb.ListTagsOfResourceInput{ResourceArn: &l.ARN, NextToken: next})
		if err != nil {
			return unless(isUnknownOperation, err)
		}
		for _, t := range answer.Tags {
			l.Tags[aws.ToString(t.Key)] = aws.ToString(t.Value)
		}
		if next = answer.NextToken; aws.ToString(next) == "" {
			return nil
		}
		if seen[*next] {
			return fmt.Errorf("the tags of table %s: expected a further page, found one that ends where another did", l.Name)
		}
		seen[*next] = true
	}
}

// read reads everything. It returns nil when there is no such table.
func (c *client) read(ctx context.Context, name string) (*live, error) {
	l, err := c.describe(ctx, name)
	if l == nil || err != nil {
		return nil, err
	}
	return l, c.readRest(ctx, l)
}

// readRest reads what DescribeTable does not tell.
func (c *client) readRest(ctx context.Context, l *live) error {
	return errors.Join(c.readTTL(ctx, l), c.readPITR(ctx, l), c.readTags(ctx, l))
}

// awaitActive waits until the table and all its indexes are active.
func (c *client) awaitActive(ctx context.Context, name, made string) (*live, error) {
	var l *live
	err := c.poll(fmt.Sprintf("wait for table %q and its indexes to be ACTIVE", name), func() (bool, error) {
		var err error
		if l, err = c.describe(ctx, name); err != nil {
			return false, err
		}
		if l == nil {
			return false, fmt.Errorf("expected table %q at %s, found none: it was deleted meanwhile, run a refresh and the update again", name, c.config.Endpoint)
		}
		if foreign := c.foreign(l, made); foreign != nil {
			l = nil
			return false, foreign
		}
		return l.active, nil
	})
	return l, err
}

// foreign is the error of a table that is not the one that a state speaks of. A state that says nothing of it, such as one of
// before, leaves that open.
func (c *client) foreign(found *live, made string) error {
	if made == "" || found.Made == made {
		return nil
	}
	return fmt.Errorf("table %q at %s is not the one that this stack made: expected %s, found %s; somebody made another since, and it was not changed: refresh the stack, which forgets its own, and remove theirs or take other names with dynaproof:namePrefix",
		found.Name, c.config.Endpoint, made, found.Made)
}

// create sends the request that creates the table, and returns its id where the answer says it. A table that exists is an error and
// is left as it is.
func (c *client) create(ctx context.Context, want table) (id string, err error) {
	inTheWay := fmt.Errorf("table %q exists already at %s (region %s) and is not owned by this stack; it was not changed: remove it, or give this stack other names with dynaproof:namePrefix", want.Name, c.config.Endpoint, c.config.Region)
	if found, err := c.describe(ctx, want.Name); err != nil {
		return "", err
	} else if found != nil {
		return "", inTheWay
	}
	attempts := 0
	answer, err := ask(ctx, c, want.Name, (*dynamodb.Client).CreateTable, creation(want), countAttempts(&attempts))
	if err == nil && answer.TableDescription != nil {
		id = aws.ToString(answer.TableDescription.TableId)
		made.Store([2]string{c.config.Endpoint, want.Name}, id)
	}
	if errors.As(err, new(*types.ResourceInUseException)) {
		if attempts > 1 && c.bears(ctx, want) {
			return "", nil // an attempt before this one created it, and its answer was lost
		}
		return "", inTheWay
	}
	return id, err
}

// bears reports whether a table bears all tags that a program wants of it. There was none of its name before, so one
// with the same tags is taken for the program's; without tags nothing can tell.
func (c *client) bears(ctx context.Context, want table) bool {
	found, err := c.read(ctx, want.Name)
	return err == nil && found != nil && len(want.Tags) > 0 && len(without(want.Tags, found.Tags)) == 0
}

// made holds the TableIds that answers to CreateTable gave, by endpoint and name.
var made sync.Map

// TableIDs returns the TableIds that answers to CreateTable have given to this process, by the tables' names. Of other tables, and
// where an engine gives none, there is none.
func TableIDs(endpoint string, names []any) map[string]string {
	ids := map[string]string{}
	for _, name := range names {
		name, _ := name.(string)
		if id, ok := made.Load([2]string{endpoint, name}); ok && id != "" {
			ids[name] = id.(string)
		}
	}
	return ids
}

func creation(want table) *dynamodb.CreateTableInput {
	in := &dynamodb.CreateTableInput{
		TableName:             &want.Name,
		KeySchema:             keySchema(want.HashKey, want.RangeKey),
		AttributeDefinitions:  definitions(want.Attributes),
		BillingMode:           types.BillingMode(want.BillingMode),
		ProvisionedThroughput: want.throughput(want.capacity),
		Tags:                  tagsOf(want.Tags),
	}
	if want.Protection {
		in.DeletionProtectionEnabled = &want.Protection
	}
	for _, i := range want.Indexes {
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: aws.String(i.Name), KeySchema: keySchema(i.HashKey, i.RangeKey), Projection: projection(i), ProvisionedThroughput: want.throughput(i.capacity),
		})
	}
	return in
}

func tagsOf(tags map[string]string) (all []types.Tag) {
	for _, k := range sortedKeys(tags) {
		all = append(all, types.Tag{Key: aws.String(k), Value: aws.String(tags[k])})
	}
	return all
}

func keySchema(hash, rng string) []types.KeySchemaElement {
	schema := []types.KeySchemaElement{{AttributeName: &hash, KeyType: types.KeyTypeHash}}
	if rng != "" {
		schema = append(schema, types.KeySchemaElement{AttributeName: &rng, KeyType: types.KeyTypeRange})
	}
	return schema
}

func definitions(attributes []attribute) []types.AttributeDefinition {
	var d []types.AttributeDefinition
	for _, a := range attributes {
		d = append(d, types.AttributeDefinition{AttributeName: aws.String(a.Name), AttributeType: types.ScalarAttributeType(a.Type)})
	}
	return d
}

// throughput is the capacity of the table or of an index as a request has it; nil on demand.
func (t table) throughput(c capacity) *types.ProvisionedThroughput {
	if t.BillingMode != provisioned {
		return nil
	}
	return &types.ProvisionedThroughput{ReadCapacityUnits: &c.Read, WriteCapacityUnits: &c.Write}
}

func projection(i index) *types.Projection {
	return &types.Projection{ProjectionType: types.ProjectionType(i.Projection), NonKeyAttributes: i.NonKey}
}

// remove deletes the table and waits until it is gone. A table that is gone already is no error, and one that somebody has made
// of its name since is not waited for: an attempt to delete whose answer was lost is not sent again before it was looked for.
func (c *client) remove(ctx context.Context, name, made string) error {
	const attempts = 3
	sent, deleting := 0, false
	return c.poll(fmt.Sprintf("wait for table %q to be deleted", name), func() (bool, error) {
		found, err := c.describe(ctx, name)
		if err != nil || found == nil || sent > 0 && found.Made != made {
			return true, err
		}
		if err := c.foreign(found, made); err != nil {
			return false, err
		}
		if deleting {
			return false, nil
		}
		_, err = ask(ctx, c, name, (*dynamodb.Client).DeleteTable, &dynamodb.DeleteTableInput{TableName: &name}, func(o *dynamodb.Options) { o.RetryMaxAttempts = 1 })
		if errors.As(err, new(*types.ResourceInUseException)) {
			return false, nil // still being created or updated: try again
		}
		made, sent, deleting = found.Made, sent+1, err == nil || isNotFound(err)
		_, answered := errors.AsType[*refusal](err)
		if deleting || sent < attempts && (!answered || retry.NewStandard().IsErrorRetryable(err)) {
			return false, nil
		}
		return false, err
	})
}
