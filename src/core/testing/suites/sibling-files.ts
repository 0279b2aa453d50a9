import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { listTreeFiles } from '../../../util/list-tree.ts'
import { SKILL_LANGUAGES, type SkillLanguageName } from '../../skills/manifest/skill-languages.ts'
import { isBelowRealFolder } from '../document/skill-path.ts'
import { createSetupFile, type SetupFile } from './setup-files.ts'
import { SUITE_FILE } from './find-suites.ts'

/** Large inputs of a case, in files next to the suite. */
export interface SiblingInputs {
  stdin: string | undefined
  code: { language: SkillLanguageName; text: string } | undefined
  files: ReadonlyMap<string, SetupFile>
}

/** Upper bound of the files of one case. */
const MAX_SETUP_BYTES = 8 * 1024 * 1024

/** Names of inputs, with the name of their case. */
const INPUT = /^(.*?)\.(?:stdin|in|code\.\w+)$/

/** Folder of the files that belong to a suite: `tests/greet/` for `tests/greet.test.toml`. */
export function getSuiteFolder(file: string): string {
  return join(dirname(file), basename(file).replace(SUITE_FILE, ''))
}

/** File name of a case: lower-case words, joined by hyphens. */
export function nameCaseFiles(name: string): string {
  const words = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')
  return words.replaceAll(/^-+|-+$/g, '').slice(0, 100)
}

/** The inputs next to a suite: `<case>.stdin`, `<case>.code.<ext>` and the folder `<case>.in`. */
export class SiblingFiles {
  readonly #folder: string
  readonly #names: ReadonlySet<string>
  /** Names of inputs that lead out of the skill by a link; they are not read. */
  readonly outside: readonly string[]

  constructor(suiteFile: string) {
    this.#folder = getSuiteFolder(suiteFile)
    const isThere = statSync(this.#folder, { throwIfNoEntry: false })?.isDirectory() === true
    const names = isThere ? readdirSync(this.#folder) : []
    const skill = dirname(dirname(suiteFile))
    this.outside = names.filter(
      (name) => INPUT.test(name) && !isBelowRealFolder(skill, join(this.#folder, name)),
    )
    this.#names = new Set(names.filter((name) => !this.outside.includes(name)))
  }

  read(caseName: string): SiblingInputs {
    const name = nameCaseFiles(caseName)
    const read = (file: string) =>
      this.#names.has(file) ? readFileSync(join(this.#folder, file), 'utf8') : undefined
    const codes = SKILL_LANGUAGES.flatMap(({ name: language, extensions }) =>
      extensions.map((extension) => ({ language, text: read(`${name}.code${extension}`) })),
    )
    const code = codes.find(({ text }) => text !== undefined)
    return {
      stdin: read(`${name}.stdin`),
      code: code && { language: code.language, text: code.text ?? '' },
      files: this.#names.has(`${name}.in`)
        ? readSetupFolder(join(this.#folder, `${name}.in`))
        : new Map(),
    }
  }

  /** Names of files for inputs that belong to no case. */
  listUnused(caseNames: readonly string[]): string[] {
    const known = new Set(caseNames.map(nameCaseFiles))
    return [...this.#names]
      .map((name) => ({ name, stem: INPUT.exec(name)?.[1] }))
      .filter(({ stem }) => stem !== undefined && !known.has(stem))
      .map(({ name }) => join(this.#folder, name))
  }
}

function readSetupFolder(folder: string): Map<string, SetupFile> {
  const files = new Map<string, SetupFile>()
  let total = 0
  for (const path of listTreeFiles(folder)) {
    const bytes = readFileSync(join(folder, path))
    total += bytes.length
    if (total > MAX_SETUP_BYTES) {
      throw new Error(`The folder "${basename(folder)}" has more than ${MAX_SETUP_BYTES} bytes`)
    }
    files.set(path, createSetupFile(bytes))
  }
  return files
}
