// Package trail reads what a trail of CloudTrail delivered to a log group of
// CloudWatch Logs: who sent which request to DynamoDB, and when. It decides nothing.
//
// DynamoDB's data events (Query, Scan, PutItem, PartiQL) are not in CloudTrail's
// event history, so LookupEvents does not know them, and CloudTrail Lake takes no new
// customers. A trail writes them only when its event selectors ask for
// AWS::DynamoDB::Table. Those that log writes alone leave every Scan out, and those
// that log reads alone every PartiQL statement, which is logged as a write. Events above 256 KB are not sent to CloudWatch Logs, and all come some minutes late. So
// that a record is not there says nothing by itself: look for one that must be there.
//
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/logging-using-cloudtrail.html
// https://docs.aws.amazon.com/awscloudtrail/latest/userguide/logging-data-events-with-cloudtrail.html
// https://docs.aws.amazon.com/awscloudtrail/latest/userguide/send-cloudtrail-events-to-cloudwatch-logs.html
// https://docs.aws.amazon.com/awscloudtrail/latest/userguide/cloudtrail-lake-service-availability-change.html
package trail
