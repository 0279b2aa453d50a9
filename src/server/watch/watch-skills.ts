import type { LastGood } from '../../core/skills/repository/last-good.ts'
import type { Repository } from '../../core/skills/repository/repository.ts'
import type { RequestLog } from '../telemetry/request-log.ts'
import { compareSkills, type SkillsState } from './compare-skills.ts'
import { FolderWatch } from './watch-folders.ts'

export interface WatchSkillsOptions {
  repository: Repository
  roots: readonly string[]
  lastGood: LastGood
  log: RequestLog
  /** Called after each edit of any file of a skill, once the skills were read again. */
  onEdit?: (() => void) | undefined
}

/** Editors write a file in several steps. */
const SETTLE_MS = 40

/** Watches skills and logs their changes. Returns a function that stops watching. */
export async function watchSkills(options: WatchSkillsOptions): Promise<() => void> {
  const { repository, roots, lastGood, log } = options
  let seen = await readSkillsState(repository)
  await lastGood.remember(seen.entries)
  let timer: NodeJS.Timeout | undefined
  let isBusy = false
  /** Undefined if all folders may have changed. */
  let changed: Set<string> | undefined = new Set()
  const settle = async () => {
    timer = undefined
    if (isBusy) return startTimer()
    isBusy = true
    const folders = changed
    changed = new Set()
    try {
      await watching.sync(folders)
      const state = await readSkillsState(repository)
      for (const { level, message, reason } of compareSkills(seen, state)) {
        log.write(level, message, reason === undefined ? {} : { reason })
      }
      seen = state
      await lastGood.remember(state.entries.filter((each) => !isBroken(state, each.dir)))
      options.onEdit?.()
    } catch (error) {
      log.write('error', 'The skills could not be read again', { reason: String(error) })
    } finally {
      isBusy = false
    }
  }
  const startTimer = () => {
    timer ??= setTimeout(() => void settle(), SETTLE_MS).unref()
  }
  const change = (dirs: readonly string[] | undefined) => {
    if (dirs === undefined) changed = undefined
    else for (const dir of dirs) changed?.add(dir)
    // A caller that reads during an edit gets the current files.
    repository.forget(dirs)
    startTimer()
  }
  const watching = new FolderWatch(roots, change)
  await watching.sync()
  return () => {
    clearTimeout(timer)
    watching.close()
  }
}

async function readSkillsState(repository: Repository): Promise<SkillsState> {
  return { entries: await repository.list(), problems: await repository.problems() }
}

function isBroken({ problems }: SkillsState, dir: string): boolean {
  return problems.some(({ path, kind }) => kind !== 'duplicate' && path.startsWith(`${dir}/`))
}
