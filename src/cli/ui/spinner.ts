import type { Context } from '../context.ts'
import type { ProgressReport } from '../../core/runs/run-call.ts'
import { formatProgress } from './progress-bar.ts'
import { measureWidth } from './text.ts'

/** Progress line of a running operation. */
export interface Spinner {
  /** Sets the state text. */
  setState(text: string): void
  /** Shows progress of the operation. */
  setProgress(report: ProgressReport): void
  /** Clears the line for other output. */
  hide(): void
  /** Shows the line again. */
  show(): void
  /** Clears the line for good. */
  stop(): void
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const ASCII_FRAMES = ['|', '/', '-', '\\']
const TICK_MS = 100
/** No spinner for shorter operations. */
const DELAY_MS = 250
const CLEAR_LINE = '\r\u001b[K'

/**
 * Starts a spinner with the elapsed time on standard error; undefined if that is not a terminal.
 */
export function startSpinner(context: Context, label: string): Spinner | undefined {
  const { stderr, env } = context
  if (stderr.isTTY !== true || env['TERM'] === 'dumb' || context.global.quiet) return undefined
  const isUnicode = supportsUnicode(env)
  const frames = isUnicode ? FRAMES : ASCII_FRAMES
  const startedAt = performance.now()
  let stateText = ''
  let progress: ProgressReport | undefined
  let isShown = true
  let isDrawn = false
  let tick = 0
  const draw = () => {
    const elapsed = performance.now() - startedAt
    if (!isShown || elapsed < DELAY_MS) return
    const frame = frames[tick++ % frames.length] ?? ''
    const room = (stderr.columns || 80) - 1
    const bar = progress && formatProgress(progress, { room: room - 2, isUnicode })
    const text = bar ?? joinFittingParts([stateText, label, formatElapsed(elapsed)], room - 2)
    stderr.write(`${CLEAR_LINE}${context.errorStyle.cyan(frame)} ${text}`)
    isDrawn = true
  }
  const hide = () => {
    isShown = false
    if (isDrawn) stderr.write(CLEAR_LINE)
    isDrawn = false
  }
  const timer = setInterval(draw, TICK_MS).unref()
  return {
    setState: (text) => void (stateText = text),
    setProgress: (report) => void (progress = report),
    hide,
    show: () => void (isShown = true),
    stop: () => {
      clearInterval(timer)
      hide()
    },
  }
}

/** Seconds, with minutes if needed: `7s`, `1m 05s`. */
export function formatElapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  if (seconds < 60) return `${seconds}s`
  return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, '0')}s`
}

/** A narrow terminal drops the first parts first: the time is the part that changes. */
function joinFittingParts(parts: readonly string[], room: number): string {
  for (let from = 0; from < parts.length; from++) {
    const text = parts.slice(from).filter(Boolean).join(' ')
    if (measureWidth(text) <= room) return text
  }
  return ''
}

function supportsUnicode(env: Context['env']): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''
  return /utf-?8/i.test(locale)
}
