import { basename } from 'node:path'
import { isSemver } from '../../../util/semver.ts'
import { toExamples } from './examples.ts'
import {
  DEFAULT_VERSION,
  DEPENDENCY_KEYS,
  INPUT_KEYS,
  isSkillName,
  PERMISSION_KEYS,
  REQUIRED_KEYS,
  REQUIREMENT_KEYS,
  RUNTIME_KEYS,
  TOP_KEYS,
} from './fields.ts'
import {
  INPUT_TYPES,
  type InputType,
  type Manifest,
  type Plain,
  type PlainObject,
  type SkillDependencies,
  type SkillInput,
  type SkillRequirements,
  type SkillRuntime,
} from './manifest.ts'
import { findNonFiniteNumbers } from './non-finite.ts'
import { readDeclaredSecrets } from './secret-use.ts'
import type { SkillSource } from './source.ts'

/** Reason why a folder cannot be used as a skill. */
export interface ManifestProblem {
  file: 'skill.toml' | 'SKILL.md'
  path: readonly string[]
  message: string
}

/** Builds the typed view of a skill, and lists the problems that prevent its use. Never throws. */
export function toManifest(
  source: Pick<SkillSource, 'toml' | 'markdown'> & Partial<Pick<SkillSource, 'dir'>>,
): {
  manifest: Manifest
  problems: readonly ManifestProblem[]
} {
  const problems: ManifestProblem[] = []
  const frontMatter = source.markdown?.frontMatter.data ?? {}
  const toml = source.toml?.data ?? null
  const manifest = toml
    ? createTomlManifest(toml, frontMatter, problems)
    : createAgentSkillManifest(frontMatter, source.dir, problems)
  problems.push(...findNonFiniteProblems('skill.toml', toml), ...findNonFiniteProblems('SKILL.md', frontMatter))
  if (source.toml?.problem) {
    // Missing keys of a file with a syntax error are not reported.
    problems.length = 0
    problems.push({ file: 'skill.toml', path: [], message: source.toml.problem.message })
  }
  if (source.markdown?.frontMatter.problem && !toml) {
    problems.unshift({
      file: 'SKILL.md',
      path: [],
      message: source.markdown.frontMatter.problem.message,
    })
  }
  return { manifest, problems }
}

function findNonFiniteProblems(file: ManifestProblem['file'], data: PlainObject | null): ManifestProblem[] {
  return findNonFiniteNumbers(data).map(({ path, written }) => {
    const message = `"${path.join('.')}" is ${written}, which JSON cannot represent`
    return { file, path, message }
  })
}

function createTomlManifest(
  toml: PlainObject,
  frontMatter: PlainObject,
  problems: ManifestProblem[],
): Manifest {
  problems.push(...findIdentityProblems(toml))
  const name = toText(toml['name']) ?? ''
  const runtime = toRuntime(toml['runtime'])
  const kind = KINDS.find((each) => each === toml['kind']) ?? (runtime ? 'action' : 'instruction')
  if (kind === 'action' && !runtime) {
    const message = 'An action skill needs a [runtime] table with "entrypoint"'
    problems.push({ file: 'skill.toml', path: ['runtime'], message })
  }
  const permissions = toTable(toml['permissions'])
  const secrets = readDeclaredSecrets(permissions['secrets'])
  for (const each of secrets.problems) problems.push({ file: 'skill.toml', ...each })
  return {
    name,
    version: toText(toml['version']) ?? '',
    description: toText(toml['description']) ?? '',
    kind,
    namespace: toText(toml['namespace']) ?? getFirstSegment(name),
    tags: toTexts(toml['tags']),
    runtime: kind === 'action' ? runtime : undefined,
    inputs: toInputs(toml['inputs']),
    permissions: {
      network: toTexts(permissions['network']),
      secrets: secrets.names,
      ...(Object.keys(secrets.uses).length > 0 && { secretUses: secrets.uses }),
    },
    dependencies: toDependencies(toml['dependencies']),
    requires: toRequirements(toml['requires'], secrets.names),
    examples: toExamples(toml['examples']),
    title: toText(frontMatter['name']),
    shortDescription: toText(frontMatter['short_description']),
    toml,
    frontMatter,
    unknownKeys: findUnknownKeys(toml),
  }
}

const KINDS = ['action', 'instruction'] as const

/** Checks the keys that identify a skill. */
function findIdentityProblems(toml: PlainObject): ManifestProblem[] {
  const problems: ManifestProblem[] = []
  const addProblem = (key: string, message: string) =>
    problems.push({ file: 'skill.toml', path: [key], message })
  for (const key of REQUIRED_KEYS) {
    if (!toText(toml[key])) addProblem(key, `"${key}" is missing, expected a string`)
  }
  const name = toText(toml['name'])
  const version = toText(toml['version'])
  if (name && !isSkillName(name)) {
    addProblem('name', `"${name}" is not a valid skill name, expected dot-separated segments of a-z, 0-9, _ and -`)
  }
  if (version && !isSemver(version)) {
    addProblem('version', `"${version}" is not a valid version, expected one such as "0.1.0"`)
  }
  return problems
}

