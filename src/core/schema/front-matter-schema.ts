import type { PlainObject } from '../skills/manifest/manifest.ts'

/**
 * JSON Schema of the front matter of SKILL.md, as the Agent Skills format describes it. Hosts read
 * further keys, so unknown ones are valid.
 */
export function createFrontMatterSchema(): PlainObject {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Front matter of SKILL.md',
    description: 'Name and description of a skill, between the lines --- at the top of SKILL.md',
    type: 'object',
    required: ['name', 'description'],
    properties: {
      name: {
        type: 'string',
        description: 'Name of the folder: lower case, digits and single hyphens',
        pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
        maxLength: 64,
      },
      description: {
        type: 'string',
        description: 'What the skill does and when to use it; a model selects the skill by it',
        pattern: '\\S',
        maxLength: 1024,
      },
      license: { type: 'string', description: 'Name of a licence, or of a file with it' },
      compatibility: {
        type: 'string',
        description: 'What the skill needs: systems, programs, network',
        minLength: 1,
        maxLength: 500,
      },
      metadata: {
        type: 'object',
        description: 'Further facts, such as version and author',
        additionalProperties: { type: 'string' },
      },
      'allowed-tools': {
        type: 'string',
        description: 'Tools that the skill may use without a question, separated by spaces',
      },
    },
  }
}
