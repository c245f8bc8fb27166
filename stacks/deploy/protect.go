package deploy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/localaws"
)

// protected returns the inputs of the resources that the state protects, by type and name.
func (w written) protected() map[[2]string]resource.PropertyMap {
	protected := map[[2]string]resource.PropertyMap{}
	for _, r := range w.Resources {
		if r.Protect {
			protected[[2]string{r.Type, r.URN.Name()}] = resource.NewPropertyMapFromMap(r.Inputs)
		}
	}
	return protected
}

// keepProtected returns a transform that keeps a protected table protected where its program would lift the protection and
// replace the table in one operation, which Pulumi allows.
func keepProtected(protected map[[2]string]resource.PropertyMap) pulumi.ResourceTransform {
	return func(_ context.Context, args *pulumi.ResourceTransformArgs) *pulumi.ResourceTransformResult {
		before, ok := protected[[2]string{args.Type, args.Name}]
		if !ok {
			return nil
		}
		for _, input := range localaws.Replacing {
			was, _ := before[resource.PropertyKey(input)].V.(string)
			is, _ := args.Props[input].(pulumi.String)
			if string(is) != was {
				args.Opts.Protect = true
				return &pulumi.ResourceTransformResult{Props: args.Props, Opts: args.Opts}
			}
		}
		return nil
	}
}

// lift says how a protected stack is changed all the same.
const lift = "to lose the data all the same, set dynaproof:protect to false and deploy, turn DynamoDB's deletion protection off, and then try again"

// protection are what Pulumi says of a protected resource that an operation would replace or delete.
var protection = []struct {
	says, message string
}{
	{"it is currently marked for protection",
		"expected no change that replaces a protected table, found one; take back what was changed (dynaproof:namePrefix, dynaproof:tableName, the keys); " + lift},
	{"cannot be deleted because it is protected",
		"expected every protected table to stay, found that this operation deletes it; deploy the program that the stack was deployed with; " + lift},
}

// explainProtection says Pulumi's refusal of a protected resource in the words of the stack's settings.
func explainProtection(message string) string {
	for _, p := range protection {
		if strings.Contains(message, p.says) {
			return p.message
		}
	}
	return message
}

// refused is the error of a destroy that would delete protected tables. Nothing else is deleted before.
func refused(protected map[[2]string]resource.PropertyMap) error {
	var names []string
	for key := range protected {
		names = append(names, key[1])
	}
	slices.Sort(names)
	return fmt.Errorf("expected no protected table, found %s; nothing was deleted; %s", strings.Join(names, ", "), lift)
}
