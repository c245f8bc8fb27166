// Package racetest races the flows of every design for many seeds, also under the race
// detector, on tables that it creates from the contract itself: Pulumi, which
// would take minutes to compile with the detector, is not linked.
package racetest
