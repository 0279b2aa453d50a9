import { SkillsError } from '../../errors.ts'
import { readSkillSource } from '../skills/manifest/read-source.ts'
import { ADAPTER, readAdapter } from './adapter.ts'
import { deriveIdentity, type AdoptedIdentity } from './adopted-identity.ts'
import { guessCapabilities } from './guess-capabilities.ts'
import type { GuessedCapability } from './guessed-capability.ts'
import { createAdoptedManifest } from './manifest-text.ts'
import { mergeInputs } from './merge-inputs.ts'
import { readScripts, type AdoptedScript, type ReadOptions } from './read-scripts.ts'
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

const ADAPTER_DATA = 'code/adopted.json'
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
  const { scripts, skipped } = await readScripts(source, options)
  const commands = nameCommands(scripts)
  const capabilities = await guessCapabilities(source, scripts, options)
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
    notes: unknown.map((each) => `Not known: ${each}`),
  })
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
          ] as const)
        : []),
      ['skill.toml', manifest],
    ]),
  }
}

/** Commands with unique names: of the file, or of its path where two files have the same name. */
function nameCommands(scripts: readonly AdoptedScript[]): CommandInputs[] {
  const shorten = (path: string) => path.replace(/^scripts\//, '').replace(/\.\w+$/, '')
  const base = (path: string) => shorten(path).split('/').at(-1) ?? path
  return scripts.flatMap((script) => {
    const others = scripts.filter(({ path }) => base(path) === base(script.path))
    const sameStem = others.filter(({ path }) => shorten(path) === shorten(script.path))
    const name =
      others.length === 1
        ? base(script.path)
        : sameStem.length === 1
          ? shorten(script.path)
          : script.path.replace(/^scripts\//, '')
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
