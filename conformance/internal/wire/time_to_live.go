package wire

import (
	"encoding/json"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// timeToLive emulates the switch for time to live (TTL): it remembers the attribute of a table on which TTL is enabled, and
// describes the setting as AWS would once the change is over. It deletes nothing, and neither may a reader count on a deletion.
// A table starts with TTL disabled. TTL that is on already, off already, or on by another attribute is refused as AWS refuses it.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTimeToLive.html
func timeToLive() *feature {
	return &feature{"time-to-live", []string{"DescribeTimeToLive", "UpdateTimeToLive"}, func(operation string, request []byte, was any) (is, answer any) {
		attribute, enabled := was.(string)
		if operation == "DescribeTimeToLive" {
			description := map[string]string{"TimeToLiveStatus": "DISABLED"}
			if enabled {
				description = map[string]string{"TimeToLiveStatus": "ENABLED", "AttributeName": attribute}
			}
			return was, map[string]any{"TimeToLiveDescription": description}
		}
		var wanted dynamodb.UpdateTimeToLiveInput
		if err := json.Unmarshal(request, &wanted); err != nil {
			return was, invalid(err.Error())
		}
		given := wanted.TimeToLiveSpecification
		switch {
		case given == nil:
			return was, missing("timeToLiveSpecification")
		case given.AttributeName == nil || *given.AttributeName == "":
			return was, missing("timeToLiveSpecification.attributeName")
		case given.Enabled == nil:
			return was, missing("timeToLiveSpecification.enabled")
		case enabled && attribute != *given.AttributeName:
			return was, invalid("TimeToLive is active on a different AttributeName: current AttributeName is " + attribute)
		case *given.Enabled && enabled:
			return was, invalid("TimeToLive is already enabled")
		case !*given.Enabled && !enabled:
			return was, invalid("TimeToLive is already disabled")
		case *given.Enabled:
			is = *given.AttributeName
		}
		return is, map[string]any{"TimeToLiveSpecification": given}
	}}
}
