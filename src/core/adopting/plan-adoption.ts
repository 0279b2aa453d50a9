import { SkillsError } from '../../errors.ts'
import { readLock } from '../skills/dependencies/lock-file.ts'
import { readNpmLock } from '../skills/dependencies/npm/lock-file.ts'
import type { SkillDependencies } from '../skills/manifest/manifest.ts'
import type { SkillSource } from '../skills/manifest/source.ts'
import { readSkillSource } from '../skills/manifest/read-source.ts'
import { ADAPTER, ADAPTER_DATA, readAdapter, TEST_FILE } from './adapter.ts'
import { deriveIdentity, type AdoptedIdentity } from './adopted-identity.ts'
import { guessCapabilities } from './guess-capabilities.ts'
import type { GuessedCapability } from './guessed-capability.ts'
import { createAdoptedManifest } from './manifest-text.ts'
import { mergeInputs } from './merge-inputs.ts'
import {
  readScripts,
  withPythonParser,
  type AdoptedScript,
  type ReadOptions,
} from './read-scripts.ts'
import { createAdoptedTest } from './test-text.ts'
import { toCommandInputs, type AdoptedInput, type CommandInputs } from './to-inputs.ts'

export interface AdoptionPlan {
  identity: AdoptedIdentity
  kind: 'action' | 'instruction'
  commands: readonly CommandInputs[]
  inputs: readonly AdoptedInput[]
  capabilities: readonly GuessedCapability[]
  /** Facts that the scripts do not state, one sentence each. */
  unknown: readonly string[]
  /** Files to write, by path; skill.toml is the last. */
  files: ReadonlyMap<string, string>
}

const NODE_LOCK = 'package-lock.json'
/** Limit on commands of a skill: an enum that a model reads. */
const MAX_COMMANDS = 100

interface AdoptionOptions extends ReadOptions {
  /** Name and version under which the skill is listed; by default those of the front matter. */
  identity?: Pick<AdoptedIdentity, 'name' | 'version'>
}

/** Plans the files that make an Agent Skill a skill with a manifest. Nothing is written or executed. */
export async function planAdoption(dir: string, options: AdoptionOptions): Promise<AdoptionPlan> {
  const source = readSkillSource(dir)
  if (!source.markdown) {
    throw new SkillsError('skill/invalid', `"${dir}" has no readable SKILL.md`, {
      hint: 'Name the folder of an Agent Skill: it has a SKILL.md of at most 1 MiB in UTF-8',
    })
  }
  const identity = { ...deriveIdentity(source.markdown, dir), ...options.identity }
  const { scripts, skipped, capabilities } = await withPythonParser(options, async (context) => {
    const reading = await readScripts(source, context)
    const found = await guessCapabilities(source, reading.scripts, context)
    return { ...reading, capabilities: found }
  })
  const commands = nameCommands(scripts)
  const unknown = [
    ...(source.filesCut ? ['The folder has more files than are read'] : []),
    ...skipped.map(({ path, reason }) => `${path} is not a command: ${reason}`),
    ...scripts.flatMap(listUnknown),
  ]
  const merged = mergeInputs(commands.slice(0, MAX_COMMANDS))
  const isAction = merged.commands.length > 0
  const manifest = createAdoptedManifest({
    identity,
    entrypoint: isAction ? ADAPTER : undefined,
    inputs: merged.inputs,
    capabilities,
    dependencies: isAction ? findLocks(source, capabilities) : undefined,
    accepted: isAction ? listAccepted(source, identity, merged.inputs) : [],
    notes: unknown.map((each) => `Not known: ${each}`),
  })
  const test = createAdoptedTest(merged.commands, merged.inputs)
  const data = { commands: merged.commands.map(({ command }) => command) }
  return {
    identity,
    kind: isAction ? 'action' : 'instruction',
    commands: merged.commands,
    inputs: merged.inputs,
    capabilities,
    unknown,
    files: new Map([
      ...(isAction
        ? ([
            [ADAPTER, readAdapter()],
            [ADAPTER_DATA, `${JSON.stringify(data, null, 2)}\n`],
            ...createRequirements(source, capabilities),
            ...(test === undefined || hasTests(source) ? [] : [[TEST_FILE, test] as const]),
          ] as const)
        : []),
      ['skill.toml', manifest],
    ]),
  }
}

