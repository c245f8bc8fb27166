package deploy

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/accesspatterns/input"
)

// withTags adds tags to those that a program gives, in whatever form the engine hands them over: a map of texts, a map
// of inputs, or an output. Anything else fails the deployment, so that no documented tag is lost.
func withTags(documented pulumi.Input, added map[string]string) pulumi.Output {
	return pulumi.ToOutput(documented).ApplyT(func(resolved any) (map[string]string, error) {
		tags := map[string]string{}
		if resolved != nil {
			text, err := json.Marshal(resolved)
			if err == nil {
				err = input.Exactly(text, &tags)
			}
			if err != nil {
				return nil, fmt.Errorf("tags: expected a map of texts, found %T: %w", resolved, err)
			}
		}
		maps.Copy(tags, added)
		return tags, nil
	})
}
