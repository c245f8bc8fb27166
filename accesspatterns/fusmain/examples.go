package fusmain

import ap "dynaproof/accesspatterns"

// examples is empty: the document describes its items in tables of attribute
// names and writes none out with values.
func examples() []ap.Example { return nil }
