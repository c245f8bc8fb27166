package deploy

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"dynaproof/stacks/localaws"
)

// provider starts the aws provider once. It lives as long as the process, because the engine finds it through a variable
// of the process.
var provider = sync.OnceValues(localaws.Serve)

// preparing is held while the process is prepared.
var preparing sync.Mutex

// deploysTo says where this process deploys to, once it has opened a stack: the variables that the engine reads choose the
// provider for all stacks alike.
var deploysTo string

// prepareProcess starts the provider and sets the variables that the engine reads; doc.go lists them.
func prepareProcess(stateDir string, cloud bool) error {
	preparing.Lock()
	defer preparing.Unlock()
	if where := map[bool]string{true: "AWS", false: "loopback"}; deploysTo == "" {
		deploysTo = where[cloud]
	} else if deploysTo != where[cloud] {
		return fmt.Errorf("deploy: expected a process that deploys to %s alone, found a stack for %s; run it in a process of its own", deploysTo, where[cloud])
	}
	var entries []string
	if named := os.Getenv(PluginVariable); named != "" && !cloud {
		if err := takePlugin(named); err != nil {
			return err
		}
	} else if !cloud {
		port, err := provider()
		if err != nil {
			return err
		}
		entries = append(entries, "aws:"+strconv.Itoa(port))
	}
	for _, entry := range strings.Split(os.Getenv("PULUMI_DEBUG_PROVIDERS"), ",") {
		if entry != "" && !strings.HasPrefix(entry, "aws:") {
			entries = append(entries, entry)
		}
	}
	for name, value := range map[string]string{
		"PULUMI_DEBUG_PROVIDERS":                      strings.Join(entries, ","),
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
		"PULUMI_BACKEND_URL":                          stateURL(stateDir),
	} {
		if os.Getenv(name) == value {
			continue
		}
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}

// stateURL is the URL of a state folder for Pulumi's file backend. A process that is killed leaves files whole, but for the attributes that
// the backend would write beside them, of which an empty one makes the stack unreadable. Nothing needs them.
func stateURL(dir string) string { return "file://" + filepath.ToSlash(dir) + "?metadata=skip" }

// running holds one lock for each stack of each state folder of this process.
var running sync.Map

// exclusively waits until no other operation of this process works on the stack, and returns the function that ends the
// turn. The lock files of the backend exclude other processes only.
func exclusively(stateDir, stack string) (release func()) {
	lock, _ := running.LoadOrStore(stateDir+"\x00"+stack, &sync.Mutex{})
	mutex := lock.(*sync.Mutex)
	mutex.Lock()
	return mutex.Unlock
}
