package dynaproof

import "maps"

// Project is the Pulumi project of every stack: the name in Pulumi.yaml, the namespace of its settings, and a part of the paths of its
// policies.
const Project = "dynaproof"

// Request asks what deploys for one operation on one stack. As JSON it is one line.
type Request struct {
	// ID numbers the request; its answer has the same number.
	ID int `json:"id,omitempty"`
	// Do is up, preview, refresh or destroy; open, which only checks the request and makes the stack; remove, which deletes an
	// empty stack from its state folder; outputs, which reads the outputs of the last up; inputs, which says what the program
	// asks for, by Pulumi's mocks; plugin, which looks for Pulumi's aws plugin; sources, which says what this was built from; or cancel, which ends the request of the same
	// number and has no answer of its own.
	Do string `json:"do"`
	Options
}

// Options say which design is deployed, and where.
type Options struct {
	// Design and Environment name the stack: "<design>.<environment>". Letters, digits, '-' and '_'.
	Design      string `json:"design,omitempty"`
	Environment string `json:"environment,omitempty"`
	// Config is the stack's configuration, such as "dynaproof:namePrefix": "x-". Keys of the aws provider are set
	// from Endpoint and Region and are refused here.
	Config map[string]string `json:"config,omitempty"`
	// Endpoint is the URL of a DynamoDB-compatible endpoint on loopback. Through is another address on loopback by which a request's own
	// requests to it go, which passes them on and sees them; empty for Endpoint itself.
	Endpoint string `json:"endpoint,omitempty"`
	Through  string `json:"through,omitempty"`
	// Cloud deploys to AWS itself, with Pulumi's own aws plugin and the credentials that the AWS SDK finds; Endpoint is
	// then empty. A process deploys either to AWS or to loopback: a mix is refused.
	Cloud bool `json:"cloud,omitempty"`
	// Account is the id of the AWS account that the plugin may deploy to, 12 digits. It is required with Cloud. With Endpoint
	// it says that the endpoint is of AWS's shape, so that IAM policies are made there; without it they are kept in the state.
	Account string `json:"account,omitempty"`
	// Region is the AWS region that requests are signed for.
	Region string `json:"region,omitempty"`
	// StateDir is the folder of the state; it is made when absent, readable by its owner alone.
	StateDir string `json:"state,omitempty"`
	// Tags are put on every table and every IAM policy, over what the program gives, and PolicyPath is the path of every IAM policy,
	// in place of the program's.
	Tags       map[string]string `json:"tags,omitempty"`
	PolicyPath string            `json:"policyPath,omitempty"`
}

// Name is the stack's name.
func (o *Options) Name() string { return o.Design + "." + o.Environment }

// Unprotected sets the tables' protection off, for a stack whose tables are deleted soon, such as a test's or a run's.
// Where a table is protected already it stays so until it has been deployed without.
func (o *Options) Unprotected() {
	unprotected := map[string]string{}
	maps.Copy(unprotected, o.Config)
	unprotected[Project+":protect"] = "false"
	o.Config = unprotected
}

// Kinds of failures.
const (
	// WrongRequest says that the request is wrong, and that nothing was done.
	WrongRequest = "usage"
	// Failed says that the operation failed. What was done is in the state.
	Failed = "failed"
	// Canceled says that the operation was canceled. What was done is in the state.
	Canceled = "canceled"
)

// Answer is what came of a request.
type Answer struct {
	ID int `json:"id,omitempty"`
	// Error is one line, empty when there is none, and Kind the kind of the failure.
	Error string `json:"error,omitempty"`
	Kind  string `json:"kind,omitempty"`
	// Stack is the stack's name.
	Stack string `json:"stack,omitempty"`
	Result
	// Inputs is the answer to inputs.
	Inputs *Inputs `json:"inputs,omitempty"`
	// Sources is the answer to sources: a digest.
	Sources string `json:"sources,omitempty"`
}

// Result is what an operation did, or would do.
type Result struct {
	// Changes counts resources by what was done to them: create, update, replace, delete, same. It counts the tables
	// and the stack itself, as Pulumi does.
	Changes map[string]int `json:"changes,omitempty"`
	// Diff shows every resource that differs, property by property, as `pulumi preview --diff` does. It is empty when
	// nothing differs.
	Diff string `json:"diff,omitempty"`
	// Outputs are the stack's outputs after up and refresh, as plain Go values: names, ARNs, indexes, region, policies.
	Outputs map[string]any `json:"outputs,omitempty"`
	// Warnings are the engine's warnings, one line each.
	Warnings []string `json:"warnings,omitempty"`
	// Seconds is the time that the operation took.
	Seconds float64 `json:"seconds,omitempty"`
	// TableIDs are the TableIds that answers to CreateTable gave, by the tables' names.
	TableIDs map[string]string `json:"tableIds,omitempty"`
	// Modules are the versions of Pulumi's modules that answered to up.
	Modules map[string]string `json:"modules,omitempty"`
}

// Inputs are what one run of a program asked for.
type Inputs struct {
	// Tables holds the inputs of every DynamoDB table by resource name, as plain maps, lists, texts, float64 and bool.
	Tables map[string]map[string]any `json:"tables"`
	// Protected says of every table by resource name whether Pulumi refuses to delete or replace it.
	Protected map[string]bool `json:"protected"`
	// Providers holds the inputs of every explicit provider by resource name.
	Providers map[string]map[string]any `json:"providers"`
	// Policies holds the inputs of every IAM policy by resource name.
	Policies map[string]map[string]any `json:"policies"`
	// TablePolicies holds the inputs of the resource policy of every table that has one, by resource name.
	TablePolicies map[string]map[string]any `json:"tablePolicies"`
	// Outputs holds the stack's outputs as JSON values.
	Outputs map[string]any `json:"outputs"`
}
