package deploy

// WithoutProviderSettings leaves every setting of the aws provider out, as in a stack that `pulumi up` deploys without
// configuration.
func WithoutProviderSettings(o Options) Options {
	o.noProviderSettings = true
	return o
}
