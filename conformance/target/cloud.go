package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/logging"
)

const (
	// KindAWS is AWS itself, or an endpoint of its shape on loopback that AWS_ENDPOINT_URL names.
	KindAWS Kind = "aws"
	// GradeAWS is the grade of evidence that AWS gives. Nothing but AWS's own endpoints gives it.
	GradeAWS = "aws"

	// WitnessClient says who kept the ledger of a run on AWS.
	WitnessClient = "the transport of the suite's own client; what others sent is not in it"

	// cloudAttempts is how often a request to AWS is tried, where neither AWS_MAX_ATTEMPTS nor the profile says it. The adaptive retryer slows the client down when it is throttled.
	cloudAttempts = 10
	// cloudTimeout bounds the question who the caller is, in which credentials may be fetched from another service.
	cloudTimeout = 30 * time.Second
	// cloudAnswerTimeout bounds the wait for an answer's headers.
	cloudAnswerTimeout = 60 * time.Second
)

// CloudOptions are the choices for [Cloud].
type CloudOptions struct {
	// Region is the region; empty takes the environment's own (AWS_REGION, the profile).
	Region string
	// Role is the ARN of a role that the environment's credentials take; empty uses them as they are.
	Role string
	// ID is the account in which the caller has to be; empty takes any.
	ID string
}

// roleSession names the sessions of roles that this package takes, in CloudTrail.
const roleSession = "dynaproof-audit"

// Account is a target in an AWS account.
type Account struct {
	// Config reaches the account with the environment's credentials.
	Config aws.Config
	// ID is the account's number, Caller the ARN of who calls, Partition the ARN's partition, such as "aws".
	ID, Caller, Partition string

	external
	override string
}

var _ Target = (*Account)(nil)

// Cloud returns a target in the AWS account of the environment's credentials, after it has asked STS who the caller is.
// It is the one way in which this package opens traffic that leaves the machine.
//
// Where AWS_ENDPOINT_URL or AWS_ENDPOINT_URL_DYNAMODB (or the profile) names an endpoint, it must be on loopback, and so
// must those of all other services: such a target is of AWS's shape, and gives evidence of grade engine.
//
// Credentials, a region or an endpoint that are missing or wrong are a [*ConfigError]; a service that does not answer is
// an [*UnavailableError].
func Cloud(ctx context.Context, options CloudOptions) (*Account, error) {
	var load []func(*config.LoadOptions) error
	if options.Region != "" {
		load = append(load, config.WithRegion(options.Region))
	}
	cfg, err := config.LoadDefaultConfig(ctx, load...)
	if err != nil {
		return nil, cloudConfigError("a configuration that the AWS SDK can read", err.Error(), "correct the profile (AWS_PROFILE, ~/.aws/config)", err)
	}
	if cfg.Region == "" {
		return nil, cloudConfigError("a region", "none", "set AWS_REGION, name a region in the profile, or give --region", nil)
	}
	cfg.Logger = logging.Nop{} // the SDK's own warnings, which no reader of a terminal can use
	cfg.Retryer = func() aws.Retryer {
		return retry.NewAdaptiveMode(func(o *retry.AdaptiveModeOptions) {
			o.StandardOptions = append(o.StandardOptions, func(standard *retry.StandardOptions) {
				standard.MaxAttempts = cmp.Or(cfg.RetryMaxAttempts, cloudAttempts)
			})
		})
	}
	account := &Account{Config: cfg}
	if err := account.endpoints(); err != nil {
		return nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, cloudTimeout)
	defer cancel()
	if _, err := account.Config.Credentials.Retrieve(bounded); err != nil {
		return nil, cloudConfigError("credentials in the environment", "none: "+rootCause(err).Error(), "sign in (`aws sso login`), set AWS_PROFILE, or run where a role is given", err)
	}
	promptly := func(o *sts.Options) { o.Retryer = retry.NewStandard() } // tells soon when nobody answers
	if options.Role != "" {
		named := func(o *stscreds.AssumeRoleOptions) { o.RoleSessionName = roleSession }
		role := stscreds.NewAssumeRoleProvider(sts.NewFromConfig(account.Config, promptly), options.Role, named)
		account.Config.Credentials = aws.NewCredentialsCache(role)
		if _, err := account.Config.Credentials.Retrieve(bounded); err != nil {
			return nil, stsError(err, "that the credentials may take the role "+options.Role, "let the role trust the caller (sts:AssumeRole)")
		}
	}
	caller, err := sts.NewFromConfig(account.Config, promptly).GetCallerIdentity(bounded, &sts.GetCallerIdentityInput{})
	if err != nil {
		return nil, stsError(err, "credentials that STS accepts", "sign in again, or set AWS_PROFILE")
	}
	account.ID, account.Caller = aws.ToString(caller.Account), aws.ToString(caller.Arn)
	if options.ID != "" && options.ID != account.ID {
		return nil, cloudConfigError("a caller in account "+options.ID, "one in account "+account.ID, "name a role of that account, or take its credentials", nil)
	}
	account.Partition = "aws"
	if parts := strings.SplitN(account.Caller, ":", 3); len(parts) == 3 {
		account.Partition = parts[1]
	}
	account.describe()
	return account, nil
}

