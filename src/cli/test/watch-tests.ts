import { resolve } from 'node:path'
import type { SkillSelection } from '../../testing/running/plan-tests.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { stampFolders } from '../run/folder-stamps.ts'
import { watchRuns } from '../run/watch-runs.ts'
import { readReporters } from './read-test-options.ts'
import { runTestCommand } from './run-test-command.ts'
import { selectSuites } from './select-suites.ts'

/** Runs the tests immediately, and after a change those of the changed skills, until interrupted. */
export async function watchTests(context: Context, call: CommandLine): Promise<number> {
  const reports = new Set(readReporters(context, call).map(({ file }) => file))
  // Pending snapshots are results of a run.
  const isIgnored = (path: string) => path.endsWith('.new') || reports.has(resolve(path))
  const selections = () => selectSuites(context, call.args)
  const name = call.args.length > 0 ? call.args.join(' ') : 'the skills of this folder'
  const changes = new ChangedSkills(isIgnored)
  return await watchRuns(
    context,
    { name, listPaths: async () => selections().map(({ skill }) => skill) },
    {
      isIgnored,
      run: async (signal) => {
        const selected = changes.select(selections())
        return await runTestCommand(context, call, { signal, selected })
      },
    },
  )
}

/** Remembers the state of each skill at its last run. */
class ChangedSkills {
  readonly #stamps = new Map<string, string>()
  readonly #isIgnored: (path: string) => boolean

  constructor(isIgnored: (path: string) => boolean) {
    this.#isIgnored = isIgnored
  }

  /** Selects the skills whose files changed since the last call; all if none did. */
  select(all: readonly SkillSelection[]): readonly SkillSelection[] {
    const changed = all.filter(({ skill }) => {
      const stamp = JSON.stringify([...stampFolders([skill], this.#isIgnored)])
      const isChanged = this.#stamps.get(skill) !== stamp
      this.#stamps.set(skill, stamp)
      return isChanged
    })
    return changed.length === 0 ? all : changed
  }
}
