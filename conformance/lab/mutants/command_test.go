package mutants

import _ "dynaproof/conformance/internal/test/command" // the programs are asked by it
