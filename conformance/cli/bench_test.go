//go:build unix

package cli_test

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/conformance/evidence"
)

// BenchmarkVerify verifies all designs with the built command and says where the
// time goes, in milliseconds, with the peak memory of the command in MB.
func BenchmarkVerify(b *testing.B) {
	sums := map[string]float64{}
	for b.Loop() {
		folder := b.TempDir()
		command := exec.CommandContext(b.Context(), binary, "verify", "--report", folder)
		command.Dir = folder
		command.Env = append(command.Environ(), "DYNAPROOF_DOCUMENTS="+documents)
		if text, err := command.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, text)
		}
		seen, err := evidence.Read(filepath.Join(folder, "evidence.json.gz"))
		require.NoError(b, err)
		for _, phase := range seen.Phases {
			sums[phase.Name] += float64(phase.Microseconds) / 1000
		}
		sums["requests"] += float64(len(seen.Ledger))
		if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
			sums["peak"] += peakMB(usage)
		}
	}
	for _, metric := range []struct{ sum, unit string }{
		{"engine start", "start-ms"}, {"deploy", "deploy-ms"}, {"load", "load-ms"}, {"replay", "replay-ms"}, {"destroy", "destroy-ms"},
		{"requests", "requests"}, {"peak", "peak-MB"},
	} {
		b.ReportMetric(sums[metric.sum]/float64(b.N), metric.unit)
	}
}

// peakMB is the peak resident memory. Linux counts it in KiB, macOS in bytes.
func peakMB(usage *syscall.Rusage) float64 {
	if runtime.GOOS == "darwin" {
		return float64(usage.Maxrss) / (1 << 20)
	}
	return float64(usage.Maxrss) / (1 << 10)
}
