import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { readLines, writeLines } from './line-file.ts'

interface SkillRecordsOptions {
  cacheDir: string | undefined
  /** Names the file. */
  name: string
  /** Records of another format are not loaded. */
  format: number
  /** Roots of the skills: other roots have another file. */
  roots: readonly string[]
}

interface SkillRecord<T> {
  signature: string
  value: T
}

/**
 * Values derived from the files of skills, by folder. A value counts while the signature of its
 * skill is unchanged, also in the next process.
 */
export class SkillRecords<T> {
  #header: string
  #path: string | undefined
  #records = new Map<string, SkillRecord<T>>()
  #isLoaded = false
  #isChanged = false

  constructor({ cacheDir, name, format, roots }: SkillRecordsOptions) {
    this.#header = JSON.stringify({ format, roots })
    const hash = createHash('sha256').update(roots.join('\0')).digest('hex').slice(0, 16)
    this.#path = cacheDir && join(cacheDir, 'published', `${name}-${hash}.jsonl`)
  }

  /** Loads the file of an earlier process, once. An unreadable file counts as empty. */
  async load(): Promise<void> {
    if (this.#isLoaded) return
    this.#isLoaded = true
    if (!this.#path) return
    try {
      let isFirst = true
      for await (const line of readLines(this.#path)) {
        if (isFirst && line !== this.#header) return
        if (!isFirst) {
          const [dir, signature, value] = JSON.parse(line) as [string, string, T]
          this.#records.set(dir, { signature, value })
        }
        isFirst = false
      }
    } catch {
      this.#records.clear()
    }
  }

  get(dir: string, signature: string): T | undefined {
    const record = this.#records.get(dir)
    return record?.signature === signature ? record.value : undefined
  }

  set(dir: string, signature: string, value: T): void {
    this.#records.set(dir, { signature, value })
    this.#isChanged = true
  }

  /** Writes the records of these folders, if any changed, and forgets the others. */
  async save(dirs: ReadonlySet<string>): Promise<void> {
    for (const dir of this.#records.keys()) {
      if (dirs.has(dir)) continue
      this.#records.delete(dir)
      this.#isChanged = true
    }
    if (!this.#isChanged || !this.#path) return
    this.#isChanged = false
    await writeLines(this.#path, this.#render())
  }

  *#render(): Generator<string> {
    yield this.#header
    for (const [dir, { signature, value }] of this.#records) {
      yield JSON.stringify([dir, signature, value])
    }
  }
}
