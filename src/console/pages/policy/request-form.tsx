import { useEffect, useState } from 'preact/hooks'
import { changeSearch } from '../../app/location.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { describeField, FormField } from '../../components/form/form-field.tsx'
import {
  REQUEST_FIELDS,
  type PolicyForm,
  type PolicyFormField,
} from '../../models/policy-request.ts'

interface RequestFormProps {
  form: PolicyForm
  problem: { field: PolicyFormField; problem: string } | undefined
  /** Names of registered repositories. */
  repositories: readonly string[]
}

type Choices = readonly (readonly [value: string, title: string])[]

const KINDS: Choices = [
  ['', 'decided by the fields below'],
  ['execute_skill', 'a skill'],
  ['run_code', 'code with skills'],
  ['execute', 'a program'],
  ['workspace', 'a command in a workspace'],
]

const ENTRY_POINTS: Choices = [
  ['', 'http'],
  ['mcp', 'mcp'],
  ['cli', 'cli'],
  ['library', 'library'],
]

interface TextField {
  field: PolicyFormField
  label: string
  help?: string
}

const WHO: readonly TextField[] = [
  { field: 'caller', label: 'Token or user', help: 'Empty: the caller of this page' },
]
const RUN: readonly TextField[] = [
  { field: 'skills', label: 'Skills', help: 'Names, or name@version, separated by spaces' },
  { field: 'language', label: 'Language', help: 'Such as python, node or shell' },
  { field: 'timeout', label: 'Timeout in seconds' },
  { field: 'network', label: 'Network', help: 'Destinations, separated by spaces' },
]
const PROGRAM: readonly TextField[] = [
  { field: 'executable', label: 'Executable', help: 'Empty: the default of the language' },
  { field: 'repository', label: 'Repository' },
  { field: 'cwd', label: 'Folder in the repository' },
  { field: 'environment', label: 'Environment variables', help: 'Names, separated by spaces' },
]

/** A request. Its address is a link to the same request. */
export function RequestForm({ form, problem, repositories }: RequestFormProps) {
  const [draft, setDraft] = useState<PolicyForm>(form)
  useEffect(() => setDraft(form), [JSON.stringify(form)])
  const change = (field: PolicyFormField, text: string) =>
    setDraft((before) => ({ ...before, [field]: text }))
  const submit = () => {
    const all = Object.fromEntries(REQUEST_FIELDS.map((field) => [field, draft[field]?.trim()]))
    // An address without any field is that of the empty form.
    const isEmpty = Object.values(all).every((text) => text === undefined || text === '')
    changeSearch(isEmpty ? { ...all, door: 'http' } : all)
  }
  const clear = () => changeSearch(Object.fromEntries(REQUEST_FIELDS.map((each) => [each, ''])))
  useShortcuts([{ keys: 'Enter', isCommand: true, label: 'Try the request', run: submit }])
  const field = (each: TextField) => (
    <RequestText
      key={each.field}
      {...each}
      text={draft[each.field] ?? ''}
      problem={problem?.field === each.field ? problem.problem : undefined}
      list={each.field === 'repository' && repositories.length > 0 ? 'repositories' : undefined}
      onChange={(text) => change(each.field, text)}
    />
  )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <div class="field-grid">
        {WHO.map(field)}
        <Choice
          {...{ field: 'door', label: 'Entry point', choices: ENTRY_POINTS, draft, change }}
        />
        <Choice {...{ field: 'kind', label: 'Kind of run', choices: KINDS, draft, change }} />
        {RUN.map(field)}
      </div>
      <details open={PROGRAM.some((each) => form[each.field] !== undefined)}>
        <summary>Programs in repositories</summary>
        <div class="field-grid">{PROGRAM.map(field)}</div>
      </details>
      <datalist id="repositories">
        {repositories.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <p class="buttons">
        <button type="submit" aria-keyshortcuts="Control+Enter Meta+Enter">
          Try
        </button>{' '}
        <button type="button" class="quiet" onClick={clear}>
          Clear
        </button>
      </p>
    </form>
  )
}

interface ChoiceProps {
  field: 'door' | 'kind'
  label: string
  choices: Choices
  draft: PolicyForm
  change: (field: PolicyFormField, text: string) => void
}

function Choice({ field, label, choices, draft, change }: ChoiceProps) {
  const id = `request-${field}`
  return (
    <FormField id={id} label={label}>
      <select
        id={id}
        value={draft[field] ?? ''}
        onChange={(event) => change(field, event.currentTarget.value)}
      >
        {choices.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </FormField>
  )
}

interface RequestTextProps extends TextField {
  text: string
  problem: string | undefined
  list: string | undefined
  onChange: (text: string) => void
}

function RequestText({ field, label, help, text, problem, list, onChange }: RequestTextProps) {
  const id = `request-${field}`
  return (
    <FormField {...{ id, label, help, problem }}>
      <input
        {...describeField({ id, help, problem })}
        list={list}
        value={text}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </FormField>
  )
}
