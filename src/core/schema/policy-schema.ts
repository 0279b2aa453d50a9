import type { PlainObject } from '../skills/manifest/manifest.ts'
import {
  APPROVAL_FIELDS,
  PROGRAMS_FIELDS,
  PROGRAMS_WHEN_FIELDS,
  RULE_FIELDS,
  SCOPE_TABLES,
  WHEN_FIELDS,
  type PolicyField,
  type PolicyFields,
  type PolicyType,
} from '../policy/policy-fields.ts'

/** JSON Schema of policy.toml, generated from the tables that the parser uses. */
export function createPolicySchema(): PlainObject {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'policy.toml',
    description: 'Limits of runs; rules only remove permissions, so their order does not matter',
    ...createTableSchema(
      {},
      {
        ...createScopeTables(),
        rules: {
          type: 'array',
          description: 'Rules for some requests only',
          items: createRuleTable(),
        },
        programs: {
          type: 'array',
          description: "Destinations that programs may reach; only in the operator's policy",
          items: {
            ...createTableSchema(PROGRAMS_FIELDS, {
              when: createTableSchema(PROGRAMS_WHEN_FIELDS),
            }),
            required: ['name', 'network'],
          },
        },
        approval: createTableSchema(APPROVAL_FIELDS),
        $schema: { type: 'string' },
      },
    ),
  }
}

function createScopeTables(): PlainObject {
  const tables = Object.entries(SCOPE_TABLES).map(([name, fields]) => [
    name,
    createTableSchema(fields),
  ])
  return Object.fromEntries(tables) as PlainObject
}

function createRuleTable(): PlainObject {
  const table = createTableSchema(RULE_FIELDS, {
    ...createScopeTables(),
    when: createTableSchema(WHEN_FIELDS),
  })
  return { ...table, required: ['name'] }
}

function createTableSchema(fields: PolicyFields, inner: PlainObject = {}): PlainObject {
  const own = Object.entries(fields).map(([name, field]) => [name, createFieldSchema(field)])
  const properties = { ...(Object.fromEntries(own) as PlainObject), ...inner }
  return { type: 'object', additionalProperties: false, properties }
}

const TEXTS: PlainObject = { type: 'array', items: { type: 'string', minLength: 1 } }
const TEXT: PlainObject = { type: 'string', minLength: 1 }

const BY_TYPE: Readonly<Record<PolicyType, PlainObject>> = {
  patterns: TEXTS,
  networks: TEXTS,
  words: { ...TEXTS, minItems: 1 },
  text: TEXT,
  path: TEXT,
  flag: { type: 'boolean' },
  duration: { type: ['integer', 'string'] },
  bytes: { type: ['integer', 'string'] },
}

function createFieldSchema({ type, description, choices }: PolicyField): PlainObject {
  if (!choices) return { ...BY_TYPE[type], description }
  // Patterns are valid next to the choices: an editor suggests the choices, and accepts patterns as
  // well.
  const items: PlainObject = {
    anyOf: [{ enum: [...choices] }, { type: 'string', pattern: '[*!]' }],
  }
  return { type: 'array', items, description }
}
