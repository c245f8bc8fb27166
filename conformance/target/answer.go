package target

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// StrangeAnswer is an answer with status 200 that is none of DynamoDB's: it lacks what DynamoDB always says, or its body is
// not the one that its checksum was made of. Whatever is in the way may have made it, so it decides nothing.
type StrangeAnswer struct{ Operation, Expected, Found string }

// Error implements error.
func (s *StrangeAnswer) Error() string {
	return fmt.Sprintf("the answer to %s is none of DynamoDB's: expected %s, found %s; look for what answers in its place, such as a gateway", s.Operation, s.Expected, s.Found)
}

// onlyWholeAnswers lets a client take no strange answer for one of DynamoDB's.
func onlyWholeAnswers(stack *middleware.Stack) error {
	// The SDK compares the checksum when the body is closed, and drops what it finds.
	checksum := middleware.DeserializeMiddlewareFunc("DynaproofChecksum",
		func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (out middleware.DeserializeOutput, metadata middleware.Metadata, err error) {
			out, metadata, err = next.HandleDeserialize(ctx, in)
			response, is := out.RawResponse.(*smithyhttp.Response)
			if err != nil || !is {
				return out, metadata, err
			}
			content, err := io.ReadAll(response.Body)
			if err != nil {
				return out, metadata, err
			}
			if told, made := response.Header.Get("X-Amz-Crc32"), crc32.ChecksumIEEE(content); told != "" && told != strconv.FormatUint(uint64(made), 10) {
				return out, metadata, &StrangeAnswer{middleware.GetOperationName(ctx), "a body with the checksum of its X-Amz-Crc32, " + told, fmt.Sprint(made)}
			}
			response.Body = struct {
				io.Reader
				io.Closer
			}{bytes.NewReader(content), response.Body}
			return out, metadata, nil
		})
	whole := middleware.DeserializeMiddlewareFunc("DynaproofWholeAnswer",
		func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (out middleware.DeserializeOutput, metadata middleware.Metadata, err error) {
			out, metadata, err = next.HandleDeserialize(ctx, in)
			if err == nil {
				if expected, found := lacking(out.Result); expected != "" {
					err = &StrangeAnswer{middleware.GetOperationName(ctx), expected, found}
				}
			}
			return out, metadata, err
		})
	if err := stack.Deserialize.Add(checksum, middleware.After); err != nil {
		return err
	}
	return stack.Deserialize.Add(whole, middleware.Before)
}

// lacking says what DynamoDB always answers and an answer does not; "" for none.
func lacking(answer any) (expected, found string) {
	switch answer := answer.(type) {
	case *dynamodb.DescribeTableOutput:
		switch {
		case answer.Table == nil:
			return "a table", "none"
		case answer.Table.TableStatus == "":
			return "a table with its status", "none"
		case len(answer.Table.KeySchema) == 0:
			return "a table with its primary key", "none"
		}
	case *dynamodb.DescribeTimeToLiveOutput:
		if ttl := answer.TimeToLiveDescription; ttl == nil || ttl.TimeToLiveStatus == "" {
			return "the status of time to live", "none"
		} else if on := ttl.TimeToLiveStatus == types.TimeToLiveStatusEnabled; on && (ttl.AttributeName == nil || *ttl.AttributeName == "") {
			return "the attribute by which items expire", "none"
		}
	case *dynamodb.DescribeContinuousBackupsOutput:
		backups := answer.ContinuousBackupsDescription
		if backups == nil || backups.PointInTimeRecoveryDescription == nil || backups.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus == "" {
			return "the status of point-in-time recovery", "none"
		}
	case *dynamodb.DescribeKinesisStreamingDestinationOutput:
		if answer.TableName == nil && answer.KinesisDataStreamDestinations == nil {
			return "a list of destinations, which may be empty", "none"
		}
	case *dynamodb.DescribeContributorInsightsOutput:
		if answer.ContributorInsightsStatus == "" {
			return "the status of Contributor Insights", "none"
		}
	case *dynamodb.ListTablesOutput:
		if answer.TableNames == nil {
			return "a list of tables, which may be empty", "none"
		}
	}
	return "", ""
}
