import { createHash } from 'node:crypto'
import { mkdirSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { writeFileWhole } from '../../../util/files/write-file-whole.ts'
import { readTrusted } from '../read-trusted.ts'

/** A configuration file of a project that the user trusts, with the content that was shown. */
export interface TrustedProject {
  /** Real path. */
  file: string
  /** `sha256:<hex>` of its text. */
  digest: string
}

/** Trust in a project's file: void once the file changes. */
export type ProjectTrust = 'trusted' | 'changed' | 'none'

/** The projects that a user trusts, in a folder of the user, one file for each. */
export class TrustedProjects {
  readonly #folder: string

  /** `userDir` is the folder of the user's configuration. */
  constructor(userDir: string) {
    this.#folder = join(userDir, 'trusted-projects')
  }

  read(file: string, digest: string): ProjectTrust {
    const path = realpathSync(file)
    const found = this.#readEntry(this.#locate(path))
    if (found?.file !== path) return 'none'
    return found.digest === digest ? 'trusted' : 'changed'
  }

  async add(file: string, digest: string): Promise<void> {
    const path = realpathSync(file)
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const entry: TrustedProject = { file: path, digest }
    await writeFileWhole(this.#locate(path), `${JSON.stringify(entry)}\n`, { mode: 0o600 })
    // Refuses a folder that others can write to.
    this.read(path, digest)
  }

  /** Returns false if there was no trust. */
  remove(file: string): boolean {
    const place = this.#locate(realpathSync(file))
    const isThere = this.#readEntry(place) !== undefined
    rmSync(place, { force: true })
    return isThere
  }

  #locate(path: string): string {
    return join(this.#folder, `${createHash('sha256').update(path).digest('hex')}.json`)
  }

  #readEntry(place: string): TrustedProject | undefined {
    const what = 'the trust in a project'
    const text = readTrusted(place, what, { code: 'trust/invalid', hint: `Type "rm '${place}'"` })
    if (text === undefined) return undefined
    try {
      const { file, digest } = JSON.parse(text) as Partial<TrustedProject>
      if (typeof file === 'string' && typeof digest === 'string') return { file, digest }
    } catch {
      // The same error as for other content.
    }
    throw new SkillsError('trust/invalid', `"${place}", ${what}, has no valid content`, {
      hint: `Type "rm '${place}'", and trust the project again`,
    })
  }
}
