import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { SkillsError } from '../../../errors.ts'
import type { SecretUse } from '../../skills/manifest/manifest.ts'
import { parseSecretPlace } from '../../skills/manifest/secret-use.ts'
import { findNameProblem, suggestName } from '../../skills/scaffold/skill-name.ts'
import { isSemver } from '../../../util/semver.ts'
import type { AdoptedIdentity } from '../adopted-identity.ts'
import type { GuessedCapability } from '../guessed-capability.ts'
import { createAdoptedManifest } from '../manifest-text.ts'
import { mergeInputs } from '../merge-inputs.ts'
import { cleanText } from '../script-interface.ts'
import type { AdoptedInput } from '../to-inputs.ts'
import { createApiDocument } from './api-document.ts'
import { checkCount, checkSelection } from './check-selection.ts'
import { listOperations, type ApiOperation, type OperationFilter } from './list-operations.ts'
import { readApiDocument, toObject, toText } from './read-document.ts'
import { getOrigin } from './server-url.ts'

export interface ApiPlan {
  identity: AdoptedIdentity
  operations: readonly ApiOperation[]
  inputs: readonly AdoptedInput[]
  capabilities: readonly GuessedCapability[]
  skipped: readonly string[]
  files: ReadonlyMap<string, string>
}

const CLIENT = 'code/client.py'
const TEMPLATE = fileURLToPath(new URL('../../../../templates/adopt/client.py', import.meta.url))

interface ApiRequest extends Omit<OperationFilter, 'prefix'> {
  text: string
  /** Name of the file. */
  file: string
  name: string | undefined
}

/** Plans a skill with one command per operation. Nothing is fetched. */
export function planApiSkill({ text, file, name, ...filter }: ApiRequest): ApiPlan {
  const document = readApiDocument(text, file)
  const identity = readIdentity(toObject(document['info']), name)
  const prefix = identity.name.split('.').at(-1) ?? ''
  checkSelection(document, { ...filter, prefix })
  const { operations, skipped } = listOperations(document, { ...filter, prefix })
  checkCount(document, operations, skipped)
  const merged = mergeInputs(operations)
  checkComplete(operations, merged.commands)
  const capabilities = listApiCapabilities(merged.commands)
  const description = identity.description
  const manifest = createAdoptedManifest({
    identity,
    entrypoint: CLIENT,
    inputs: merged.inputs,
    capabilities,
    notes: skipped,
  })
  const data = { operations: merged.commands.map(({ command }) => command) }
  return {
    identity,
    operations: merged.commands,
    inputs: merged.inputs,
    capabilities,
    skipped,
    files: new Map([
      ['SKILL.md', createApiDocument({ ...identity, description }, merged.commands, capabilities)],
      [CLIENT, readFileSync(TEMPLATE, 'utf8')],
      ['code/operations.json', `${JSON.stringify(data, null, 2)}\n`],
      ['skill.toml', manifest],
    ]),
  }
}

function readIdentity(
  info: ReturnType<typeof toObject>,
  given: string | undefined,
): AdoptedIdentity {
  const title = cleanText(toText(info['title']), 100)
  const name =
    given ?? suggestName(title) ?? (findNameProblem(title) === undefined ? title : undefined)
  const problem =
    name === undefined ? 'The title of the document gives no name' : findNameProblem(name)
  if (name === undefined || problem !== undefined) {
    throw new SkillsError('usage/invalid', problem ?? '', {
      hint: 'Name the skill, such as with --name acme.pets',
    })
  }
  const written = toText(info['version'])
  const about = cleanText(toText(info['description']), 400)
  const sentence = about === '' || /[.!?]$/.test(about) ? about : `${about}.`
  const description = cleanText(
    `Calls the API ${title || name}. ${sentence} Use it to read and change data of this API.`,
    1024,
  )
  return { name, version: isSemver(written) ? written : '0.1.0', description, changes: [] }
}

/** An input that does not fit into the manifest makes an operation unusable. */
function checkComplete(before: readonly ApiOperation[], after: readonly ApiOperation[]): void {
  const count = (list: readonly ApiOperation[]) =>
    list.reduce((sum, { command }) => sum + command.arguments.length, 0)
  if (count(before) === count(after)) return
  throw new SkillsError('usage/invalid', 'The operations have more inputs than a skill can have', {
    hint: 'Select fewer operations with --operation or --tag',
  })
}

function listApiCapabilities(operations: readonly ApiOperation[]): GuessedCapability[] {
  const found = new Map<string, GuessedCapability>()
  for (const { command, place } of operations) {
    const base = { certainty: 'certain' as const, place, allowed: true }
    const host = getOrigin(command.server)
    if (!found.has(host))
      found.set(host, { ...base, kind: 'host', value: host, reason: 'the server of an operation' })
    for (const { secret } of command.credentials) {
      if (!found.has(secret))
        found.set(secret, { ...base, kind: 'secret', value: secret, reason: 'its security scheme' })
    }
  }
  return [...found.values()].map((each) => {
    const use = each.kind === 'secret' ? findUse(operations, each.value) : undefined
    return use ? { ...each, use } : each
  })
}

/** The servers and places of a secret; undefined if a server has no TLS. */
function findUse(operations: readonly ApiOperation[], secret: string): SecretUse | undefined {
  const [hosts, places] = [new Set<string>(), new Set<string>()]
  for (const { command } of operations) {
    for (const { secret: name, kind, name: part } of command.credentials) {
      if (name !== secret) continue
      hosts.add(getOrigin(command.server))
      places.add(`${kind === 'query' ? 'query' : 'header'}:${part}`)
    }
  }
  const isUsable =
    [...hosts].every((each) => each.startsWith('https://')) &&
    [...places].every((each) => parseSecretPlace(each) !== undefined)
  return isUsable ? { hosts: [...hosts], in: [...places] } : undefined
}
