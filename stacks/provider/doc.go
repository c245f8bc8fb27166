// Package provider holds the inputs that the Pulumi programs send against the published types of the real aws provider:
// names, types, and which inputs are required.
//
// The types are those of the Go SDK github.com/pulumi/pulumi-aws/sdk/v6 that go.mod pins and go.sum has the digest of. It is
// generated from the provider's schema; the schema itself (schema.json) is published in no package registry. The SDK
// says nothing about defaults and about the rules between inputs, so those are not checked here, nor about which changes
// replace a resource: see [Replacing].
package provider
