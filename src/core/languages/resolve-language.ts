import { SkillsError } from '../../errors.ts'
import { queryProgram } from './query-program.ts'
import { queryVersion } from './query-version.ts'
import { normalizeAlias } from './executable-name.ts'
import type { Candidate } from './language.ts'
import {
  findNeededProgram,
  locateProgram,
  getSearchPath,
  type LanguageRequest,
} from './locate-program.ts'
import { mountProgram } from './program-mounts.ts'
import { isAtLeast } from './program-version.ts'
import { findPython } from './python.ts'
import type { ResolvedLanguage, ResolvedProgram, UnresolvedLanguage } from './resolved-language.ts'
import { checkProgram, type FoundProgram } from './trusted-program.ts'
import { listUserFolders } from './user-folders.ts'

/** The programs of a candidate, or the reasons why it cannot be used. */
type CandidateResult = ResolvedLanguage | { problems: readonly string[] }

/** Finds the program that runs a language: the first installed candidate, or the requested one. */
export async function resolveLanguage(
  request: LanguageRequest,
): Promise<ResolvedLanguage | UnresolvedLanguage> {
  const { language, executable } = request
  const alias = executable === undefined ? undefined : normalizeAlias(executable)
  if (alias !== undefined && !language.aliases.includes(alias)) {
    const sentence = `Executable "${executable}" is not compatible with runtime "${language.name}"`
    return { kind: 'mismatch', sentence: `${sentence}; it takes ${language.aliases.join(', ')}` }
  }
  if (executable !== undefined && /[/\\]/.test(executable) && !executable.startsWith('/')) {
    const sentence = `Executable "${executable}" is a relative path, which could name an untrusted file`
    return { kind: 'untrusted', sentence: `${sentence}; give a name or an absolute path` }
  }
  const candidates = language.candidates.filter(
    ({ program }) => alias === undefined || program.toLowerCase() === alias,
  )
  const problems: string[] = []
  for (const candidate of candidates) {
    const tried = await tryCandidate(request, candidate)
    if ('kind' in tried) return tried
    problems.push(...tried.problems)
  }
  return describeUnresolved(request, problems)
}

function describeUnresolved(
  { language, executable }: LanguageRequest,
  problems: readonly string[],
): UnresolvedLanguage {
  if (executable !== undefined && problems.length > 0) {
    const sentence = `Executable "${executable}" is not started: ${problems.join('; ')}`
    return { kind: 'untrusted', sentence }
  }
  const { install, title } = language
  if (executable !== undefined) {
    const sentence = `Executable "${executable}" is not installed: leave it out, or install ${install}`
    return { kind: 'missing', sentence, hint: 'Leave the executable out', tried: [executable] }
  }
  const tried = language.candidates.map(({ program }) => program)
  const searched = `looked for ${tried.join(', ')}`
  const details = problems.length === 0 ? searched : `${searched}; ${problems.join('; ')}`
  return {
    kind: 'missing',
    sentence: `${title} is not installed (${details}): install ${install}`,
    hint: `Install ${install}, then type "skills doctor" to check`,
    tried,
  }
}

async function tryCandidate(
  request: LanguageRequest,
  candidate: Candidate,
): Promise<CandidateResult> {
  const { found, refused } = locateProgram(request, candidate)
  const problems = [...refused]
  // A program that does not work, such as a shim without a target, must not hide one that works.
  for (const each of found) {
    const tried = candidate.isPython
      ? await tryPython(request, candidate, each)
      : await tryProgram(request, candidate, each)
    if ('kind' in tried) return tried
    problems.push(...tried.problems)
  }
  return { problems }
}

async function tryProgram(
  request: LanguageRequest,
  candidate: Candidate,
  found: FoundProgram,
): Promise<CandidateResult> {
  const version =
    candidate.minVersion === undefined ? '' : await queryCandidateVersion(request, candidate, found)
  if (version === undefined) return { problems: [`"${candidate.program}" does not start`] }
  if (candidate.minVersion !== undefined && !isAtLeast(version, candidate.minVersion)) {
    return { problems: [`${candidate.program} ${version} is older than ${candidate.minVersion}`] }
  }
  const programs = new Map<string, ResolvedProgram>()
  const hiddenFolders = [...listUserFolders(request.env), ...request.excluded]
  for (const name of [candidate.program, ...(candidate.needs ?? [])]) {
    const isMain = name === candidate.program
    const located = isMain
      ? await resolveShim(request, candidate, found)
      : findNeededProgram(request, name, found)
    if (!located && isMain) return { problems: [`"${found.path}" does not report its path`] }
    if (!located) return { problems: [`"${name}" is missing; ${candidate.program} needs it`] }
    const program = mountProgram({
      found: located,
      isFixed: candidate.isFixed === true,
      userFolders: hiddenFolders,
    })
    if (!program) {
      return {
        problems: [`The folder of "${located.path}" contains other files: runs would see them`],
      }
    }
    programs.set(name, program)
  }
  return { kind: 'resolved', language: request.language, candidate, version, found, programs }
}

/** Queries the version of a candidate's program. Undefined if the program does not start. */
export async function queryCandidateVersion(
  request: LanguageRequest,
  candidate: Candidate,
  found: FoundProgram,
): Promise<string | undefined> {
  const { env, answers } = request
  return await queryVersion(candidate, found, {
    searchPath: getSearchPath(request),
    home: env['HOME'],
    answers,
  })
}

/** Finds the real program: outside /usr, the path may be a shim. */
async function resolveShim(
  request: LanguageRequest,
  { pathQuery: query }: Candidate,
  found: FoundProgram,
): Promise<FoundProgram | undefined> {
  if (!query || found.real.startsWith('/usr/')) return found
  const context = { searchPath: getSearchPath(request), home: request.env['HOME'] }
  const answer = await queryProgram(found.path, query.args, context)
  if (answer === undefined) return undefined
  const path = query.program(answer)
  if (!path.startsWith('/')) return undefined
  const checked = checkProgram(path, request.excluded)
  return 'real' in checked ? { path, real: checked.real } : undefined
}

async function tryPython(
  request: LanguageRequest,
  candidate: Candidate,
  located: FoundProgram,
): Promise<CandidateResult> {
  const { language } = request
  const { path } = located
  try {
    const found = await findPython({ ...request, python: path })
    const { executable: inside, mounts, libraries, version } = found
    const environment: Record<string, string> = libraries ? { LD_LIBRARY_PATH: libraries } : {}
    const program = { inside, real: path, mounts, environment }
    const programs = new Map([[candidate.program, program]])
    return { kind: 'resolved', language, candidate, version, found: located, programs }
  } catch (error) {
    if (!(error instanceof SkillsError)) throw error
    return { problems: [error.message] }
  }
}
