import { toPrintable } from '../../../util/printable.ts'
import { useEffect, useState } from 'preact/hooks'
import type { GetRunRecordResult } from '../../../core/methods/get-run-record/definition.ts'
import type { RunRecord } from '../../../core/runs/history/run-record.ts'
import { callMethod } from '../../app/api.ts'
import { changeSearch } from '../../app/location.ts'
import { startCall } from '../../app/runs/start-call.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import {
  ArgumentsForm,
  joinArguments,
  splitArguments,
  type FormState,
} from '../../components/form/arguments-form.tsx'
import { CopyCall } from '../../components/copy-call.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { RunPanel } from '../../components/run-panel.tsx'
import type { SkillCall } from '../../models/copy-call.ts'
import { parseArguments, readFields, writeDefaults } from '../../models/input-form.ts'
import { readTimeout } from '../../models/read-timeout.ts'
import { PolicyPreview } from './policy-preview.tsx'
import { nameSkill, type InspectedSkill, type SkillTabProps } from './skill-tab.ts'
import { TimeoutField } from '../../components/form/timeout-field.tsx'

/** A form for the arguments, and the run that it starts. The run goes on without the page. */
export function RunTab({ skill, search }: SkillTabProps) {
  const [form, setForm] = useState<FormState>(() => createForm(skill, search.get('args')))
  const [timeout, setTimeoutText] = useState('')
  const { start, isTried, isStarting, error } = useStart(skill, form, timeout)
  const runId = search.get('run') ?? undefined
  usePrefill(search.get('from'), skill, setForm)
  useShortcuts([
    { keys: 'Enter', isCommand: true, label: 'Run the skill', run: () => void start() },
  ])
  if (skill.kind !== 'action') {
    return <EmptyState title="This skill has instructions and no code: a model reads it." />
  }
  return (
    <div class="two-columns">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void start()
        }}
      >
        <ExampleChoice
          skill={skill}
          onChoose={(args) => setForm(splitArguments(skill.inputs, args))}
        />
        <ArgumentsForm
          inputs={skill.inputs}
          state={form}
          showsProblems={isTried}
          onChange={setForm}
        />
        <LimitFields timeout={timeout} onChange={setTimeoutText} />
        <PolicyPreview skill={skill} timeoutMs={toMilliseconds(timeout)} />
        <p>
          <button type="submit" disabled={isStarting} aria-keyshortcuts="Control+Enter Meta+Enter">
            {isStarting ? 'Starting' : 'Run'}
          </button>{' '}
          <CopyCall call={() => toCall(skill, form, timeout)} />
          <CopyButton label="Copy link" text={() => formatFormLink(skill, form)} />
        </p>
        {error !== undefined && <ErrorMessage error={error} />}
      </form>
      {runId === undefined ? (
        <EmptyState title="Logs and result of the run appear here." />
      ) : (
        <RunPanel key={runId} runId={runId} />
      )}
    </div>
  )
}

/** Starts the run of a form without problems, and adds it to the address. */
// eslint-disable-next-line max-params -- the skill, the form and the limit
function useStart(skill: InspectedSkill, form: FormState, timeout: string) {
  const [isTried, setTried] = useState(false)
  const [isStarting, setStarting] = useState(false)
  const [error, setError] = useState<unknown>()
  const start = async () => {
    setTried(true)
    const { problems } = readFields(skill.inputs, form.texts)
    if (Object.keys(problems).length > 0 || readTimeout(timeout) === 'invalid') return
    setStarting(true)
    setError(undefined)
    try {
      changeSearch({
        run: await startCall(toCall(skill, form, timeout)),
        from: undefined,
        args: undefined,
      })
    } catch (thrown) {
      setError(thrown)
    } finally {
      setStarting(false)
    }
  }
  return { start, isTried, isStarting, error }
}

/** A form with the arguments of a link, or with the defaults. */
function createForm({ inputs }: InspectedSkill, linked: string | null): FormState {
  const parsed = linked === null ? undefined : parseArguments(linked)
  if (parsed && 'args' in parsed) return splitArguments(inputs, parsed.args)
  return { texts: writeDefaults(inputs), others: {} }
}

/** An address that opens the form with the same arguments. It starts no run. */
function formatFormLink(skill: InspectedSkill, form: FormState): string {
  const args = JSON.stringify(joinArguments(skill.inputs, form))
  const search = new URLSearchParams({ tab: 'run', args })
  return `${location.origin}${location.pathname}?${search}`
}

function toMilliseconds(text: string): number | undefined {
  const timeout = readTimeout(text)
  return timeout === 'invalid' ? undefined : timeout
}

/** The call that the form describes. */
// eslint-disable-next-line max-params -- the skill, the form and the limit
function toCall(skill: InspectedSkill, form: FormState, timeout: string): SkillCall {
  return {
    ...nameSkill(skill),
    args: joinArguments(skill.inputs, form),
    inputBlobs: listBlobs(skill, form),
    timeoutMs: toMilliseconds(timeout) ?? null,
  }
}

/** Ids of blobs in the form: a run reads only blobs that are named. */
function listBlobs({ inputs }: InspectedSkill, { texts }: FormState): string[] {
  return inputs.flatMap(({ name, type }) => (type === 'blob' ? (texts[name] ?? []) : []))
}

/** Fills the form with the arguments of an earlier run. */
// eslint-disable-next-line max-params -- the run, the skill and the receiver
function usePrefill(
  runId: string | null,
  skill: InspectedSkill,
  fill: (form: FormState) => void,
): void {
  useEffect(() => {
    if (runId === null) return
    callMethod('get_run_record', { run_id: runId }).then(
      (run) => fill(splitArguments(skill.inputs, readRunArguments(run))),
      // The form keeps its defaults; the page of the run says why it cannot be read.
      () => {},
    )
  }, [runId])
}

function readRunArguments({ record }: GetRunRecordResult): object {
  const { request } = (record ?? {}) as Partial<Pick<RunRecord, 'request'>>
  return request?.args ?? {}
}

function ExampleChoice({
  skill,
  onChoose,
}: {
  skill: InspectedSkill
  onChoose: (args: object) => void
}) {
  if (skill.examples.length === 0) return null
  return (
    <p>
      Examples:{' '}
      {skill.examples.map(({ name, args }) => (
        <button key={name} type="button" class="quiet" onClick={() => onChoose(args)}>
          {toPrintable(name)}
        </button>
      ))}
    </p>
  )
}

/** Limits of the run that the caller may lower. */
function LimitFields({
  timeout,
  onChange,
}: {
  timeout: string
  onChange: (timeout: string) => void
}) {
  return (
    <details open={readTimeout(timeout) === 'invalid'}>
      <summary>Limits</summary>
      <TimeoutField id="timeout" text={timeout} onChange={onChange} />
    </details>
  )
}
