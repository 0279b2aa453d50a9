import { SkillsError } from '../../../src/errors.ts'
import { parseTokens, type TokenBook } from '../../../src/server/auth/tokens.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectEqual, expectThat } from './expect.ts'

const TOKEN = '4f0c6b1f2a9d4e7c8b5a3d2e1f0a9b8c'

/** The file of tokens. */
export const target: FuzzTarget = {
  name: 'tokens',
  format: 'text',
  seeds: [`${TOKEN}\n`, `# people\n${TOKEN} alice read,run\n${TOKEN}x bob read\r\n`],
  words: [TOKEN, ' alice', ' read,run', ' write', '#', '\n', '\r\n', '\t', '\u00A0', '\uFEFF', 'x'],
  open: (isPlanted) => (input) => {
    const text = input.toString('utf8')
    const lines = text.split(/\r?\n/).map((line) => line.trim().split(/\s+/))
    try {
      const book = parseTokens(text, 'tokens')
      // Each look-up compares with all tokens.
      for (const line of lines.slice(0, 20)) checkLine(book, line, isPlanted)
      for (const [token = ''] of lines.slice(0, 20))
        expectEqual(book.find(`${token}x`)?.name, findName(lines, `${token}x`), 'another token')
    } catch (error) {
      if (!(error instanceof SkillsError)) throw error
      const names = new Set(lines.map(([, name]) => name))
      const tokens = lines.map(([token = '']) => token).filter((each) => !names.has(each))
      const shown = tokens.find((each) => each.length > 20 && error.message.includes(each))
      expectThat(shown === undefined || shown.startsWith('#'), 'no token is shown')
    }
  },
}

function checkLine(book: TokenBook, line: readonly string[], isPlanted: boolean): void {
  const [token = '', name, scopes] = line
  if (token === '' || token.startsWith('#')) return
  const caller = book.find(token)
  expectThat(caller !== undefined && token.length >= 16, 'each token has a caller')
  if (name !== undefined) expectEqual(caller.name, name, 'the name')
  if (scopes === undefined) return
  // The planted bug: a scope that is named twice grants another one.
  const isWrong = isPlanted && scopes.includes('read,r')
  const granted = isWrong ? [] : [...caller.scopes].sort()
  expectEqual(granted, [...new Set(scopes.split(','))].sort(), 'the scopes')
}

function findName(lines: readonly string[][], token: string): string | undefined {
  const at = lines.findIndex(([each]) => each === token)
  const count = lines
    .slice(0, at + 1)
    .filter(([each = '#']) => each !== '' && !each.startsWith('#'))
  return at === -1 ? undefined : (lines[at]?.[1] ?? `token-${count.length}`)
}