/** A folder with only a SKILL.md is an instruction skill. */
function createAgentSkillManifest(
  frontMatter: PlainObject,
  dir: string | undefined,
  problems: ManifestProblem[],
): Manifest {
  const { name, title } = readAgentName(frontMatter, dir)
  const version = toText(toTable(frontMatter['metadata'])['version'])
  const description = toText(readField(frontMatter, 'description')) ?? ''
  if (!name)
    problems.push({
      file: 'SKILL.md',
      path: ['name'],
      message: '"name" is missing in the front matter',
    })
  else if (!isSkillName(name)) {
    problems.push({
      file: 'SKILL.md',
      path: ['name'],
      message: `"${name}" is not a valid skill name, expected a-z, 0-9 and -`,
    })
  }
  if (!description)
    problems.push({
      file: 'SKILL.md',
      path: ['description'],
      message: '"description" is missing in the front matter',
    })
  return {
    name,
    version: version !== undefined && isSemver(version) ? version : DEFAULT_VERSION,
    description,
    kind: 'instruction',
    namespace: getFirstSegment(name),
    tags: toTexts(frontMatter['tags']),
    runtime: undefined,
    inputs: {},
    permissions: { network: [], secrets: [] },
    title,
    shortDescription: toText(frontMatter['short_description']),
    toml: null,
    frontMatter,
    unknownKeys: [],
  }
}

/** Without a name, the folder names the skill. */
function readAgentName(
  frontMatter: PlainObject,
  dir: string = '',
): { name: string; title: string | undefined } {
  const written = toText(readField(frontMatter, 'name'))?.trim() ?? ''
  const title = written === '' ? basename(dir) : written
  return { name: normalizeAgentName(title), title: title === '' ? undefined : title }
}

/** The name of a plain Agent Skill as other clients read it: capitals and spaces are accepted. */
export function normalizeAgentName(name: string): string {
  // Only ASCII: letters of other scripts that look alike would make the name of another skill.
  return name
    .trim()
    .replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
    .replaceAll(/[ \t]+/g, '-')
}

/** A field of the front matter; a key with capitals counts if there is none without. */
function readField(frontMatter: PlainObject, key: string): Plain | undefined {
  if (Object.hasOwn(frontMatter, key)) return frontMatter[key]
  const written = Object.keys(frontMatter).find((each) => each.toLowerCase() === key)
  return written === undefined ? undefined : frontMatter[written]
}

function toRuntime(value: Plain | undefined): SkillRuntime | undefined {
  if (!isManifestTable(value)) return undefined
  const { additional_inputs: additionalInputs } = value
  return {
    language: toText(value['language']) ?? 'python',
    entrypoint: toText(value['entrypoint']) ?? '',
    export: toText(value['export']) ?? 'main',
    ...(typeof additionalInputs === 'boolean' && { additionalInputs }),
  }
}

function toDependencies(value: Plain | undefined): SkillDependencies | undefined {
  const [python, node] = DEPENDENCY_KEYS.map((key) => toText(toTable(value)[key]))
  if (python === undefined && node === undefined) return undefined
  return { ...(python !== undefined && { python }), ...(node !== undefined && { node }) }
}

function toRequirements(
  value: Plain | undefined,
  secrets: readonly string[],
): SkillRequirements | undefined {
  if (!isManifestTable(value)) return undefined
  const [programs = [], environment = [], os = []] = REQUIREMENT_KEYS.map((key) => toTexts(value[key]))
  return {
    // A path would name a file that may be on one machine only.
    programs: programs.filter((name) => PROGRAM_NAME.test(name)),
    environment: environment.map((name) => ({ name, isSecret: secrets.includes(name) })),
    os,
  }
}

const PROGRAM_NAME = /^[\w.+-]{1,64}$/

function toInputs(value: Plain | undefined): Record<string, SkillInput> {
  const inputs: Record<string, SkillInput> = Object.create(null) as Record<string, SkillInput>
  for (const [name, spec] of Object.entries(toTable(value))) {
    const input = toTable(spec)
    inputs[name] = {
      type: INPUT_TYPES.find((type) => type === input['type']) ?? ('any' satisfies InputType),
      description: toText(input['description']),
      required: typeof input['required'] === 'boolean' ? input['required'] : false,
      default: input['default'],
      enum: Array.isArray(input['enum']) ? input['enum'] : undefined,
    }
  }
  return inputs
}

function findUnknownKeys(toml: PlainObject): string[] {
  const found: string[] = []
  const collectUnknown = (value: Plain | undefined, keys: readonly string[], prefix: string): void => {
    for (const key of Object.keys(toTable(value))) if (!keys.includes(key)) found.push(prefix + key)
  }
  collectUnknown(toml, TOP_KEYS, '')
  collectUnknown(toml['runtime'], RUNTIME_KEYS, 'runtime.')
  collectUnknown(toml['permissions'], PERMISSION_KEYS, 'permissions.')
  collectUnknown(toml['dependencies'], DEPENDENCY_KEYS, 'dependencies.')
  collectUnknown(toml['requires'], REQUIREMENT_KEYS, 'requires.')
  for (const [name, input] of Object.entries(toTable(toml['inputs'])))
    collectUnknown(input, INPUT_KEYS, `inputs.${name}.`)
  return found
}

function getFirstSegment(name: string): string {
  return name.split('.')[0] ?? ''
}

function isManifestTable(value: Plain | undefined): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toTable(value: Plain | undefined): PlainObject {
  return isManifestTable(value) ? value : {}
}

function toText(value: Plain | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function toTexts(value: Plain | undefined): string[] {
  return Array.isArray(value)
    ? value.filter((each): each is string => typeof each === 'string')
    : []
}
