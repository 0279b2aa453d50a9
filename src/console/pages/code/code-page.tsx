import { useState } from 'preact/hooks'
import { callMethod } from '../../app/api.ts'
import { changeSearch } from '../../app/location.ts'
import type { PageProps } from '../../app/pages.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { useMethod } from '../../app/use-method.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Loading } from '../../components/loading.tsx'
import { RunPanel } from '../../components/run-panel.tsx'
import { parseArguments } from '../../models/input-form.ts'

const STARTING_CODE: Readonly<Record<string, string>> = {
  python: 'def main(args):\n    return {"answer": 42}\n',
  node: 'export function main(args) {\n  return { answer: 42 }\n}\n',
}

/** Code that is run in the sandbox, with skills mounted. */
export function Page({ search }: PageProps) {
  const languages = useMethod('runtime.languages', {})
  const [language, setLanguage] = useState('python')
  const [code, setCode] = useState(STARTING_CODE['python'] ?? '')
  const [args, setArgs] = useState('{}')
  const [skills, setSkills] = useState('')
  const [error, setError] = useState<unknown>()
  const runId = search.get('run') ?? undefined
  const parsed = parseArguments(args)
  const isCode = Object.hasOwn(STARTING_CODE, language)
  const start = async () => {
    if (isCode && 'problem' in parsed) return
    setError(undefined)
    try {
      const mounted = skills.split(/[\s,]+/).filter(Boolean)
      const started = isCode
        ? await callMethod('run_code', {
            language: language as never,
            code,
            args: ('args' in parsed ? parsed.args : {}) as never,
            mount_skills: mounted,
            detach: true,
          })
        : await callMethod('runtime.execute', { runtime: language, code, detach: true } as never)
      changeSearch({ run: (started as { run_id: string }).run_id })
    } catch (thrown) {
      setError(thrown)
    }
  }
  useShortcuts([{ keys: 'Enter', isCommand: true, label: 'Run the code', run: () => void start() }])
  const choose = (next: string) => {
    if (code === (STARTING_CODE[language] ?? '')) setCode(STARTING_CODE[next] ?? '')
    setLanguage(next)
  }
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
          <Loading state={languages} label="languages">
            {(found) => (
              <div class="field">
                <label for="language">Language</label>
                <select
                  id="language"
                  value={language}
                  onChange={(event) => choose(event.currentTarget.value)}
                >
                  {listChoices(found).map((each) => (
                    <option key={each}>{each}</option>
                  ))}
                </select>
              </div>
            )}
          </Loading>
          <div class="field">
            <label for="code">{isCode ? 'Code with a function "main"' : 'Program'}</label>
            <textarea
              id="code"
              class="mono"
              rows={16}
              spellcheck={false}
              value={code}
              onInput={(event) => setCode(event.currentTarget.value)}
            />
          </div>
          {isCode && (
            <>
              <div class="field">
                <label for="code-args">Arguments as JSON</label>
                <textarea
                  id="code-args"
                  class="mono"
                  rows={3}
                  value={args}
                  aria-invalid={'problem' in parsed}
                  onInput={(event) => setArgs(event.currentTarget.value)}
                />
                {'problem' in parsed && <p class="tone-bad">{parsed.problem}</p>}
              </div>
              <div class="field">
                <label for="code-skills">Mounted skills, separated by spaces</label>
                <input
                  id="code-skills"
                  value={skills}
                  onInput={(event) => setSkills(event.currentTarget.value)}
                />
              </div>
            </>
          )}
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

/** Languages of skills first, then every other installed one. */
function listChoices(found: unknown): string[] {
  const { languages = [] } = found as { languages?: { name: string; available?: boolean }[] }
  const own = Object.keys(STARTING_CODE)
  const others = languages.filter(({ available }) => available !== false).map(({ name }) => name)
  return [...own, ...others.filter((name) => !own.includes(name))]
}
