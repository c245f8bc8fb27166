package wire

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

const (
	// defaultRecoveryDays is the recovery period when the request names none, and the longest one, in days.
	// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_PointInTimeRecoverySpecification.html
	defaultRecoveryDays = 35
	// restoreLag is how far behind the present the latest restorable time is: AWS says "typically 5 minutes".
	// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_PointInTimeRecoveryDescription.html
	restoreLag = 5 * time.Minute
)

// recovery is the setting of a table on which PITR is enabled.
type recovery struct {
	since time.Time
	days  int
}

// continuousBackups emulates the switch for point-in-time recovery (PITR): it remembers the [recovery] of a table and describes
// it as AWS would, by the clock. It backs up nothing. A table starts with PITR disabled; continuous backups as such are always enabled.
func continuousBackups(clock func() time.Time) *feature {
	return &feature{"continuous-backups", []string{"DescribeContinuousBackups", "UpdateContinuousBackups"}, func(operation string, request []byte, was any) (is, answer any) {
		now := clock()
		if operation == "DescribeContinuousBackups" {
			return was, recoveryOf(was, now)
		}
		var wanted dynamodb.UpdateContinuousBackupsInput
		if err := json.Unmarshal(request, &wanted); err != nil {
			return was, invalid(err.Error())
		}
		given := wanted.PointInTimeRecoverySpecification
		switch {
		case given == nil:
			return was, missing("pointInTimeRecoverySpecification")
		case given.PointInTimeRecoveryEnabled == nil:
			return was, missing("pointInTimeRecoverySpecification.pointInTimeRecoveryEnabled")
		}
		setting, already := was.(recovery)
		if !already {
			setting.since = now
		}
		if setting.days = defaultRecoveryDays; given.RecoveryPeriodInDays != nil {
			setting.days = int(*given.RecoveryPeriodInDays)
		}
		if setting.days < 1 || setting.days > defaultRecoveryDays {
			return was, invalid(fmt.Sprintf("1 validation error detected: Value '%d' at 'pointInTimeRecoverySpecification.recoveryPeriodInDays' failed to satisfy constraint: "+
				"Member must be between 1 and %d", setting.days, defaultRecoveryDays))
		}
		if *given.PointInTimeRecoveryEnabled {
			is = setting
		}
		return is, recoveryOf(is, now)
	}}
}

// recoveryOf is the answer of both operations.
func recoveryOf(is any, now time.Time) any {
	description := map[string]any{"PointInTimeRecoveryStatus": "DISABLED"}
	if setting, enabled := is.(recovery); enabled {
		earliest := later(setting.since, now.AddDate(0, 0, -setting.days))
		description = map[string]any{
			"PointInTimeRecoveryStatus": "ENABLED", "RecoveryPeriodInDays": setting.days,
			"EarliestRestorableDateTime": epochSeconds(earliest), "LatestRestorableDateTime": epochSeconds(later(earliest, now.Add(-restoreLag))),
		}
	}
	return map[string]any{"ContinuousBackupsDescription": map[string]any{
		"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": description,
	}}
}

// later returns the later of two times.
func later(one, other time.Time) time.Time {
	if other.After(one) {
		return other
	}
	return one
}

// epochSeconds returns a time as AWS's JSON protocol has it: seconds, with milliseconds behind the point.
func epochSeconds(moment time.Time) float64 {
	const milliPerSecond = 1000
	return float64(moment.UnixMilli()) / milliPerSecond
}
