import { formatTomlValue } from '../skills/scaffold/outline/toml-value.ts'
import type { Plain, PlainObject, SkillDependencies } from '../skills/manifest/manifest.ts'
import { readToml } from '../skills/manifest/toml-source.ts'
import { toWrittenUse } from '../skills/manifest/secret-use.ts'
import { toSortedJson } from '../skills/manifest/sorted-json.ts'
import { SkillsError } from '../../errors.ts'
import type { AdoptedIdentity } from './adopted-identity.ts'
import type { GuessedCapability } from './guessed-capability.ts'
import { cleanText } from './script-interface.ts'
import type { AdoptedInput } from './to-inputs.ts'

export interface ManifestParts {
  identity: AdoptedIdentity
  /** Undefined for a skill without commands. */
  entrypoint: string | undefined
  inputs: readonly AdoptedInput[]
  capabilities: readonly GuessedCapability[]
  /** Lock files of the skill, by language. */
  dependencies?: SkillDependencies | undefined
  /** Rules of lint, each with a reason, that do not apply to skill.toml. */
  accepted?: readonly string[]
  /** Lines that follow the permissions as comments. */
  notes: readonly string[]
}

/** Writes skill.toml. Every text of the skill is a JSON string, or one line of a comment. */
export function createAdoptedManifest(parts: ManifestParts): string {
  const { identity, entrypoint, inputs, accepted = [] } = parts
  const dependencies = parts.dependencies && { ...parts.dependencies }
  const permissions = listPermissions(parts)
  const hasPermissions = Object.keys(permissions).length > 0
  const head: PlainObject = {
    name: identity.name,
    version: identity.version,
    description: identity.description,
    kind: entrypoint === undefined ? 'instruction' : 'action',
  }
  const runtime: PlainObject = { language: 'python', entrypoint: entrypoint ?? '', export: 'main' }
  const isAction = entrypoint !== undefined
  const text = [
    '# Written by "skills adopt" from the texts of the skill. Each guess has its place: check it.',
    ...accepted.map((rule) => `# skills-lint-disable ${rule}`),
    ...formatMembers(head),
    ...(isAction ? ['', '[runtime]', ...formatMembers(runtime)] : []),
    ...(inputs.length > 0 ? ['', '[inputs]', ...inputs.flatMap(formatInput)] : []),
    '',
    ...formatPermissions(parts, hasPermissions),
    ...(dependencies ? ['', '[dependencies]', ...formatMembers(dependencies)] : []),
    ...parts.notes.map((note) => `# ${cleanText(note, 300)}`),
    '',
  ].join('\n')
  const expected: PlainObject = {
    ...head,
    ...(isAction && { runtime }),
    ...(inputs.length > 0 && { inputs: toInputTable(inputs) }),
    ...(hasPermissions && { permissions }),
    ...(dependencies && { dependencies }),
  }
  checkText(text, expected)
  return text
}

function listPermissions(parts: ManifestParts): PlainObject {
  const hosts = listAllowed(parts, 'host')
  const secrets = listAllowed(parts, 'secret')
  return {
    ...(hosts.length > 0 && { network: hosts }),
    ...(secrets.length > 0 && { secrets: toSecretTable(parts) ?? secrets }),
  }
}

function formatMembers(members: PlainObject): string[] {
  return Object.entries(members).map(([key, value]) => `${key} = ${formatTomlValue(value)}`)
}

function toRow(input: AdoptedInput): PlainObject {
  const { type, description, required } = input
  return {
    type,
    description,
    ...(required && { required }),
    ...(input.enum && { enum: [...input.enum] }),
    ...(input.default !== undefined && { default: input.default }),
  }
}

function toInputTable(inputs: readonly AdoptedInput[]): PlainObject {
  return Object.fromEntries(inputs.map((each) => [each.name, toRow(each)]))
}

function formatInput(input: AdoptedInput): string[] {
  const place = `# ${input.certainty}: ${cleanText(input.place, 200)}`
  return [place, `${input.name} = ${formatTomlValue(toRow(input))}`]
}

function listAllowed({ capabilities }: ManifestParts, kind: GuessedCapability['kind']): string[] {
  return capabilities.flatMap((each) => (each.kind === kind && each.allowed ? [each.value] : []))
}

/** Secrets by name, if the hosts of one are known. */
function toSecretTable({
  capabilities,
}: Pick<ManifestParts, 'capabilities'>): PlainObject | undefined {
  const secrets = capabilities.filter(({ kind, allowed }) => kind === 'secret' && allowed)
  if (secrets.every(({ use }) => use === undefined)) return undefined
  return Object.fromEntries(secrets.map(({ value, use }) => [value, toWrittenUse(use)]))
}

function formatPermissions({ capabilities }: ManifestParts, hasTable: boolean): string[] {
  const lines = (kind: GuessedCapability['kind'], key: string) => {
    const own = capabilities.filter((each) => each.kind === kind)
    const rows = own
      .filter(({ allowed }) => allowed)
      .map((each) => `  ${JSON.stringify(each.value)}, # ${describe(each)}`)
    const closed = own
      .filter(({ allowed }) => !allowed)
      .map((each) => `# Not allowed: ${cleanText(each.value, 120)} (${describe(each)})`)
    return { table: rows.length > 0 ? [`${key} = [`, ...rows, ']'] : [], closed }
  }
  const network = lines('host', 'network')
  const secrets = lines('secret', 'secrets')
  const uses = Object.entries(toSecretTable({ capabilities }) ?? {})
  const others = capabilities.filter(({ kind }) => Object.hasOwn(USES, kind))
  return [
    ...(hasTable
      ? ['[permissions]', ...network.table, ...(uses.length > 0 ? [] : secrets.table)]
      : ['# The skill may reach no host and reads no secret.']),
    ...network.closed,
    ...(uses.length > 0 ? formatSecretTable(uses, capabilities) : []),
    ...secrets.closed,
    ...others.map(
      (each) => `# ${USES[each.kind]} ${cleanText(each.value, 120)} (${describe(each)})`,
    ),
  ]
}

function formatSecretTable(
  uses: readonly [name: string, use: Plain][],
  capabilities: readonly GuessedCapability[],
): string[] {
  const rows = uses.flatMap(([name, use]) => {
    const guess = capabilities.find(({ kind, value }) => kind === 'secret' && value === name)
    return [...(guess ? [`# ${describe(guess)}`] : []), `${name} = ${formatTomlValue(use)}`]
  })
  return ['', '[permissions.secrets]', ...rows]
}

/** Uses that the manifest does not declare. */
const USES: Partial<Record<GuessedCapability['kind'], string>> = {
  program: 'Starts',
  file: 'Writes',
  package: 'Needs',
}

function describe({ certainty, place, reason }: GuessedCapability): string {
  return cleanText(`${certainty}: ${reason}, ${place}`, 300)
}

/** Reads the text back: a text of the skill that became a key or a table is refused. */
function checkText(text: string, expected: PlainObject): void {
  const { data, problem } = readToml('skill.toml', text)
  if (problem === undefined && toSortedJson(data) === toSortedJson(expected)) return
  throw new SkillsError(
    'skill/invalid',
    `The skill cannot be adopted: its texts do not fit into skill.toml${problem ? ` (${problem.message})` : ''}`,
    { hint: 'Write skill.toml by hand: type "skills schema skill" for its keys' },
  )
}
