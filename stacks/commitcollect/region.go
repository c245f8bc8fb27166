package commitcollect

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// InRegion returns the options that put a table into Region (commit-collect.md:27).
//
// Where aws:region is set, Read has found it to be Region, and the default provider serves. Where it is not, the
// default provider would go wherever AWS_REGION or a profile points, so the stack gets a provider of its own with the
// ambient credentials.
//
// A provider of its own does not see the stack's other aws:* settings. Leaving out, say, aws:profile could deploy into
// another account, so a stack that has any of them must set aws:region too.
func InRegion(ctx *pulumi.Context) ([]pulumi.ResourceOption, error) {
	if region, _ := ctx.GetConfig("aws:region"); region != "" {
		return nil, nil
	}
	if keys := providerSettings(ctx); len(keys) > 0 {
		return nil, fmt.Errorf("aws:region of stack %s: expected %s, which commit-collect.md:27 fixes, beside %s, found it unset; set aws:region to %s",
			ctx.Stack(), Region, strings.Join(keys, ", "), Region)
	}
	provider, err := aws.NewProvider(ctx, Region, &aws.ProviderArgs{Region: pulumi.String(Region)})
	if err != nil {
		return nil, err
	}
	return []pulumi.ResourceOption{pulumi.Provider(provider)}, nil
}

// providerSettings returns the keys of the aws:* settings that the stack has. The SDK's own type says which there are,
// so a setting that a later SDK adds is not overlooked.
func providerSettings(ctx *pulumi.Context) []string {
	var keys []string
	args := reflect.TypeFor[aws.ProviderArgs]()
	for i := range args.NumField() {
		name := args.Field(i).Name
		key := "aws:" + strings.ToLower(name[:1]) + name[1:]
		if value, _ := ctx.GetConfig(key); value != "" {
			keys = append(keys, key)
		}
	}
	return keys
}