// endpoints looks at which endpoints the environment names, and chooses the transport.
func (a *Account) endpoints() error {
	overrides := map[string]*string{
		"dynamodb":        dynamodb.NewFromConfig(a.Config).Options().BaseEndpoint,
		"iam":             iam.NewFromConfig(a.Config).Options().BaseEndpoint,
		"kms":             kms.NewFromConfig(a.Config).Options().BaseEndpoint,
		"sts":             sts.NewFromConfig(a.Config).Options().BaseEndpoint,
		"cloudwatch":      cloudwatch.NewFromConfig(a.Config).Options().BaseEndpoint,
		"cloudwatch_logs": cloudwatchlogs.NewFromConfig(a.Config).Options().BaseEndpoint,
	}
	named := 0
	for service, endpoint := range overrides {
		if endpoint == nil {
			continue
		}
		named++
		if _, err := CheckLoopback(*endpoint); err != nil {
			found := strconv.Quote(*endpoint)
			if HoldsSecret(found) {
				found = NotShown + ","
			}
			return cloudConfigError("AWS's own endpoints, or endpoints on loopback", fmt.Sprintf("%s for %s (AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_%s or the profile)", found, service, strings.ToUpper(service)), "unset it", err)
		}
	}
	switch named {
	case 0:
		a.Config.HTTPClient = HTTPClient(ownHosts{awshttp.NewBuildableClient().WithTransportOptions(func(transport *http.Transport) {
			transport.ResponseHeaderTimeout = cloudAnswerTimeout
		}).GetTransport()})
		return nil
	case len(overrides):
		a.override = strings.TrimSuffix(*overrides["dynamodb"], "/")
		a.Config.HTTPClient = HTTPClient(NewTransport())
		return nil
	}
	return cloudConfigError("one place for all services", "loopback for some services and AWS for others", "set AWS_ENDPOINT_URL for all of them, or unset AWS_ENDPOINT_URL and AWS_ENDPOINT_URL_*", nil)
}

// ownHosts lets requests through to hosts of AWS alone, by TLS.
type ownHosts struct{ Transport }

func (o ownHosts) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Scheme != "https" || !isAWSHost(request.URL.Hostname()) {
		if request.Body != nil {
			_ = request.Body.Close() // a transport closes it in any case
		}
		return nil, fmt.Errorf("expected a host of AWS by https, found %s://%s; nothing was sent", request.URL.Scheme, request.URL.Host)
	}
	return o.Transport.RoundTrip(request)
}

// isAWSHost reports whether a host name is one of AWS's own service endpoints.
func isAWSHost(host string) bool {
	domains := []string{".amazonaws.com", ".amazonaws.com.cn", ".api.aws"}
	return slices.ContainsFunc(domains, func(domain string) bool { return strings.HasSuffix(strings.ToLower(host), domain) })
}

// describe says what answers, and how strong its evidence is.
func (a *Account) describe() {
	a.description = Description{
		Kind: KindAWS, Engine: "DynamoDB", URL: "https://dynamodb." + a.Config.Region + ".amazonaws.com", Grade: GradeAWS,
		Account: a.ID, Caller: a.Caller, Region: a.Config.Region, Witness: WitnessClient,
	}
	if a.override != "" {
		a.description.Engine = "an endpoint of AWS's shape, not AWS"
		a.description.URL, a.description.Grade = a.override, GradeEngine
	}
}

// stsError says why STS neither named the caller nor gave a role. expected and instead are for what STS itself refuses.
func stsError(err error, expected, instead string) error {
	if answer, is := errors.AsType[smithy.APIError](err); is {
		return cloudConfigError(expected, fmt.Sprintf("%s: %s", answer.ErrorCode(), answer.ErrorMessage()), instead, err)
	}
	found := rootCause(err).Error()
	if errors.Is(err, context.DeadlineExceeded) {
		found = fmt.Sprintf("no answer within %s", cloudTimeout)
	}
	return unavailable("target aws", "an answer of STS to GetCallerIdentity", found,
		"check the network, the proxy (HTTPS_PROXY) and the region", err)
}

func cloudConfigError(expected, found, instead string, err error) error {
	return configError("target aws", expected, found, instead, err)
}

// DynamoDB returns the options of a client of the account in a region, which sends by another transport than the account's where one is
// given.
func (a *Account) DynamoDB(region string, by http.RoundTripper) dynamodb.Options {
	return dynamodb.NewFromConfig(a.Config, func(o *dynamodb.Options) {
		o.Region = region
		o.APIOptions = append(o.APIOptions, (&requestIDs{}).onlyWholeAnswers)
		if by != nil {
			o.HTTPClient = HTTPClient(by)
		}
	}).Options()
}

// Override is the endpoint on loopback that stands in for AWS, or empty.
func (a *Account) Override() string { return a.override }

// StateName names the account and region in paths of state folders.
func (a *Account) StateName() string {
	name := "aws-" + a.ID + "-" + a.Config.Region
	if parsed, err := url.Parse(a.override); err == nil && parsed.Host != "" {
		name += "-" + strings.NewReplacer(":", "-", "[", "", "]", "").Replace(parsed.Host)
	}
	return name
}
