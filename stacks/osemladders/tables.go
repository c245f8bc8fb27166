package osemladders

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/environment"
)

// users is the table of the user profiles; it has no index (osem-ladders.md:40).
func users(settings *environment.Settings) *dynamodb.TableArgs {
	return &dynamodb.TableArgs{
		Name: pulumi.String(settings.TableName("osem-" + settings.Env + "-Users")), // osem-ladders.md:46

		HashKey: pulumi.String("userId"), // osem-ladders.md:47-49

		Attributes: dynamodb.TableAttributeArray{
			&dynamodb.TableAttributeArgs{Name: pulumi.String("userId"), Type: pulumi.String("S")}, // osem-ladders.md:51
		},

		BillingMode: pulumi.String("PAY_PER_REQUEST"), // osem-ladders.md:53
		Tags:        tags(settings),                   // osem-ladders.md:54-57
	}
}

// teams is the table of the teams.
func teams(settings *environment.Settings) *dynamodb.TableArgs {
	return &dynamodb.TableArgs{
		Name: pulumi.String(settings.TableName("osem-" + settings.Env + "-Teams")), // osem-ladders.md:99

		HashKey: pulumi.String("teamId"), // osem-ladders.md:100-102

		Attributes: dynamodb.TableAttributeArray{
			&dynamodb.TableAttributeArgs{Name: pulumi.String("teamId"), Type: pulumi.String("S")},    // osem-ladders.md:104
			&dynamodb.TableAttributeArgs{Name: pulumi.String("managerId"), Type: pulumi.String("S")}, // osem-ladders.md:105
		},

		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
			&dynamodb.TableGlobalSecondaryIndexArgs{ // osem-ladders.md:108-114
				Name:           pulumi.String("managerId-index"),
				HashKey:        pulumi.String("managerId"),
				ProjectionType: pulumi.String("ALL"),
			},
		},

		BillingMode: pulumi.String("PAY_PER_REQUEST"), // osem-ladders.md:116
		Tags:        tags(settings),                   // osem-ladders.md:117-120
	}
}

// assessmentPlans is the table of the review plans of a team.
func assessmentPlans(settings *environment.Settings) *dynamodb.TableArgs {
	return &dynamodb.TableArgs{
		Name: pulumi.String(settings.TableName("osem-" + settings.Env + "-AssessmentPlans")), // osem-ladders.md:171

		HashKey: pulumi.String("planId"), // osem-ladders.md:172-174

		Attributes: dynamodb.TableAttributeArray{
			&dynamodb.TableAttributeArgs{Name: pulumi.String("planId"), Type: pulumi.String("S")}, // osem-ladders.md:176
			&dynamodb.TableAttributeArgs{Name: pulumi.String("teamId"), Type: pulumi.String("S")}, // osem-ladders.md:177
			&dynamodb.TableAttributeArgs{Name: pulumi.String("status"), Type: pulumi.String("S")}, // osem-ladders.md:178
		},

		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
			&dynamodb.TableGlobalSecondaryIndexArgs{ // osem-ladders.md:181-187
				Name:           pulumi.String("teamId-index"),
				HashKey:        pulumi.String("teamId"),
				ProjectionType: pulumi.String("ALL"),
			},
			&dynamodb.TableGlobalSecondaryIndexArgs{ // osem-ladders.md:188-194
				Name:           pulumi.String("status-index"),
				HashKey:        pulumi.String("status"),
				ProjectionType: pulumi.String("ALL"),
			},
		},

		BillingMode: pulumi.String("PAY_PER_REQUEST"), // osem-ladders.md:196
		Tags:        tags(settings),                   // osem-ladders.md:197-200
	}
}

