// Package policy evaluates IAM policy documents for requests to DynamoDB, as IAM documents its evaluation, so that what a
// stack deploys can be tried where no AWS account is.
//
// It is small on purpose. What IAM refuses is an error of [Parse]. What IAM accepts and is not implemented here, such as a
// condition operator or a principal, leaves [Undecided] the requests that turn on it, and no others: a request is decided when
// it is decided whatever the unknown part says.
//
// What it implements, by the pages of AWS's IAM User Guide:
//
//   - the decision: an explicit Deny beats every Allow, and what nobody allows is denied
//     (reference_policies_evaluation-logic);
//   - conditions: all operators and keys of a statement must hold, one of the values of a key must match; ForAllValues is
//     true and ForAnyValue false when the key is absent; a negated operator is true when the key is absent
//     (reference_policies_condition-logic-multiple-context-keys-or-values);
//   - a set operator on a condition key of one value decides as on a set of one or none; on a key of several values without a
//     set operator nothing is documented, and nothing is decided
//     (reference_policies_condition-single-vs-multi-valued-context-keys);
//   - policy variables (reference_policies_variables): a value whose variable has no value matches nothing. Such a variable "might
//     cause the entire statement to be invalid", so a condition that holds beside it is not decided.
//
// It is no witness of AWS. AWS may fill a condition key in otherwise than [Request] says, and only AWS enforces a policy.
package policy
