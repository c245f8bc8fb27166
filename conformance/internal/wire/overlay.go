package wire

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/must"
)

// EmulatedHeader is the header that marks an answer of an overlay; its value is the overlay's name.
const EmulatedHeader = "Dynaproof-Emulated"

// unknownOperation is what an engine answers, with status 400, to an operation that it does not know.
const unknownOperation = "UnknownOperationException"

// feature is what an engine may lack: some operations, and what they remember of a table.
type feature struct {
	// name stands in the answer's header.
	name string
	// operations are those that it can answer.
	operations []string
	// answer answers a request about a table of which was is remembered, nil for nothing, and returns what is remembered from then on.
	// An answer is marshalled to JSON; a [*FaultResponse] is an error of DynamoDB, which changes nothing.
	answer func(operation string, request []byte, was any) (is, answer any)
}

// invalid is the refusal of a request that is wrong by itself.
func invalid(message string) *FaultResponse { return Refused("ValidationException", message) }

// missing is what DynamoDB says of a member that a request lacks.
func missing(member string) *FaultResponse {
	return invalid("1 validation error detected: Value null at '" + member + "' failed to satisfy constraint: Member must not be null")
}

// tableKey identifies a table as an engine does that keeps regions apart.
type tableKey struct{ region, name string }

// overlays holds all features and the tables that they may speak for.
type overlays struct {
	byOperation map[string]*feature

	mutex sync.Mutex
	// owned are the tables that were created through the proxy and not deleted since, with what the features that have
	// answered for them remember. From then on the feature answers for that table even where the engine would: an engine that
	// knows how to describe a feature and not how to change it would describe what is not so.
	owned map[tableKey]map[*feature]any
}

func newOverlays(all ...*feature) *overlays {
	o := &overlays{byOperation: map[string]*feature{}, owned: map[tableKey]map[*feature]any{}}
	for _, each := range all {
		for _, operation := range each.operations {
			o.byOperation[operation] = each
		}
	}
	return o
}

// observe follows which tables exist by what the engine has answered. Of a table that is new or gone nothing is remembered.
func (o *overlays) observe(entry *Entry) {
	if entry.Operation != "CreateTable" && entry.Operation != "DeleteTable" || entry.Status != http.StatusOK || len(entry.Tables) != 1 {
		return
	}
	table := tableKey{entry.SignedRegion, entry.Tables[0]}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if delete(o.owned, table); entry.Operation == "CreateTable" {
		o.owned[table] = map[*feature]any{}
	}
}

// replace returns a feature's answer in place of the engine's, or nil when the engine's answer stands: because the
// engine knows the operation and no feature has answered for the table before, no feature does, or the table was not
// created through this proxy.
func (o *overlays) replace(entry *Entry, engine *answer, request []byte) *answer {
	of, known := o.byOperation[entry.Operation]
	if !known || len(entry.Tables) != 1 {
		return nil
	}
	// Held while the feature answers, so that the table cannot go in between.
	o.mutex.Lock()
	defer o.mutex.Unlock()
	answeredFor, owned := o.owned[tableKey{entry.SignedRegion, entry.Tables[0]}]
	if !owned {
		return nil
	}
	lacking := entry.Status == http.StatusBadRequest && entry.ErrorType == unknownOperation
	was, before := answeredFor[of]
	if !lacking && !before {
		return nil
	}
	is, content := of.answer(entry.Operation, request, was)
	var replacement *answer
	if no, refused := content.(*FaultResponse); refused {
		is, replacement = was, no.answer()
	} else {
		replacement = ownAnswer(http.StatusOK, must.Have(json.Marshal(content))) // features return texts and numbers
	}
	answeredFor[of] = is
	replacement.header.Set(EmulatedHeader, of.name)
	if id := engine.header.Get("X-Amzn-Requestid"); id != "" {
		replacement.header.Set("X-Amzn-Requestid", id)
	}
	return replacement
}

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
		if err := input.Exactly(request, &wanted); err != nil {
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

// maxResourcePolicy is the size of a resource policy in bytes, white space included.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/rbac-considerations.html
const maxResourcePolicy = 20 * 1024

// noPolicy is the revision that a request names when it expects the table to have no policy.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_PutResourcePolicy.html
const noPolicy = "NO_POLICY"

// attachedPolicy is a policy with its revision, which AWS writes as a number of milliseconds.
type attachedPolicy struct {
	Policy     string `json:",omitempty"`
	RevisionId string `json:",omitempty"`
}

// resourcePolicies emulates the policies of tables: it remembers the [attachedPolicy] of a table and gives it back as AWS would. It
// enforces none, and it does not judge a statement: AWS refuses a policy whose grammar is wrong, this takes every JSON object.
func resourcePolicies(clock func() time.Time) *feature {
	return &feature{"resource-policies", []string{"PutResourcePolicy", "GetResourcePolicy", "DeleteResourcePolicy"}, func(operation string, request []byte, was any) (is, answer any) {
		var given dynamodb.PutResourcePolicyInput // which has the members of the others too
		if err := input.Exactly(request, &given); err != nil {
			return was, invalid(err.Error())
		}
		have, attached := was.(attachedPolicy)
		if operation != "GetResourcePolicy" && given.ExpectedRevisionId != nil {
			// A deletion cannot expect that there is nothing to delete.
			expectsNone := operation == "PutResourcePolicy" && *given.ExpectedRevisionId == noPolicy
			if expectsNone == attached || !expectsNone && *given.ExpectedRevisionId != have.RevisionId {
				return was, Refused("PolicyNotFoundException", "Resource-based policy not found for the provided RevisionId")
			}
		}
		var object map[string]any
		switch {
		case operation == "DeleteResourcePolicy": // what is not there is no error, and has no revision
			return nil, attachedPolicy{RevisionId: have.RevisionId}
		case operation == "GetResourcePolicy" && !attached:
			return was, Refused("PolicyNotFoundException", "Resource-based policy not found for the provided ResourceArn: "+dynamo.TableName(aws.ToString(given.ResourceArn)))
		case operation == "GetResourcePolicy":
			return was, have
		case given.Policy == nil:
			return was, missing("policy")
		case input.Exactly([]byte(*given.Policy), &object) != nil:
			return was, invalid("Policy document is not a JSON object")
		case len(*given.Policy) > maxResourcePolicy:
			return was, invalid(fmt.Sprintf("Policy document has %d bytes, and at most %d are allowed", len(*given.Policy), maxResourcePolicy))
		case !attached || have.Policy != *given.Policy:
			have = attachedPolicy{*given.Policy, nextRevision(clock(), have.RevisionId)}
		}
		return have, attachedPolicy{RevisionId: have.RevisionId}
	}}
}

// nextRevision returns a revision that differs from the last one.
func nextRevision(now time.Time, last string) string {
	next := now.UnixMilli()
	if before, err := strconv.ParseInt(last, 10, 64); err == nil && next <= before {
		next = before + 1
	}
	return strconv.FormatInt(next, 10)
}

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
		if err := input.Exactly(request, &wanted); err != nil {
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
