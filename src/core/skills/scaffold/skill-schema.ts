import { MAX_EXAMPLES } from '../manifest/examples.ts'
import { MAX_NAME, NAME_PATTERN } from '../manifest/fields.ts'
import { INPUT_TYPES, type PlainObject } from '../manifest/manifest.ts'
import { SKILL_LANGUAGE_NAMES } from '../manifest/skill-languages.ts'

/** JSON Schema of skill.toml, for editors. Unknown keys are valid: readers keep them. */
export function createSkillSchema(): PlainObject {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'skill.toml',
    description: 'Manifest of a skill for LLM agents',
    type: 'object',
    required: ['name', 'version', 'description', 'kind'],
    properties: {
      $schema: { type: 'string' },
      name: {
        type: 'string',
        description: 'Dotted id, unique together with the version: salesforce.leads.sync',
        pattern: NAME_PATTERN.source,
        maxLength: MAX_NAME,
      },
      version: {
        type: 'string',
        description: 'Semantic version: 0.1.0',
        pattern: SEMVER,
      },
      description: { type: 'string', description: 'What it does and when to use it', minLength: 1 },
      kind: {
        description: 'action: has code to execute; instruction: has only text',
        enum: ['action', 'instruction'],
      },
      namespace: {
        type: 'string',
        description: 'For grouping; the first part of the name if absent',
      },
      tags: { type: 'array', description: 'For filtering', items: { type: 'string' } },
      runtime: RUNTIME,
      inputs: {
        type: 'object',
        description: 'Arguments by name',
        additionalProperties: INPUT,
      },
      permissions: PERMISSIONS,
      dependencies: DEPENDENCIES,
      requires: REQUIREMENTS,
      examples: {
        type: 'array',
        description: 'Calls that show how an action skill is used',
        maxItems: MAX_EXAMPLES,
        items: EXAMPLE,
      },
    },
    anyOf: [{ properties: { kind: { const: 'instruction' } } }, { required: ['runtime'] }],
  }
}

const SEMVER =
  '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?(\\+[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?$'

const RUNTIME: PlainObject = {
  type: 'object',
  description: 'Code to execute; required for action skills',
  required: ['language', 'entrypoint'],
  properties: {
    language: {
      type: 'string',
      description: 'Language of the code',
      examples: [...SKILL_LANGUAGE_NAMES],
    },
    entrypoint: { type: 'string', description: 'File inside the skill: code/main.py' },
    export: { type: 'string', description: 'Name of the function to call', default: 'main' },
    additional_inputs: {
      type: 'boolean',
      description:
        'Whether calls may pass arguments that [inputs] does not declare (default: "skills exec" refuses them, other callers may)',
    },
  },
}

const INPUT: PlainObject = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { description: 'Type of the value', enum: [...INPUT_TYPES] },
    description: { type: 'string', description: 'Meaning of the value' },
    required: { type: 'boolean', description: 'Reject calls without it', default: false },
    default: { description: 'Value if a call does not set it' },
    enum: { type: 'array', description: 'The only valid values', minItems: 1 },
  },
}

const SECRET_NAME: PlainObject = { type: 'string', pattern: '^[A-Z][A-Z0-9_]{0,127}$' }

const HOST: PlainObject = { type: 'string', pattern: '^[Hh][Tt][Tt][Pp][Ss]://' }

const HOSTS: PlainObject = {
  description: 'The only hosts that get the value: https://api.example.com',
  anyOf: [HOST, { type: 'array', items: HOST }],
}

const PLACE: PlainObject = {
  type: 'string',
  pattern: '^(?:(?:header|query|hmac):.+|path|body|sigv4)$',
}

const SECRET: PlainObject = {
  description: 'Hosts of the secret; {} for a value inside of the sandbox',
  anyOf: [
    HOST,
    { type: 'array', items: HOST },
    {
      type: 'object',
      additionalProperties: false,
      properties: {
        hosts: HOSTS,
        in: {
          description:
            'Parts of requests that get the value: header:<name>, query:<name>, path, body, sigv4, hmac:<header>',
          default: ['header:Authorization'],
          anyOf: [PLACE, { type: 'array', items: PLACE, minItems: 1 }],
        },
      },
    },
  ],
}

const PERMISSIONS: PlainObject = {
  type: 'object',
  description: 'Permissions of the code; everything that is not listed is denied',
  properties: {
    network: {
      type: 'array',
      description: 'Hosts that the code may access: https://*.salesforce.com',
      items: { type: 'string' },
    },
    secrets: {
      description:
        'Secrets of the code: a table of hosts by name, or a list of names whose values are inside of the sandbox',
      anyOf: [
        { type: 'array', items: SECRET_NAME },
        { type: 'object', propertyNames: SECRET_NAME, additionalProperties: SECRET },
      ],
    },
  },
}

const DEPENDENCIES: PlainObject = {
  type: 'object',
  description: 'Lock files of the packages that the code imports; "skills deps" installs them',
  properties: {
    python: {
      type: 'string',
      description: 'File inside the skill whose lines are name==version --hash=sha256:...',
    },
    node: {
      type: 'string',
      description: 'File inside the skill: a package-lock.json with an integrity for each package',
    },
  },
}

const REQUIREMENTS: PlainObject = {
  type: 'object',
  description: 'Parts of the machine that the skill needs; a run without them is refused',
  properties: {
    programs: {
      type: 'array',
      description: 'Names of programs, without folders: jq',
      items: { type: 'string', pattern: '^[A-Za-z0-9_.+-]{1,64}$' },
    },
    environment: {
      type: 'array',
      description: 'Names of environment variables',
      items: { type: 'string' },
    },
    os: {
      type: 'array',
      description: 'Any of these systems',
      items: { enum: ['linux', 'macos', 'windows'] },
    },
  },
}

const EXAMPLE: PlainObject = {
  type: 'object',
  additionalProperties: false,
  not: { required: ['result', 'error'] },
  properties: {
    description: { type: 'string', description: 'What the call shows', minLength: 1 },
    args: { type: 'object', description: 'Arguments; the path of a file of the skill for a blob' },
    result: { description: 'The whole result; without it, any result' },
    error: { type: 'string', description: 'Type of the error, if the call fails', minLength: 1 },
  },
}