/** Rules that skill.toml cannot satisfy, because SKILL.md and the name stay as they are. */
function listAccepted(
  { markdown }: SkillSource,
  { name }: AdoptedIdentity,
  inputs: readonly AdoptedInput[],
): string[] {
  const body = markdown?.text.slice(markdown.bodyStart) ?? ''
  const isUndocumented = body.trim() !== '' && inputs.some((each) => !body.includes(each.name))
  return [
    ...(isUndocumented ? ['inputs/undocumented -- SKILL.md describes the scripts'] : []),
    ...(/[-_]/.test(name) ? ['naming/discouraged-character -- the name of the Agent Skill'] : []),
  ]
}

const REQUIREMENTS = 'requirements.in'

/** The packages of Python, for "skills deps lock", unless the skill has its own list. */
function createRequirements(
  { files }: SkillSource,
  capabilities: readonly GuessedCapability[],
): (readonly [path: string, text: string])[] {
  const names = capabilities.flatMap(({ language, value }) =>
    language === 'python' ? [value] : [],
  )
  if (names.length === 0 || files.some(({ path }) => path === REQUIREMENTS)) return []
  return [[REQUIREMENTS, `${names.join('\n')}\n`]]
}

/** A test of the author is better than a written one. */
function hasTests({ files }: SkillSource): boolean {
  return files.some(
    ({ path }) => path !== TEST_FILE && /^tests\/.*\.test\.(?:toml|ya?ml)$/.test(path),
  )
}

/** Complete lock files: "skills deps" installs what they pin. */
function findLocks(
  source: SkillSource,
  capabilities: readonly GuessedCapability[],
): SkillDependencies | undefined {
  const isUsed = (language: string) => capabilities.some((each) => each.language === language)
  const isComplete = (path: string, read: (text: string) => { problems: readonly unknown[] }) => {
    const text = source.read(path)
    return text !== undefined && read(text).problems.length === 0
  }
  const python = ['requirements.lock', ...(isUsed('python') ? ['requirements.txt'] : [])].find(
    (path) => isComplete(path, readLock),
  )
  const node = isUsed('node') && isComplete(NODE_LOCK, readNpmLock) ? NODE_LOCK : undefined
  if (python === undefined && node === undefined) return undefined
  return { ...(python !== undefined && { python }), ...(node !== undefined && { node }) }
}

/** Commands with unique names: of the file, or of its path where two files have the same name. */
function nameCommands(scripts: readonly AdoptedScript[]): CommandInputs[] {
  const shorten = (path: string) => path.replace(/^scripts\//, '').replace(/\.\w+$/, '')
  const base = (path: string) => shorten(path).split('/').at(-1) ?? path
  return scripts.flatMap((script) => {
    const others = scripts.filter(({ path }) => base(path) === base(script.path))
    const isUnique = (name: (path: string) => string) =>
      others.every((each) => each === script || name(each.path) !== name(script.path))
    const name =
      [base, shorten, (path: string) => path.replace(/^scripts\//, '')].find(isUnique)?.(
        script.path,
      ) ?? script.path
    const all = script.interface.commands
    // A parser with subcommands does nothing without one.
    const real = all.length > 1 ? all.filter(({ words }) => words.length > 0) : all
    return real.map((command) =>
      toCommandInputs(script, command, [name, ...command.words].join(' ')),
    )
  })
}

function listUnknown({ path, interface: found }: AdoptedScript): string[] {
  const rest = found.takesRest
    ? [`${path} reads its arguments itself: they are passed as a list`]
    : []
  return [...rest, ...found.unknown.map(({ line, reason }) => `${path}:${line}: ${reason}`)]
}
