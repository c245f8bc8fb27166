package deploy

import "time"

// WithoutProviderSettings leaves every setting of the aws provider out, as in a stack that `pulumi up` deploys without
// configuration.
func WithoutProviderSettings(o Options) Options {
	o.noProviderSettings = true
	return o
}

// The owners of locks in these tests are gone, or live on.
func init() { lockPatience = time.Second }
