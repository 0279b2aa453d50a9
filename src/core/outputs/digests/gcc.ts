import { formatQuantity, matchLines, type DigestParser } from './parser.ts'

const PROBLEM = /^([^\s:][^:]*):(\d+)(?::\d+)?: (fatal error|error|warning): (.*)$/
const LINKER = /^(?:.*\/ld(?:\.\w+)?: )?(\S+?):\(\S+\): (undefined reference to .*)$/
const TOOL = /^(?:gcc|g\+\+|cc|c\+\+|clang(?:\+\+)?|cc1(?:plus)?): (?:fatal )?error: (.*)$/
const SOURCE = /\.(?:c|cc|cpp|cxx|h|hpp|hh|m|mm)$/i

/** GCC, Clang and their linker. */
export const gccParser: DigestParser = {
  kind: 'gcc',
  command: /(?:^|[\s/])(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(?:-\d+)?(?:\s|$)/,
  looksLike: (lines) =>
    matchLines(lines, PROBLEM).some(([, file = '']) => SOURCE.test(file)) ||
    lines.some((line) => LINKER.test(line)),
  parse({ all, exitCode }) {
    const found = matchLines(all, PROBLEM).map(([, file = '', line, severity, message = '']) => ({
      isError: severity !== 'warning',
      failure: { file, line: Number(line), message },
    }))
    const linker = matchLines(all, LINKER).map(([, file = '', message = '']) => ({ file, message }))
    const tool = matchLines(all, TOOL).map(([, message = '']) => ({ message }))
    const errors = found.filter(({ isError }) => isError).map(({ failure }) => failure)
    const failures = [...errors, ...linker, ...tool]
    const warnings = found.length - errors.length
    if (failures.length === 0 && exitCode !== 0) return undefined
    const parts = [
      ...(failures.length > 0 ? [formatQuantity(failures.length, 'error')] : []),
      ...(warnings > 0 ? [formatQuantity(warnings, 'warning')] : []),
    ]
    return { ok: failures.length === 0, summary: parts.join(', ') || 'no errors', failures }
  },
}
