// Package policy turns the statements that a program spells out into IAM policies for its roles and resource policies
// for its tables, registers them, and exports what was registered.
//
// It knows no table and no role. What a role may do stands in the program of the design, statement by statement; here
// stand the grammar, the two refusals that all tables share, and the conditions that are easy to get wrong:
// dynamodb:LeadingKeys and dynamodb:Attributes hold several values, ForAllValues is true when the key is absent, and so
// each comes with a Null condition that asks for the key.
//
// A role that is bound to a user is bound by the principal's tag userId, and the role that may scan by the tag role
// (see [UserTag] and [RoleTag]). Both must be session tags that only the issuer of the credentials can set.
package policy
