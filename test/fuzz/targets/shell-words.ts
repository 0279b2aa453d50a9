import { spawnSync } from 'node:child_process'
import {
  NotPlainCommandError,
  readSegments,
} from '../../../src/core/workspaces/commands/shell-words.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectEqual, expectThat } from './expect.ts'

/** Command lines that command lists are applied to. */
export const target: FuzzTarget = {
  name: 'shell-words',
  format: 'text',
  seeds: ["git log --oneline 'a b' | head -5", 'npm test && echo "done \\"x\\""; ls', 'a\\ b c'],
  words: ['|', '||', '&&', ';', '&', "'", '"', '\\', '$(', '`', '$', '<', '>', '(', '{', '{}', '*'],
  open(isPlanted) {
    let executions = 0
    return (input) => {
      const line = input.toString('utf8')
      const segments = read(line)
      if (!segments) return
      const words = segments.flat()
      expectThat(
        segments.every(({ length }) => length > 0),
        'no command is empty',
      )
      // Quoting each word again gives the same words.
      const quoted = segments.map((each) => each.map(quote).join(' ')).join(' ; ')
      // The planted bug: the backslash of a double-quoted text is lost.
      const texts = words.map((text) => (isPlanted ? text.replaceAll('\\', '') : text))
      if (quoted.length < 8192) expectEqual(read(quoted)?.flat(), texts, 'the words')
      executions += 1
      if (segments.length === 1 && executions % 400 === 0) compareWithShell(line, words)
    }
  },
}

function read(line: string): string[][] | undefined {
  try {
    return readSegments(line).map((each) => each.map(({ text }) => text))
  } catch (error) {
    if (error instanceof NotPlainCommandError) return undefined
    throw error
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Bash splits a line of one plain command into the same words; nothing is executed. */
function compareWithShell(line: string, words: readonly string[]): void {
  if (/[^ -~]/.test(line)) return
  const script = `set -f; printf '%s\\0' ${line}`
  const { stdout, status } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' })
  expectEqual(status === 0 ? stdout.split('\0').slice(0, -1) : 'failed', words, 'the words of bash')
}
