package access

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kms"
)

// Keys asks KMS about keys.
type Keys struct{ Client *kms.Client }

// Manager returns who manages a key: AWS, or CUSTOMER.
// https://docs.aws.amazon.com/kms/latest/APIReference/API_KeyMetadata.html
func (k Keys) Manager(ctx context.Context, arn string) (string, error) {
	answer, err := k.Client.DescribeKey(ctx, &kms.DescribeKeyInput{KeyId: aws.String(arn)})
	if err != nil {
		return "", err
	}
	if answer.KeyMetadata == nil {
		return "", fmt.Errorf("DescribeKey of %s: expected a description of the key, found none", arn)
	}
	return string(answer.KeyMetadata.KeyManager), nil
}
