package osemladders

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/environment"
)

// users is the table of the user profiles; it has no index (osem-ladders.md:40).
func users(settings *environment.Settings) *dynamodb.TableArgs {
	return &dynamodb.TableArgs{
		Name:        pulumi.String(settings.TableName("osem-" + settings.Env + "-Users")), // osem-ladders.md:46
		HashKey:     pulumi.String("userId"),                                              // osem-ladders.md:47-49
		Attributes:  environment.Attributes("userId S"),                                   // osem-ladders.md:51
		BillingMode: pulumi.String("PAY_PER_REQUEST"),                                     // osem-ladders.md:53
		Tags:        tags(settings),                                                       // osem-ladders.md:54-57
	}
}

// teams is the table of the teams.
func teams(settings *environment.Settings) *dynamodb.TableArgs {
	return &dynamodb.TableArgs{
		Name:       pulumi.String(settings.TableName("osem-" + settings.Env + "-Teams")), // osem-ladders.md:99
		HashKey:    pulumi.String("teamId"),                                              // osem-ladders.md:100-102
		Attributes: environment.Attributes("teamId S", "managerId S"),                    // osem-ladders.md:104-105
		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
			environment.Index("managerId-index", "ALL", "managerId"), // osem-ladders.md:108-114
		},
		BillingMode: pulumi.String("PAY_PER_REQUEST"), // osem-ladders.md:116
		Tags:        tags(settings),                   // osem-ladders.md:117-120
	}
}

// assessmentPlans is the table of the review plans of a team.
func assessmentPlans(settings *environment.Settings) *dynamodb.TableArgs {
	return &dynamodb.TableArgs{
		Name:       pulumi.String(settings.TableName("osem-" + settings.Env + "-AssessmentPlans")), // osem-ladders.md:171
		HashKey:    pulumi.String("planId"),                                                        // osem-ladders.md:172-174
		Attributes: environment.Attributes("planId S", "teamId S", "status S"),                     // osem-ladders.md:176-178
		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
			environment.Index("teamId-index", "ALL", "teamId"), // osem-ladders.md:181-187
			environment.Index("status-index", "ALL", "status"), // osem-ladders.md:188-194
		},
		BillingMode: pulumi.String("PAY_PER_REQUEST"), // osem-ladders.md:196
		Tags:        tags(settings),                   // osem-ladders.md:197-200
	}
}

// assessments is the table of the self and manager assessments.
func assessments(settings *environment.Settings) *dynamodb.TableArgs {
	return &dynamodb.TableArgs{
		Name:       pulumi.String(settings.TableName("osem-" + settings.Env + "-Assessments")), // osem-ladders.md:288
		HashKey:    pulumi.String("assessmentId"),                                              // osem-ladders.md:289-291
		Attributes: environment.Attributes("assessmentId S", "planId S", "teamMemberId S"),     // osem-ladders.md:293-295
		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
			environment.Index("planId-teamMemberId-index", "ALL", "planId", "teamMemberId"), // osem-ladders.md:298-305
			environment.Index("teamMemberId-index", "ALL", "teamMemberId"),                  // osem-ladders.md:306-312
		},
		BillingMode: pulumi.String("PAY_PER_REQUEST"), // osem-ladders.md:314
		Tags:        tags(settings),                   // osem-ladders.md:315-318
	}
}

// assessmentReports is the table of the final reports.
func assessmentReports(settings *environment.Settings) *dynamodb.TableArgs {
	return &dynamodb.TableArgs{
		Name:       pulumi.String(settings.TableName("osem-" + settings.Env + "-AssessmentReports")), // osem-ladders.md:388
		HashKey:    pulumi.String("reportId"),                                                        // osem-ladders.md:389-391
		Attributes: environment.Attributes("reportId S", "planId S", "teamMemberId S"),               // osem-ladders.md:393-395
		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
			environment.Index("planId-index", "ALL", "planId"),             // osem-ladders.md:398-404
			environment.Index("teamMemberId-index", "ALL", "teamMemberId"), // osem-ladders.md:405-411
		},
		BillingMode: pulumi.String("PAY_PER_REQUEST"), // osem-ladders.md:413
		Tags:        tags(settings),                   // osem-ladders.md:414-417
	}
}

// configVersions is the table of the career ladder's configurations. Its isActive is a Number
// (osem-ladders.md:472,487): the Boolean of osem-ladders.md:445 cannot be a key in DynamoDB.
func configVersions(settings *environment.Settings) *dynamodb.TableArgs {
	return &dynamodb.TableArgs{
		Name:       pulumi.String(settings.TableName("osem-" + settings.Env + "-ConfigVersions")), // osem-ladders.md:481
		HashKey:    pulumi.String("configId"),                                                     // osem-ladders.md:482-484
		Attributes: environment.Attributes("configId S", "isActive N", "createdAt N"),             // osem-ladders.md:486-488
		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
			environment.Index("isActive-index", "ALL", "isActive", "createdAt"), // osem-ladders.md:491-498
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
