// Package must has what to do with errors that nothing but a mistake of the program itself can bring. Who calls it says why.
package must

// Have returns a value that cannot fail to be made.
func Have[T any](value T, err error) T {
	Do(err)
	return value
}

// Do goes on behind a step that cannot fail.
func Do(err error) {
	if err != nil {
		panic(err)
	}
}
