package localaws

// The names below are the Pulumi names of the real provider. A test holds them against the struct tags of
// github.com/pulumi/pulumi-aws/sdk/v6, so that a misspelt name cannot pass offline.

// What the provider serves: three resources and a function.
const (
	tableToken       = "aws:dynamodb/table:Table"
	tablePolicyToken = "aws:dynamodb/resourcePolicy:ResourcePolicy"
	rolePolicyToken  = "aws:iam/policy:Policy"
	regionToken      = "aws:index/getRegion:getRegion"
)

// sdkVersion is the version of pulumi-aws whose resource this provider imitates.
const sdkVersion = "6.83.2"

// implemented are the inputs of a table that are understood, with the properties of nested objects.
var implemented = map[string][]string{
	"name":                   nil,
	"hashKey":                nil,
	"rangeKey":               nil,
	"attributes":             {"name", "type"},
	"billingMode":            nil,
	"readCapacity":           nil,
	"writeCapacity":          nil,
	"globalSecondaryIndexes": {"name", "hashKey", "rangeKey", "projectionType", "nonKeyAttributes", "readCapacity", "writeCapacity"},
	"ttl":                    {"enabled", "attributeName"},
	"pointInTimeRecovery":    {"enabled"},
	"tags":                   nil,

	"deletionProtectionEnabled": nil,
}

// refused are the inputs of a table that the real provider has and this one has not, with those of nested objects
// under "object.property".
var refused = []string{
	"importTable", "localSecondaryIndexes", "onDemandThroughput", "replicas", "restoreDateTime", "restoreSourceName",
	"restoreSourceTableArn", "restoreToLatestTime", "serverSideEncryption", "streamViewType",
	"globalSecondaryIndexes.onDemandThroughput", "pointInTimeRecovery.recoveryPeriodInDays",
}

// defaultOnly are the inputs of a table that are accepted with their default value alone: it is what a table without
// them has, so accepting it promises nothing that is not there.
var defaultOnly = map[string]any{
	"streamEnabled": false,
	"tableClass":    "STANDARD",
}

// computed are the outputs of a table that are no inputs.
var computed = []string{"arn", "streamArn", "streamLabel", "streamViewType", "tagsAll"}

// tablePolicyInputs and rolePolicyInputs are the inputs of the two kinds of policies. All that are implemented are texts.
var (
	tablePolicyInputs = policyInputs{
		token:       tablePolicyToken,
		implemented: []string{"resourceArn", "policy"},
		defaultOnly: map[string]any{"confirmRemoveSelfResourceAccess": false},
		replacing:   []string{"resourceArn"},
	}
	rolePolicyInputs = policyInputs{
		token:       rolePolicyToken,
		implemented: []string{"name", "path", "description", "policy"},
		tagged:      true,
		refused:     []string{"namePrefix"},
		replacing:   []string{"name", "path", "description"},
	}
)
