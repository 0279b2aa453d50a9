import { matchesDenyList, matchesList, type ListKey, type ValueNames } from './match.ts'
import type { PolicyScope } from './policy.ts'
import type { PolicyRequest } from './policy-request.ts'
import type { Denial, DenyCode, Layer } from './verdict.ts'

/**
 * A kind of value that policy lists allow or deny: how to read it from a request, and how to refuse
 * it.
 */
interface ListCheck {
  key: ListKey
  layer: Layer
  code: DenyCode
  /** Values of the request, each with its alternative names. */
  values: (request: PolicyRequest) => readonly ValueNames[]
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
    values: ({ kind }) => [[kind]],
    one: 'kind of run',
    many: 'kinds of runs',
  },
  {
    key: 'tokens',
    layer: 'policy',
    code: 'caller-not-allowed',
    values: ({ caller }) => [[caller]],
    one: 'caller',
    many: 'tokens',
  },
  {
    key: 'languages',
    layer: 'policy',
    code: 'runtime-not-allowed',
    values: ({ language }) => (language === undefined ? [] : [[language]]),
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
    values: ({ repository }) => (repository === undefined ? [] : [[repository]]),
    one: 'repository',
    many: 'repositories',
  },
  {
    key: 'cwd',
    layer: 'policy',
    code: 'cwd-not-allowed',
    values: ({ cwd }) => (cwd && 'relative' in cwd ? [[cwd.relative]] : []),
    one: 'working directory',
    many: 'working directories',
  },
  {
    key: 'skills',
    layer: 'policy',
    code: 'skill-not-allowed',
    values: ({ skills }) => skills.map((each) => [each]),
    one: 'skill',
    many: 'skills',
  },
  {
    key: 'network',
    layer: 'policy',
    code: 'network-not-allowed',
    values: ({ network }) => network.map((each) => [each]),
    one: 'destination',
    many: 'destinations',
  },
  {
    key: 'environment',
    layer: 'environment',
    code: 'env-keys-not-allowed',
    values: ({ environment }) => environment.map((each) => [each]),
    one: 'variable',
    many: 'variables',
  },
]

/** Denials by the lists of a scope. */
export function checkLists(scope: PolicyScope, request: PolicyRequest): Denial[] {
  return CHECKS.flatMap((check) =>
    check.values(request).flatMap((names) => checkValue(scope, check, names)),
  )
}

/** True if a rule's `when` matches a request. */
export function matchesRequest(
  { when }: Pick<PolicyScope, 'when'>,
  request: PolicyRequest,
): boolean {
  if (!when) return true
  const isLong = (request.timeoutMs ?? 0) > (when.longerThanMs ?? -1)
  const matchesEntryPoint =
    when.doors === undefined || matchesList('doors', when.doors, [request.door])
  return (
    isLong &&
    matchesEntryPoint &&
    CHECKS.every(({ key, values }) => {
      const list = when[key]
      return list === undefined || values(request).some((each) => matchesDenyList(key, list, each))
    })
  )
}

function checkValue(scope: PolicyScope, check: ListCheck, names: ValueNames): Denial[] {
  const [value] = names
  const { key, layer, code, one, many } = check
  const { [key]: allowed } = scope.allow
  const { [key]: denied } = scope.deny
  const by = scope.name
  const of = formatScope(scope)
  if (denied && matchesDenyList(key, denied, names)) {
    return [{ code, layer, sentence: `The ${one} "${value}" is denied by ${of}`, by }]
  }
  if (!allowed || matchesList(key, allowed, names)) return []
  const list = allowed.length === 0 ? 'there are none' : allowed.join(', ')
  const sentence = `The ${one} "${value}" is not in the allowed ${many} of ${of}: ${list}`
  return [{ code, layer, sentence, by }]
}

/** Formats a scope for a message. */
export function formatScope({ when, name }: Pick<PolicyScope, 'when' | 'name'>): string {
  return when === undefined ? name : `the rule "${name}"`
}

/** The name of the executable, and its paths for patterns that are paths. */
function listExecutableNames({ executable }: PolicyRequest): readonly ValueNames[] {
  if (!executable) return []
  if ('problem' in executable) return executable.asked === undefined ? [] : [[executable.asked]]
  const { name, path, links = [] } = executable
  return [[name, path, ...links]]
}
