// Package deploy runs a Pulumi program with Pulumi's own engine in this process: no pulumi command, no plugin, no
// account. The programs and the engine are the ordinary ones; only the aws provider is replaced by
// dynaproof/stacks/localaws, so a deployment goes to a DynamoDB-compatible endpoint on loopback and nowhere else.
//
//	answer := deploy.Shipped().Do(ctx, deploy.Request{Do: "up", Options: dynaproof.Options{
//		Design: "personal-os", Environment: "dev", Endpoint: "http://127.0.0.1:8000", Region: "eu-west-1", StateDir: dir,
//	}})
//
// # State
//
// State is a folder in the format of Pulumi's file backend, project "dynaproof", stack "<design>.<environment>", secrets by
// passphrase. The pulumi command can take it over:
//
//	PULUMI_BACKEND_URL=file://DIR PULUMI_CONFIG_PASSPHRASE=... pulumi stack --stack personal-os.dev
//
// Refresh and destroy work from the state, without the program. Only when the endpoint has moved since the last up do they
// run it, to learn the present one.
//
// A stack is locked while an operation runs. A lock and unfinished operations that a killed process left behind are
// cleared by the next operation; a lock of a living process, or of one on another machine, is an error that says so.
//
// # Concurrency
//
// Different stacks may be operated on at the same time, also in one state folder. Operations on one stack of one folder
// run one after the other within a process. One provider server, started by the first [Open], serves all of them for
// the life of the process.
//
// # Variables of the process
//
// Pulumi's engine reads its environment, so Open sets three variables for the whole process: PULUMI_DEBUG_PROVIDERS (entry
// aws; other entries stay), PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=true (offline the engine would otherwise
// lose seconds looking for plugins) and PULUMI_BACKEND_URL (so that a login to Pulumi's cloud on this machine is never
// consulted; each stack uses its own StateDir). Linking this package also registers the flags of glog, -v among them, in
// flag.CommandLine.
//
// # Why everything is in one package
//
// The modules under github.com/pulumi/pulumi/pkg/v3 promise no stable API. Every call to them is in this folder, in
// engine.go and secrets.go, so that a new version is one change.
package deploy
