import type { DigestInput, ParsedOutput } from './parser.ts'

const HEAD_LINES = 10
const CONTEXT_LINES = 10
const MAX_LINE_LENGTH = 200
/** A place in a file may come first. */
const NAMED_ERROR = /^(?:Uncaught )?(?:\w+\.)*\w*(?:Error|Exception)(?: \[\w+\])?: \S/
const ERROR_LINE = /error|exception|failed|panic|fatal/i

/** Summarizes output that no parser recognized: the first line that names a reason. */
export function digestGeneric({
  stdout,
  stderr,
  exitCode,
}: DigestInput): ParsedOutput & { excerpt?: string } {
  if (exitCode === 0) return { ok: true, summary: 'command succeeded', failures: [] }
  const spoken = stderr.filter((line) => line.trim() !== '' && !line.startsWith('npm warn '))
  const stderrLine = spoken.find((line) => NAMED_ERROR.test(line)) ?? spoken[0]
  const at = stdout.findIndex((line) => ERROR_LINE.test(line))
  const reason = stderrLine ?? stdout[at] ?? stdout.findLast((line) => line.trim() !== '')
  const outcome =
    exitCode === null ? 'command was ended' : `command failed with exit code ${exitCode}`
  return {
    ok: false,
    summary: outcome,
    failures: [{ message: reason ?? outcome }],
    excerpt: selectExcerpt({ stdout, stderr }, at),
  }
}

/**
 * The first lines, those around the line that names the reason, and the first lines of stderr: at
 * most 30.
 */
function selectExcerpt(
  { stdout, stderr }: Pick<DigestInput, 'stdout' | 'stderr'>,
  at: number,
): string {
  const from = at === -1 ? stdout.length - CONTEXT_LINES : at - CONTEXT_LINES / 2
  const around = Math.max(HEAD_LINES, from)
  const tail = stderr.filter((line) => line.trim() !== '').slice(0, 8)
  const parts = [
    stdout.slice(0, HEAD_LINES),
    stdout.slice(around, Math.max(around, from + CONTEXT_LINES)),
    tail,
  ].filter((part) => part.length > 0)
  return parts
    .map((part) => part.map((line) => line.slice(0, MAX_LINE_LENGTH)).join('\n'))
    .join('\n…\n')
}
