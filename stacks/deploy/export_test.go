package deploy

import (
	"context"
	"os"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/backend"
	"github.com/pulumi/pulumi/pkg/v3/backend/diy"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

// Vanishes removes the stack's state folder behind a number of looks at the state.
func (s *Stack) Vanishes(behind int) { s.backend = &vanishing{s.backend, s.options.StateDir, behind} }

type vanishing struct {
	diy.Backend
	folder string
	behind int
}

func (v *vanishing) ExportDeployment(ctx context.Context, stack backend.Stack) (*apitype.UntypedDeployment, error) {
	state, err := v.Backend.ExportDeployment(ctx, stack)
	if v.behind--; v.behind == 0 && err == nil {
		err = os.RemoveAll(v.folder)
	}
	return state, err
}

// WithoutProviderSettings leaves every setting of the aws provider out, as in a stack that `pulumi up` deploys without
// configuration.
func WithoutProviderSettings(o Options) Options {
	o.noProviderSettings = true
	return o
}

// The owners of locks in these tests are gone, or live on.
func init() { lockPatience = time.Second }
