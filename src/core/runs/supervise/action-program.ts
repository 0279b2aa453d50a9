import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import type { Config } from '../../config/config.ts'
import { resolveLanguageLimits } from '../../languages/language-limits.ts'
import { buildToolEnvironment, listToolMounts } from '../../languages/tool-mounts.ts'
import { getLanguage } from '../../languages/index.ts'
import type { Language, ToolMount } from '../../languages/language.ts'
import { resolveLanguage } from '../../languages/resolve-language.ts'
import type { ResolvedLanguage } from '../../languages/resolved-language.ts'
import {
  buildTypeScriptLoaderArgs,
  listTypeScriptMounts,
} from '../../languages/typescript-loader.ts'
import type { ProgramAnswers } from '../../languages/program-answers.ts'
import type { SkillLanguageName } from '../../skills/manifest/skill-languages.ts'
import type { Limits } from '../../sandbox/backend.ts'

const require = createRequire(import.meta.url)

/** The program that runs an action in a language other than Python. */
export interface ActionProgram {
  /** The argv in front of the harness's arguments; paths inside the sandbox. */
  argv: readonly string[]
  environment: Readonly<Record<string, string>>
  tools: readonly ToolMount[]
}

interface ActionProgramRequest {
  language: Exclude<SkillLanguageName, 'python'>
  /** The working directory for finding programs. */
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  /** Folders of skills and projects. Nothing in them is started on the host. */
  excluded: readonly string[]
  answers: ProgramAnswers
  limits: Pick<Limits, 'memoryBytes'>
  /** True if nothing is mounted: paths inside equal those of the host. */
  onHost: boolean
  /** True for the interpreter of a kernel instead of one call. */
  isKernel: boolean
}

const KERNEL_PATH = '/guest/node_modules/runtime/kernel.mjs'
/** Path inside of the parser for imports in cells. */
const PARSER_TARGET = '/acorn'
const HARNESS_PATH = '/guest/node_modules/runtime/harness.mjs'

/** Finds the program. Throws with the package to install. */
export async function findActionProgram(request: ActionProgramRequest): Promise<ActionProgram> {
  const resolved = await resolveActionLanguage(request)
  const { candidate, programs } = resolved
  const program = programs.get(candidate.program)
  const executable = (request.onHost ? program?.real : program?.inside) ?? candidate.program
  const { onHost } = request
  const isTypeScript = request.language === 'typescript'
  const ofNode = [
    // The heap may grow to the memory limit, so that the limit of the kernel is the one reported.
    `--max-old-space-size=${Math.max(64, Math.floor(request.limits.memoryBytes / 1024 ** 2))}`,
    ...(isTypeScript ? buildTypeScriptLoaderArgs({ onHost }) : []),
    request.isKernel ? KERNEL_PATH : HARNESS_PATH,
  ]
  const isShell = request.language === 'shell'
  return {
    argv: [executable, ...(isShell ? ['--noprofile', '--norc'] : ofNode)],
    environment: buildToolEnvironment(resolved),
    tools: [
      ...listToolMounts(resolved),
      ...(isTypeScript ? listTypeScriptMounts() : []),
      ...(request.isKernel ? [{ source: findParserFolder(), target: PARSER_TARGET }] : []),
    ],
  }
}

function findParserFolder(): string {
  return dirname(realpathSync(require.resolve('acorn')))
}

/** Resolves only the programs that the harness supports. */
async function resolveActionLanguage(request: ActionProgramRequest): Promise<ResolvedLanguage> {
  const { language: name } = request
  const programName = name === 'shell' ? 'bash' : 'node'
  const base = getLanguage(name === 'shell' ? 'shell' : 'node')
  const candidates = base.candidates.filter(({ program }) => program === programName)
  const install = name === 'shell' ? 'bash (package "bash")' : 'Node.js (package "nodejs")'
  const language: Language = { ...base, candidates, install }
  const resolved = await resolveLanguage({ ...request, python: undefined, language })
  if (resolved.kind === 'resolved') return resolved
  throw new SkillsError('language/not-installed', resolved.sentence, {
    hint: resolved.kind === 'missing' ? resolved.hint : undefined,
    data: { language: name, install },
  })
}

/** Raises limits for languages that need more than Python. */
export function resolveActionLimits(
  language: SkillLanguageName,
  limits: Config['run']['limits'],
): Config['run']['limits'] {
  return { ...limits, ...resolveLanguageLimits(limits, getLanguage(language).limits) }
}
