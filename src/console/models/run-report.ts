import type { RunRecord } from '../../core/runs/history/run-record.ts'
import { formatMs } from './durations.ts'
import { layOutPhases } from './waterfall.ts'

/** Nothing of the report is loaded, executed or sent; its style is its own. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'"

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
pre{background:#f6f7f9;padding:.5rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
table{border-collapse:collapse}th,td{padding:.2rem .6rem;text-align:left;border-bottom:1px solid #d3d8df}
svg{width:20rem;height:.6em;fill:#0b5fa5}`

/** Bounds the file: logs are text that a reader scrolls. */
const MAX_LOG_LINES = 20_000

interface RunReportParts {
  record: RunRecord
  logLines: readonly string[]
  /** Version and address of the server. */
  origin: string
}

/** One HTML file about a run, which is read without a server. All values are text. */
export function createRunReport({ record, logLines, origin }: RunReportParts): string {
  const { run_id, status, request, started_at, duration_ms, error } = record
  const title = `${request.skill ?? record.kind} ${status}`
  const cut = logLines.length - MAX_LOG_LINES
  const sections = [
    `<h1>${escapeText(title)}</h1>`,
    formatFacts([
      ['run', run_id],
      ['started', started_at],
      ['duration', duration_ms === null ? 'not over' : formatMs(duration_ms)],
      ['server', origin],
    ]),
    ...(error ? [`<h2>Error</h2><pre>${escapeText(`${error.type}: ${error.message}`)}</pre>`] : []),
    ...(record.phases ? [formatPhases(record.phases)] : []),
    `<h2>Arguments</h2>${formatReportValue(request.args)}`,
    ...(record.output ? [`<h2>Result</h2>${formatReportValue(record.output.value)}`] : []),
    `<h2>Logs</h2><pre>${escapeText(logLines.slice(0, MAX_LOG_LINES).join('\n'))}</pre>`,
    ...(cut > 0 ? [`<p>${cut} further lines are not part of this report.</p>`] : []),
    `<h2>Record</h2>${formatReportValue(record)}`,
  ]
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width"><title>${escapeText(title)}</title>
<style>${STYLE}</style></head><body>
${sections.join('\n')}
</body></html>
`
}

function formatFacts(facts: readonly (readonly [string, string])[]): string {
  const rows = facts.map(
    ([name, value]) => `<tr><th>${escapeText(name)}</th><td>${escapeText(value)}</td></tr>`,
  )
  return `<table>${rows.join('')}</table>`
}

function formatPhases(phases: readonly { name: string; ms: number }[]): string {
  const rows = layOutPhases(phases).bars.map(({ name, ms, start, width }) => {
    const bar = `<rect x="${(100 * start).toFixed(2)}" width="${Math.max(0.2, 100 * width).toFixed(2)}" height="6"/>`
    const track = `<svg viewBox="0 0 100 6" preserveAspectRatio="none">${bar}</svg>`
    return `<tr><th>${escapeText(name)}</th><td>${escapeText(formatMs(ms))}</td><td>${track}</td></tr>`
  })
  return `<h2>Phases</h2><table>${rows.join('')}</table>`
}

function formatReportValue(value: unknown): string {
  return `<pre>${escapeText(JSON.stringify(value, null, 2) ?? '')}</pre>`
}

/** Also for attributes. Characters that hide or reorder text are shown as their codes. */
export function escapeText(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(
      // oxlint-disable-next-line no-control-regex
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
}
