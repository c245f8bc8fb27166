// Package environment holds what the programs of all designs share: how a stack's name gives design and environment,
// which settings a stack may override, and the outputs that every stack exports.
//
// It knows no table. A setting that a design does not offer is refused rather than ignored, because a stack that
// silently deploys something other than what was asked for is worse than one that does not deploy.
package environment
