package cli

import (
	"cmp"
	"fmt"
	"runtime/debug"
)

// version is the release; the linker sets it in the binaries of a release.
var version string

// versionText says what this binary is: the release, or else what Go noted about the source when it built it.
func versionText() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return cmp.Or(version, "unknown")
	}
	noted := map[string]string{}
	for _, setting := range info.Settings {
		noted[setting.Key] = setting.Value
	}
	text := cmp.Or(version, info.Main.Version, "unknown")
	if revision := noted["vcs.revision"]; revision != "" {
		text += fmt.Sprintf(" (commit %s", revision)
		if noted["vcs.modified"] == "true" {
			text += ", changed since"
		}
		text += ")"
	}
	return text + " " + info.GoVersion
}
