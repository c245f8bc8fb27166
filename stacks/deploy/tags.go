package deploy

import (
	"fmt"
	"maps"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// withTags adds tags to those that a program gives, in whatever form the engine hands them over: a map of texts, a map
// of inputs, or an output. Anything else fails the deployment, so that no documented tag is lost.
func withTags(documented pulumi.Input, added map[string]string) pulumi.Output {
	return pulumi.ToOutput(documented).ApplyT(func(resolved any) (map[string]string, error) {
		tags := map[string]string{}
		switch documented := resolved.(type) {
		case nil:
		case map[string]string:
			maps.Copy(tags, documented)
		case map[string]any:
			for key, text := range documented {
				tag, ok := text.(string)
				if !ok {
					return nil, fmt.Errorf("tag %s: expected a text, found %T", key, text)
				}
				tags[key] = tag
			}
		default:
			return nil, fmt.Errorf("tags: expected a map of texts, found %T", documented)
		}
		maps.Copy(tags, added)
		return tags, nil
	})
}
