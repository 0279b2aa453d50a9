import type { JsonValue } from '../envelope/strict-json.ts'

const SLSA_V1 = 'https://slsa.dev/provenance/v1'
const SLSA_V02 = 'https://slsa.dev/provenance/v0.2'
const MAX_TEXT = 2000
const MAX_MATERIALS = 1000

/** How an artifact was built, by the account of the signer. Absent facts are undefined. */
export interface Provenance {
  /** Address of the repository: `https://github.com/owner/repo`. */
  repository: string | undefined
  /** Branch or tag: `refs/tags/v1.0.0`. */
  ref: string | undefined
  commit: string | undefined
  /** Path of the workflow in the repository, or the name of the job. */
  workflow: string | undefined
  /** Id of the builder, a URI. */
  builder: string | undefined
}

/** Reads SLSA provenance of version 1 or 0.2; undefined for other predicates. */
export function parseProvenance(type: string, predicate: JsonValue): Provenance | undefined {
  if (type === SLSA_V1) return parseVersion1(predicate)
  return type === SLSA_V02 ? parseVersion02(predicate) : undefined
}

function parseVersion1(predicate: JsonValue): Provenance {
  const definition = getMember(predicate, 'buildDefinition')
  const workflow = getMember(definition, 'externalParameters', 'workflow')
  const materials = listMembers(getMember(definition, 'resolvedDependencies')).map((each) => ({
    ...splitAddress(getText(each, 'uri')),
    commit: getText(each, 'digest', 'gitCommit') ?? getText(each, 'digest', 'sha1'),
  }))
  const stated = splitAddress(getText(workflow, 'repository')).repository
  const source = materials.find(({ repository, commit }) =>
    stated === undefined ? commit !== undefined : repository === stated,
  )
  return {
    repository: stated ?? source?.repository,
    ref: getText(workflow, 'ref') ?? source?.ref,
    commit: source?.commit,
    workflow: getText(workflow, 'path'),
    builder: getText(predicate, 'runDetails', 'builder', 'id'),
  }
}

function parseVersion02(predicate: JsonValue): Provenance {
  const source = getMember(predicate, 'invocation', 'configSource')
  return {
    ...splitAddress(getText(source, 'uri')),
    commit: getText(source, 'digest', 'sha1') ?? getText(source, 'digest', 'gitCommit'),
    workflow: getText(source, 'entryPoint'),
    builder: getText(predicate, 'builder', 'id'),
  }
}

/** `git+https://host/owner/repo.git@refs/heads/main` is an address and a reference. */
function splitAddress(uri: string | undefined): Pick<Provenance, 'repository' | 'ref'> {
  const [, address, ref] = /^(?:git\+)?(.+?)(?:\.git)?\/?(?:@(refs\/.+))?$/s.exec(uri ?? '') ?? []
  return { repository: address, ref }
}

/** Builders write what they like: a value of another type than expected is an absent fact. */
function getMember(value: JsonValue | undefined, ...path: readonly string[]) {
  return path.reduce<JsonValue | undefined>((parent, name) => {
    const inner = parent?.value
    const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner)
    return isObject ? parent?.at(name) : undefined
  }, value)
}

function getText(value: JsonValue | undefined, ...path: readonly string[]): string | undefined {
  const member = getMember(value, ...path)
  const text = member?.value
  if (typeof text !== 'string' || text === '') return undefined
  // A repository that is left out would not be compared with the trusted ones.
  if (text.length > MAX_TEXT) throw member?.refuse(`at most ${MAX_TEXT} characters`)
  return text
}

function listMembers(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value?.value) ? value.list(MAX_MATERIALS) : []
}
