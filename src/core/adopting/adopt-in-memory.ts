import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { listSourceFiles } from '../skills/manifest/read-source.ts'
import type { SkillEntry } from '../skills/repository/repository.ts'
import { signSkill } from '../skills/repository/skill-signature.ts'
import { ADAPTER, readAdapter, TEST_FILE } from './adapter.ts'
import { isScriptCandidate } from './script-program.ts'

interface MemoryOptions {
  /** Folder of what was read from skills; without it, each process reads the scripts again. */
  cacheDir: string | undefined
  python: string | undefined
}

/** Increased when the same scripts are read in another way. */
const FORMAT = 2
/** Files that no run reads, and the adapter, which is of this version. */
const UNUSED: ReadonlySet<string> = new Set([ADAPTER, TEST_FILE])
/** A skill has no environment of a caller: the system's folders of programs. */
const PATH = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin'

/**
 * Returns the files that `skills adopt` would write for a plain Agent Skill, with its listed name
 * and version; undefined if no script is a command. Nothing of the skill is executed or written.
 */
export async function adoptInMemory(
  { dir, name, version }: Pick<SkillEntry, 'dir' | 'name' | 'version'>,
  { cacheDir, python }: MemoryOptions,
): Promise<ReadonlyMap<string, string> | undefined> {
  if (!listSourceFiles(dir).files.some(isScriptCandidate)) return undefined
  const { text, isSettled } = signSkill(dir)
  const state = { dir, name, version, signature: text }
  const cache = cacheDir === undefined ? undefined : new AdoptionCache(cacheDir, state)
  const cached = cache?.load()
  if (cached) return complete(cached)
  const { planAdoption } = await import('./plan-adoption.ts')
  try {
    const identity = { name, version }
    const { files, kind } = await planAdoption(dir, { python, env: { PATH }, identity })
    const own = kind === 'action' ? [...files].filter(([path]) => !UNUSED.has(path)) : []
    if (isSettled && signSkill(dir).text === text) cache?.save(own)
    return complete(own)
  } catch (error) {
    // Without Python on the host, the skill is instructions; `skills adopt` reports the reason.
    if (error instanceof SkillsError && error.code === 'language/not-installed') return undefined
    throw error
  }
}

type Files = readonly (readonly [path: string, text: string])[]

function complete(own: Files): ReadonlyMap<string, string> | undefined {
  return own.length === 0 ? undefined : new Map([[ADAPTER, readAdapter()], ...own])
}

/** Caches the adoption of a folder for the next process. A failure costs only time. */
class AdoptionCache {
  #path: string
  #folder: string
  #key: string

  constructor(cacheDir: string, state: Readonly<Record<string, string>>) {
    const hash = createHash('sha256')
      .update(state['dir'] ?? '')
      .digest('hex')
      .slice(0, 32)
    this.#folder = join(cacheDir, 'adopted')
    this.#path = join(this.#folder, `${hash}.json`)
    this.#key = JSON.stringify({ format: FORMAT, ...state })
  }

  load(): Files | undefined {
    try {
      const { key, files } = JSON.parse(readFileSync(this.#path, 'utf8')) as CachedAdoption
      return key === this.#key ? files : undefined
    } catch {
      return undefined
    }
  }

  save(files: Files): void {
    const draft = `${this.#path}.${process.pid}`
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      writeFileSync(draft, JSON.stringify({ key: this.#key, files } satisfies CachedAdoption), {
        mode: 0o600,
      })
      renameSync(draft, this.#path)
    } catch {
      rmSync(draft, { force: true })
    }
  }
}

interface CachedAdoption {
  key: string
  files: Files
}
