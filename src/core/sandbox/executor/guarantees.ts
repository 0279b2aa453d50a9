import { SkillsError } from '../../../errors.ts'
import type { BackendGuarantees, IsolatedResource } from '../backend.ts'
import type { GuestLimits } from '../guest-host/guest-limits.ts'
import type { Isolation } from '../isolation.ts'
import { describeNetworkLimit } from '../network-limit.ts'
import type { Executor, ExecutorGuarantees, ExecutorLimit } from './executor.ts'

const ISOLATED: readonly IsolatedResource[] = [
  'files',
  'network',
  'processes',
  'user',
  'system calls',
]
const LIMITED: readonly ExecutorLimit[] = ['cpu', 'memory', 'processes', 'disk']

/** Without these, a run reaches the machine of its executor or other runs. */
const ESSENTIAL: readonly IsolatedResource[] = ['files', 'network', 'processes']

/** Throws if an object of the application is not an executor. */
export function requireExecutor(executor: Executor): void {
  const { name, guarantees, streams = 'bytes', folder = '/tmp' } = Object(executor) as Executor
  const { isolates, limits } = Object(guarantees) as ExecutorGuarantees
  if (typeof name !== 'string' || !/^[\w .:@/-]{1,64}$/.test(name)) {
    throw executorError('its name is not 1 to 64 letters, digits, spaces or .:@/-')
  }
  if (typeof Object(executor).start !== 'function') throw executorError('it has no function start')
  checkList('guarantees.isolates', isolates, ISOLATED)
  checkList('guarantees.limits', limits, LIMITED)
  if (streams !== 'bytes' && streams !== 'text') {
    throw executorError('streams is neither "bytes" nor "text"')
  }
  if (!/^\/(?:[\w.-]+(?:\/[\w.-]+)*)?$/.test(folder) || folder.split('/').includes('..')) {
    throw executorError('folder is not an absolute path of letters, digits, dots and dashes')
  }
}

function checkList(field: string, value: unknown, allowed: readonly string[]): void {
  const isList = Array.isArray(value) && value.every((each) => allowed.includes(each as string))
  if (!isList) throw executorError(`${field} is not a list of ${allowed.join(', ')}`)
}

function executorError(problem: string): SkillsError {
  return new SkillsError('usage/invalid', `The executor cannot be used: ${problem}`, {
    hint: 'See "Executors" in docs/library.md',
  })
}

/** Describes an executor as a backend. */
export function toBackendGuarantees({ guarantees }: Executor): BackendGuarantees {
  const isolates = (resource: IsolatedResource) => guarantees.isolates.includes(resource)
  const limits = (resource: ExecutorLimit) => guarantees.limits.includes(resource)
  return {
    tier: resolveTier(guarantees),
    isolates: {
      files: isolates('files'),
      network: isolates('network'),
      processes: isolates('processes'),
      user: isolates('user'),
      'system calls': isolates('system calls'),
    },
    filtersNetwork: isolates('network'),
    limits: {
      time: 'run',
      cpu: limits('cpu') ? 'run' : 'each process',
      memory: limits('memory') ? 'run' : 'each process',
      processes: limits('processes') ? 'run' : 'where control groups allow',
      'open files': 'each process',
      disk: limits('disk') ? 'run' : 'each file',
      output: 'run',
    },
  }
}

function resolveTier({ isolates, limits }: ExecutorGuarantees): Isolation['tier'] {
  const has = (wanted: readonly IsolatedResource[]) =>
    wanted.every((each) => isolates.includes(each))
  const isLimited = limits.includes('memory') && limits.includes('processes')
  if (has(ISOLATED) && isLimited) return 'strict'
  return has(ESSENTIAL) ? 'weak' : 'none'
}

/** Lists what keeps an executor from the strict tier. */
export function listMissingGuarantees({ isolates, limits }: ExecutorGuarantees): string[] {
  return [
    ...ISOLATED.filter((each) => !isolates.includes(each)),
    ...(['memory', 'processes'] as const)
      .filter((each) => !limits.includes(each))
      .map((each) => `the limit of ${each}`),
  ]
}

/** Refuses runs that require more than an executor guarantees. */
export function executorTooWeakError({ name, guarantees }: Executor): SkillsError {
  // A command may hold less than its executor claims.
  const missing = listMissingGuarantees(guarantees).join(', ') || 'all of it for this command'
  return new SkillsError(
    'sandbox/too-weak',
    `Strict isolation is required, but the executor "${name}" does not guarantee: ${missing}`,
    { hint: 'Use an executor that does, or accept less with run.require_isolation = "any"' },
  )
}

/** Describes the isolation of a run by what its executor claims. The runtime cannot verify it. */
export function describeExecutorIsolation(
  { name, guarantees }: Pick<Executor, 'name' | 'guarantees'>,
  run: { user: number; isFiltered: boolean; limits: GuestLimits },
): Isolation {
  const holds = (limit: ExecutorLimit) => guarantees.limits.includes(limit)
  const isClosed = guarantees.isolates.includes('network')
  const network = isClosed ? (run.isFiltered ? 'filtered' : 'none') : 'host'
  return {
    backend: 'executor',
    executor: name,
    path: 'cold',
    reason: 'other backend',
    memory_layout: 'own',
    tier: resolveTier(guarantees),
    namespaces: [],
    user: run.user,
    seccomp: guarantees.isolates.includes('system calls'),
    landlock: false,
    network,
    limits: {
      ...run.limits.where,
      workspace: 'rlimit, each file',
      inodes: 'none',
      ...(holds('disk') && { workspace: HELD, inodes: HELD }),
      ...(holds('cpu') && { cpu: HELD }),
      ...(holds('memory') && { memory: HELD }),
      ...(holds('processes') && { processes: HELD }),
      total_memory: 'none',
      ...describeNetworkLimit(network),
    },
  }
}

const HELD = 'executor'
