import { useMethod } from '../../app/use-method.ts'
import { Loading } from '../../components/loading.tsx'
import { parseArguments } from '../../models/input-form.ts'
import { STARTING_CODE, type CodeFields } from './start-code.ts'

interface CodeFieldsProps {
  fields: CodeFields
  onChange: (changed: Partial<CodeFields>) => void
}

/** A choice of the language, which replaces code that was not changed. */
export function LanguageField({ fields, onChange }: CodeFieldsProps) {
  const languages = useMethod('runtime.languages', {})
  const choose = (language: string) => {
    const isUnchanged = fields.code === (STARTING_CODE[fields.language] ?? '')
    onChange({ language, ...(isUnchanged && { code: STARTING_CODE[language] ?? '' }) })
  }
  return (
    <Loading state={languages} label="languages">
      {(found) => (
        <div class="field">
          <label for="language">Language</label>
          <select
            id="language"
            value={fields.language}
            onChange={(event) => choose(event.currentTarget.value)}
          >
            {listChoices(found).map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </div>
      )}
    </Loading>
  )
}

/** Fields of code whose function is called: its arguments, and the skills it can import. */
export function FunctionFields({ fields, onChange }: CodeFieldsProps) {
  const parsed = parseArguments(fields.args)
  return (
    <>
      <div class="field">
        <label for="code-args">Arguments as JSON</label>
        <textarea
          id="code-args"
          class="mono"
          rows={3}
          value={fields.args}
          aria-invalid={'problem' in parsed}
          onInput={(event) => onChange({ args: event.currentTarget.value })}
        />
        {'problem' in parsed && <p class="tone-bad">{parsed.problem}</p>}
      </div>
      <div class="field">
        <label for="code-skills">Mounted skills, separated by spaces</label>
        <input
          id="code-skills"
          value={fields.skills}
          onInput={(event) => onChange({ skills: event.currentTarget.value })}
        />
      </div>
    </>
  )
}

/** Languages of skills first, then every other installed one. */
function listChoices(found: unknown): string[] {
  const { languages = [] } = found as { languages?: { name: string; available?: boolean }[] }
  const own = Object.keys(STARTING_CODE)
  const others = languages.filter(({ available }) => available !== false).map(({ name }) => name)
  return [...own, ...others.filter((name) => !own.includes(name))]
}
