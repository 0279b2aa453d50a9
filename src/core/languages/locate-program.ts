import { basename, dirname } from 'node:path'
import { isProgram } from '../../util/find-program.ts'
import type { Modules } from './ask-python.ts'
import type { Candidate, Language } from './language.ts'
import type { ProgramAnswers } from './program-answers.ts'
import { checkProgram, searchProgram, type FoundProgram, type Search } from './trusted-program.ts'

/** What is to be found, and where. */
export interface LanguageRequest {
  language: Language
  /** A program that the caller prefers: a name, or an absolute path. */
  executable?: string | undefined
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  /** Folders that are worked on: nothing in them is ever started. */
  excluded: readonly string[]
  /** The interpreter of Python skills, where the configuration names one. */
  python: string | undefined
  answers: ProgramAnswers
  /** Compiled while Python is asked for its version. */
  modules?: Modules | undefined
}

/** Where a candidate's program is: by its path, or by its name in PATH. */
export function locate(
  request: LanguageRequest,
  { program, isPython }: Pick<Candidate, 'program' | 'isPython'>,
): Search {
  const { executable, python, excluded } = request
  if (executable?.startsWith('/')) return locatePath(executable, excluded)
  if (isPython && executable === undefined && python?.startsWith('/')) {
    return locatePath(python, excluded)
  }
  const search = searchProgram(program, { searchPath: searchPathOf(request), excluded })
  const isOther = program !== 'node' || basename(process.execPath) !== 'node'
  if (search.found.length > 0 || isOther) return search
  // Whoever runs this has a Node, wherever it is.
  return locatePath(process.execPath, excluded)
}

function locatePath(path: string, excluded: readonly string[]): Search {
  if (!isProgram(path)) return { found: [], refused: [] }
  const checked = checkProgram(path, excluded)
  return 'real' in checked
    ? { found: [{ path, real: checked.real }], refused: [] }
    : { found: [], refused: [checked.problem] }
}

/** A program that another one needs: in PATH, or in the same folder. */
export function beside(
  request: LanguageRequest,
  name: string,
  { path, real }: FoundProgram,
): FoundProgram | undefined {
  if (name === 'node') {
    return locate({ ...request, executable: undefined }, { program: name }).found[0]
  }
  const searchPath = [searchPathOf(request), dirname(path), dirname(real)].join(':')
  return searchProgram(name, { searchPath, excluded: request.excluded }).found[0]
}

const DEFAULT_SEARCH = '/usr/local/bin:/usr/bin:/bin'

/** The folders that programs are looked for in. */
export function searchPathOf({ env }: Pick<LanguageRequest, 'env'>): string {
  return env['PATH'] || DEFAULT_SEARCH
}
