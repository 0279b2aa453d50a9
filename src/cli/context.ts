import { createRequire } from 'node:module'
import type { ChalkInstance } from 'chalk'
import type { ScopedExit } from '../core/host-programs/systemd-scope.ts'
import type { Sandboxes } from '../core/sandbox/sandboxes.ts'
import { once } from '../util/once.ts'
import { wrapLines } from './ui/text.ts'

/** Streams, working directory and environment of one invocation; tests pass their own. */
export interface IoContext {
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number }
  stderr: NodeJS.WritableStream & { isTTY?: boolean; columns?: number }
  /** Aborted by SIGINT and SIGTERM. */
  signal: AbortSignal
  /**
   * Lets the command handle the end: the first signal only aborts, and the command's exit code
   * counts.
   */
  handleInterruption?(): void
  /**
   * Starts this command line again in a scope of systemd; absent if this process is in one, or needs
   * none.
   */
  startInScope?(): Promise<ScopedExit>
  /** True on Linux for a user other than root, who may need a scope for control groups. */
  mayNeedScope?: boolean
  /** Sandboxes that the caller keeps ready for several command lines. */
  sandboxes?: Sandboxes
  /** Calls a listener on SIGHUP, which otherwise ends the process. */
  handleReload?(listener: () => void): void
}

export interface GlobalOptions {
  json: boolean
  root: readonly string[]
  config: string | undefined
  noConfig: boolean
  color: boolean | undefined
  quiet: boolean
  debug: boolean
}

/** Context of a command: its io and its output functions. */
export interface Context extends IoContext {
  global: GlobalOptions
  /** Colours for standard output. */
  style: ChalkInstance
  /** Colours for standard error. */
  errorStyle: ChalkInstance
  /** True if prompts and spinners are allowed: both ends are a terminal. */
  isInteractive: boolean
  /** Width of standard output; 80 if unknown. */
  columns: number
  /** Writes text and a line feed to standard output. */
  print(text: string): void
  /** Writes the single JSON document of this call. */
  document(schema: string, value: object): void
  /** Writes a notice to standard error, unless --quiet. */
  note(text: string): void
  /** The same, but the same text only once in a call. */
  noteOnce(text: string): void
}

/** Builds the context of one call. Streams and colours are evaluated on first use. */
export function createContext(io: IoContext, global: GlobalOptions): Context {
  const noted = new Set<string>()
  return Object.create(io, {
    global: { value: global },
    style: { get: () => loadStyle(resolveColorLevel(io, global, io.stdout)) },
    errorStyle: { get: () => loadStyle(resolveColorLevel(io, global, io.stderr)) },
    isInteractive: {
      get: () =>
        io.stdin.isTTY === true &&
        io.stderr.isTTY === true &&
        io.env['TERM'] !== 'dumb' &&
        !io.env['CI'] &&
        !global.json,
    },
    columns: { get: () => getTerminalColumns(io) },
    print: { value: (text: string) => void io.stdout.write(`${text}\n`) },
    document: {
      value: (schema: string, value: object) =>
        void io.stdout.write(`${JSON.stringify({ schema, ...value }, null, 2)}\n`),
    },
    note: {
      value: (text: string) => {
        if (!global.quiet) io.stderr.write(`${wrapForTerminal(text, io.stderr)}\n`)
      },
    },
    noteOnce: {
      value(this: Context, text: string) {
        if (!noted.has(text)) this.note(text)
        noted.add(text)
      },
    },
  }) as Context
}

/**
 * Wraps text for a terminal, which would break within words. For other readers, lines are not
 * wrapped.
 */
export function wrapForTerminal(
  text: string,
  stream: { isTTY?: boolean; columns?: number },
): string {
  return stream.isTTY === true && stream.columns ? wrapLines(text, stream.columns) : text
}

const require = createRequire(import.meta.url)

/** Colour functions by level; level 0 does not load chalk. */
const STYLES = ([0, 1, 2, 3] as const).map((level) =>
  once(() => {
    if (level === 0) return PLAIN_STYLE
    const { Chalk } = require('chalk') as typeof import('chalk')
    return new Chalk({ level })
  }),
)

function loadStyle(level: 0 | 1 | 2 | 3): ChalkInstance {
  return STYLES[level]?.() ?? PLAIN_STYLE
}

/** Returns the text unchanged for every style. */
const PLAIN_STYLE: ChalkInstance = new Proxy((...texts: unknown[]) => texts.join(' '), {
  get: () => PLAIN_STYLE,
}) as unknown as ChalkInstance

function getTerminalColumns(io: IoContext): number {
  const columnsVariable = Number(io.env['COLUMNS'])
  if (io.stdout.columns) return io.stdout.columns
  return Number.isInteger(columnsVariable) && columnsVariable > 0 ? columnsVariable : 80
}

/** Precedence: flag, then FORCE_COLOR, then NO_COLOR, then the terminal, as in Node. */
export function resolveColorLevel(
  io: Pick<IoContext, 'env'>,
  global: Pick<GlobalOptions, 'color'>,
  stream: { isTTY?: boolean },
): 0 | 1 | 2 | 3 {
  if (global.color === false) return 0
  if (global.color === true) return 1
  const { NO_COLOR, FORCE_COLOR, TERM, COLORTERM } = io.env
  if (FORCE_COLOR !== undefined) return parseForcedLevel(FORCE_COLOR)
  if (NO_COLOR || TERM === 'dumb' || stream.isTTY !== true) return 0
  if (COLORTERM === 'truecolor') return 3
  return TERM?.includes('256') ? 2 : 1
}

function parseForcedLevel(value: string): 0 | 1 | 2 | 3 {
  if (value === '0' || value === 'false') return 0
  return value === '2' ? 2 : value === '3' ? 3 : 1
}
