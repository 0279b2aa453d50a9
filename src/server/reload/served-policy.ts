import type { Policy, PolicySource } from '../../core/policy/policy.ts'
import type { Config } from '../../core/config/config.ts'
import type { ReloadPart } from './reloader.ts'
import { stampFollowed } from './stamp-files.ts'

/** The policy of a server: the last one that could be read stays in force. */
export interface ServedPolicy {
  source: PolicySource
  part: ReloadPart
}

/** Wraps a source that throws if a file is broken. Before the first success, it throws too. */
export function createServedPolicy(
  read: PolicySource,
  { file, standardFile, projectFile }: Config['policy'],
): ServedPolicy {
  let last: Policy | undefined
  return {
    async source() {
      try {
        last = await read()
      } catch (error) {
        if (!last) throw error
      }
      return last
    },
    part: {
      name: 'policy',
      stamp: () => stampFollowed([file ?? standardFile, projectFile]),
      async load() {
        const before = last
        last = await read()
        return { changes: before === last ? [] : ['The policy was loaded again'] }
      },
    },
  }
}
