import { SkillsError } from '../../errors.ts'
import { queryVersion } from './query-version.ts'
import type { Candidate } from './language.ts'
import {
  findNeededProgram,
  locateProgram,
  getSearchPath,
  type LanguageRequest,
} from './locate-program.ts'
import type { VersionAnswer } from './program-answers.ts'
import { mountProgram } from './program-mounts.ts'
import { isAtLeast } from './program-version.ts'
import { findPython } from './python.ts'
import type { ResolvedLanguage, ResolvedProgram, UnresolvedLanguage } from './resolved-language.ts'
import { resolveShim } from './shims/resolve-shim.ts'
import { listSecretPaths } from './toolchains/secret-files.ts'
import type { FoundProgram } from './trusted-program.ts'
import { listUserFolders } from './user-folders.ts'

/** The programs of a candidate, or the reasons why it cannot be used. */
type CandidateResult = ResolvedLanguage | { problems: readonly CandidateProblem[] }

interface CandidateProblem {
  text: string
  /** True if the program exists and should work: the use of another one is then reported. */
  isUnexpected: boolean
}

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
  const problems: CandidateProblem[] = []
  for (const candidate of candidates) {
    const tried = await tryCandidate(request, candidate)
    if ('kind' in tried) return { ...tried, notices: [...listNotices(problems), ...tried.notices] }
    problems.push(...tried.problems)
  }
  return describeUnresolved(
    request,
    problems.map(({ text }) => text),
  )
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
  const problems = refused.map((text) => ({ text, isUnexpected: true }))
  // A program that does not work, such as a shim without a target, must not hide one that works.
  for (const each of found) {
    const tried = candidate.isPython
      ? await tryPython(request, candidate, each)
      : await tryProgram(request, candidate, each)
    if ('kind' in tried) return { ...tried, notices: listNotices(problems) }
    problems.push(...tried.problems)
  }
  return { problems }
}

function listNotices(problems: readonly CandidateProblem[]): string[] {
  return problems.flatMap(({ text, isUnexpected }) => (isUnexpected ? [text] : []))
}

function createProblem(text: string, isUnexpected = true): { problems: CandidateProblem[] } {
  return { problems: [{ text, isUnexpected }] }
}

async function tryProgram(
  request: LanguageRequest,
  candidate: Candidate,
  found: FoundProgram,
): Promise<CandidateResult> {
  const { program, minVersion, needs = [] } = candidate
  const started = await resolveShim(request, program, found)
  if ('problem' in started) return createProblem(started.problem)
  const answer =
    minVersion === undefined
      ? { version: '' }
      : await queryCandidateVersion(request, candidate, started)
  if ('words' in answer) return createProblem(`"${found.path}" does not start: ${answer.words}`)
  const { version } = answer
  if (minVersion !== undefined && !isAtLeast(version, minVersion)) {
    return createProblem(`${program} ${version} is older than ${minVersion}`, false)
  }
  const programs = new Map<string, ResolvedProgram>()
  for (const name of [program, ...needs]) {
    const located = name === program ? started : await locateNeeded(request, name, started)
    if (!located) return createProblem(`"${name}" is missing; ${program} needs it`, false)
    if ('problem' in located) return createProblem(located.problem)
    const mounted = mountProgram({
      found: located,
      isFixed: candidate.isFixed === true,
      userFolders: [...listUserFolders(request.env), ...request.excluded],
      secretPaths: listSecretPaths(request.env),
    })
    if (!mounted) {
      return createProblem(
        `The folder of "${located.path}" contains other files: runs would see them`,
      )
    }
    programs.set(name, mounted)
  }
  const { language } = request
  return { kind: 'resolved', language, candidate, version, found, started, programs, notices: [] }
}

/** Finds a needed program; a compiler behind a shim has its own next to it. */
async function locateNeeded(
  request: LanguageRequest,
  name: string,
  started: FoundProgram,
): Promise<FoundProgram | { problem: string } | undefined> {
  const located = findNeededProgram(request, name, started)
  return located && (await resolveShim(request, name, located))
}

/** Queries the version of a candidate's program. */
export async function queryCandidateVersion(
  request: LanguageRequest,
  candidate: Candidate,
  program: FoundProgram,
): Promise<VersionAnswer> {
  const { env, answers } = request
  return await queryVersion(candidate, program, {
    searchPath: getSearchPath(request),
    env,
    answers,
  })
}

async function tryPython(
  request: LanguageRequest,
  candidate: Candidate,
  found: FoundProgram,
): Promise<CandidateResult> {
  const { language } = request
  const { path } = found
  try {
    const { executable, mounts, libraries, version, onHost } = await findPython({
      ...request,
      python: path,
    })
    const environment: Record<string, string> = libraries ? { LD_LIBRARY_PATH: libraries } : {}
    const program = { inside: executable, real: path, mounts, environment }
    const programs = new Map([[candidate.program, program]])
    const common = { language, candidate, version, found, programs }
    return { kind: 'resolved', ...common, started: onHost, notices: [] }
  } catch (error) {
    if (!(error instanceof SkillsError)) throw error
    return createProblem(error.message)
  }
}

/** Normalizes an executable name for comparison: no folders, no quotes, lower case. */
export function normalizeExecutable(executable: string): string {
  const bare = executable.trim().replace(/^"(.*)"$|^'(.*)'$/, '$1$2')
  const name = bare.replaceAll('\\', '/').split('/').at(-1) ?? ''
  return name.toLowerCase()
}

/** Normalizes an executable name and removes the `.exe` extension of Windows. */
export function normalizeAlias(executable: string): string {
  return normalizeExecutable(executable).replace(/\.exe$/, '')
}
