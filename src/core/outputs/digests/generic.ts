import type { DigestInput, Parsed } from './parser.ts'

const FIRST = 10
const AROUND = 10
const LONGEST_LINE = 200
const SAYS_WHY = /error|exception|failed|panic|fatal/i

/** What is said of output that no parser knows: why it failed, as far as a line says it. */
export function digestAnything({
  stdout,
  stderr,
  exitCode,
}: DigestInput): Parsed & { excerpt?: string } {
  if (exitCode === 0) return { ok: true, summary: 'command succeeded', failures: [] }
  const said = stderr.find((line) => line.trim() !== '' && !line.startsWith('npm warn '))
  const at = stdout.findIndex((line) => SAYS_WHY.test(line))
  const why = said ?? stdout[at] ?? stdout.findLast((line) => line.trim() !== '')
  const ended =
    exitCode === null ? 'command was ended' : `command failed with exit code ${exitCode}`
  return {
    ok: false,
    summary: ended,
    failures: [{ message: why ?? ended }],
    excerpt: excerptOf({ stdout, stderr }, at),
  }
}

/** The first lines, those around what says why, and the end of stderr: at most 30. */
function excerptOf({ stdout, stderr }: Pick<DigestInput, 'stdout' | 'stderr'>, at: number): string {
  const from = at === -1 ? stdout.length - AROUND : at - AROUND / 2
  const around = Math.max(FIRST, from)
  const tail = stderr.filter((line) => line.trim() !== '').slice(0, 8)
  const parts = [
    stdout.slice(0, FIRST),
    stdout.slice(around, Math.max(around, from + AROUND)),
    tail,
  ].filter((part) => part.length > 0)
  return parts
    .map((part) => part.map((line) => line.slice(0, LONGEST_LINE)).join('\n'))
    .join('\n…\n')
}
