//go:build unix

package main_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// motoVersion is what the AWS lane's requests are tried against: it answers for STS,
// IAM, CloudWatch and DynamoDB. What it accepts proves nothing (it accepts much that
// AWS refuses); it shows that the code paths hold together.
const motoVersion = "5.2.1"

// installTime bounds the installation from the package index.
const installTime = 5 * time.Minute

// installMoto installs moto once per machine, and skips the test where it cannot be
// had.
func installMoto(t *testing.T) (site string) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("moto cannot be had: there is no python3 on the path")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("moto cannot be kept: %v", err)
	}
	site = filepath.Join(cache, "dynaproof", "moto-"+motoVersion)
	if err := os.MkdirAll(filepath.Dir(site), 0o755); err != nil {
		t.Fatal(err)
	}
	lock := flock.New(site + ".lock")
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Unlock() }() // the process's end releases it too
	if _, err := os.Stat(filepath.Join(site, "moto")); err == nil {
		return site
	}
	partial := site + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), installTime)
	defer cancel()
	text, err := exec.CommandContext(ctx, python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", partial, "moto[server]=="+motoVersion).CombinedOutput()
	if err != nil {
		t.Skipf("moto %s cannot be had from the package index: %v\n%s", motoVersion, err, text)
	}
	if err := os.Rename(partial, site); err != nil {
		t.Fatal(err)
	}
	return site
}

// moto starts a server that ends with the test, and returns its address.
func moto(t *testing.T) (url string) {
	t.Helper()
	site := installMoto(t)
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	server := exec.Command("python3", "-m", "moto.server", "-H", "127.0.0.1", "-p", strconv.Itoa(port))
	server.Env = append(os.Environ(), "PYTHONPATH="+site)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill() // it may have ended by itself
		_ = server.Wait()
	})
	url = "http://127.0.0.1:" + strconv.Itoa(port)
	eventually(t, "an answer of moto", func() bool {
		answer, err := http.Get(url + "/moto-api/")
		if err != nil {
			return false
		}
		return answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
	})
	return url
}

// awsEnvironment points the AWS SDK at an endpoint, and away from everything else on
// this machine.
func awsEnvironment(url, region string) []string {
	return []string{
		"AWS_ENDPOINT_URL=" + url, "AWS_REGION=" + region, "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test", "AWS_SESSION_TOKEN=",
		"AWS_PROFILE=", "AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null", "AWS_EC2_METADATA_DISABLED=true",
	}
}
