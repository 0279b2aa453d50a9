import { useEffect, useState } from 'preact/hooks'
import { changeSearch } from '../../app/location.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { describeField, FormField } from '../../components/form/form-field.tsx'
import { FILTERS, type FilterName, type ReadFilter } from './audit-filter.ts'

const EVENTS = ['denied', 'begun', 'ended', 'repaired', 'damaged', 'pruned', 'started', 'left']
const KINDS = ['execute_skill', 'run_code', 'execute', 'workspace']
const LAYERS = [
  'config',
  'policy',
  'executable',
  'environment',
  'cwd',
  'approval',
  'concurrency',
  'timeout',
  'output',
  'audit',
]

interface Filter {
  name: FilterName
  label: string
  choices?: readonly string[]
  placeholder?: string
}

const FIRST: readonly Filter[] = [
  { name: 'event', label: 'Event', choices: EVENTS },
  { name: 'caller', label: 'Caller' },
  { name: 'skill', label: 'Skill', placeholder: 'name or name@version' },
  { name: 'since', label: 'Since', placeholder: '2h' },
]
const FURTHER: readonly Filter[] = [
  { name: 'until', label: 'Until', placeholder: '15m' },
  { name: 'kind', label: 'Kind', choices: KINDS },
  { name: 'layer', label: 'Denied by the layer', choices: LAYERS },
  { name: 'code', label: 'Code of the denial' },
  { name: 'rule', label: 'Rule' },
  { name: 'language', label: 'Language' },
  { name: 'repository', label: 'Repository' },
  { name: 'run', label: 'Run', placeholder: 'run_…' },
  { name: 'hash', label: 'auditHash' },
]

interface FilterFormProps {
  search: URLSearchParams
  problems: ReadFilter['problems']
}

/** Filters of the list. Each is a part of the address. */
export function FilterForm({ search, problems }: FilterFormProps) {
  const isSet = ({ name }: Filter) => (search.get(name) ?? '') !== ''
  const focus = () => document.querySelector<HTMLElement>('#filter-caller')?.focus()
  useShortcuts([{ keys: '/', label: 'Filter by caller', run: focus }])
  const field = (filter: Filter) => (
    <FilterField
      key={filter.name}
      {...filter}
      text={search.get(filter.name) ?? ''}
      problem={problems[filter.name]}
    />
  )
  const clear = () => changeSearch(Object.fromEntries(FILTERS.map((name) => [name, ''])))
  return (
    <form role="search" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <div class="field-grid">{FIRST.map(field)}</div>
      <details open={FURTHER.some(isSet)}>
        <summary>Further filters</summary>
        <div class="field-grid">{FURTHER.map(field)}</div>
      </details>
      {[...FIRST, ...FURTHER].some(isSet) && (
        <button type="button" class="quiet" onClick={clear}>
          Remove all filters
        </button>
      )}
    </form>
  )
}

interface FilterFieldProps extends Filter {
  text: string
  problem: string | undefined
}

function FilterField({ name, label, choices, placeholder, text, problem }: FilterFieldProps) {
  const [draft, setDraft] = useState(text)
  useEffect(() => setDraft(text), [text])
  const id = `filter-${name}`
  const apply = (value: string) => changeSearch({ [name]: value.trim(), seq: undefined })
  if (choices) {
    return (
      <FormField id={id} label={label}>
        <select id={id} value={text} onChange={(event) => apply(event.currentTarget.value)}>
          <option value="">all</option>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      </FormField>
    )
  }
  return (
    <FormField id={id} label={label} problem={problem}>
      <input
        {...describeField({ id, problem })}
        value={draft}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onChange={(event) => apply(event.currentTarget.value)}
      />
    </FormField>
  )
}
