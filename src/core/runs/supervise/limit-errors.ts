import { constants } from 'node:os'
import { formatByteLimit, spellDuration } from '../../../util/quantity.ts'
import type { EndReason, Limits } from '../../sandbox/backend.ts'
import { computeDefaultTotal } from '../../sandbox/cgroups/cgroup-total.ts'
import type { FunctionEnd } from './function-end.ts'
import type { RunError } from '../result.ts'

const FORK_PATTERN = /\bfork\b|_fork_exec|\bstart_new_thread\b|\bspawn/

/** Reasons with one error each. */
const SIMPLE_REASONS = ['wall', 'output', 'network', 'disk', 'hidden files', 'inodes'] as const

/** Parts of an ended run that limits depend on. */
type LimitedEnd = Pick<FunctionEnd, 'exit' | 'limits'> & Partial<Pick<FunctionEnd, 'harnessResult'>>

/** Finds the limit that ended a run. */
export function findLimitError(end: LimitedEnd): RunError | undefined {
  const { exit, limits } = end
  const { endedBecause: reason } = exit
