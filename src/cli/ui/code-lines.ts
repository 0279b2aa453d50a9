import { widthOf } from './text.ts'

const SHELL = /^(?:sh|bash|zsh|shell|console)$/
/** Languages in which an apostrophe is one. */
const PROSE = /^(?:text|txt|plain|plaintext|)$/
/** How far the rest of a broken line stands in. */
const INDENT = '  '

/**
 * Breaks lines of code that are too wide at blanks outside of quotes. A command of a shell stays one
 * that can be pasted: its lines end in a backslash, those of a comment begin with a mark.
 */
export function wrapCode(
  code: string,
  { language, columns }: { language: string; columns: number },
): string[] {
  const isShell = SHELL.test(language)
  return code.split('\n').flatMap((line) => {
    if (widthOf(line) <= columns) return [line]
    if (isShell && /^\s*#/.test(line)) {
      return breakLine(words(line), { columns, end: '', begin: '# ' })
    }
    const parts = PROSE.test(language) ? words(line) : quotedWords(line)
    return breakLine(parts, { columns, end: isShell ? ' \\' : '', begin: INDENT })
  })
}

function breakLine(
  parts: readonly string[],
  { columns, end, begin }: { columns: number; end: string; begin: string },
): string[] {
  const indent = /^\s*/.exec(parts[0] ?? '')?.[0] ?? ''
  const lines: string[] = []
  let line = parts[0] ?? ''
  for (const part of parts.slice(1)) {
    if (widthOf(line) + widthOf(part) + end.length <= columns) line += part
    else {
      lines.push(line.trimEnd() + end)
      line = indent + begin + part.trimStart()
    }
  }
  return [...lines, line]
}

/** Words with the blanks in front of them. */
function words(line: string): string[] {
  return line.match(/\s*\S+/g) ?? [line]
}

/** The same, with quoted blanks as part of their word. */
function quotedWords(line: string): string[] {
  return line.match(/\s*(?:'[^']*'?|"(?:[^"\\]|\\.)*"?|\\.|[^\s'"\\])+|\s+\\$/g) ?? [line]
}
