import { useState } from 'preact/hooks'
import { changeSearch } from '../../app/location.ts'
import type { PageProps } from '../../app/page-props.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { RunPanel } from '../../components/run-panel.tsx'
import { TimeoutField } from '../../components/form/timeout-field.tsx'
import { KindFields, LanguageField } from './code-fields.tsx'
import { createCodeFields, startCode, type CodeFields } from './start-code.ts'

/** Code that is run in the sandbox, with skills mounted. */
export function Page({ search }: PageProps) {
  const [fields, setFields] = useState<CodeFields>(createCodeFields)
  const [error, setError] = useState<unknown>()
  const runId = search.get('run') ?? undefined
  const isFunction = fields.kind === 'function'
  const change = (changed: Partial<CodeFields>) =>
    setFields((before) => ({ ...before, ...changed }))
  const start = async () => {
    setError(undefined)
    try {
      const run = await startCode(fields)
      if (run !== undefined) changeSearch({ run })
    } catch (thrown) {
      setError(thrown)
    }
  }
  useShortcuts([{ keys: 'Enter', isCommand: true, label: 'Run the code', run: () => void start() }])
  return (
    <section>
      <h1>Code</h1>
      <div class="two-columns">
        <form
          onSubmit={(event) => {
            event.preventDefault()
            void start()
          }}
        >
          <LanguageField fields={fields} onChange={change} />
          <div class="field">
            <label for="code">{isFunction ? 'Code with a function "main"' : 'Program'}</label>
            <textarea
              id="code"
              class="mono"
              rows={16}
              spellcheck={false}
              value={fields.code}
              onInput={(event) => change({ code: event.currentTarget.value })}
            />
          </div>
          <KindFields fields={fields} onChange={change} />
          <TimeoutField
            id="code-timeout"
            text={fields.timeout}
            onChange={(timeout) => change({ timeout })}
          />
          <button type="submit" aria-keyshortcuts="Control+Enter Meta+Enter">
            Run
          </button>
          {error !== undefined && <ErrorMessage error={error} />}
        </form>
        {runId === undefined ? (
          <EmptyState title="Logs and result of the run appear here." />
        ) : (
          <RunPanel key={runId} runId={runId} />
        )}
      </div>
    </section>
  )
}
