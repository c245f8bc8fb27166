package trail

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/arn"
)

// Group is a log group of CloudWatch Logs. A trail of several regions or accounts
// writes to one group in its home region, which an ARN names.
type Group struct {
	// Name is the group's name, or its ARN without the ":*" that lists show.
	Name string
	// Region and Account are those of the ARN; empty for a name, which is looked for
	// where the tables are.
	Region, Account string
}

// groupForm is the form of names of log groups.
// https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html
var groupForm = regexp.MustCompile(`^[.\-_/#A-Za-z0-9]{1,512}$`)

// ParseGroup reads a log group's name or ARN.
func ParseGroup(text string) (Group, error) {
	wrong := fmt.Errorf("expected the name of a log group, such as aws-cloudtrail-logs, or its ARN, found %q", text)
	if !arn.IsARN(text) {
		if !groupForm.MatchString(text) {
			return Group{}, wrong
		}
		return Group{Name: text}, nil
	}
	text = strings.TrimSuffix(text, ":*")
	parsed, err := arn.Parse(text)
	name, isGroup := strings.CutPrefix(parsed.Resource, "log-group:")
	if err != nil || parsed.Service != "logs" || !isGroup || !groupForm.MatchString(name) || parsed.Region == "" || parsed.AccountID == "" {
		return Group{}, wrong
	}
	return Group{Name: text, Region: parsed.Region, Account: parsed.AccountID}, nil
}

// Resource is the ARN by which a policy names the group: IAM wants it with ":*".
// Region and account are those of the group's ARN, where it was given by its ARN.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/iam-access-control-overview-cwl.html
func (g Group) Resource(region, account string) string {
	if g.Account != "" {
		return g.Name + ":*"
	}
	return "arn:aws:logs:" + region + ":" + account + ":log-group:" + g.Name + ":*"
}
