// Package lists has the loops over lists, and the steps with maps, for which the standard library has no function.
package lists

import (
	"cmp"
	"iter"
	"slices"
)

// Each are the elements where they stand: none is copied, and each can be changed.
func Each[T any](all []T) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range all {
			if !yield(&all[i]) {
				return
			}
		}
	}
}

// Map is what a function makes of each element, in their order; nil where there is none.
func Map[T, U any](all []T, of func(T) U) (made []U) {
	for _, each := range all {
		made = append(made, of(each))
	}
	return made
}

// Where are the elements of which a condition is true, in their order; nil where there is none.
func Where[T any](all []T, is func(T) bool) (found []T) {
	for _, each := range all {
		if is(each) {
			found = append(found, each)
		}
	}
	return found
}

// Which are the elements of which a condition is true, where they stand; nil where there is none.
func Which[T any](all []T, is func(*T) bool) (found []*T) {
	for each := range Each(all) {
		if is(each) {
			found = append(found, each)
		}
	}
	return found
}

// Count is of how many elements a condition is true.
func Count[T any](all []T, is func(T) bool) (n int) {
	for _, each := range all {
		if is(each) {
			n++
		}
	}
	return n
}

// True is how many of several things are true.
func True(all ...bool) int { return Count(all, func(each bool) bool { return each }) }

// Index is a map with an entry for each element; of those with one key the last stands.
func Index[T, V any, K comparable](all []T, entry func(T) (K, V)) map[K]V {
	index := map[K]V{}
	for _, each := range all {
		key, value := entry(each)
		index[key] = value
	}
	return index
}

// Inner is the map under a key of a map of maps, which is made where there is none.
func Inner[K, L comparable, V any](maps map[K]map[L]V, key K) map[L]V {
	if maps[key] == nil {
		maps[key] = map[L]V{}
	}
	return maps[key]
}

// Once is the value under a key of a map, which is made where there is none.
func Once[K comparable, V any](values map[K]V, key K, value func() V) V {
	known, has := values[key]
	if !has {
		known = value()
		values[key] = known
	}
	return known
}

// Set says of which key there is an element.
func Set[T any, K comparable](all []T, key func(T) K) map[K]bool {
	set := map[K]bool{}
	for _, each := range all {
		set[key(each)] = true
	}
	return set
}

// With is a list with those of other elements behind it that it does not have yet, each once.
func With[T comparable](all []T, others ...T) []T {
	for _, other := range others {
		if !slices.Contains(all, other) {
			all = append(all, other)
		}
	}
	return all
}

// Sorted sorts a list where it stands, and leaves each element in it once.
func Sorted[T cmp.Ordered](all []T) []T {
	slices.Sort(all)
	return slices.Compact(all)
}

// Texts are the texts of the words of a type.
func Texts[T ~string](all []T) []string { return Map(all, func(each T) string { return string(each) }) }
