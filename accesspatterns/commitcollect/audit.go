package commitcollect

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
)

// retention is the documented life of an audit record: 90 days, in seconds.
const retention = 7_776_000

func auditRecord() ap.Entity {
	return ap.Entity{
		ID: "audit-record", Title: "Audit record", Table: audit,
		Cite: ap.Lines(118, 131, "USER#{userId}", "AUDIT#{unixEpoch}#{requestId}"),
		// The three sort keys share their parameters, so they must be equal.
		Keys: []ap.KeyAttribute{
			{Attribute: "PK", Template: "USER#{userId}", Cite: ap.Line(120, "PK = USER#{userId}")},
			{Attribute: "SK", Template: "AUDIT#{unixEpoch}#{requestId}", Cite: ap.Line(121, "SK = AUDIT#{unixEpoch}#{requestId}")},
			{Attribute: "GSI1PK", Template: "CORR#{correlationId}", Cite: ap.Line(125, "GSI1PK = CORR#{correlationId}")},
			{Attribute: "GSI1SK", Template: "AUDIT#{unixEpoch}#{requestId}", Cite: ap.Line(126, "GSI1SK = AUDIT#{unixEpoch}#{requestId}")},
			{Attribute: "GSI2PK", Template: "EVENT#{eventType}#{yyyyMM}", Cite: ap.Line(130, "GSI2PK = EVENT#{eventType}#{yyyyMM}")},
			{Attribute: "GSI2SK", Template: "AUDIT#{unixEpoch}#{requestId}", Cite: ap.Line(131, "GSI2SK = AUDIT#{unixEpoch}#{requestId}")},
		},
		// Addition by ruling: the document gives the TTL but not its attribute.
		Attributes: []ap.Attribute{
			{Name: "expiresAt", Type: ap.Number, Format: ap.EpochSeconds, Cite: ap.Line(133, "TTL: 90 days")},
		},
		Rules: []ap.Rule{
			{
				ID:        "unix-epoch-seconds",
				Statement: "unixEpoch is Unix time in seconds, written with ten digits, so that text order is time order",
				Attribute: "SK",
				Check:     epochHasTenDigits,
				Cite:      ap.Line(121, "{unixEpoch}"),
			},
			{
				ID:        "expires-after-90-days",
				Statement: "expiresAt is 7,776,000 seconds after unixEpoch",
				Attribute: "expiresAt",
				Check:     expiresAfterRetention,
				Cite:      ap.Line(133, "90 days").And(ap.Line(121, "{unixEpoch}")),
			},
			{
				ID:        "event-month",
				Statement: "yyyyMM is the month of unixEpoch in UTC",
				Attribute: "GSI2PK",
				Check:     monthOfEpoch,
				Cite:      ap.Lines(130, 131, "{yyyyMM}", "{unixEpoch}"),
			},
		},
	}
}

var tenDigits = regexp.MustCompile(`^[1-9][0-9]{9}$`)

// auditEpoch returns the unixEpoch of the sort key as it is written.
func auditEpoch(item ap.Item) (string, bool) {
	rest, found := strings.CutPrefix(keyText(item, "SK"), "AUDIT#")
	epoch, _, more := strings.Cut(rest, "#")
	return epoch, found && more
}

func epochHasTenDigits(item ap.Item) error {
	if epoch, found := auditEpoch(item); found && !tenDigits.MatchString(epoch) {
		return fmt.Errorf("expected unixEpoch in seconds with ten digits, found %q", epoch)
	}
	return nil
}

// auditSeconds returns the unixEpoch of the sort key. It says no where another
// rule reports the key already.
func auditSeconds(item ap.Item) (int64, bool) {
	epoch, found := auditEpoch(item)
	if !found || !tenDigits.MatchString(epoch) {
		return 0, false
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	return seconds, err == nil
}

func expiresAfterRetention(item ap.Item) error {
	seconds, known := auditSeconds(item)
	expires, isNumber := item["expiresAt"].(*types.AttributeValueMemberN)
	if !known || !isNumber {
		return nil
	}
	if len(expires.Value) > len("9999999999") {
		return nil // milliseconds are reported by the attribute's format
	}
	if want := strconv.FormatInt(seconds+retention, 10); expires.Value != want {
		return fmt.Errorf("expected expiresAt %s, 90 days after unixEpoch, found %s", want, expires.Value)
	}
	return nil
}

func monthOfEpoch(item ap.Item) error {
	seconds, known := auditSeconds(item)
	rest, isEvent := strings.CutPrefix(keyText(item, "GSI2PK"), "EVENT#")
	_, month, hasMonth := strings.Cut(rest, "#")
	if !known || !isEvent || !hasMonth {
		return nil
	}
	if want := time.Unix(seconds, 0).UTC().Format("200601"); month != want {
		return fmt.Errorf("expected month %s, that of unixEpoch in UTC, found %q", want, month)
	}
	return nil
}
