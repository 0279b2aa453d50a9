import { measureWidth } from './text.ts'

const SHELL_LANGUAGES = /^(?:sh|bash|zsh|shell|console)$/
/** Languages in which an apostrophe is one. */
const PROSE_LANGUAGES = /^(?:text|txt|plain|plaintext|)$/
/** How far the rest of a broken line stands in. */
const CONTINUATION_INDENT = '  '

/**
 * Breaks lines of code that are too wide at blanks outside of quotes. A command of a shell stays one
 * that can be pasted: its lines end in a backslash, those of a comment begin with a mark.
 */
export function wrapCode(
  code: string,
  { language, columns }: { language: string; columns: number },
): string[] {
  const isShell = SHELL_LANGUAGES.test(language)
  return code.split('\n').flatMap((line) => {
    if (measureWidth(line) <= columns) return [line]
    if (isShell && /^\s*#/.test(line)) {
      return breakLine(splitWords(line), { columns, end: '', begin: '# ' })
    }
    const parts = PROSE_LANGUAGES.test(language) ? splitWords(line) : splitQuotedWords(line)
    return breakLine(parts, { columns, end: isShell ? ' \\' : '', begin: CONTINUATION_INDENT })
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
    if (measureWidth(line) + measureWidth(part) + end.length <= columns) line += part
    else {
      lines.push(line.trimEnd() + end)
      line = indent + begin + part.trimStart()
    }
  }
  return [...lines, line]
}

/** Words with the blanks in front of them. */
function splitWords(line: string): string[] {
  return line.match(/\s*\S+/g) ?? [line]
}

/** The same, with quoted blanks as part of their word. */
function splitQuotedWords(line: string): string[] {
  return line.match(/\s*(?:'[^']*'?|"(?:[^"\\]|\\.)*"?|\\.|[^\s'"\\])+|\s+\\$/g) ?? [line]
}
