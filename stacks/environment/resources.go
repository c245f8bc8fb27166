package environment

import (
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// ComponentType is the type of the component that holds all resources of a stack.
const ComponentType = "dynaproof:index:Design"

// register registers the component.
func (s *Settings) register(ctx *pulumi.Context) error {
	s.component = &pulumi.ResourceState{}
	return ctx.RegisterComponentResource(ComponentType, s.Design, s.component)
}

// Options are the options that every resource of the stack has: it belongs to the stack's component. A stack that was
// deployed before there was one keeps its resources, which are known by their former place, the stack itself.
func (s *Settings) Options(opts ...pulumi.ResourceOption) []pulumi.ResourceOption {
	return append([]pulumi.ResourceOption{
		pulumi.Parent(s.component),
		pulumi.Aliases([]pulumi.Alias{{NoParent: pulumi.Bool(true)}}),
	}, opts...)
}

// NewTable registers a table. When the stack is protected, so is the table. When it is not, deletion protection stays as it
// is: somebody who turned it on had a reason, and a deployment never turns it off.
func (s *Settings) NewTable(ctx *pulumi.Context, id string, args *dynamodb.TableArgs, opts ...pulumi.ResourceOption) (*dynamodb.Table, error) {
	if s.Protect {
		args.DeletionProtectionEnabled = pulumi.Bool(true)
		opts = append(opts, pulumi.Protect(true))
	} else {
		opts = append(opts, pulumi.IgnoreChanges([]string{"deletionProtectionEnabled"}))
	}
	return dynamodb.NewTable(ctx, id, args, s.Options(opts...)...)
}

// Table is a table to register, by its logical id.
type Table struct {
	ID   string
	Args *dynamodb.TableArgs
}

// NewTables registers tables one after the other, see [Settings.NewTable], and returns them by logical id.
func (s *Settings) NewTables(ctx *pulumi.Context, tables []Table, opts ...pulumi.ResourceOption) (map[string]*dynamodb.Table, error) {
	registered := map[string]*dynamodb.Table{}
	for _, each := range tables {
		table, err := s.NewTable(ctx, each.ID, each.Args, opts...)
		if err != nil {
			return nil, err
		}
		registered[each.ID] = table
	}
	return registered, nil
}

// Attributes are the attributes of keys, each as "name type".
func Attributes(defined ...string) dynamodb.TableAttributeArray {
	var all dynamodb.TableAttributeArray
	for _, each := range defined {
		name, kind, _ := strings.Cut(each, " ")
		all = append(all, &dynamodb.TableAttributeArgs{Name: pulumi.String(name), Type: pulumi.String(kind)})
	}
	return all
}

// Index is a global secondary index with its partition key and, where there is one, its sort key.
func Index(name, projection, hash string, sort ...string) *dynamodb.TableGlobalSecondaryIndexArgs {
	index := &dynamodb.TableGlobalSecondaryIndexArgs{Name: pulumi.String(name), ProjectionType: pulumi.String(projection), HashKey: pulumi.String(hash)}
	for _, key := range sort {
		index.RangeKey = pulumi.String(key)
	}
	return index
}
