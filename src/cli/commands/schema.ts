import type { CommandDefinition } from '../command.ts'

export const command: CommandDefinition = {
  summary: 'Print the JSON Schema of a file, such as skill.toml',
  details: [
    'Print the JSON Schema of a file, such as skill.toml.',
    '',
    'Editors that support "#:schema" in TOML, or "$schema" in JSON, use it for completion.',
    '"skills init" writes those of skill.toml, the configuration and evals.',
  ].join('\n'),
  arguments: [
    {
      syntax: '<schema>',
      description: 'Name of the schema',
      choices: ['skill', 'front-matter', 'config', 'policy', 'test', 'cassette', 'evals'],
    },
  ],
  examples: [
    { command: 'skills schema skill', explains: 'Print the schema of skill.toml' },
    { command: 'skills schema front-matter', explains: 'Print the schema of the top of SKILL.md' },
    {
      command: 'skills schema config --json',
      explains: 'Print the configuration schema in a JSON document',
    },
  ],
  async run(context, call) {
    const { SCHEMAS } = await import('../../core/schema/schemas.ts')
    const of = call.args[0] as keyof typeof SCHEMAS
    const jsonSchema = SCHEMAS[of]()
    if (context.global.json) context.document('skills.schema/v1', { of, json_schema: jsonSchema })
    else context.print(JSON.stringify(jsonSchema, null, 2))
    return 0
  },
}
