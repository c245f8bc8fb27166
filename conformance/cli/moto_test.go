//go:build unix

package cli_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"testing"

	"dynaproof/conformance/target"
)

// motos are those that no test uses now. One takes seconds to start, and empties itself in
// a moment.
var motos struct {
	sync.Mutex
	free []target.Target
}

// closeMotos ends them. No test uses one any more.
func closeMotos() {
	for _, engine := range motos.free {
		if err := engine.Close(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

// moto returns the address of a pinned moto that holds nothing and is the test's alone.
// The AWS lane's requests are tried against it: it answers for STS, IAM, CloudWatch
// and DynamoDB. What it accepts proves nothing (it accepts much that AWS refuses);
// it shows that the code paths hold together.
func moto(t *testing.T) (url string) {
	t.Helper()
	engine := unusedMoto()
	if engine == nil {
		var err error
		var config *target.ConfigError
		if engine, err = target.Moto(t.Context(), target.EmbeddedOptions{}); errors.As(err, &config) {
			t.Skip(err) // there is no Python
		} else if err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if err := empty(engine.URL()); err != nil {
			t.Error(errors.Join(err, engine.Close(context.Background())))
			return
		}
		motos.Lock()
		defer motos.Unlock()
		motos.free = append(motos.free, engine)
	})
	return engine.URL()
}

// unusedMoto takes one off the list; nil means that there is none.
func unusedMoto() (engine target.Target) {
	motos.Lock()
	defer motos.Unlock()
	if last := len(motos.free) - 1; last >= 0 {
		engine, motos.free = motos.free[last], motos.free[:last]
	}
	return engine
}

// empty makes a moto forget all accounts, regions and services.
// https://docs.getmoto.org/en/latest/docs/server_mode.html#reset-api
func empty(url string) error {
	answer, err := http.Post(url+"/moto-api/reset", "", nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("emptying moto: expected 200 OK, found %s", answer.Status)
	}
	return nil
}

// awsEnvironment points the AWS SDK at an endpoint, and away from everything else on
// this machine.
func awsEnvironment(url, region string) []string {
	return []string{
		"AWS_ENDPOINT_URL=" + url, "AWS_REGION=" + region, "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test", "AWS_SESSION_TOKEN=",
		"AWS_PROFILE=", "AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null", "AWS_EC2_METADATA_DISABLED=true",
	}
}
