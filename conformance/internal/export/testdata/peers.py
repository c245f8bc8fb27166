"""What AWS's own modelling server makes of exported designs. Run by TestPeers with the server's Python."""

import asyncio
import decimal
import json
import os
import pathlib
import sys

from awslabs.dynamodb_mcp_server import server
from awslabs.dynamodb_mcp_server.cdk_generator import generator
from awslabs.dynamodb_mcp_server.repo_generation_tool import codegen
from awslabs.dynamodb_mcp_server.repo_generation_tool.core.schema_validator import SchemaValidator
from awslabs.dynamodb_mcp_server.repo_generation_tool.core.usage_data_validator import UsageDataValidator


def cdk(folder):
    """Make a CDK app of the data model in a folder, with the server's own tool."""
    generator.CDK_INIT_TIMEOUT_SECONDS = 540  # npm takes minutes on a busy machine, and two are what the server gives it
    said = asyncio.run(server.generate_resources(str(folder / 'dynamodb_data_model.json'), 'cdk'))
    if not (folder / 'cdk' / 'node_modules' / '.bin' / 'cdk').exists():
        sys.exit(said)


def schema(folder):
    """Validate schema.json and usage_data.json, and generate repositories of them."""
    result = SchemaValidator().validate_schema_file(str(folder / 'schema.json'))
    tables = json.loads((folder / 'schema.json').read_text())['tables']
    fields = {name: {f['name'] for f in e['fields']} for t in tables for name, e in t['entities'].items()}
    usage = UsageDataValidator().validate_usage_data_file(str(folder / 'usage_data.json'), set(fields), fields)
    problems = [f'{e.path}: {e.message}' for e in [*result.errors, *usage.errors]]
    if problems:
        sys.exit('\n'.join(problems))
    codegen.generate(str(folder / 'schema.json'), output_dir=str(folder / 'generated'), no_lint=True, allowed_base_dirs=[folder])


def requests(folder):
    """Send what the generated repositories send for each entity whose access patterns have the operation. All others of their methods are empty."""
    sys.path.insert(0, str(folder / 'generated'))
    import entities
    import repositories

    samples = json.loads((folder / 'usage_data.json').read_text(), parse_float=decimal.Decimal)['entities']
    for table in json.loads((folder / 'schema.json').read_text())['tables']:
        for name, entity in table['entities'].items():
            operations = {p['operation'] for p in entity['access_patterns']}
            repository = getattr(repositories, name + 'Repository')()
            item = getattr(entities, name)(**samples[name]['sample_data'])
            if 'PutItem' in operations:
                repository.create(item.model_copy())
                if isinstance(item.version, int):  # it counts what it takes for its own
                    repository.update(item.model_copy())
            if 'GetItem' in operations:
                repository.get(item.pk(), item.sk())
            if 'DeleteItem' in operations:
                repository.delete_entity(item)


os.environ['npm_config_yes'] = 'true'
{'cdk': cdk, 'schema': schema, 'requests': requests}[sys.argv[1]](pathlib.Path(sys.argv[2]).resolve())
