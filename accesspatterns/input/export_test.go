package input

// OpenAs opens a file with functions of a test's in the place of the system's.
var OpenAs = open
