import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { listTreeFiles } from '../../../util/list-tree.ts'
import { SKILL_LANGUAGES, type SkillLanguageName } from '../../skills/manifest/skill-languages.ts'
import { isBelowRealFolder } from '../document/skill-path.ts'
import { createSetupFile, RESERVED_FOLDER, type SetupFile } from './setup-files.ts'
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
  /** Inputs that are not read: links out of the skill, pipes, files instead of folders. */
  readonly refused: readonly RefusedInput[]

  constructor(suiteFile: string) {
    this.#folder = getSuiteFolder(suiteFile)
    const skill = dirname(dirname(suiteFile))
    // Its names are not read: the problem is the same for every folder outside.
    const isOutside = !isBelowRealFolder(skill, this.#folder)
    const isThere =
      !isOutside && statSync(this.#folder, { throwIfNoEntry: false })?.isDirectory() === true
    const names = isThere ? readdirSync(this.#folder) : []
    this.refused = isOutside
      ? [createOutsideProblem('folder', basename(this.#folder))]
      : names
          .filter((name) => INPUT.test(name))
          .flatMap((name) => findInputProblem(skill, join(this.#folder, name)) ?? [])
    const refused = new Set(this.refused.map(({ name }) => name))
    this.#names = new Set(names.filter((name) => !refused.has(name)))
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

/** An input that a case cannot have. */
interface RefusedInput {
  name: string
  message: string
  help: string
}

function findInputProblem(skill: string, path: string): RefusedInput | undefined {
  const name = basename(path)
  if (!isBelowRealFolder(skill, path)) return createOutsideProblem('file', name)
  // Reading a pipe would never end.
  const stat = statSync(path)
  const isFolder = name.endsWith('.in')
  if (isFolder ? !stat.isDirectory() : !stat.isFile()) {
    const expected = isFolder ? 'a folder' : 'a regular file'
    const message = `"${name}" next to the suite is not ${expected}`
    return { name, message, help: `Replace it by ${expected}` }
  }
  return isFolder ? findSetupFolderProblem(name, path) : undefined
}

function createOutsideProblem(type: 'file' | 'folder', name: string): RefusedInput {
  const message = `The ${type} "${name}" next to the suite leads out of the skill`
  return { name, message, help: `Replace the link by a copy of the ${type}` }
}

function findSetupFolderProblem(name: string, folder: string): RefusedInput | undefined {
  const paths = listTreeFiles(folder)
  if (readdirSync(folder).includes(RESERVED_FOLDER)) {
    const message = `The folder "${name}" next to the suite has a "${RESERVED_FOLDER}"`
    return { name, message, help: 'Rename it: this name belongs to the fake commands of a case' }
  }
  const total = paths.reduce((sum, path) => sum + statSync(join(folder, path)).size, 0)
  if (total <= MAX_SETUP_BYTES) return undefined
  const message = `The folder "${name}" next to the suite has ${total} bytes, expected at most ${MAX_SETUP_BYTES}`
  return { name, message, help: 'Remove large files, or create them in the case' }
}

function readSetupFolder(folder: string): Map<string, SetupFile> {
  return new Map(
    listTreeFiles(folder).map((path) => [path, createSetupFile(readFileSync(join(folder, path)))]),
  )
}
