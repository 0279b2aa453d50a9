import { SkillsError } from '../../errors.ts'
import { findSkillLanguage } from '../../core/skills/manifest/skill-languages.ts'
import { getTextOption, type CommandLine } from '../command.ts'

/** How `run-code` runs code: as a function call or as a program. */
export type CodeKind = 'function' | 'program'

/** Options that apply to one of the two only, by name and flag. */
const FUNCTION_OPTIONS = {
  mount: '--mount',
  entrypoint: '--entrypoint',
  args: '--args',
  arg: '--arg',
  blob: '--blob',
  inputBlob: '--input-blob',
  secret: '--secret',
  secretsFile: '--secrets-file',
  allowNetwork: '--allow-network',
  out: '--out',
  keep: '--keep',
  watch: '--watch',
  repeat: '--repeat',
  logLevel: '--log-level',
}
const PROGRAM_OPTIONS = {
  repo: '--repo',
  cwd: '--cwd',
  stdin: '--stdin',
  outputMode: '--output-mode',
  executable: '--executable',
  query: '--query',
  maxLines: '--max-lines',
  exitCode: '--exit-code',
}

/**
 * The kind that the options imply; undefined if it depends on the code. Rejects options of both
 * kinds together.
 */
export function detectKindByOptions(call: CommandLine): CodeKind | undefined {
  const functionFlags = listUsedFlags(call, FUNCTION_OPTIONS)
  const programFlags = [
    ...listUsedFlags(call, PROGRAM_OPTIONS),
    ...(call.dashed === undefined ? [] : ['--']),
  ]
  const [first] = functionFlags
  const [other] = programFlags
  if (first !== undefined && other !== undefined) {
    const message = `${first} is for functions, ${other} for programs`
    throw new SkillsError('usage/invalid', message, { hint: 'Remove one of them' })
  }
  const kind =
    functionFlags.length > 0 ? 'function' : programFlags.length > 0 ? 'program' : undefined
  return checkLanguageKind(call, kind)
}

/** Rejects the exit code of a program whose text only defines the function to call. */
export function requireOwnExitCode(call: CommandLine, text: string): void {
  const { options } = call
  if (options['exitCode'] !== true || getTextOption(call, 'as') !== undefined) return
  const language = getTextOption(call, 'language') ?? 'python'
  if (detectKindByText(language, text) !== 'function' || CALLS_MAIN.test(text)) return
  throw new SkillsError(
    'usage/invalid',
    '--exit-code is for programs, but this code only defines the function "main", which a program does not call',
    {
      hint: 'Remove --exit-code to call the function, or add --as program to run the code as it is',
    },
  )
}

/** A statement outside of functions that uses the name. */
const CALLS_MAIN =
  /^(?!(?:async\s+)?def\b|export\b|(?:async\s+)?function\b|from\b|import\b|#|\/\/)\S.*\bmain\s*\(/m

/** With --language, code is a program unless it defines the function to call. */
export function detectKindByText(language: string, text: string): CodeKind {
  const patterns = FUNCTION_PATTERNS[language] ?? []
  const runsItself = /^if\s+__name__\s*==/m.test(text)
  return !runsItself && patterns.some((pattern) => pattern.test(text)) ? 'function' : 'program'
}

const EXPORT_PATTERNS = [
  /^export\s+(?:async\s+)?function\s+main\b/m,
  /^export\s+(?:const|let|var)\s+main\b/m,
  /^export\s*\{[^}]*\bmain\b/m,
]

const FUNCTION_PATTERNS: Readonly<Record<string, readonly RegExp[]>> = {
  python: [
    /^(?:async\s+)?def\s+main\b/m,
    /^main\s*=/m,
    /^from\s+\S+\s+import\s+(?:.*[\s,(])?main\b/m,
  ],
  node: EXPORT_PATTERNS,
  typescript: EXPORT_PATTERNS,
}

function checkLanguageKind(
  call: CommandLine,
  byOptions: CodeKind | undefined,
): CodeKind | undefined {
  const language = getTextOption(call, 'language')
  const kind = checkRequestedKind(call, byOptions)
  if (language === undefined) return kind ?? 'function'
  if (findSkillLanguage(language) !== undefined) return kind
  if (kind !== 'function') return 'program'
  const [flag = '--as function'] = listUsedFlags(call, FUNCTION_OPTIONS)
  throw new SkillsError(
    'usage/invalid',
    `${flag} is for functions, but ${language} code runs as a program only`,
    { hint: `Remove it, and pass arguments after --` },
  )
}

/** Rejects --as if other options imply the opposite. */
function checkRequestedKind(
  call: CommandLine,
  byOptions: CodeKind | undefined,
): CodeKind | undefined {
  const requestedKind = getTextOption(call, 'as') as CodeKind | undefined
  if (requestedKind === undefined || byOptions === undefined || requestedKind === byOptions) {
    return requestedKind ?? byOptions
  }
  const flags = listUsedFlags(call, byOptions === 'function' ? FUNCTION_OPTIONS : PROGRAM_OPTIONS)
  const message = `${flags[0] ?? '--'} is for a ${byOptions}, but --as is ${requestedKind}`
  throw new SkillsError('usage/invalid', message, { hint: 'Remove one of them' })
}

function listUsedFlags(
  { options }: CommandLine,
  flags: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(flags)
    .filter(([name]) => options[name] !== undefined && options[name] !== false)
    .map(([, flag]) => flag)
}
