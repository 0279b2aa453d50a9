import { matchesDenyList, matchesList, type NamedValue } from './match.ts'
import type { PolicyLists, PolicyScope } from './policy.ts'
import type { PolicyRequest } from './policy-request.ts'
import type { Denial, DenyCode, Layer } from './verdict.ts'

/**
 * A kind of value that policy lists allow or deny: how to read it from a request, and how to refuse
 * it.
 */
interface ListCheck {
  key: keyof PolicyLists
  layer: Layer
  code: DenyCode
  /** Values of the request, each with its alternative names. */
  values: (request: PolicyRequest) => readonly NamedValue[]
  /** As in: The runtime "node" is not in the allowed runtimes. */
  one: string
  many: string
}

/** In the order in which denials are reported. */
const CHECKS: readonly ListCheck[] = [
  {
    key: 'kinds',
    layer: 'policy',
    code: 'kind-not-allowed',
    values: ({ kind }) => [createValue(kind)],
    one: 'kind of run',
    many: 'kinds of runs',
  },
  {
    key: 'tokens',
    layer: 'policy',
    code: 'caller-not-allowed',
    values: ({ caller }) => [createValue(caller)],
    one: 'caller',
    many: 'tokens',
  },
  {
    key: 'languages',
    layer: 'policy',
    code: 'runtime-not-allowed',
    values: ({ language }) => (language === undefined ? [] : [createValue(language)]),
    one: 'runtime',
    many: 'runtimes',
  },
  {
    key: 'executables',
    layer: 'policy',
    code: 'executable-not-allowed',
    values: listExecutableNames,
    one: 'executable',
    many: 'executables',
  },
  {
    key: 'repositories',
    layer: 'policy',
    code: 'repository-not-allowed',
    values: ({ repository }) => (repository === undefined ? [] : [createValue(repository)]),
    one: 'repository',
    many: 'repositories',
  },
  {
    key: 'cwd',
    layer: 'policy',
    code: 'cwd-not-allowed',
    values: ({ cwd }) => (cwd && 'relative' in cwd ? [createValue(cwd.relative)] : []),
    one: 'working directory',
    many: 'working directories',
  },
  {
    key: 'skills',
    layer: 'policy',
    code: 'skill-not-allowed',
    values: ({ skills }) => skills.map(createValue),
    one: 'skill',
    many: 'skills',
  },
  {
    key: 'network',
    layer: 'policy',
    code: 'network-not-allowed',
    values: ({ network }) => network.map(createValue),
    one: 'destination',
    many: 'destinations',
  },
  {
    key: 'environment',
    layer: 'environment',
    code: 'env-keys-not-allowed',
    values: ({ environment }) => environment.map(createValue),
    one: 'variable',
    many: 'variables',
  },
]

/** The values of a request, read once for all scopes of a policy. */
export class RequestValues {
  readonly request: PolicyRequest
  #byKey = new Map<keyof PolicyLists, readonly NamedValue[]>()

  constructor(request: PolicyRequest) {
    this.request = request
    for (const { key, values } of CHECKS) this.#byKey.set(key, values(request))
  }

  get(key: keyof PolicyLists): readonly NamedValue[] {
    return this.#byKey.get(key) ?? []
  }

  /** All names of one kind. */
  names(key: keyof PolicyLists): readonly string[] {
    return this.get(key).flatMap(({ names, aliases = [] }) => [...names, ...aliases])
  }
}

/** Denials by the lists of a scope. */
export function checkLists(scope: PolicyScope, values: RequestValues): Denial[] {
  const denials: Denial[] = []
  for (const check of CHECKS) {
    const isListed = scope.allow[check.key] !== undefined || scope.deny[check.key] !== undefined
    if (!isListed) continue
    for (const value of values.get(check.key)) denials.push(...checkValue(scope, check, value))
  }
  return denials
}

/** True if a rule's `when` matches a request. */
export function matchesRequest(
  { when }: Pick<PolicyScope, 'when'>,
  values: RequestValues,
): boolean {
  if (!when) return true
  const { timeoutMs = 0, door } = values.request
  if (timeoutMs <= (when.longerThanMs ?? -1)) return false
  if (when.doors !== undefined && !matchesList('doors', when.doors, createValue(door))) return false
  for (const { key } of CHECKS) {
    const list = when[key]
    if (list === undefined) continue
    if (!values.get(key).some((value) => matchesDenyList(key, list, value))) return false
  }
  return true
}

/** A value with one name. */
export function createValue(name: string): NamedValue {
  return { names: [name] }
}

function checkValue(scope: PolicyScope, check: ListCheck, value: NamedValue): Denial[] {
  const { names, aliases } = value
  const { key, layer, code, one, many } = check
  const { [key]: allowed } = scope.allow
  const { [key]: denied } = scope.deny
  const by = scope.name
  const of = formatScope(scope)
  if (denied && matchesDenyList(key, denied, value)) {
    const alias = matchesDenyList(key, denied, { names })
      ? undefined
      : aliases?.find((each) => matchesDenyList(key, denied, createValue(each)))
    const same = alias === undefined ? '' : `, as it is the same file as "${alias}"`
    return [{ code, layer, sentence: `The ${one} "${names[0]}" is denied by ${of}${same}`, by }]
  }
  if (!allowed || matchesList(key, allowed, value)) return []
  const sentence = `The ${one} "${names[0]}" is not in the allowed ${many} of ${of}: ${formatEntries(allowed)}`
  return [{ code, layer, sentence, by }]
}

/** Entries of a list that a message shows: a policy may have thousands. */
const MAX_SHOWN = 20

function formatEntries(list: readonly string[]): string {
  if (list.length === 0) return 'there are none'
  const shown = list.slice(0, MAX_SHOWN).join(', ')
  return list.length > MAX_SHOWN ? `${shown} and ${list.length - MAX_SHOWN} more` : shown
}

/** Formats a scope for a message. */
export function formatScope({ when, name }: Pick<PolicyScope, 'when' | 'name'>): string {
  return when === undefined ? name : `the rule "${name}"`
}

/** The name of the executable, and its paths for patterns that are paths. */
function listExecutableNames({ executable }: PolicyRequest): readonly NamedValue[] {
  if (!executable) return []
  if ('problem' in executable) {
    return executable.asked === undefined ? [] : [createValue(executable.asked)]
  }
  const { name, path, links = [], aliases = [] } = executable
  return [{ names: [name, path, ...links], aliases }]
}
