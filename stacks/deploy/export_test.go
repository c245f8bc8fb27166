package deploy

import (
	"context"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/backend"
	"github.com/pulumi/pulumi/pkg/v3/backend/diy"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

func (s *Stack) Up(ctx context.Context) (*Result, error)      { return s.run(ctx, up) }
func (s *Stack) Preview(ctx context.Context) (*Result, error) { return s.run(ctx, preview) }
func (s *Stack) Refresh(ctx context.Context) (*Result, error) { return s.run(ctx, refresh) }
func (s *Stack) Destroy(ctx context.Context) (*Result, error) { return s.run(ctx, destroy) }

// Vanishes removes the stack's state folder when an operation has looked at the state.
func (s *Stack) Vanishes() { s.backend = &vanishing{s.backend, s.options.StateDir} }

type vanishing struct {
	diy.Backend
	folder string
}

func (v *vanishing) ExportDeployment(ctx context.Context, stack backend.Stack) (*apitype.UntypedDeployment, error) {
	state, err := v.Backend.ExportDeployment(ctx, stack)
	if err == nil {
		err = os.RemoveAll(v.folder)
	}
	return state, err
}

// Difference is one resource that an operation changes, or found changed.
type Difference struct {
	Op, Type, Name string
	// Properties are the paths that differ, sorted, such as globalSecondaryIndexes[0].hashKey.
	Properties []string
}

// Differences are what Diff shows, as data.
func (r *Result) Differences() (all []Difference) {
	for _, event := range r.steps {
		var step apitype.StepEventMetadata
		switch {
		case event.ResOutputsEvent != nil:
			step = event.ResOutputsEvent.Metadata
		case event.ResourcePreEvent.Metadata.Op == apitype.OpRefresh: // what follows tells the difference
			continue
		default:
			step = event.ResourcePreEvent.Metadata
		}
		urn := resource.URN(step.URN)
		all = append(all, Difference{string(step.Op), string(urn.Type()), urn.Name(), slices.Sorted(maps.Keys(step.DetailedDiff))})
	}
	return all
}

// Changed reports whether the operation did, or would do, anything to a resource.
func (r *Result) Changed() bool {
	for op, n := range r.Changes {
		if kind := apitype.OpType(op); n > 0 && kind != apitype.OpSame && kind != apitype.OpRead {
			return true
		}
	}
	return false
}

// Name is the stack's name, "<design>.<environment>".
func (s *Stack) Name() string { return s.name }

// WithoutProviderSettings leaves every setting of the aws provider out, as in a stack that `pulumi up` deploys without
// configuration.
func WithoutProviderSettings(o Options) Options {
	o.noProviderSettings = true
	return o
}

// PluginVersion is the version of the plugin that is looked for.
func PluginVersion() string { return pluginVersion() }

// The owners of locks in these tests are gone, or live on.
func init() { lockPatience = time.Second }
