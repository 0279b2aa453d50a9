import { loadLazily } from '../../util/load-lazily.ts'
import { MISSING, stampPath } from '../skills/repository/stamps.ts'
import type { Repository, SkillEntry } from '../skills/repository/repository.ts'

const loadReadSource = loadLazily(async () => await import('../skills/manifest/read-source.ts'))
const loadScripts = loadLazily(async () => await import('./script-program.ts'))

/** Skills whose scripts are read at the same time. */
const AT_ONCE = 4

/**
 * Lists skills as runs treat them: a plain Agent Skill whose scripts are commands is an action, with
 * their inputs. Its scripts are read as data, once until they change.
 */
export async function readPlainKinds(
  repository: Pick<Repository, 'manifest'>,
  entries: readonly SkillEntry[],
): Promise<readonly SkillEntry[]> {
  const completed = [...entries]
  const pending = [...entries.entries()].filter(([, entry]) => isPlain(entry))
  const readNext = async (): Promise<void> => {
    for (let next = pending.shift(); next; next = pending.shift()) {
      const [at, entry] = next
      completed[at] = await readAsRun(repository, entry)
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, pending.length) }, readNext))
  return completed
}

/** A remote runtime has completed its own skills, whose folders are not here. */
function isPlain({ kind, dir }: SkillEntry): boolean {
  return kind === 'instruction' && dir !== '' && stampPath(`${dir}/skill.toml`) === MISSING
}

async function readAsRun(
  repository: Pick<Repository, 'manifest'>,
  entry: SkillEntry,
): Promise<SkillEntry> {
  try {
    const { listSourceFiles } = await loadReadSource()
    const { isScriptCandidate } = await loadScripts()
    if (!listSourceFiles(entry.dir).files.some(isScriptCandidate)) return entry
    const { kind, inputs } = await repository.manifest(entry)
    return kind === entry.kind ? entry : { ...entry, kind, inputs: Object.keys(inputs) }
  } catch {
    // A skill that changes meanwhile is listed as it was found.
    return entry
  }
}
