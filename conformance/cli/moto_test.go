//go:build unix

package cli_test

import (
	"context"
	"errors"
	"testing"

	"dynaproof/conformance/target"
)

// moto starts the pinned moto, which ends with the test, and returns its address.
// The AWS lane's requests are tried against it: it answers for STS, IAM, CloudWatch
// and DynamoDB. What it accepts proves nothing (it accepts much that AWS refuses);
// it shows that the code paths hold together.
func moto(t *testing.T) (url string) {
	t.Helper()
	engine, err := target.Moto(t.Context(), target.EmbeddedOptions{})
	var config *target.ConfigError
	if errors.As(err, &config) {
		t.Skip(err) // there is no Python
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return engine.URL()
}

// awsEnvironment points the AWS SDK at an endpoint, and away from everything else on
// this machine.
func awsEnvironment(url, region string) []string {
	return []string{
		"AWS_ENDPOINT_URL=" + url, "AWS_REGION=" + region, "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test", "AWS_SESSION_TOKEN=",
		"AWS_PROFILE=", "AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null", "AWS_EC2_METADATA_DISABLED=true",
	}
}
