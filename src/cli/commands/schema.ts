import type { CommandDefinition } from '../command.ts'

export const command: CommandDefinition = {
  summary: 'Print the JSON Schema of skill.toml, of the configuration or of a policy',
  details:
    'Print the JSON Schema of skill.toml, of skills.config.toml or of policy.toml. Editors that know "#:schema" complete with it.',
  arguments: [
    {
      syntax: '<schema>',
      description: 'What it describes',
      choices: ['skill', 'config', 'policy'],
    },
  ],
  examples: [
    { command: 'skills schema skill', explains: 'The schema of skill.toml' },
    { command: 'skills schema config --json', explains: 'The other one, inside a JSON document' },
  ],
  async run(context, call) {
    const { SCHEMAS } = await import('../../core/schema/schemas.ts')
    const of = call.args[0] as keyof typeof SCHEMAS
    const jsonSchema = SCHEMAS[of]()
    if (context.global.json) context.document('skills.schema/v1', { of, jsonSchema })
    else context.print(JSON.stringify(jsonSchema, null, 2))
    return 0
  },
}
