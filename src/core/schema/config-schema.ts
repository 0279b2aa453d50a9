import { REPOSITORY_MODES } from '../config/config.ts'
import { CONFIG_KEYS, type ConfigKey } from '../config/keys.ts'
import type { Plain, PlainObject } from '../skills/manifest/manifest.ts'

/** JSON Schema of skills.config.toml, generated from the table of settings. */
export function createConfigSchema(): PlainObject {
  const schema: PlainObject = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'skills.config.toml',
    ...createEmptyTable(),
  }
  for (const key of CONFIG_KEYS) {
    const steps = key.key.split('.')
    const last = steps.pop() as string
    let properties = schema['properties'] as PlainObject
    for (const step of steps) {
      const table = (properties[step] ??= createEmptyTable()) as PlainObject
      properties = table['properties'] as PlainObject
    }
    properties[last] = createSettingSchema(key)
  }
  return schema
}

function createEmptyTable(): PlainObject {
  return { type: 'object', additionalProperties: false, properties: {} }
}

const SEVERITY: PlainObject = { enum: ['error', 'warning', 'info', 'off'] }
const RULES: PlainObject = { type: 'object', additionalProperties: SEVERITY }
const TEXTS: PlainObject = { type: 'array', items: { type: 'string' } }

const BY_TYPE: Readonly<Record<ConfigKey['type'], PlainObject>> = {
  text: { type: 'string' },
  texts: TEXTS,
  path: { type: 'string' },
  paths: TEXTS,
  flag: { type: 'boolean' },
  count: { type: 'integer', minimum: 0 },
  bytes: { type: ['integer', 'string'] },
  duration: { type: ['integer', 'string'] },
  rules: RULES,
  overrides: {
    type: 'array',
    items: {
      type: 'object',
      required: ['files', 'rules'],
      properties: { files: TEXTS, rules: RULES },
    },
  },
  files: createListSchema(['target'], {
    key: { type: 'string' },
    target: { type: 'string', description: 'Path in the workspace' },
    content: { type: 'string' },
    from: { type: 'string', description: 'artifact://, host://, workspace:// or skill://' },
    mode: { type: 'string', default: '0644' },
    link: { type: 'boolean' },
    pin: { type: 'boolean' },
    optional: { type: 'boolean', description: 'Only warn if it fails' },
  }),
  commands: createListSchema(['cmd'], {
    key: { type: 'string' },
    cmd: { type: 'string' },
    args: TEXTS,
    env: { type: 'object', additionalProperties: { type: 'string' } },
    cwd: { type: 'string' },
    timeout: { type: ['integer', 'string'] },
    marker_path: { type: 'string', description: 'Created when the command succeeds' },
    observed_paths: { ...TEXTS, description: 'If one is missing, the command runs again' },
    fingerprint_inputs: { ...TEXTS, description: 'If one changed, the command runs again' },
    fingerprint_salt: { type: 'string', description: 'If this changed, the command runs again' },
    optional: { type: 'boolean', description: 'Only warn if it fails' },
  }),
  repositories: {
    type: 'object',
    additionalProperties: {
      anyOf: [
        { type: 'string' },
        {
          type: 'object',
          required: ['path'],
          additionalProperties: false,
          properties: {
            path: { type: 'string' },
            mode: { enum: [...REPOSITORY_MODES], default: 'read-only' },
          },
        },
      ],
    },
  },
}

function createListSchema(required: readonly string[], properties: PlainObject): PlainObject {
  const items = { type: 'object', required: [...required], additionalProperties: false, properties }
  return { type: 'array', items }
}

function createSettingSchema({
  type,
  description,
  choices,
  default: value,
}: ConfigKey): PlainObject {
  const defaults = value === undefined ? {} : { default: value as Plain }
  if (!choices) return { ...BY_TYPE[type], description, ...defaults }
  const item: PlainObject = { enum: [...choices] }
  return type === 'texts'
    ? { type: 'array', items: item, description, ...defaults }
    : { ...item, description, ...defaults }
}