// assessments is the table of the self and manager assessments.
func assessments(settings *environment.Settings) *dynamodb.TableArgs {
	return &dynamodb.TableArgs{
		Name: pulumi.String(settings.TableName("osem-" + settings.Env + "-Assessments")), // osem-ladders.md:288

		HashKey: pulumi.String("assessmentId"), // osem-ladders.md:289-291

		Attributes: dynamodb.TableAttributeArray{
			&dynamodb.TableAttributeArgs{Name: pulumi.String("assessmentId"), Type: pulumi.String("S")}, // osem-ladders.md:293
			&dynamodb.TableAttributeArgs{Name: pulumi.String("planId"), Type: pulumi.String("S")},       // osem-ladders.md:294
			&dynamodb.TableAttributeArgs{Name: pulumi.String("teamMemberId"), Type: pulumi.String("S")}, // osem-ladders.md:295
		},

		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
			&dynamodb.TableGlobalSecondaryIndexArgs{ // osem-ladders.md:298-305
				Name:           pulumi.String("planId-teamMemberId-index"),
				HashKey:        pulumi.String("planId"),
				RangeKey:       pulumi.String("teamMemberId"),
				ProjectionType: pulumi.String("ALL"),
			},
			&dynamodb.TableGlobalSecondaryIndexArgs{ // osem-ladders.md:306-312
				Name:           pulumi.String("teamMemberId-index"),
				HashKey:        pulumi.String("teamMemberId"),
				ProjectionType: pulumi.String("ALL"),
			},
		},

		BillingMode: pulumi.String("PAY_PER_REQUEST"), // osem-ladders.md:314
		Tags:        tags(settings),                   // osem-ladders.md:315-318
	}
}

// assessmentReports is the table of the final reports.
func assessmentReports(settings *environment.Settings) *dynamodb.TableArgs {
	return &dynamodb.TableArgs{
		Name: pulumi.String(settings.TableName("osem-" + settings.Env + "-AssessmentReports")), // osem-ladders.md:388

		HashKey: pulumi.String("reportId"), // osem-ladders.md:389-391

		Attributes: dynamodb.TableAttributeArray{
			&dynamodb.TableAttributeArgs{Name: pulumi.String("reportId"), Type: pulumi.String("S")},     // osem-ladders.md:393
			&dynamodb.TableAttributeArgs{Name: pulumi.String("planId"), Type: pulumi.String("S")},       // osem-ladders.md:394
			&dynamodb.TableAttributeArgs{Name: pulumi.String("teamMemberId"), Type: pulumi.String("S")}, // osem-ladders.md:395
		},

		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
			&dynamodb.TableGlobalSecondaryIndexArgs{ // osem-ladders.md:398-404
				Name:           pulumi.String("planId-index"),
				HashKey:        pulumi.String("planId"),
				ProjectionType: pulumi.String("ALL"),
			},
			&dynamodb.TableGlobalSecondaryIndexArgs{ // osem-ladders.md:405-411
				Name:           pulumi.String("teamMemberId-index"),
				HashKey:        pulumi.String("teamMemberId"),
				ProjectionType: pulumi.String("ALL"),
			},
		},

		BillingMode: pulumi.String("PAY_PER_REQUEST"), // osem-ladders.md:413
		Tags:        tags(settings),                   // osem-ladders.md:414-417
	}
}

// configVersions is the table of the career ladder's configurations. Its isActive is a Number
// (osem-ladders.md:472,487): the Boolean of osem-ladders.md:445 cannot be a key in DynamoDB.
func configVersions(settings *environment.Settings) *dynamodb.TableArgs {
	return &dynamodb.TableArgs{
		Name: pulumi.String(settings.TableName("osem-" + settings.Env + "-ConfigVersions")), // osem-ladders.md:481

		HashKey: pulumi.String("configId"), // osem-ladders.md:482-484

		Attributes: dynamodb.TableAttributeArray{
			&dynamodb.TableAttributeArgs{Name: pulumi.String("configId"), Type: pulumi.String("S")},  // osem-ladders.md:486
			&dynamodb.TableAttributeArgs{Name: pulumi.String("isActive"), Type: pulumi.String("N")},  // osem-ladders.md:487
			&dynamodb.TableAttributeArgs{Name: pulumi.String("createdAt"), Type: pulumi.String("N")}, // osem-ladders.md:488
		},

		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
			&dynamodb.TableGlobalSecondaryIndexArgs{ // osem-ladders.md:491-498
				Name:           pulumi.String("isActive-index"),
				HashKey:        pulumi.String("isActive"),
				RangeKey:       pulumi.String("createdAt"),
				ProjectionType: pulumi.String("ALL"),
			},
		},

		BillingMode: pulumi.String("PAY_PER_REQUEST"), // osem-ladders.md:500
		Tags:        tags(settings),                   // osem-ladders.md:501-504
	}
}

// tags are the same two on all tables; each cites its own lines.
func tags(settings *environment.Settings) pulumi.StringMap {
	return pulumi.StringMap{
		"Environment": pulumi.String(settings.Env),
		"Application": pulumi.String("osem-ladders"),
	}
}
