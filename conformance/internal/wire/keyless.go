package wire

import "slices"

// keyless are the operations that read, or may read, without a key.
var keyless = []string{"Scan", "ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"}

// Keyless lists the operations that read, or may read, without a key: Scan, and every one of PartiQL.
func Keyless() []string { return slices.Clone(keyless) }

// IsKeyless reports whether a request reads, or may read, without a key.
func IsKeyless(operation string) bool { return slices.Contains(keyless, operation) }
