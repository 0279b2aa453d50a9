import type { PlainObject } from '../skills/manifest/manifest.ts'
import {
  APPROVAL_FIELDS,
  RULE_FIELDS,
  SCOPE_TABLES,
  WHEN_FIELDS,
  type PolicyField,
  type PolicyFields,
  type PolicyType,
} from '../policy/policy-fields.ts'

/** The JSON Schema of policy.toml, made from the tables by which it is read. */
export function policySchema(): PlainObject {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'policy.toml',
    description: 'What runs are allowed; rules only take away, so their order does not matter',
    ...tableOf(
      {},
      {
        ...scopeTables(),
        rules: {
          type: 'array',
          description: 'What counts for some requests alone',
          items: ruleTable(),
        },
        approval: tableOf(APPROVAL_FIELDS),
        $schema: { type: 'string' },
      },
    ),
  }
}

function scopeTables(): PlainObject {
  const tables = Object.entries(SCOPE_TABLES).map(([name, fields]) => [name, tableOf(fields)])
  return Object.fromEntries(tables) as PlainObject
}

function ruleTable(): PlainObject {
  const table = tableOf(RULE_FIELDS, { ...scopeTables(), when: tableOf(WHEN_FIELDS) })
  return { ...table, required: ['name'] }
}

function tableOf(fields: PolicyFields, inner: PlainObject = {}): PlainObject {
  const own = Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])
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

function fieldSchema({ type, description, choices }: PolicyField): PlainObject {
  if (!choices) return { ...BY_TYPE[type], description }
  // Patterns are taken beside the words: an editor offers these, and refuses no others.
  const items: PlainObject = {
    anyOf: [{ enum: [...choices] }, { type: 'string', pattern: '[*!]' }],
  }
  return { type: 'array', items, description }
}
