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

const FOLDER: PlainObject = {
  path: { type: 'string', description: 'Absolute, or below your home folder: ~/' },
  environment: { type: 'object', additionalProperties: { type: 'string' } },
}

const BY_TYPE: Readonly<Record<ConfigKey['type'], PlainObject>> = {
  text: { type: 'string' },
  texts: TEXTS,
  path: { type: 'string' },
  paths: TEXTS,
  roots: TEXTS,
  sources: TEXTS,
  flag: { type: 'boolean' },
  'flag or choice': { type: ['boolean', 'string'] },
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
  toolchains: createListSchema(['path'], {
    ...FOLDER,
    bin: { ...TEXTS, description: 'Folders for PATH, below it (default: bin, or the folder)' },
  }),
  caches: createListSchema(['path'], FOLDER),
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

function parseFlag(choice: string): Plain {
  return choice === 'true' || choice === 'false' ? choice === 'true' : choice
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
  const isFlagOrChoice = type === 'flag or choice'
  const item: PlainObject = {
    enum: isFlagOrChoice ? choices.map(parseFlag) : [...choices],
  }
  return type === 'texts'
    ? { type: 'array', items: item, description, ...defaults }
    : { ...item, description, ...defaults }
}
