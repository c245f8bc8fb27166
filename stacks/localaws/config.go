package localaws

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// config is the part of the provider's configuration that a loopback endpoint needs.
type config struct {
	Region    string // what requests are signed for
	Endpoint  string // URL of the DynamoDB endpoint
	IAM       string // URL of IAM's endpoint; empty where policies are kept in the state alone
	AccessKey string
	SecretKey string
	Token     string
}

// acceptedConfig are the properties of pulumi:providers:aws that are understood; the flags concern requests to other
// services, which this provider never makes. Any other property is refused. Where allowedAccountIds names an account, the
// endpoint is of AWS's shape, and IAM policies are made at its endpoint of IAM.
var acceptedConfig = []string{
	"accessKey", "allowedAccountIds", "endpoints", "region", "secretKey", "token",
	"skipCredentialsValidation", "skipMetadataApiCheck", "skipRegionValidation", "skipRequestingAccountId",
}

// parseConfig reads the provider's properties. Values that are unknown while previewing are left out of the checks.
func parseConfig(props resource.PropertyMap) (config, []*pulumirpc.CheckFailure) {
	var cfg config
	c := &checker{}
	for _, key := range props.StableKeys() {
		name := string(key)
		if name == "version" || name == "pluginDownloadURL" || strings.HasPrefix(name, "__") {
			continue // what the engine adds about the plugin, not configuration
		}
		if !slices.Contains(acceptedConfig, name) && !props[key].IsNull() {
			c.fail(name, "localaws does not implement aws:%s: remove it, or deploy against AWS with the pulumi command", name)
		}
	}

	for _, required := range []struct {
		name, advice string
		into         *string
	}{
		{"region", "set the region that requests are signed for, such as eu-west-1", &cfg.Region},
		{"accessKey", "set any word; credentials of the machine are never used", &cfg.AccessKey},
		{"secretKey", "set any word; credentials of the machine are never used", &cfg.SecretKey},
	} {
		v := props[resource.PropertyKey(required.name)]
		if *required.into = text(v); *required.into == "" && !v.ContainsUnknowns() {
			c.fail(required.name, "expected aws:%s, found none: %s", required.name, required.advice)
		}
	}
	cfg.Token = text(props["token"])

	endpoints := props["endpoints"]
	if endpoints.ContainsUnknowns() {
		return cfg, c.failures
	}
	services, err := endpointsOf(endpoints)
	if err != nil {
		c.fail("endpoints", "%v", err)
		return cfg, c.failures
	}
	for i, service := range services {
		for _, key := range sortedKeys(service) {
			where, endpoint := fmt.Sprintf("endpoints[%d].%s", i, key), service[key]
			err := CheckLoopback(endpoint)
			switch {
			case !slices.Contains([]string{"dynamodb", "iam", "sts"}, key): // STS is the plugin's, never asked here
				c.fail(where, "localaws serves dynamodb only: remove the endpoint")
			case key == "dynamodb" && cfg.Endpoint != "":
				c.fail(where, "expected one dynamodb endpoint, found a second one %q: keep one", endpoint)
			case err != nil:
				c.fail(where, "%v", err)
			case key == "dynamodb":
				cfg.Endpoint = endpoint
			case key == "iam" && !props["allowedAccountIds"].IsNull():
				cfg.IAM = endpoint
			}
		}
	}
	if cfg.Endpoint == "" && len(c.failures) == 0 {
		c.fail("endpoints", `expected aws:endpoints with a dynamodb URL on loopback, found none: set [{"dynamodb":"http://127.0.0.1:8000"}]`)
	}
	return cfg, c.failures
}

// endpointsOf reads aws:endpoints, which Pulumi hands over as JSON text for configuration and as a list otherwise.
func endpointsOf(v resource.PropertyValue) ([]map[string]string, error) {
	if v.IsNull() {
		return nil, nil
	}
	given := []byte(text(v))
	if !v.IsString() {
		var err error
		if given, err = json.Marshal(v.Mappable()); err != nil {
			return nil, err
		}
	}
	var services []map[string]string
	if err := json.Unmarshal(given, &services); err != nil {
		return nil, fmt.Errorf(`expected a list such as [{"dynamodb":"http://127.0.0.1:8000"}], found %s: correct aws:endpoints`, given)
	}
	return services, nil
}

// CheckLoopback returns nil when endpoint is the URL of a server on this machine: an http or https URL whose host is
// localhost, ::1 or in 127.0.0.0/8. A name other than localhost is refused without looking it up, because what it
// resolves to can change between the check and the request.
func CheckLoopback(endpoint string) error {
	if strings.ContainsAny(endpoint, "@?#;") { // what stands there may be a password or a token, also where the rest is no URL
		return errors.New("expected an endpoint such as http://127.0.0.1:8000, found one with more than a host and a port, such as a user name in it, which is not shown: correct the URL")
	}
	u, err := url.Parse(endpoint)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return fmt.Errorf("expected an endpoint such as http://127.0.0.1:8000, found %q: correct the URL", endpoint)
	}
	host := u.Hostname()
	if ip := net.ParseIP(host); (ip != nil && ip.IsLoopback()) || strings.EqualFold(host, "localhost") {
		return nil
	}
	return fmt.Errorf("expected an endpoint on loopback (127.0.0.0/8, ::1 or localhost), found %q: use a local engine, or deploy against AWS with the pulumi command", endpoint)
}
