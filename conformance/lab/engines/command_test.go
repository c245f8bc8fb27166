package engines

import _ "dynaproof/conformance/internal/test/command" // it deploys the designs
