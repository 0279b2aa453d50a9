import { useState } from 'preact/hooks'
import { callMethod } from '../../app/api.ts'
import { Link } from '../../app/link.tsx'
import { openPath } from '../../app/location.ts'
import { startCall } from '../../app/runs/start-call.ts'
import { useShortcuts, type Shortcut } from '../../app/shortcuts.ts'
import type { LoadedRun } from '../../app/runs/use-run-record.ts'
import { CopyCall } from '../../components/copy-call.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { readCall, type SkillCall } from '../../models/copy-call.ts'
import type { LogLines } from '../../models/log-lines.ts'
import { createRunReport } from '../../models/run-report.ts'
import { saveFile } from '../../app/save-file.ts'

interface RunActionsProps {
  found: LoadedRun
  record: NonNullable<LoadedRun['record']>
  log: LogLines
}

/** Run again, run again with changes, cancel, copy, and a report as one file. */
export function RunActions({ found, record, log }: RunActionsProps) {
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const call = readCall(record)
  const isRunning = found.status === 'running'
  const perform = (work: () => Promise<void>) => {
    setBusy(true)
    setError(undefined)
    work()
      .catch(setError)
      .finally(() => setBusy(false))
  }
  const rerun = () => {
    if (call) perform(async () => openPath(`/runs/${await startCall(call)}`))
  }
  const cancel = () =>
    perform(async () => void (await callMethod('runs', { action: 'cancel', run_id: found.run_id })))
  const edit = `/skills/${encodeURIComponent(record.request.skill ?? '')}?tab=run&from=${found.run_id}`
  const keys: Shortcut[] = call
    ? [{ keys: 'e', label: 'Edit the arguments and run again', run: () => openPath(edit) }]
    : []
  if (isRunning && found.own) {
    keys.push({ keys: '.', isCommand: true, label: 'Cancel the run', run: cancel })
  }
  useShortcuts(keys)
  const saveReport = () => {
    const html = createRunReport({ record, logLines: log.lines, origin: location.origin })
    saveFile(`${found.run_id}.html`, new Blob([html], { type: 'text/html' }))
  }
  return (
    <div class="actions" role="group" aria-label="Actions">
      {isRunning && <CancelAction isOwn={found.own} isBusy={isBusy} onCancel={cancel} />}
      {call && <CallActions call={call} edit={edit} isBusy={isBusy} onRerun={rerun} />}
      <button type="button" class="quiet" onClick={saveReport}>
        Save as one file
      </button>
      <Link to={`/compare?before=${found.run_id}`}>Compare</Link>
      {!call && record.kind === 'run_code' && (
        <span class="muted">The code of a run is not stored, only its digest.</span>
      )}
      {error !== undefined && <ErrorMessage error={error} />}
    </div>
  )
}

interface CancelActionProps {
  isOwn: boolean
  isBusy: boolean
  onCancel: () => void
}

function CancelAction({ isOwn, isBusy, onCancel }: CancelActionProps) {
  if (!isOwn) return <span class="muted">Only its caller can cancel this run.</span>
  return (
    <button type="button" onClick={onCancel} disabled={isBusy} aria-keyshortcuts="Control+. Meta+.">
      Cancel
    </button>
  )
}

interface CallActionsProps {
  call: SkillCall
  /** Path of the form with the same arguments. */
  edit: string
  isBusy: boolean
  onRerun: () => void
}

function CallActions({ call, edit, isBusy, onRerun }: CallActionsProps) {
  return (
    <>
      <button type="button" onClick={onRerun} disabled={isBusy}>
        Run again
      </button>
      <Link to={edit}>Edit and run again</Link>
      <CopyCall call={() => call} />
    </>
  )
}
