import { measureWidth } from './text.ts'

const SHELL_LANGUAGES = /^(?:sh|bash|zsh|shell|console)$/
/** Languages in which an apostrophe is not a quote. */
const PROSE_LANGUAGES = /^(?:text|txt|plain|plaintext|)$/
/** Indentation of continuation lines. */
const CONTINUATION_INDENT = '  '

/**
 * Breaks wide code lines at blanks outside quotes. A pasted shell command is still valid:
 * continued lines end in a backslash, continued comments start with `#`.
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

/** Words with their leading blanks. */
function splitWords(line: string): string[] {
  return line.match(/\s*\S+/g) ?? [line]
}

/** The same, with quoted blanks as part of the word. */
function splitQuotedWords(line: string): string[] {
  return line.match(/\s*(?:'[^']*'?|"(?:[^"\\]|\\.)*"?|\\.|[^\s'"\\])+|\s+\\$/g) ?? [line]
}
