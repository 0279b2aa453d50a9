import { useState } from 'preact/hooks'
import {
  formatJson,
  parseArguments,
  readFields,
  writeFields,
  type FormInput,
} from '../models/input-form.ts'
import { InputField } from './input-field.tsx'

export interface FormState {
  texts: Record<string, string>
  /** Arguments that no input declares. */
  others: Record<string, unknown>
}

interface ArgumentsFormProps {
  inputs: readonly FormInput[]
  state: FormState
  /** True after the first attempt to run, so that empty fields are not errors before it. */
  showsProblems: boolean
  onChange: (state: FormState) => void
}

/** The arguments of a call, as fields and as JSON. A change of one changes the other. */
export function ArgumentsForm({ inputs, state, showsProblems, onChange }: ArgumentsFormProps) {
  const [isJson, setJson] = useState(inputs.length === 0)
  return (
    <fieldset class="arguments">
      <legend>Arguments</legend>
      <div role="radiogroup" aria-label="Form of the arguments">
        <label>
          <input type="radio" name="form" checked={!isJson} onChange={() => setJson(false)} />{' '}
          Fields
        </label>
        <label>
          <input type="radio" name="form" checked={isJson} onChange={() => setJson(true)} /> JSON
        </label>
      </div>
      {isJson ? (
        <JsonArguments {...{ inputs, state, onChange }} />
      ) : (
        <FieldArguments {...{ inputs, state, showsProblems, onChange }} />
      )}
    </fieldset>
  )
}

function FieldArguments({ inputs, state, showsProblems, onChange }: ArgumentsFormProps) {
  const { problems } = readFields(inputs, state.texts)
  const change = (name: string, text: string | undefined) => {
    const { [name]: _, ...rest } = state.texts
    onChange({ ...state, texts: text === undefined ? rest : { ...rest, [name]: text } })
  }
  const extra = Object.keys(state.others)
  return (
    <>
      {inputs.length === 0 && <p class="muted">This skill declares no inputs.</p>}
      {inputs.map((input) => (
        <InputField
          key={input.name}
          input={input}
          text={state.texts[input.name]}
          problem={
            showsProblems || state.texts[input.name] !== undefined
              ? problems[input.name]
              : undefined
          }
          onChange={(text) => change(input.name, text)}
        />
      ))}
      {extra.length > 0 && <p class="muted">The JSON also has: {extra.join(', ')}</p>}
    </>
  )
}

function JsonArguments({
  inputs,
  state,
  onChange,
}: Pick<ArgumentsFormProps, 'inputs' | 'state' | 'onChange'>) {
  const [text, setText] = useState(() => formatJson(joinArguments(inputs, state)))
  const parsed = parseArguments(text)
  const change = (next: string) => {
    setText(next)
    const read = parseArguments(next)
    if ('args' in read) onChange(splitArguments(inputs, read.args))
  }
  return (
    <div class="field">
      <label for="arguments-json">All arguments as JSON</label>
      <textarea
        id="arguments-json"
        class="mono"
        rows={10}
        value={text}
        aria-invalid={'problem' in parsed}
        aria-describedby={'problem' in parsed ? 'arguments-json-problem' : undefined}
        onInput={(event) => change(event.currentTarget.value)}
      />
      {'problem' in parsed && (
        <p id="arguments-json-problem" class="tone-bad">
          {parsed.problem} The fields have the last valid JSON.
        </p>
      )}
    </div>
  )
}

/** All arguments of a form, as they are passed. */
export function joinArguments(inputs: readonly FormInput[], { texts, others }: FormState): object {
  return { ...readFields(inputs, texts).args, ...others }
}

/** Fields for arguments from elsewhere, such as an earlier run. */
export function splitArguments(inputs: readonly FormInput[], args: object): FormState {
  const names = new Set(inputs.map(({ name }) => name))
  const others = Object.entries(args).filter(([name]) => !names.has(name))
  return { texts: writeFields(inputs, args), others: Object.fromEntries(others) }
}
