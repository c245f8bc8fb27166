package environment

import (
	"fmt"
	"regexp"
	"strings"
)

// environmentForm bounds what may stand in a table name or tag in place of a document's placeholder. Braces and
// angle brackets are outside it, so a placeholder that nobody filled in never reaches AWS.
var environmentForm = regexp.MustCompile(`^[a-z0-9-]{1,20}$`)

// ParseStackName splits the stack name <design>.<environment> at its first dot. The environment has 1 to 20
// characters, each a lower-case letter, a digit or a hyphen. Whether the design exists is for the catalog to say.
func ParseStackName(stack string) (design, env string, err error) {
	design, env, dot := strings.Cut(stack, ".")
	if !dot || design == "" {
		return "", "", fmt.Errorf("stack name: expected <design>.<environment>, found %q; name the stack like osem-ladders.dev", stack)
	}
	if !environmentForm.MatchString(env) {
		return "", "", fmt.Errorf("stack name %q: expected an environment of 1 to 20 lower-case letters, digits and hyphens after the first dot, found %q; name the stack like %s.dev",
			stack, env, design)
	}
	return design, env, nil
}
