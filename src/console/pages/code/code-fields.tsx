import { useMethod } from '../../app/use-method.ts'
import { Loading } from '../../components/loading.tsx'
import { parseArguments } from '../../models/input-form.ts'
import {
  findStartingCode,
  FUNCTION_LANGUAGES,
  type CodeFields,
  type RunnableKind,
} from './start-code.ts'

interface CodeFieldsProps {
  fields: CodeFields
  onChange: (changed: Partial<CodeFields>) => void
}

/** A choice of kind and language, which replaces code that was not changed. */
export function LanguageField({ fields, onChange }: CodeFieldsProps) {
  const languages = useMethod('runtime.languages', {})
  const choose = (kind: RunnableKind, language: string) => {
    const isUnchanged = fields.code === findStartingCode(fields)
    onChange({ kind, language, ...(isUnchanged && { code: findStartingCode({ kind, language }) }) })
  }
  const chooseKind = (kind: RunnableKind) => {
    const hasFunctions = FUNCTION_LANGUAGES.includes(fields.language)
    choose(kind, kind === 'function' && !hasFunctions ? 'python' : fields.language)
  }
  return (
    <Loading state={languages} label="languages">
      {(found) => (
        <div class="field">
          <label for="code-kind">Run as</label>
          <select
            id="code-kind"
            value={fields.kind}
            onChange={(event) => chooseKind(event.currentTarget.value as RunnableKind)}
          >
            <option value="function">function with arguments, as in a skill</option>
            <option value="program">program with output</option>
          </select>
          <label for="language">Language</label>
          <select
            id="language"
            value={fields.language}
            onChange={(event) => choose(fields.kind, event.currentTarget.value)}
          >
            {(fields.kind === 'function' ? FUNCTION_LANGUAGES : listInstalled(found)).map(
              (each) => (
                <option key={each}>{each}</option>
              ),
            )}
          </select>
        </div>
      )}
    </Loading>
  )
}

/** The fields that only functions or only programs have. */
export function KindFields(props: CodeFieldsProps) {
  return props.fields.kind === 'function' ? (
    <FunctionFields {...props} />
  ) : (
    <ProgramFields {...props} />
  )
}

/** Fields of code whose function is called: its arguments, and the skills it can import. */
function FunctionFields({ fields, onChange }: CodeFieldsProps) {
  const parsed = parseArguments(fields.args)
  return (
    <>
      <TextArea
        id="code-args"
        label="Arguments as JSON"
        value={fields.args}
        problem={'problem' in parsed ? parsed.problem : undefined}
        onChange={(args) => onChange({ args })}
      />
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

/** Fields of a program: its arguments and its input. */
function ProgramFields({ fields, onChange }: CodeFieldsProps) {
  return (
    <>
      <TextArea
        id="code-argv"
        label="Arguments, one in each line"
        value={fields.argv}
        onChange={(argv) => onChange({ argv })}
      />
      <TextArea
        id="code-stdin"
        label="Standard input"
        value={fields.stdin}
        onChange={(stdin) => onChange({ stdin })}
      />
    </>
  )
}

interface TextAreaProps {
  id: string
  label: string
  value: string
  problem?: string | undefined
  onChange: (text: string) => void
}

function TextArea({ id, label, value, problem, onChange }: TextAreaProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        class="mono"
        rows={3}
        spellcheck={false}
        value={value}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {problem !== undefined && (
        <p id={`${id}-problem`} class="tone-bad">
          {problem}
        </p>
      )}
    </div>
  )
}

/** Languages that are installed. */
function listInstalled(found: unknown): string[] {
  const { languages = [] } = found as { languages?: { name: string; available?: boolean }[] }
  return languages.filter(({ available }) => available !== false).map(({ name }) => name)
}
