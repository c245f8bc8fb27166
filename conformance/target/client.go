package target

import (
	"context"
	"errors"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/logging"
	"github.com/aws/smithy-go/middleware"
)

// ClientOptions returns the options of a client of an engine or a wire on this machine. Nothing that such a client sends
// leaves the machine: not through a proxy of the environment, not by a redirect, not where the name resolves elsewhere.
// The ambient credentials of the user are never sent. Each attempt ends within [AttemptTime], and the SDK's own warnings,
// which no reader of a terminal can use, are dropped. What answers without what DynamoDB always says has given no answer
// ([StrangeAnswer]).
//
// For clients of an account see [Account.DynamoDB].
func ClientOptions(endpoint, region string) dynamodb.Options {
	return dynamodb.Options{
		BaseEndpoint: aws.String(endpoint), Region: region,
		Credentials: credentials.NewStaticCredentialsProvider("dynaproof", "dynaproof", ""),
		HTTPClient:  HTTPClient(Bounded(NewTransport(), 0)),
		Logger:      logging.Nop{},
		APIOptions:  []func(*middleware.Stack) error{(&requestIDs{}).onlyWholeAnswers},
	}
}

// HTTPClient returns an HTTP client on a transport that follows no redirect.
func HTTPClient(transport http.RoundTripper) *http.Client {
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &http.Client{Transport: transport, CheckRedirect: refuse}
}

// NewClient returns a client with [ClientOptions].
func NewClient(endpoint, region string) *dynamodb.Client {
	return dynamodb.New(ClientOptions(endpoint, region))
}

// Described returns the description of a table, nil when there is no such table.
func Described(ctx context.Context, client *dynamodb.Client, name string) (*types.TableDescription, error) {
	answer, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(name)})
	if _, missing := errors.AsType[*types.ResourceNotFoundException](err); missing {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return answer.Table, nil
}

// TableNames lists the tables of an account's region, or of an engine, of all pages.
func TableNames(ctx context.Context, client dynamodb.ListTablesAPIClient) (names []string, err error) {
	pages, ends := dynamodb.NewListTablesPaginator(client, &dynamodb.ListTablesInput{}), Ends{}
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err == nil {
			err = ends.Add("ListTables", aws.ToString(page.LastEvaluatedTableName))
		}
		if err != nil {
			return names, err
		}
		names = append(names, page.TableNames...)
	}
	return names, nil
}

// TableTags returns the tags of a table, of all pages, by its ARN.
func TableTags(ctx context.Context, client *dynamodb.Client, arn string) (map[string]string, error) {
	tags, ends := map[string]string{}, Ends{}
	input := &dynamodb.ListTagsOfResourceInput{ResourceArn: aws.String(arn)}
	for {
		answer, err := client.ListTagsOfResource(ctx, input)
		if err == nil {
			err = ends.Add("ListTagsOfResource", aws.ToString(answer.NextToken))
		}
		if err != nil {
			return nil, err
		}
		for _, tag := range answer.Tags {
			tags[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
		}
		if input.NextToken = answer.NextToken; aws.ToString(answer.NextToken) == "" {
			return tags, nil
		}
	}
}
