package environment

import (
	"strings"
	"testing"
)

func TestRegionOfARN(t *testing.T) {
	if got, err := regionOfARN("arn:aws-cn:dynamodb:cn-north-1:111122223333:table/a:b"); err != nil || got != "cn-north-1" {
		t.Errorf("expected cn-north-1, found %q, %v", got, err)
	}
	for _, arn := range []string{"", "table", "arn:aws:dynamodb::111122223333:table/a", "arn:aws:dynamodb:eu-west-1"} {
		if _, err := regionOfARN(arn); err == nil || !strings.Contains(err.Error(), "set aws:region") {
			t.Errorf("%q: expected an error that says what to do, found %v", arn, err)
		}
	}
}
