package conformance_test

import _ "dynaproof/conformance/internal/test/command" // it deploys the designs
