import { useEffect, useState } from 'preact/hooks'
import { Dialog } from '../components/dialog.tsx'
import { selectMatches } from '../models/match-words.ts'
import { callMethod } from './api.ts'
import { openPath } from './location.ts'
import { PAGES } from './pages.ts'
import { shortcuts } from './shortcuts.ts'

interface PaletteEntry {
  id: string
  label: string
  kind: string
  run: () => void
}

const SHOWN = 12

/** Finds pages, skills and actions by a few letters. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const skills = useSkillEntries()
  const matches = selectMatches([...listPageEntries(), ...skills, ...listActions()], typed, {
    read: ({ label }) => label,
    limit: SHOWN,
  })
  const current = matches[Math.min(chosen, matches.length - 1)]
  const choose = (entry: PaletteEntry | undefined) => {
    onClose()
    entry?.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && matches.length > 0) {
      event.preventDefault()
      setChosen((Math.min(chosen, matches.length - 1) + step + matches.length) % matches.length)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      choose(current)
    }
  }
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        class="palette-field"
        role="combobox"
        aria-label="Page, skill or action"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={current && `palette-${current.id}`}
        value={typed}
        autofocus
        onKeyDown={onKeyDown}
        onInput={(event) => {
          setTyped(event.currentTarget.value)
          setChosen(0)
        }}
      />
      <ul id="palette-list" role="listbox" aria-label="Matches" class="palette-list">
        {matches.map((entry) => (
          <li
            key={entry.id}
            id={`palette-${entry.id}`}
            role="option"
            aria-selected={entry === current}
            onClick={() => choose(entry)}
          >
            {entry.label} <span class="muted">{entry.kind}</span>
          </li>
        ))}
      </ul>
      {matches.length === 0 && <p>Nothing matches "{typed}"</p>}
    </Dialog>
  )
}

function listPageEntries(): PaletteEntry[] {
  return PAGES.filter(({ isInNavigation }) => isInNavigation).map(({ id, title, path }) => ({
    id: `page-${id}`,
    label: title,
    kind: 'page',
    run: () => openPath(path),
  }))
}

function listActions(): PaletteEntry[] {
  return shortcuts.value.map(({ label, run }, at) => ({
    id: `action-${at}`,
    label,
    kind: 'action',
    run,
  }))
}

function useSkillEntries(): PaletteEntry[] {
  const [entries, setEntries] = useState<PaletteEntry[]>([])
  useEffect(() => {
    callMethod('list_skills', {}).then(
      ({ skills }) =>
        setEntries(
          skills.map(({ name }) => ({
            id: `skill-${name}`,
            label: name,
            kind: 'skill',
            run: () => openPath(`/skills/${encodeURIComponent(name)}`),
          })),
        ),
      // Pages and actions are offered all the same.
      () => setEntries([]),
    )
  }, [])
  return entries
}
