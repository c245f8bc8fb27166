package wire

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

const (
	// defaultRecoveryDays is the recovery period when the request names none, and the longest one, in days.
	// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_PointInTimeRecoverySpecification.html
	defaultRecoveryDays = 35
	// restoreLag is how far behind the present the latest restorable time is: AWS says "typically 5 minutes".
	// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_PointInTimeRecoveryDescription.html
	restoreLag = 5 * time.Minute
)

// continuousBackups emulates the switch for point-in-time recovery (PITR): it remembers the setting and describes it as
// AWS would. It backs up nothing.
type continuousBackups struct {
	settings[recovery]
	// now is the clock.
	now func() time.Time
}

// recovery is the setting of a table on which PITR is enabled.
type recovery struct {
	since time.Time
	days  int
}

var _ overlay = (*continuousBackups)(nil)

// continuousBackupsAnswer is the answer of both operations, in AWS's shape. Continuous backups as such are always
// enabled; what a user switches is point-in-time recovery.
type continuousBackupsAnswer struct {
	ContinuousBackupsDescription struct {
		ContinuousBackupsStatus        string
		PointInTimeRecoveryDescription recoveryDescription
	}
}

type recoveryDescription struct {
	PointInTimeRecoveryStatus string
	RecoveryPeriodInDays      int     `json:",omitempty"`
	EarliestRestorableTime    float64 `json:"EarliestRestorableDateTime,omitempty"` // epoch seconds
	LatestRestorableTime      float64 `json:"LatestRestorableDateTime,omitempty"`   // epoch seconds
}

func (c *continuousBackups) name() string { return "continuous-backups" }

func (c *continuousBackups) operations() []string {
	return []string{"DescribeContinuousBackups", "UpdateContinuousBackups"}
}

func (c *continuousBackups) answer(operation string, table tableKey, request []byte) (int, any) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if operation == "UpdateContinuousBackups" {
		if problem := c.update(table, request); problem != "" {
			return http.StatusBadRequest, json.RawMessage(dynamoDBError("ValidationException",
				problem))
		}
	}
	return http.StatusOK, c.describe(table)
}

// update applies a request and returns what is wrong with it, or "".
func (c *continuousBackups) update(table tableKey, request []byte) string {
	var wanted struct {
		PointInTimeRecoverySpecification *struct {
			PointInTimeRecoveryEnabled *bool
			RecoveryPeriodInDays       *int
		}
	}
	if err := json.Unmarshal(request, &wanted); err != nil {
		return err.Error()
	}
	specification := wanted.PointInTimeRecoverySpecification
	if specification == nil {
		return missing("pointInTimeRecoverySpecification")
	}
	if specification.PointInTimeRecoveryEnabled == nil {
		return missing("pointInTimeRecoverySpecification.pointInTimeRecoveryEnabled")
	}
	days := defaultRecoveryDays
	if given := specification.RecoveryPeriodInDays; given != nil {
		days = *given
	}
	if days < 1 || days > defaultRecoveryDays {
		return fmt.Sprintf("1 validation error detected: Value '%d' at 'pointInTimeRecoverySpecification.recoveryPeriodInDays' failed to satisfy constraint: "+
			"Member must be between 1 and %d", days, defaultRecoveryDays)
	}
	if !*specification.PointInTimeRecoveryEnabled {
		delete(c.of, table)
		return ""
	}
	setting, already := c.of[table]
	if !already {
		setting.since = c.now()
	}
	setting.days = days
	c.set(table, setting)
	return ""
}

// describe returns the setting of a table. A table starts with PITR disabled.
func (c *continuousBackups) describe(table tableKey) continuousBackupsAnswer {
	var described continuousBackupsAnswer
	description := &described.ContinuousBackupsDescription
	description.ContinuousBackupsStatus = "ENABLED"
	setting, enabled := c.of[table]
	if !enabled {
		description.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus = "DISABLED"
		return described
	}
	now := c.now()
	earliest := later(setting.since, now.AddDate(0, 0, -setting.days))
	description.PointInTimeRecoveryDescription = recoveryDescription{
		PointInTimeRecoveryStatus: "ENABLED",
		RecoveryPeriodInDays:      setting.days,
		EarliestRestorableTime:    epochSeconds(earliest),
		LatestRestorableTime:      epochSeconds(later(earliest, now.Add(-restoreLag))),
	}
	return described
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
