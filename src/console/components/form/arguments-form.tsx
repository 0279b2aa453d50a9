import { useEffect, useRef, useState } from 'preact/hooks'
import {
  formatJson,
  parseArguments,
  readFields,
  writeFields,
  type FormInput,
} from '../../models/input-form.ts'
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
  /** Gets the next state, or a function of the state at that time. */
  onChange: (change: FormState | ((before: FormState) => FormState)) => void
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
  // An upload may end long after this rendering, so the change is one of the state at that time.
  const change = (name: string, text: string | undefined) =>
    onChange((before) => {
      const { [name]: _, ...rest } = before.texts
      return { ...before, texts: text === undefined ? rest : { ...rest, [name]: text } }
    })
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
  const args = joinArguments(inputs, state)
  const [text, setText] = useState(() => formatJson(args))
  // The arguments that the text stands for: others come from an example or an earlier run.
  const own = useRef(JSON.stringify(args))
  useEffect(() => {
    if (own.current === JSON.stringify(args)) return
    own.current = JSON.stringify(args)
    setText(formatJson(args))
  }, [JSON.stringify(args)])
  const parsed = parseArguments(text)
  const change = (next: string) => {
    setText(next)
    const read = parseArguments(next)
    if (!('args' in read)) return
    const changed = splitArguments(inputs, read.args)
    own.current = JSON.stringify(joinArguments(inputs, changed))
    onChange(changed)
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
