import type { IoContext } from './context.ts'

/** ASCII for the symbols that this CLI prints. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  '→': '->',
  '…': '...',
  '✓': '+',
  '✗': 'x',
  '•': '*',
  '·': '.',
  '│': '|',
  '─': '-',
  '┌': '+',
  '┐': '+',
  '└': '+',
  '┘': '+',
  '├': '+',
  '┤': '+',
  '█': '#',
  '▓': '=',
  '▒': '-',
  '░': '.',
  '’': "'",
  '“': '"',
  '”': '"',
}
/** True if the locale is set and does not use UTF-8, such as `C`, `POSIX` or `en_US`. */
export function isAsciiLocale(env: IoContext['env']): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''
  return locale !== '' && !/utf-?8/i.test(locale)
}

/**
 * Replaces symbols in messages and on terminals by ASCII if the locale is not UTF-8. Results in a
 * pipe and bytes that programs print are unchanged.
 */
export function limitToAscii(io: IoContext): IoContext {
  if (!isAsciiLocale(io.env)) return io
  return Object.create(io, {
    stdout: { get: () => (io.stdout.isTTY === true ? replaceSymbols(io.stdout) : io.stdout) },
    stderr: { get: () => replaceSymbols(io.stderr) },
  }) as IoContext
}

function replaceSymbols<Stream extends NodeJS.WritableStream>(stream: Stream): Stream {
  const write = (chunk: string | Uint8Array, ...rest: []) =>
    stream.write(typeof chunk === 'string' ? toAscii(chunk) : chunk, ...rest)
  return new Proxy(stream, {
    get(target, key) {
      if (key === 'write') return write
      const value = Reflect.get(target, key, target) as unknown
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

function toAscii(text: string): string {
  return text.replaceAll(/[^\p{ASCII}]/gu, (symbol) => REPLACEMENTS[symbol] ?? symbol)
}
