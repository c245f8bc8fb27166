package wire

import (
	"encoding/json"
	"net/http"
)

// timeToLive emulates the switch for time to live (TTL): it remembers the setting and describes it as AWS would once
// the change is over. It deletes nothing, and neither may a reader count on a deletion.
type timeToLive struct {
	settings[string] // the attribute of every table on which TTL is enabled
}

var _ overlay = (*timeToLive)(nil)

// timeToLiveSpecification is the request of UpdateTimeToLive, and its answer.
type timeToLiveSpecification struct {
	AttributeName string
	Enabled       bool
}

func (l *timeToLive) name() string { return "time-to-live" }

func (l *timeToLive) operations() []string { return []string{"DescribeTimeToLive", "UpdateTimeToLive"} }

func (l *timeToLive) answer(operation string, table tableKey, request []byte) (int, any) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if operation == "DescribeTimeToLive" {
		return http.StatusOK, l.describe(table)
	}
	specification, problem := l.update(table, request)
	if problem != "" {
		return http.StatusBadRequest, json.RawMessage(dynamoDBError("ValidationException", problem))
	}
	return http.StatusOK, map[string]any{"TimeToLiveSpecification": specification}
}

// update applies a request and returns what is wrong with it, or "". TTL that is on already, off already, or on by
// another attribute is refused as AWS refuses it.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTimeToLive.html
func (l *timeToLive) update(table tableKey, request []byte) (timeToLiveSpecification, string) {
	var wanted struct {
		TimeToLiveSpecification *struct {
			AttributeName *string
			Enabled       *bool
		}
	}
	if err := json.Unmarshal(request, &wanted); err != nil {
		return timeToLiveSpecification{}, err.Error()
	}
	given := wanted.TimeToLiveSpecification
	switch {
	case given == nil:
		return timeToLiveSpecification{}, missing("timeToLiveSpecification")
	case given.AttributeName == nil || *given.AttributeName == "":
		return timeToLiveSpecification{}, missing("timeToLiveSpecification.attributeName")
	case given.Enabled == nil:
		return timeToLiveSpecification{}, missing("timeToLiveSpecification.enabled")
	}
	specification := timeToLiveSpecification{*given.AttributeName, *given.Enabled}
	attribute, enabled := l.of[table]
	switch {
	case specification.Enabled && enabled && attribute != specification.AttributeName:
		return specification, "TimeToLive is active on a different AttributeName: current AttributeName is " + attribute
	case specification.Enabled && enabled:
		return specification, "TimeToLive is already enabled"
	case !specification.Enabled && !enabled:
		return specification, "TimeToLive is already disabled"
	case !specification.Enabled && attribute != specification.AttributeName:
		return specification, "TimeToLive is active on a different AttributeName: current AttributeName is " + attribute
	case specification.Enabled:
		l.set(table, specification.AttributeName)
	default:
		delete(l.of, table)
	}
	return specification, ""
}

// timeToLiveAnswer is the answer of DescribeTimeToLive, in AWS's shape.
type timeToLiveAnswer struct {
	TimeToLiveDescription struct {
		TimeToLiveStatus string
		AttributeName    string `json:",omitempty"`
	}
}

// describe returns the setting of a table. A table starts with TTL disabled.
func (l *timeToLive) describe(table tableKey) timeToLiveAnswer {
	var described timeToLiveAnswer
	described.TimeToLiveDescription.TimeToLiveStatus = "DISABLED"
	if attribute, enabled := l.of[table]; enabled {
		described.TimeToLiveDescription.TimeToLiveStatus = "ENABLED"
		described.TimeToLiveDescription.AttributeName = attribute
	}
	return described
}
