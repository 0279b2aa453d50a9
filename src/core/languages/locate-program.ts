import { basename, dirname } from 'node:path'
import { isExecutableFile } from '../../util/find-program.ts'
import type { ModulesToCompile } from './query-python.ts'
import type { Candidate, Language } from './language.ts'
import type { ProgramAnswers } from './program-answers.ts'
import {
  checkProgram,
  searchProgram,
  type FoundProgram,
  type ProgramSearch,
} from './trusted-program.ts'

/** The language to find, and where to search. */
export interface LanguageRequest {
  language: Language
  /** The program that the caller prefers: a name, or an absolute path. */
  executable?: string | undefined
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  /** Project folders. Nothing in them is started. */
  excluded: readonly string[]
  /** The interpreter of Python skills, if the configuration names one. */
  python: string | undefined
  answers: ProgramAnswers
  /** Modules to compile while Python is queried for its version. */
  modules?: ModulesToCompile | undefined
}

/** Searches the program of a candidate by its path, or by its name in PATH. */
export function locateProgram(
  request: LanguageRequest,
  { program, isPython }: Pick<Candidate, 'program' | 'isPython'>,
): ProgramSearch {
  const { executable, python, excluded } = request
  if (executable?.startsWith('/')) return checkProgramPath(executable, excluded)
  if (isPython && executable === undefined && python?.startsWith('/')) {
    return checkProgramPath(python, excluded)
  }
  const search = searchProgram(program, { searchPath: getSearchPath(request), excluded })
  const isOther = program !== 'node' || basename(process.execPath) !== 'node'
  if (search.found.length > 0 || isOther) return search
  // The process itself runs in Node, so one is always available.
  return checkProgramPath(process.execPath, excluded)
}

function checkProgramPath(path: string, excluded: readonly string[]): ProgramSearch {
  if (!isExecutableFile(path)) return { found: [], refused: [] }
  const checked = checkProgram(path, excluded)
  return 'real' in checked
    ? { found: [{ path, real: checked.real }], refused: [] }
    : { found: [], refused: [checked.problem] }
}

/** Finds a program that another one needs, in PATH or in the folder of the other. */
export function findNeededProgram(
  request: LanguageRequest,
  name: string,
  { path, real }: FoundProgram,
): FoundProgram | undefined {
  if (name === 'node') {
    return locateProgram({ ...request, executable: undefined }, { program: name }).found[0]
  }
  const searchPath = [getSearchPath(request), dirname(path), dirname(real)].join(':')
  return searchProgram(name, { searchPath, excluded: request.excluded }).found[0]
}

const DEFAULT_SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin'

/** Returns the folders to search for programs. */
export function getSearchPath({ env }: Pick<LanguageRequest, 'env'>): string {
  return env['PATH'] || DEFAULT_SEARCH_PATH
}
