/** Known keys, by table; other keys are preserved and reported as unknown. */
export const TOP_KEYS = [
  '$schema',
  'name',
  'version',
  'description',
  'kind',
  'namespace',
  'tags',
  'runtime',
  'inputs',
  'permissions',
  'dependencies',
  'requires',
  'examples',
] as const
/** Required to identify a skill. */
export const REQUIRED_KEYS = ['name', 'version', 'description'] as const
export const RUNTIME_KEYS = ['language', 'entrypoint', 'export', 'additional_inputs'] as const
export const INPUT_KEYS = ['type', 'description', 'required', 'default', 'enum'] as const
export const PERMISSION_KEYS = ['network', 'secrets'] as const
export const DEPENDENCY_KEYS = ['python', 'node'] as const
export const REQUIREMENT_KEYS = ['programs', 'environment', 'os'] as const
export const EXAMPLE_KEYS = ['description', 'args', 'result', 'error'] as const

/** A dotted id: segments of lower-case letters, digits, `_` and `-`. */
export const NAME_PATTERN = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/
export const MAX_NAME = 128
/** The canonical guide skill of every runtime; no other skill can replace it. */
export const GUIDE_NAME = 'skills.protocol.guide'
/** Version of a plain Agent Skill whose metadata has none. */
export const DEFAULT_VERSION = '0.0.0'

export function isSkillName(name: string): boolean {
  return name.length <= MAX_NAME && NAME_PATTERN.test(name)
}
