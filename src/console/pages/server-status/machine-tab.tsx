import { signal } from '@preact/signals'
import type { CheckRuntimeResult } from '../../../core/methods/check-runtime/definition.ts'
import { callMethod } from '../../app/api.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loading } from '../../components/loading.tsx'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'

const TIMEOUT_MS = 600_000

interface MachineCheck {
  report: CheckRuntimeResult
  at: string
}

/** The last result stays while other pages are open: a check takes seconds to minutes. */
const last = signal<MachineCheck | undefined>(undefined)
const isChecking = signal(false)
const failure = signal<unknown>(undefined)

async function checkMachine(): Promise<void> {
  if (isChecking.value) return
  isChecking.value = true
  failure.value = undefined
  try {
    const report = await callMethod('check_runtime', {}, { timeoutMs: TIMEOUT_MS })
    last.value = { report, at: new Date().toISOString() }
  } catch (error) {
    failure.value = error
  }
  isChecking.value = false
}

/** Requirements of the machine, its backends and its languages, each with what fixes it. */
export function MachineTab() {
  const data = last.value
  return (
    <>
      <p>
        <button type="button" disabled={isChecking.value} onClick={() => void checkMachine()}>
          {data ? 'Check again' : 'Check the machine'}
        </button>{' '}
        <span role="status">
          {isChecking.value && 'Checking: every backend and every language is tried…'}
        </span>
        {data && !isChecking.value && (
          <>
            <Status
              value={data.report.ok ? 'ok' : 'failed'}
              text={data.report.ok ? 'ready' : 'something needed is missing'}
            />{' '}
            <span class="muted">
              checked <Time at={data.at} />
            </span>
          </>
        )}
      </p>
      {data === undefined && failure.value === undefined ? (
        <EmptyState
          title="A check starts small programs in each backend. It takes seconds to minutes."
          command={`skills doctor --url ${location.origin}`}
        />
      ) : (
        <Loading state={{ data, error: failure.value }} label="the machine">
          {({ report }) => <MachineReport report={report} />}
        </Loading>
      )}
    </>
  )
}

function MachineReport({ report }: { report: CheckRuntimeResult }) {
  const { checks, backends, languages } = report
  const installed = languages.filter((each) => each.installed)
  const missing = languages.filter((each) => !each.installed)
  return (
    <>
      <h2>Requirements</h2>
      <ul class="checks">
        {checks.map(({ id, title, ok, needed, detail, fix }) => (
          <li key={id}>
            <CheckMark ok={ok} needed={needed} /> <strong>{title}</strong>{' '}
            <span class="muted">{needed ? '' : 'optional'}</span>
            <div class="check-detail">{detail}</div>
            <Fix fix={fix} />
          </li>
        ))}
      </ul>
      <h2>Backends</h2>
      <ul class="checks">
        {backends.map(({ name, summary, ok, detail, weaknesses, fix }) => (
          <li key={name}>
            <CheckMark ok={ok} needed={false} /> <strong>{name}</strong> {summary}
            <div class="check-detail">{detail}</div>
            {weaknesses.map((each) => (
              <div key={each} class="check-detail muted">
                {each}
              </div>
            ))}
            <Fix fix={fix} />
          </li>
        ))}
      </ul>
      <h2>Languages</h2>
      <ul class="checks">
        {installed.map(({ name, title, version, path, runs, problem }) => (
          <li key={name}>
            <CheckMark ok={runs} needed={false} /> <strong>{title}</strong> {version}{' '}
            <code>{path}</code>
            {problem !== null && <div class="check-detail tone-bad">{problem}</div>}
          </li>
        ))}
      </ul>
      {missing.length > 0 && (
        <details>
          <summary>Languages that are not installed: {missing.length}</summary>
          <ul>
            {missing.map(({ name, title, install }) => (
              <li key={name}>
                {title}: {install}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

function CheckMark({ ok, needed }: { ok: boolean | null; needed: boolean }) {
  if (ok === null) return <Status value="info" text="not tried" />
  if (ok) return <Status value="ok" />
  return needed ? (
    <Status value="failed" text="missing" />
  ) : (
    <Status value="warning" text="not available" />
  )
}

function Fix({ fix }: { fix: string | null }) {
  if (fix === null) return null
  return (
    <div class="fix">
      <span aria-hidden="true">→</span> {fix} <CopyButton text={fix} />
    </div>
  )
}
