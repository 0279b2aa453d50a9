import { useState } from 'preact/hooks'
import type { CallerRun } from '../../core/methods/run-view.ts'
import { formatDuration } from '../../util/quantity.ts'
import { toPrintableLines } from '../../util/printable.ts'
import { callMethod } from '../app/api.ts'
import { Link } from '../app/link.tsx'
import { useShortcuts } from '../app/shortcuts.ts'
import { useRun } from '../app/runs/use-run.ts'
import { ErrorMessage } from './error-message.tsx'
import { JsonView } from './json-view.tsx'
import { Status } from './status.tsx'
import { Time } from './time.tsx'

/** A run that the page started, or one of its address: state, logs and result. */
export function RunPanel({ runId }: { runId: string }) {
  const { view, logs, droppedLogs, error } = useRun(runId)
  const result = (view?.result as { output?: unknown } | undefined) ?? undefined
  return (
    <section aria-label="Run" class="run-panel">
      <header>
        {view && <RunState view={view} />}
        <Link to={`/runs/${runId}`}>
          <code>{runId.slice(0, 12)}</code>
        </Link>
        {view?.status === 'running' && <CancelButton runId={runId} />}
      </header>
      {error !== undefined && <ErrorMessage error={error} />}
      {view?.error && (
        <div class="error" role="alert">
          <p>
            {view.error.type}: {toPrintableLines(view.error.message)}
          </p>
        </div>
      )}
      <RunLogs logs={logs} dropped={droppedLogs} />
      {result !== undefined && (
        <>
          <h3>Result</h3>
          <JsonView value={result.output ?? result} />
        </>
      )}
    </section>
  )
}

/** Status, time and duration of a run. */
function RunState({ view }: { view: CallerRun }) {
  return (
    <>
      <Status value={view.status} />
      <Time at={view.started_at} />
      {view.duration_ms !== null && <span>{formatDuration(view.duration_ms)}</span>}
    </>
  )
}

function RunLogs({ logs, dropped }: { logs: string; dropped: number }) {
  return (
    <>
      <h3>Logs</h3>
      {dropped > 0 && <p class="muted">{dropped} earlier characters are on the page of the run.</p>}
      <pre class="run-logs" role="log" aria-label="Logs" tabIndex={0}>
        {logs === '' ? <span class="muted">Nothing yet</span> : toPrintableLines(logs)}
      </pre>
    </>
  )
}

function CancelButton({ runId }: { runId: string }) {
  const [error, setError] = useState<unknown>()
  const [isSent, setSent] = useState(false)
  const cancel = () => {
    setSent(true)
    callMethod('runs', { action: 'cancel', run_id: runId }).catch((thrown: unknown) => {
      setSent(false)
      setError(thrown)
    })
  }
  useShortcuts([{ keys: '.', isCommand: true, label: 'Cancel the run', run: cancel }])
  return (
    <>
      <button type="button" onClick={cancel} disabled={isSent} aria-keyshortcuts="Control+. Meta+.">
        {isSent ? 'Cancelling' : 'Cancel'}
      </button>
      {error !== undefined && <ErrorMessage error={error} />}
    </>
  )
}
